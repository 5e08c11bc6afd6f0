/** What facts make known of an order after its sale, by the fold and its tables alone. */
import {
  type AfterSaleState,
  type Attention,
  type KnownOrder,
  type PaymentState,
  timeText,
} from '../../../src/contract';
import { LONGEST_OPEN_MS, timingOf } from '../../../src/gateway/pure/by-method';
import { DAY, HOUR, MINUTE } from '../../../src/gateway/pure/durations';
import type { NewAfterSaleFact as Fact } from '../../../src/workflows/after-sale/facts';
import { type FoldSettings, fold, NOTHING_KNOWN } from '../../../src/workflows/after-sale/fold';
import { findRefund, isComplete, leftToGrant } from '../../../src/workflows/after-sale/ledger';
import { nextStep } from '../../../src/workflows/after-sale/next-step';
import { answerTo, grantRefund } from '../../../src/workflows/after-sale/refund-requests';
import { afterSaleDetails, stateOf, transitionsToTell } from '../../../src/workflows/after-sale/rendering';
import { assertAfterSaleResolution, decisionOf } from '../../../src/workflows/after-sale/resolve';

const POLLS = { poll_schedule_ms: [MINUTE, 2 * MINUTE, 5 * MINUTE], poll_every_ms: HOUR };
const SETTINGS = { ...POLLS, settling_ms: 30_000, refund_watch_ms: 3 * DAY, late_payments: 'attention' } as const;

/** What happens: a fact, facts that follow from what is known, or how long nothing does, in ms. */
type Move = number | Fact | ((order: Order) => readonly Fact[]);

class Order {
  sale: KnownOrder = { ...NOTHING_KNOWN, out_trade_no: 'O1' };
  now = 10 * DAY;
  settings: FoldSettings = SETTINGS;
  happens(...moves: readonly Move[]): this {
    for (const move of moves) {
      if (typeof move === 'number') this.now += move;
      else
        for (const fact of typeof move === 'function' ? move(this) : [move])
          this.sale = fold(this.sale, { ...fact, at: this.now }, this.settings);
    }
    return this;
  }
  get step() {
    return nextStep(this.sale, this.now, { isAsked: false, watch_until: 0 }, SETTINGS);
  }
  get state(): AfterSaleState {
    return stateOf(this.sale, 'APP', 0);
  }
}
const sees =
  (trade_status: string, trade_no = 'T1') =>
  ({ now, sale }: Order): readonly Fact[] => {
    const order = { trade_no, out_trade_no: 'O1', order_amount: '150.00', order_currency: 'BRL' };
    return [{ is: 'queried', trade: { ...order, trade_status, asked_at: now }, after: sale.heard }];
  };
/** It shows the same once more, so many ms later. */
const keepsShowing = (trade_status: string, ms: number, trade_no?: string) => (order: Order) => {
  const first = sees(trade_status, trade_no)(order);
  order.now += ms;
  return [...first, ...sees(trade_status, trade_no)(order)];
};
const asks = (number: string, amount: string): Fact => ({ is: 'requested', number, amount, currency: 'BRL' });
const sent =
  (number: string, amount: string, answered: Extract<Fact, { is: 'answered' }>['answered']) => (): readonly Fact[] => [
    asks(number, amount),
    { is: 'begun', number },
    { is: 'answered', number, answered },
  ];
/** A refund is asked for and sent, and the gateway has taken it; or its answer was lost. */
const taken = (number: string, amount: string, answer: object = {}) =>
  sent(number, amount, { said: 'taken', answer: { out_request_no: number, recovered: false, ...answer } });
const lost = (number: string, amount: string) => sent(number, amount, { said: 'unknown' });
const told = (trade_status: string, out_request_no?: string, trade_no?: string): Fact => ({
  is: 'notified',
  claim: { trade_status, ...(out_request_no ? { out_request_no } : {}), ...(trade_no ? { trade_no } : {}) },
});
const decides = (number: string, outcome: 'REFUNDED' | 'REFUND_REFUSED' | 'REFUND_REVOKE' | 'NOT_CREATED'): Fact => ({
  is: 'decided',
  by: 'ana',
  reason: 'seen',
  refund: { number, outcome },
});
/** The payment has ended so. */
const endedAs =
  (
    {
      run_id = 'r',
      ...how
    }: Pick<PaymentState, 'outcome' | 'trade_status' | 'confirmed_by' | 'method'> & {
      trade_no?: string | null;
      payment_data?: PaymentState['payment_data'];
      run_id?: string;
    },
    ...reasons: Attention[]
  ): Move =>
  ({ now }) => {
    const ids = { app_id: 'APP', out_trade_no: 'O1', trade_no: 'T1', expires_at: null };
    const money = { order_amount: '150.00', order_currency: 'BRL' };
    const nobody = { attention: null, attention_since: null, taken: null, history: [], other_trades: [] };
    const nothing = { previous: null, payment_data: null, refused_because: null };
    const state = { ...ids, ...money, ...nobody, ...nothing, ...how };
    const times = {
      run_id,
      ended_at: now,
      watch_until: 0,
      sent_again: false,
      repeats: false,
      made_here: true,
      ordered_here: true,
    };
    const payment = { ...times, reasons, asked: [], state: { ...state, history: [], other_trades: [] } };
    return [{ is: 'ended', payment, contradicted: [] }];
  };
const asSold = { outcome: 'SUCCESS', trade_status: 'SUCCESS', confirmed_by: 'query', method: 'PIX' } as const;
const ended = endedAs(asSold);
const sold = (...moves: readonly Move[]) => new Order().happens(sees('SUCCESS'), ...moves);
const orderOf = (refund_amount: string, out_request_no: string) => ({
  refund_amount,
  refund_currency: 'BRL',
  out_request_no,
});
const grantAt = ({ sale, now }: Order, amount: string) => grant(sale, amount, 'z', now);
const grant = (sale: KnownOrder, amount: string, number: string, now = 20 * DAY) => {
  try {
    return grantRefund(sale, new Map(), orderOf(amount, number), now).is as string;
  } catch (error) {
    return error instanceof Error ? error.message : 'an error';
  }
};

test('of two persons who have looked at the same reason, the second one does not settle the next', () => {
  const order = sold({ is: 'noticed', what: 'unexpected-signal' }, told('CHARGEBACK'), sees('CHARGEBACK'));
  const settles = (seen: string) =>
    decisionOf(order.sale, { by: 'ben', reason: 'seen', seen }, order.state.attention, order.now);
  const first = settles('chargeback');
  order.happens({ is: 'decided', ...first });
  expect(order.state.attention).toBe('unexpected-signal');
  expect(() => settles('chargeback')).toThrow('it needs a person for unexpected-signal now: look again');
});

test('a refund of which a person has said in a dispute that it was made holds up no later one once that is won', () => {
  const order = sold(taken('a', '50.00'), HOUR, sees('DISPUTE'), decides('a', 'REFUNDED'), HOUR);
  order.happens(keepsShowing('SUCCESS', HOUR), DAY, asks('b', '20.00'));
  expect(order.step).toEqual({ take: 'send', number: 'b' });
});

test('an end that is handed over once more asks nothing that a person has settled', () => {
  const late = endedAs(
    { outcome: 'EXPIRED', trade_status: 'SUCCESS', confirmed_by: 'query', method: 'PIX' },
    'late-payment',
  );
  const order = new Order().happens(late);
  const [again] = typeof late === 'function' ? late(order) : [];
  order.happens({ is: 'decided', by: 'ana', reason: 'delivered', order: 'SUCCESS' }, HOUR, ...(again ? [again] : []));
  expect(order.state.attention).toBeNull();
});

test('a sale that a person ends while the gateway is silent is none: the look after it shows what was known, and is told to nobody', () => {
  const order = new Order().happens(ended, { is: 'unanswered', why: 'no-answer', after: 0 });
  order.happens({ is: 'decided', by: 'ana', reason: 'sent back by hand', order: 'CANCEL' }, HOUR, sees('SUCCESS'));
  expect(order.state).toMatchObject({ attention: null, payment: { outcome: 'CANCEL' } });
  expect(transitionsToTell(order.sale).map(({ to }) => to)).toEqual(['CANCEL']);
});

test('that the gateway denies an order’s trade while its payment runs is asked about no more once that has ended unpaid', () => {
  const order = new Order().happens({ is: 'following', isRunning: true });
  order.happens({ is: 'unanswered', why: 'unknown-trade', after: 0 });
  const before = order.state.attention;
  const cancelled = { outcome: 'CANCEL', trade_status: null, confirmed_by: 'operator', method: 'PIX' } as const;
  order.happens(endedAs({ ...cancelled, trade_no: null }));
  expect([before, order.state.attention, order.step]).toEqual(['unknown-trade', null, { take: 'rest' }]);
});

test('who has looked at an order that was not paid has read of the trade that the gateway would not say anything of', () => {
  const refused = { outcome: 'REFUSED', trade_status: 'REFUSED', confirmed_by: 'query', method: 'PIX' } as const;
  const named: Fact = { is: 'notified', claim: { trade_no: 'T2', trade_status: 'REFUSED' } };
  const silent: Fact = { is: 'asked', other: 'T2', trade: null, answer: 'unanswered' };
  const order = new Order().happens(endedAs({ ...refused, trade_no: null }), named, silent);
  order.happens({ is: 'unanswered', why: 'unknown-trade', after: 1 });
  const seen = order.state.attention;
  order.happens({ is: 'decided', by: 'ana', reason: 'no such trade', seen }, HOUR);
  expect([seen, order.step]).toEqual(['unknown-trade', { take: 'rest' }]);
});

test('a refund that is taken after days of outage has a whole day, and a whole watch, from then on', () => {
  const order = sold(asks('a', '50.00'), { is: 'begun', number: 'a' }, 2 * DAY);
  order.happens(
    { is: 'answered', number: 'a', answered: { said: 'taken', answer: { out_request_no: 'a', recovered: false } } },
    MINUTE,
    sees('SUCCESS'),
  );
  expect([order.state.attention, order.step]).toMatchObject([null, { take: 'watch', until: order.now - MINUTE + DAY }]);
  order.happens(sees('REFUND_PROCESSING'), sees('PARTIAL_REFUND'));
  expect(order.step).toMatchObject({ take: 'watch', until: order.now - MINUTE + SETTINGS.refund_watch_ms });
});

test.each(['unknown-refund', 'waiting-refund'] as const)('having looked does not settle %s', (reason) => {
  const waits = { ...sold().sale, reasons: [] };
  const isRefused = () => decisionOf(waits, { by: 'ana', reason: 'seen' }, reason, 20 * DAY);
  expect(isRefused).toThrow('the number of the refund that is asked about');
});

test('a part of days ago is not asked about because the rest has just been taken: that has its day', () => {
  const parts = sold(taken('a', '50.00'), HOUR, keepsShowing('PARTIAL_REFUND', HOUR), 5 * DAY, taken('b', '100.00'));
  parts.happens(HOUR, sees('PARTIAL_REFUND'));
  expect(parts.step).toMatchObject({ take: 'watch' });
  expect(parts.happens(DAY).step).toMatchObject({ take: 'pass', number: 'a' });
});

test('two quick parts of ours within a replica’s lag ask nobody', () => {
  const first = [taken('a', '50.00'), sees('REFUND_PROCESSING'), MINUTE, sees('PARTIAL_REFUND')];
  const order = sold(ended, ...first, MINUTE, taken('b', '100.00'), sees('REFUND_PROCESSING'), MINUTE);
  order.happens(told('REFUNDED', 'b'), sees('REFUNDED'), 10 * MINUTE, sees('REFUNDED'));
  expect(order.state).toMatchObject({ attention: null, ledger_complete: true });
});

test('two quick parts of ours within a replica’s lag ask nobody where the second one is refused', () => {
  const order = sold(taken('a', '10.00'), sees('REFUND_PROCESSING'), 4_000);
  order.happens(told('PARTIAL_REFUND', 'a'), sees('PARTIAL_REFUND'), 30_000);
  order.happens(taken('b', '20.00'), sees('REFUND_PROCESSING'), 4_000);
  order.happens(told('REFUND_REFUSED', 'b'), sees('REFUND_REFUSED'));
  expect(order.state).toMatchObject({ attention: null, ledger_complete: true, refunded_amount: '10.00' });
});

test('a refund that was never sent, and that a person calls REFUNDED, counts as gone', () => {
  const order = sold(asks('a', '50.00'), decides('a', 'REFUNDED'));
  expect(order.state.refunded_amount).toBe('50.00');
  expect(leftToGrant(order.sale)).toBe('100.00');
});

test('a dispute has to be answered in a time that begins when it is heard, and that a later look does not move', () => {
  const order = sold(told('DISPUTE'));
  const by = (days: number) => new Date(order.now + days * DAY).toISOString();
  const answerBy = () => stateOf(order.sale, 'APP', 0, 7 * DAY).answer_by;
  expect(answerBy()).toBe(by(7));
  order.happens(2 * DAY, sees('DISPUTE'), DAY, sees('DISPUTE'));
  expect(answerBy()).toBe(by(4));
  const details = afterSaleDetails(stateOf(order.sale, 'APP', 0, 7 * DAY), order.sale.reasons, 'a person').join('\n');
  expect(details).toContain(`Answer it by **${timeText(by(4))}**`);
  order.happens(told('SUCCESS'));
  expect(afterSaleDetails(stateOf(order.sale, 'APP', 0), [], 'a person')).toContain(
    'A notification says SUCCESS. The gateway has answered DISPUTE last, and is asked again.',
  );
  order.happens({ is: 'decided', by: 'ana', reason: 'answered', seen: 'dispute' });
  expect(answerBy()).toBeNull();
});

test.each(['DISPUTE', 'CHARGEBACK', 'PARTIAL_REFUND', 'REFUND_PROCESSING'])(
  'an old notification of SUCCESS says nothing new of a trade that is %s, and nobody is asked about it',
  (status) => {
    const order = sold(told(status), keepsShowing(status, 300_000), DAY);
    const before = order.state.attention;
    order.happens(told('SUCCESS'));
    expect(order.step).toMatchObject({ take: 'look', lasting_ms: expect.any(Number) });
    order.happens(sees(status), MINUTE, keepsShowing(status, 300_000));
    expect(order.state).toMatchObject({ attention: before, claims: [] });
    expect(order.sale.contradicted).toEqual([]);
  },
);

test('a notification of a chargeback that the gateway goes on denying is still asked about', () => {
  const order = sold(told('CHARGEBACK'), keepsShowing('SUCCESS', 300_000));
  expect(order.state.attention).toBe('unconfirmed-notification');
});

test.each(['SUCCESS', 'DISPUTE'])(
  'a notification that names another amount, of a trade that is %s, is before a person with both amounts',
  (status) => {
    const order = new Order().happens(ended, sees(status), MINUTE);
    const claim = { trade_no: 'T1', trade_status: 'SUCCESS', amount: '170.00', currency: 'BRL' };
    order.happens({ is: 'notified', claim }, sees(status), HOUR, keepsShowing(status, 300_000));
    expect(order.sale.reasons).toContain('amount-mismatch');
    expect(order.state.payment?.mismatch).toEqual({ amount: '170.00', currency: 'BRL' });
  },
);

const pays =
  (order_amount: string): Move =>
  ({ now, sale }) => {
    const trade = { trade_no: 'T1', out_trade_no: 'O1', order_amount, order_currency: 'BRL', trade_status: 'SUCCESS' };
    return [{ is: 'queried', trade: { ...trade, asked_at: now }, after: sale.heard }];
  };
const says = (order: 'SUCCESS' | 'CANCEL'): Fact => ({ is: 'decided', by: 'ana', reason: 'seen', order });

const inSilence: Move = { is: 'unanswered', why: 'no-answer', after: 0 };
test.each([
  ['while the gateway was silent', [ended, inSilence]],
  ['on late money', [endedAs({ ...asSold, outcome: 'EXPIRED', trade_status: 'PROCESSING' }), sees('SUCCESS')]],
])(
  'more money than a person knew of who decided on the order %s is before a person, and once',
  (_when, before: Move[]) => {
    const order = new Order().happens(...before, says('SUCCESS'), HOUR, pays('300.00'));
    const first = order.state;
    order.happens(says('SUCCESS'), HOUR, pays('170.00'));
    const second = order.state;
    order.happens(says('SUCCESS'), HOUR, pays('300.00'), HOUR, pays('170.00'));
    expect([first, second, order.state].map(({ attention }) => attention)).toEqual([
      ...['amount-mismatch', 'amount-mismatch'],
      null,
    ]);
  },
);

test.each([{}, { outcome: 'SUCCESS' }] as const)(
  'less than all is not taken for what went back elsewhere of a trade that is REFUNDED, with the order’s outcome or without (%p), unless the person has seen that',
  (outcome) => {
    const { sale, now } = new Order().happens(ended, sees('SUCCESS'), HOUR, keepsShowing('REFUNDED', 300_000));
    const said = { by: 'ana', reason: 'seen', refunded_elsewhere: '10.00', ...outcome };
    expect(() => decisionOf(sale, said, 'refund-elsewhere', now)).toThrow('this leaves 140.00 of it: look again');
    const known = { ...said, although: 'REFUNDED' };
    expect(decisionOf(sale, known, 'refund-elsewhere', now)).toMatchObject({ elsewhere: '10.00' });
  },
);

describe('a decision that frees money which the gateway calls gone', () => {
  const said = { by: 'ana', reason: 'the dashboard' };
  const [all, both] = [
    sold(taken('a', '150.00'), HOUR, keepsShowing('REFUNDED', 300_000)),
    sold(
      taken('a', '50.00'),
      HOUR,
      sees('PARTIAL_REFUND'),
      taken('b', '100.00'),
      HOUR,
      keepsShowing('REFUNDED', 300_000),
    ),
  ];
  const part = sold(taken('a', '50.00'), HOUR, keepsShowing('PARTIAL_REFUND', 300_000));
  test.each([
    ['of all that was paid', all, 'a', '150.00'],
    ['of the last part', both, 'b', '100.00'],
    ['of the only part', part, 'a', '150.00'],
  ])('is asked about once, where it is %s', (_what, { sale, now, state }, out_request_no, left) => {
    for (const outcome of ['REFUND_REFUSED', 'REFUND_REVOKE', 'NOT_CREATED'] as const) {
      const decision = { ...said, outcome, out_request_no };
      expect(() => decisionOf(sale, decision, null, now)).toThrow(
        `${state.trade_status}, and this leaves ${left} of it`,
      );
      const although = state.trade_status ?? '';
      expect(decisionOf(sale, { ...decision, although }, null, now)).toMatchObject({ refund: { outcome } });
      // What went back another way explains the status.
      const elsewhere = out_request_no === 'b' ? '100.00' : '150.00';
      expect(() => decisionOf(sale, { ...decision, refunded_elsewhere: elsewhere }, null, now)).not.toThrow();
    }
  });

  test('is taken where the gateway does not say so, where it frees nothing, and where another part explains the status', () => {
    const frees =
      ({ sale, now }: Order, out_request_no: string, outcome: 'REFUNDED' | 'REFUND_REVOKE') =>
      () =>
        decisionOf(sale, { ...said, outcome, out_request_no }, null, now);
    const stands = sold(taken('a', '150.00'), HOUR, keepsShowing('SUCCESS', 300_000));
    expect(frees(stands, 'a', 'REFUND_REVOKE')).not.toThrow();
    expect(frees(all, 'a', 'REFUNDED')).not.toThrow();
    const waits = sold(taken('a', '150.00'), HOUR, keepsShowing('REFUNDED', 300_000), decides('a', 'REFUND_REFUSED'));
    const revoked = { ...said, outcome: 'REFUND_REVOKE', out_request_no: 'a', although: 'REFUND_REFUSED' } as const;
    expect(() => decisionOf(waits.sale, revoked, null, waits.now)).not.toThrow();
    const parts = sold(taken('a', '50.00'), taken('b', '50.00'), HOUR, keepsShowing('PARTIAL_REFUND', 300_000));
    expect(frees(parts, 'b', 'REFUND_REVOKE')).not.toThrow();
  });
});

test('“although” alone is refused: it says what stands against a decision', () => {
  const alone = { by: 'ana', reason: 'seen', although: 'REFUNDED' };
  const refused = (more: object) => () => assertAfterSaleResolution({ ...alone, ...more });
  expect(refused({})).toThrow('although: text that goes with an outcome');
  expect(refused({ outcome: 'CANCEL' })).not.toThrow();
  expect(refused({ refunded_elsewhere: '0.00' })).not.toThrow();
  expect(refused({ outcome: 'REFUND_REVOKE', out_request_no: 'a' })).not.toThrow();
});

describe('of two people who decide the same at once', () => {
  const ben = { by: 'ben', reason: 'the same list' };
  const decide = ({ sale, now, state }: Order, more: object) =>
    decisionOf(sale, { ...ben, ...more }, state.attention, now);
  const orderDecided = (outcome: 'SUCCESS' | 'CANCEL'): Fact => ({
    is: 'decided',
    by: 'ana',
    reason: 'x',
    order: outcome,
  });

  test('the second is told how the first one has ended the order, and corrects it only by that word', () => {
    const order = new Order().happens(ended, sees('SUCCESS'), orderDecided('SUCCESS'));
    expect(() => decide(order, { outcome: 'CANCEL' })).toThrow(
      'although: a person has decided SUCCESS already: look with show who and why. Where it is so all the same, add “although” (--although) with SUCCESS',
    );
    expect(() => decide(order, { outcome: 'CANCEL', although: 'EXPIRED' })).toThrow('has decided SUCCESS already');
    expect(decide(order, { outcome: 'CANCEL', although: 'SUCCESS' })).toMatchObject({ order: 'CANCEL' });
    expect(decide(order, { outcome: 'SUCCESS' })).toMatchObject({ order: 'SUCCESS' });
    const details = afterSaleDetails(order.state, order.sale.reasons, 'nothing').join('\n');
    expect(details).toContain(
      'To decide otherwise, say what stands: `"although": "SUCCESS"`, or `--although SUCCESS`.',
    );
  });

  test('the second is told what became of the refund, beside a status that denies it too', () => {
    const order = sold(taken('a', '150.00'), HOUR, keepsShowing('REFUNDED', 300_000), decides('a', 'REFUNDED'));
    expect(() => decide(order, { outcome: 'REFUND_REVOKE', out_request_no: 'a' })).toThrow(
      /calls the trade REFUNDED, .*; a person has decided REFUNDED already: .* with REFUNDED$/,
    );
    const part = sold(taken('a', '50.00'), HOUR, keepsShowing('PARTIAL_REFUND', 300_000), decides('a', 'REFUNDED'));
    const revoked = { outcome: 'REFUND_REVOKE', out_request_no: 'a' };
    expect(() => decide(part, { ...revoked, although: 'PARTIAL_REFUND' })).toThrow(/with PARTIAL_REFUND,REFUNDED$/);
    expect(decide(part, { ...revoked, although: 'PARTIAL_REFUND,REFUNDED' })).toMatchObject({
      refund: { number: 'a' },
    });
  });

  test('so is who denies what a notification has said of the refund by its number, but not that the money has come back', () => {
    const order = sold(taken('a', '30.00'), HOUR, told('REFUNDED', 'a'), sees('PARTIAL_REFUND'), taken('b', '20.00'));
    order.happens(HOUR, told('REFUNDED', 'b'), keepsShowing('PARTIAL_REFUND', HOUR));
    const ends = (outcome: string, more: object = {}) => decide(order, { outcome, out_request_no: 'a', ...more });
    for (const outcome of ['NOT_CREATED', 'REFUND_REFUSED']) {
      expect(() => ends(outcome)).toThrow(
        'although: a signed notification of this refund has said REFUNDED already: look with show who and why. Where it is so all the same, add “although” (--although) with REFUNDED',
      );
      expect(ends(outcome, { although: 'REFUNDED' })).toMatchObject({ refund: { outcome } });
    }
    expect(ends('REFUND_REVOKE')).toMatchObject({ refund: { outcome: 'REFUND_REVOKE' } });
  });

  test('the first needs no such word, nor who decides on money that came after the first decision', () => {
    const unpaid = endedAs({ outcome: 'EXPIRED', trade_status: 'PROCESSING', confirmed_by: null, method: 'PIX' });
    const canceled = new Order().happens(unpaid, orderDecided('CANCEL'));
    expect(() => decide(new Order().happens(unpaid), { outcome: 'CANCEL' })).not.toThrow();
    expect(() => decide(canceled, { outcome: 'SUCCESS' })).toThrow('has decided CANCEL already');
    canceled.happens(sees('SUCCESS'));
    expect(canceled.state.attention).toBe('late-payment');
    expect(() => decide(canceled, { outcome: 'SUCCESS' })).not.toThrow();
  });
});

const canceled = endedAs({ outcome: 'CANCEL', trade_status: 'CANCEL', confirmed_by: 'query', method: 'PIX' });
test.each([
  ['CANCEL of a sale', ended, 'CANCEL', 'SUCCESS'],
  ['SUCCESS of what the gateway has ended unpaid', canceled, 'SUCCESS', 'CANCEL'],
] as const)('where nobody was asked, %s needs a word more: a number may be mistyped', (_, end, outcome, status) => {
  const { sale, now, state } = new Order().happens(end);
  const decide = (more: object) => decisionOf(sale, { by: 'ben', reason: 'typed', outcome, ...more }, null, now);
  expect(state.attention).toBe(null);
  expect(() => decide({})).toThrow(`nothing of this order waits for a person, and the gateway says ${status}`);
  expect(decide({ although: status })).toMatchObject({ order: outcome });
});

describe('more than is left is refused', () => {
  const answer = 'Nothing was sent. It counts refunds';
  test('with the refunds that are under way, which need nobody', () => {
    const order = sold(asks('w', '20.00'), taken('a', '100.00'));
    const refused = grantAt(order, '50.00');
    expect(refused).toContain(`${answer} that are under way: w, a.`);
    expect(refused).not.toContain('resolve');
  });

  test('with those that nothing has confirmed for a day, or that a person is asked about, and what the person sends', () => {
    const old = sold(taken('a', '100.00'), DAY);
    expect(grantAt(old, '150.00')).toMatch(`${answer} whose end nothing confirms: a. Where the gateway’s dashboard`);
    const asked = sold(lost('a', '100.00'), 10 * MINUTE, keepsShowing('SUCCESS', 300_000));
    expect(asked.state.attention).toBe('unknown-refund');
    expect(grantAt(asked, '150.00')).toMatch('send `resolve`');
  });
});

test('that a person has looked does not name what went back elsewhere: nothing is granted until somebody does', () => {
  const seen = { by: 'ana', reason: 'seen', seen: 'refund-elsewhere' } as const;
  const order = sold(sees('PARTIAL_REFUND'));
  expect(() => decisionOf(order.sale, seen, 'refund-elsewhere', order.now)).toThrow('refunded_elsewhere: required');
  order.happens({ is: 'decided', ...seen });
  expect([order.state.attention, order.state.ledger_complete]).toEqual(['refund-elsewhere', false]);
  order.happens({ is: 'decided', by: 'ana', reason: 'named', elsewhere: '50.00' });
  expect([order.state.ledger_complete, leftToGrant(order.sale)]).toEqual([true, '100.00']);
});

test('a replica that shows for an hour what was there before our part makes no second refund', () => {
  const order = sold(taken('a', '50.00'), MINUTE, sees('PARTIAL_REFUND'), told('PARTIAL_REFUND', 'a'), 10_000);
  order.happens(sees('SUCCESS'), HOUR, sees('PARTIAL_REFUND'));
  expect([order.state.attention, isComplete(order.sale)]).toEqual([null, true]);
});

describe('a second part, while copies of the gateway show by turns that it is under way and that a part is done:', () => {
  const second = (...moves: readonly Move[]) => {
    const order = sold(taken('a', '10.00'), MINUTE, sees('PARTIAL_REFUND'), DAY, taken('b', '10.00'), 1_000);
    order.happens(sees('REFUND_PROCESSING'), MINUTE, sees('PARTIAL_REFUND'), ...moves);
    return [order.state.attention, isComplete(order.sale)];
  };
  const forLong = (status: string) => keepsShowing(status, 6 * MINUTE);

  test('nobody is asked where a copy is behind for a minute', () => {
    const seen = second(10_000, sees('REFUND_PROCESSING'), MINUTE, forLong('PARTIAL_REFUND'));
    expect(seen).toEqual([null, true]);
  });

  test('a person is asked of what is under way a whole lag after its end, which its number says', () => {
    const seen = second(told('PARTIAL_REFUND', 'b'), MINUTE, forLong('REFUND_PROCESSING'));
    expect(seen).toEqual(['refund-elsewhere', false]);
  });
});

describe('what is first shown under way after a second part', () => {
  const second = (...moves: readonly Move[]) => {
    const order = sold(taken('a', '10.00'), MINUTE, sees('PARTIAL_REFUND'), DAY, taken('b', '10.00'));
    return order.happens(sees('PARTIAL_REFUND'), ...moves).state.attention;
  };
  test.each([
    ['is its own within the lag and a pause of the polls', [7 * MINUTE, sees('REFUND_PROCESSING')], null],
    ['is perhaps another’s later', [9 * MINUTE, sees('REFUND_PROCESSING')], 'refund-elsewhere'],
    [
      'is another’s a lag after its number has said that it is over',
      [told('PARTIAL_REFUND', 'b'), 5 * MINUTE, sees('REFUND_PROCESSING')],
      'refund-elsewhere',
    ],
  ])('%s', (_title, moves, attention) => {
    expect(second(...moves)).toBe(attention);
  });
});

test('what the trade shows of a refund that a person made by hand is that one', () => {
  const order = sold(asks('a', '50.00'), decides('a', 'REFUNDED'), HOUR, sees('PARTIAL_REFUND'));
  expect([order.state.attention, leftToGrant(order.sale)]).toEqual([null, '100.00']);
});

test('REFUNDED that is notified of our part does not say that something is left: nothing more is sent', () => {
  // Ours is taken and begins late; meanwhile the dashboard gives 100.00 back; then ours is done, and the whole is REFUNDED.
  const order = sold(taken('a', '50.00'), 10 * MINUTE, told('REFUNDED', 'a'), sees('REFUNDED'), HOUR);
  order.happens(keepsShowing('REFUNDED', 300_000), asks('b', '100.00'));
  expect(order.step).not.toMatchObject({ take: 'send' });
});

test('a person can say that nothing went back elsewhere, also where more than was paid has gone', () => {
  const order = sold(lost('a', '100.00'), 10 * MINUTE, keepsShowing('SUCCESS', 300_000));
  expect(order.state.attention).toBe('unknown-refund');
  order.happens(decides('a', 'REFUND_REFUSED'), taken('b', '100.00'), MINUTE, sees('PARTIAL_REFUND'));
  order.happens(told('PARTIAL_REFUND', 'b'), HOUR, told('PARTIAL_REFUND', 'a'), sees('PARTIAL_REFUND'));
  order.happens(decides('a', 'REFUNDED'), told('PARTIAL_REFUND', 'z'), sees('PARTIAL_REFUND'));
  expect(order.state.attention).toBe('refund-elsewhere');
  const said = { by: 'ana', reason: 'none', refunded_elsewhere: '0.00' };
  expect(() => decisionOf(order.sale, said, 'refund-elsewhere', order.now)).not.toThrow();
});

test('a refund under contradiction is not called refused to the merchant who asks for it again', () => {
  const order = sold(
    lost('a', '50.00'),
    10 * MINUTE,
    keepsShowing('SUCCESS', 300_000),
    decides('a', 'REFUND_REFUSED'),
    HOUR,
  );
  order.happens(told('PARTIAL_REFUND', 'a'));
  expect(order.state.attention).toBe('unknown-refund');
  expect(grant(order.sale, '50.00', 'a')).not.toContain('the buyer has no money of it');
});

test('the recovered answer of a lost refund names the refund’s end, not the trade’s status', () => {
  const order = sold(lost('a', '50.00'), 10 * MINUTE, keepsShowing('SUCCESS', 300_000), HOUR, sees('DISPUTE'));
  order.happens(decides('a', 'REFUNDED'));
  expect(order.state.refunds[0]?.answer?.refund_status).toBe('REFUNDED');
});

test('a refund after one that was revoked by its number waits until the payment stands again, and is sent then', () => {
  const order = sold(taken('a', '150.00'), MINUTE, sees('REFUND_PROCESSING'), MINUTE, sees('REFUND_REVOKE'));
  order.happens(told('REFUND_REVOKE', 'a'), sees('REFUND_REVOKE'), asks('b', '150.00'));
  expect(order.step).toMatchObject({ take: 'watch', waiting: 'b' });
  order.happens(MINUTE, sees('SUCCESS'), 5 * MINUTE, sees('SUCCESS'));
  expect(order.step).toEqual({ take: 'send', number: 'b' });
});

test('a refund that was refused may be asked for under another number, which the refusal names as a program and a command give it', () => {
  const order = sold(taken('a', '50.00'), MINUTE, told('REFUND_REFUSED', 'a'));
  expect(grant(order.sale, '50.00', 'a')).toContain('a new out_request_no (--number)');
});

test('a lost refund that a notification names as under way is at the gateway: nobody is asked', () => {
  const order = sold(taken('a', '50.00'), MINUTE, sees('PARTIAL_REFUND'), told('PARTIAL_REFUND', 'a'), DAY);
  order.happens(lost('b', '50.00'), MINUTE, sees('REFUND_PROCESSING'), told('REFUND_PROCESSING', 'b'), HOUR);
  order.happens(sees('PARTIAL_REFUND'), HOUR, keepsShowing('PARTIAL_REFUND', 300_000));
  expect(order.state.attention).toBeNull();
});

test('a refund asks a person after a week where the trade keeps it waiting, and not where its turn has come', () => {
  const inTurn = sold(ended, asks('a', '50.00'), 8 * DAY);
  expect(inTurn.step).toEqual({ take: 'send', number: 'a' });
  const keptWaiting = sold(ended, asks('a', '50.00'), sees('CHARGEBACK_REVERSED'), 8 * DAY);
  expect(keptWaiting.step).toEqual({ take: 'pass', number: 'a', deadline: 'a week' });
});

describe('a dispute that is notified while the gateway is silent', () => {
  const silence = ({ sale }: Order): readonly Fact[] => [{ is: 'unanswered', why: 'no-answer', after: sale.heard }];
  const settles = (order: Order) => {
    const said = { by: 'ana', reason: 'the bank says so', seen: order.state.attention ?? '' };
    order.happens({ is: 'decided', ...decisionOf(order.sale, said, order.state.attention, order.now) });
  };
  const decided = (order: Order) => {
    order.happens(silence, told('DISPUTE'), HOUR);
    expect(order.state.attention).toBe('dispute');
    settles(order);
    expect(order.state.attention).toBe('no-answer');
    return order;
  };

  test('is decided by a person who knows of it from the bank', () => {
    const order = decided(sold(ended)).happens(HOUR, keepsShowing('SUCCESS', HOUR));
    expect(order.state).toMatchObject({ attention: null, claims: [] });
  });

  test('is settled for good, as the silence is, where the gateway has never shown the trade', () => {
    const order = decided(new Order());
    settles(order);
    expect([order.state.attention, order.step.take]).toEqual([null, 'rest']);
  });
});

test('an unnamed notification is no question while a replica may be behind', () => {
  const order = sold(taken('a', '50.00'), MINUTE, told('PARTIAL_REFUND'));
  expect(order.step).toEqual({ take: 'look', lasting_ms: 5 * MINUTE });
});

test('nor once the gateway agrees', () => {
  const order = sold(
    taken('a', '50.00'),
    MINUTE,
    told('PARTIAL_REFUND'),
    30_000,
    keepsShowing('SUCCESS', 30_000),
    2 * MINUTE,
  );
  order.happens(sees('PARTIAL_REFUND'), HOUR, keepsShowing('PARTIAL_REFUND', 300_000));
  expect(order.state.attention).toBeNull();
});

test('the end of the payment says that the order was sold: a replica may still show what was before', () => {
  const order = new Order().happens(keepsShowing('PROCESSING', 300_000), ended, sees('PROCESSING'));
  expect(order.step).toEqual({ take: 'look', lasting_ms: 5 * MINUTE });
  expect(order.state.attention).toBeNull();
});

test('a payment that sees our own refund first, and calls it one from elsewhere, says nothing against our ledger', () => {
  const order = sold(taken('a', '50.00'), HOUR, sees('PARTIAL_REFUND'));
  order.happens(endedAs(asSold, 'refund-elsewhere'));
  expect(order.state).toMatchObject({ attention: null, ledger_complete: true });
});

test('a replica that flips between two known ends puts nothing before a person', () => {
  const order = sold(taken('a', '50.00'), MINUTE, sees('PARTIAL_REFUND'), told('PARTIAL_REFUND', 'a'), DAY);
  order.happens(taken('b', '50.00'), MINUTE, sees('REFUND_REFUSED'), told('REFUND_REFUSED', 'b'), 10_000);
  order.happens(sees('REFUND_REFUSED'));
  expect(order.state.attention).toBeNull();
  order.happens(10_000, sees('PARTIAL_REFUND'), 10_000, sees('REFUND_REFUSED'));
  expect([order.state.attention, findRefund(order.sale, 'a')?.asked]).toEqual([null, null]);
});

test('three thousand tries that the gateway takes, and refuses by their numbers, stay small', () => {
  const order = sold();
  const answer = {
    trade_no: 'T1',
    refund_amount: '150.00',
    refund_currency: 'BRL',
    refund_status: 'REFUND_PROCESSING',
  };
  for (let i = 0; i < 3_000; i += 1)
    order.happens(MINUTE, taken(`a${i}`, '150.00', answer), told('REFUND_REFUSED', `a${i}`));
  expect(JSON.stringify(order.sale).length).toBeLessThan(400_000);
});

test('ten thousand times the same notification is held once', () => {
  const order = new Order();
  const claim = { trade_no: 'T1234567890123456789', trade_status: 'PARTIAL_REFUND', out_request_no: undefined };
  for (let i = 0; i < 10_000; i += 1) order.happens({ is: 'notified', claim });
  expect(JSON.stringify(order.sale).length).toBeLessThan(500_000);
});

describe('an order that ended without money, while the gateway had it open,', () => {
  const expired = endedAs({ outcome: 'EXPIRED', trade_status: 'PROCESSING', confirmed_by: null, method: 'Wallet' });

  test('is watched no longer because the payment, which Temporal had forgotten, was started once more and found it open', () => {
    const order = new Order().happens(expired, sees('PROCESSING'));
    const until = order.now + LONGEST_OPEN_MS;
    const again = { outcome: 'EXPIRED', trade_status: 'PROCESSING', confirmed_by: null, method: 'Wallet' } as const;
    order.happens(20 * DAY, endedAs({ ...again, run_id: 'r2' }), sees('PROCESSING'));
    expect(order.step).toEqual({ take: 'watch', until });
    // Another trade is open for its own time.
    order.happens(DAY, endedAs({ ...again, run_id: 'r3', trade_no: 'T9' }), sees('PROCESSING', 'T9'));
    expect(order.sale.first_ended_at).toBe(order.now);
  });

  test('is watched for its method’s settling time from when the gateway is first seen to have ended it', () => {
    const order = new Order().happens(expired, sees('PROCESSING'), 5 * DAY, sees('CANCEL'));
    const until = order.now + timingOf('Wallet').settles_ms;
    expect(order.step).toEqual({ take: 'watch', until });
    expect(order.happens(DAY, sees('CANCEL')).step).toEqual({ take: 'watch', until });
    expect(order.happens(until, sees('CANCEL')).step).toEqual({ take: 'rest' });
  });
});

test('of another trade the amount is the gateway’s, whatever a notification has named before or names after', () => {
  const order = sold(ended);
  const notified = { trade_no: 'T2', trade_status: 'SUCCESS', amount: '9999.00', currency: 'BRL' };
  order.happens({ is: 'notified', claim: notified });
  expect(order.state.other_trades).toEqual([{ trade_no: 'T2', trade_status: 'SUCCESS', order_amount: '9999.00' }]);
  const trade = {
    trade_no: 'T2',
    out_trade_no: 'O1',
    trade_status: 'SUCCESS',
    order_amount: '15.00',
    asked_at: order.now,
  };
  order.happens({ is: 'asked', other: 'T2', answer: 'answered', trade }, { is: 'notified', claim: notified });
  expect(order.state.other_trades).toEqual([{ trade_no: 'T2', trade_status: 'SUCCESS', order_amount: '15.00' }]);
});

test('another trade that was asked for is not asked for again at once, whatever the clocks of the workers say', () => {
  const order = new Order().happens(
    endedAs({ outcome: 'CANCEL', trade_status: null, confirmed_by: 'operator', method: 'Wallet' }),
  );
  const ours = { trade_no: 'T1', out_trade_no: 'O1', order_amount: '150.00', order_currency: 'BRL' };
  // By the clock of another worker, which is a minute ahead.
  const ahead = { ...ours, trade_status: 'PROCESSING', asked_at: order.now + MINUTE };
  order.happens({ is: 'queried', trade: ahead, after: 0 }, 1_000);
  order.happens({ is: 'notified', claim: { trade_no: 'T2', trade_status: 'CANCEL' } }, 1_000);
  expect(order.step).toEqual({ take: 'ask', other: 'T2' });
  const trade = { ...ours, trade_no: 'T2', trade_status: 'CANCEL', asked_at: order.now };
  order.happens({ is: 'asked', other: 'T2', answer: 'answered', trade });
  expect(order.step).not.toEqual({ take: 'ask', other: 'T2' });
});

test('an answer that a person has typed with a time to come makes no later one an older answer', () => {
  const order = sold(ended);
  const typed = { trade_no: 'T1', out_trade_no: 'O1', trade_status: 'SUCCESS', asked_at: order.now * 1_000 };
  order.happens({ is: 'queried', trade: typed, after: order.sale.heard }, MINUTE, sees('DISPUTE'));
  expect(order.state).toMatchObject({ trade_status: 'DISPUTE', attention: 'dispute' });
});

describe('where a later payment names another trade as the order’s', () => {
  const names = (trade_no: string): Fact => ({ is: 'introduced', trade_no });
  const seen = (reason: Attention): Fact => ({ is: 'decided', by: 'ana', reason: 'seen', seen: reason });
  const failure = { type: 'NotRefunded', message: 'refused', details: {} };
  const refused = (number: string, amount: string) => sent(number, amount, { said: 'refused', failure });
  const notSent = (number: string): Fact => ({ is: 'answered', number, answered: { said: 'not-sent' } });
  const refunds = ({ state }: Order) =>
    state.refunds.map(({ out_request_no, outcome, attention }) => [out_request_no, outcome, attention]);

  test('a refund of the trade before says nothing of its money, and nobody is asked about it', () => {
    const order = sold(taken('a', '150.00'), HOUR, sees('REFUNDED'), DAY);
    order.happens(names('T2'), keepsShowing('SUCCESS', HOUR, 'T2'));
    expect(refunds(order)).toEqual([['a', 'REFUNDED', null]]);
    expect([order.state.refunded_amount, leftToGrant(order.sale)]).toEqual(['0.00', '150.00']);
    expect(order.state.attention).toBe('second-trade');
    expect(order.state.history.map(({ to }) => to)).toEqual(['SUCCESS', 'REFUNDED', 'SUCCESS']);
    // The same request is the same refund.
    expect(grantAt(order, '150.00')).toBe('new');
    expect(grant(order.sale, '150.00', 'a', order.now)).toBe('known');
  });

  test('its late money is not given back under a number that the trade before has used', () => {
    const order = new Order();
    order.settings = { ...SETTINGS, late_payments: 'refund' };
    const late = (trade_no: string) =>
      ({ ...asSold, outcome: 'EXPIRED', method: 'Wallet', trade_no, run_id: `run of ${trade_no}` }) as const;
    const made = (trade_no: string) => ({ payment_data: { trade_no, recovered: false } });
    order.happens(endedAs({ ...late('T1'), ...made('T1') }), sees('SUCCESS'));
    const [first] = order.state.refunds;
    order.happens(...taken(first?.out_request_no ?? '', '150.00')().slice(1), sees('REFUNDED'));
    order.happens({ is: 'decided', by: 'ana', reason: 'seen', seen: order.state.attention });
    order.happens(DAY, endedAs({ ...late('T2'), ...made('T2') }));
    order.happens({ is: 'decided', by: 'ana', reason: 'seen', seen: 'second-trade' }, sees('SUCCESS', 'T2'));
    expect([order.state.attention, order.step]).toEqual(['late-payment', { take: 'rest' }]);
  });

  test('of a number that both have used, the latest request counts', () => {
    const order = sold(refused('a', '50.00'), names('T2'), keepsShowing('SUCCESS', HOUR, 'T2'), taken('a', '50.00'));
    order.happens(names('T1'), keepsShowing('SUCCESS', HOUR), seen('second-trade'));
    const again = grant(order.sale, '50.00', 'a', order.now);
    order.happens(decides('a', 'REFUNDED'));
    expect([again, order.state.attention, leftToGrant(order.sale)]).toEqual(['known', null, '150.00']);
  });

  test('what went back elsewhere of one is neither asked of the other, nor answered by it', () => {
    const order = sold(taken('a', '50.00'), HOUR, sees('PARTIAL_REFUND'), told('PARTIAL_REFUND', 'x', 'T1'));
    order.happens(keepsShowing('PARTIAL_REFUND', HOUR), names('T2'), keepsShowing('SUCCESS', HOUR, 'T2'));
    const ofT2 = isComplete(order.sale);
    order.happens({ is: 'decided', by: 'ana', reason: 'T2 has no refund', elsewhere: '0.00' });
    order.happens(names('T1'), keepsShowing('PARTIAL_REFUND', HOUR));
    expect([ofT2, isComplete(order.sale)]).toEqual([true, false]);
  });

  test.each([
    ['was asked for', [asks('a', '50.00'), names('T2')]],
    ['was being sent', [asks('a', '50.00'), { is: 'begun', number: 'a' } as const, names('T2'), notSent('a')]],
  ])('what %s was granted for the trade before: it is declined, and nobody is asked', (_how, moves) => {
    const order = sold(...moves, keepsShowing('SUCCESS', HOUR, 'T2'), seen('second-trade'));
    expect(refunds(order)).toEqual([['a', 'NOT_CREATED', null]]);
    expect([order.state.attention, order.step.take, leftToGrant(order.sale)]).toEqual([null, 'rest', '150.00']);
    expect(order.state.refunds[0]?.failure?.message).toMatch(/another one now, T2.*Nothing was sent/);
    expect(grant(order.sale, '50.00', 'a', order.now)).toBe('new');
  });

  test.each([false, true])('the refund of the late money of one is not sent for the other (begun: %s)', (isBegun) => {
    const order = new Order();
    order.settings = { ...SETTINGS, late_payments: 'refund' };
    const expired = { ...asSold, outcome: 'EXPIRED', method: 'Wallet' } as const;
    order.happens(endedAs({ ...expired, payment_data: { trade_no: 'T1', recovered: false } }), sees('SUCCESS'));
    const number = order.step.take === 'send' ? order.step.number : '';
    if (isBegun) order.happens({ is: 'begun', number });
    order.happens(names('T2'), seen('second-trade'), ...(isBegun ? [notSent(number)] : []), sees('PROCESSING', 'T2'));
    expect([refunds(order), order.step.take]).toEqual([[[number, 'NOT_CREATED', null]], 'watch']);
  });

  test('what was notified of the one before, and not confirmed, is not forgotten', () => {
    const order = sold(told('CHARGEBACK', undefined, 'T1'), names('T2'));
    expect(order.state.other_trades).toMatchObject([{ trade_no: 'T1', trade_status: 'CHARGEBACK' }]);
    const contradicted = sold(told('REFUNDED', undefined, 'T1'), keepsShowing('SUCCESS', HOUR));
    expect(contradicted.state.attention).toBe('unconfirmed-notification');
    contradicted.happens(names('T2'), seen('second-trade'), keepsShowing('SUCCESS', HOUR, 'T2'));
    expect(contradicted.state.other_trades).toMatchObject([{ trade_no: 'T1', trade_status: 'REFUNDED' }]);
    expect([contradicted.state.attention, contradicted.step.take]).toEqual([null, 'rest']);
  });

  test('a notification that names a refund of the one before tells what became of it', () => {
    const order = sold(taken('a', '50.00'), HOUR, sees('PARTIAL_REFUND'), names('T2'), seen('second-trade'));
    order.happens(keepsShowing('SUCCESS', HOUR, 'T2'));
    expect(refunds(order)).toEqual([['a', null, 'unknown-refund']]);
    order.happens(told('PARTIAL_REFUND', 'a', 'T1'));
    expect(refunds(order)).toEqual([['a', 'REFUNDED', null]]);
    order.happens(told('REFUND_REVOKE', 'a', 'T1'));
    expect(refunds(order)).toEqual([['a', 'REFUND_REVOKE', null]]);
  });

  test('all of its money is asked for under a number of its own', () => {
    const all = ({ sale, now }: Order) => grantRefund(sale, new Map(), {}, now);
    const order = sold();
    const { number, amount } = all(order);
    order.happens(...taken(number, amount)(), HOUR, sees('REFUNDED'), names('T2'), keepsShowing('SUCCESS', HOUR, 'T2'));
    expect(() => all(order)).toThrow(/asked for before, as R.*Nothing was sent now.*trade T2.*--number/);
    expect(grantAt(order, '150.00')).toBe('new');
  });

  test('what a person decides of a refund of the one before is told to nobody as news of this one', () => {
    const order = sold(
      ended,
      taken('a', '50.00'),
      names('T2'),
      keepsShowing('SUCCESS', HOUR, 'T2'),
      seen('second-trade'),
    );
    const before = transitionsToTell(order.sale);
    order.happens(HOUR, decides('a', 'REFUNDED'));
    expect([refunds(order), transitionsToTell(order.sale)]).toEqual([[['a', 'REFUNDED', null]], before]);
    expect(order.state.history.at(-1)).toMatchObject({ from: null, to: 'REFUNDED', by: 'ana' });
  });

  test('what was notified of it before is compared with the gateway first', () => {
    const order = sold(told('CHARGEBACK', undefined, 'T2'), seen('second-trade'), names('T2'), sees('SUCCESS', 'T2'));
    expect(order.state.claims).toEqual([{ trade_no: 'T2', trade_status: 'CHARGEBACK' }]);
    expect(order.happens(asks('z', '150.00')).step.take).toBe('look');
  });

  test('refunds of others that its own payment has seen stop its refunds, whatever is known of the trade before', () => {
    const order = sold(endedAs({ ...asSold, trade_no: 'T2', run_id: 'r2' }, 'refund-elsewhere'), sees('SUCCESS', 'T2'));
    expect([isComplete(order.sale), grantAt(order, '150.00')]).toEqual([false, expect.stringMatching(/do not know/)]);
  });

  test('what went back elsewhere is named alone where a refund of the trade before is decided', () => {
    const order = sold(taken('a', '50.00'), names('T2'), keepsShowing('SUCCESS', HOUR, 'T2'));
    const said = {
      by: 'ana',
      reason: 'seen',
      outcome: 'REFUNDED',
      out_request_no: 'a',
      refunded_elsewhere: '60.00',
    } as const;
    expect(() => decisionOf(order.sale, said, order.state.attention, order.now)).toThrow(/send it alone/);
  });

  test('that others have used the number of one is asked of nobody for the other', () => {
    const order = sold(asks('a', '50.00'), { is: 'begun', number: 'a' }, names('T2'));
    order.happens({ is: 'answered', number: 'a', answered: { said: 'taken-by-others', failure } });
    expect([isComplete(order.sale), refunds(order)]).toEqual([true, [['a', 'NOT_CREATED', null]]]);
    order.happens(names('T1'));
    expect(isComplete(order.sale)).toBe(false);
  });
});

describe('a notification that names a refund which is just being sent says that the gateway has it', () => {
  const begun = (...moves: Move[]) =>
    sold(asks('b', '150.00'), { is: 'begun', number: 'b' }, told('REFUND_PROCESSING', 'b', 'T1'), ...moves);
  const failure = { type: 'NotRefunded', message: 'refused', details: {} };
  const [refund] = [({ state }: Order) => state.refunds.map(({ outcome, attention }) => ({ outcome, attention }))[0]];

  test.each<Extract<Fact, { is: 'answered' }>['answered']>([
    { said: 'not-sent' },
    { said: 'refused', failure },
    { said: 'taken-by-others', failure },
  ])('so an answer that there is none (%j) is a question, and frees nothing', (answered) => {
    const order = begun({ is: 'answered', number: 'b', answered }, keepsShowing('SUCCESS', HOUR));
    expect([refund(order), leftToGrant(order.sale)]).toEqual([{ outcome: null, attention: 'unknown-refund' }, '0.00']);
    expect(order.step.take).not.toBe('send');
  });

  test('so nobody is asked where the answer was lost, as where it comes first', () => {
    const lostFirst = sold(lost('b', '150.00'), told('REFUND_PROCESSING', 'b', 'T1'));
    const namedFirst = begun({ is: 'answered', number: 'b', answered: { said: 'unknown' } });
    for (const order of [lostFirst, namedFirst]) {
      order.happens(HOUR, sees('REFUND_PROCESSING'), HOUR, keepsShowing('REFUNDED', HOUR));
      expect([refund(order), order.state.attention]).toEqual([{ outcome: 'REFUNDED', attention: null }, null]);
    }
  });

  test('but that one was refused says nothing of money: whichever request it means, none went', () => {
    const order = sold(sent('b', '150.00', { said: 'refused', failure }), asks('b', '150.00'));
    order.happens({ is: 'begun', number: 'b' }, told('REFUND_REFUSED', 'b', 'T1'));
    order.happens({ is: 'answered', number: 'b', answered: { said: 'refused', failure } });
    expect(refund(order)).toEqual({ outcome: 'NOT_CREATED', attention: null });
  });
});

test('a caller whose refund waits hears of another refund only where there is one', () => {
  const waits = (order: Order) => () => answerTo(order.state.refunds.at(-1), order.state);
  expect(waits(sold(asks('a', '20.00')))).toThrow(/but the gateway has to show first what became of the trade/);
  expect(waits(sold(taken('b', '20.00'), MINUTE, asks('a', '20.00')))).toThrow(
    /but another refund of this trade comes first/,
  );
});

test('a refund that comes back after a person has called it done is nobody’s decision', () => {
  const order = sold(taken('a', '50.00'), HOUR, sees('PARTIAL_REFUND'), HOUR, decides('a', 'REFUNDED'));
  expect(order.state.refunds).toMatchObject([{ outcome: 'REFUNDED', resolved: { by: 'ana' } }]);
  order.happens(told('REFUND_REVOKE', 'a', 'T1'));
  expect(order.state.refunds).toMatchObject([{ outcome: 'REFUND_REVOKE', resolved: null }]);
});

describe('the wait for a person', () => {
  const waiting = () => sold().happens(sees('DISPUTE'));

  test('begins when the reason is shown, and lasts as long as that is', () => {
    const order = waiting();
    const since = new Date(order.now).toISOString();
    expect(order.happens(HOUR, sees('DISPUTE')).state).toMatchObject({ attention: 'dispute', attention_since: since });
    expect(order.happens(HOUR, sees('CHARGEBACK')).state).toMatchObject({
      attention: 'chargeback',
      attention_since: new Date(order.now).toISOString(),
    });
  });

  test('keeps who has taken it until nobody is needed, and says nothing of it after that', () => {
    const order = waiting().happens(HOUR, { is: 'taken', by: 'ana', note: 'asked the bank' });
    const taken = { by: 'ana', note: 'asked the bank', time: new Date(order.now).toISOString() };
    expect(order.happens(HOUR, sees('CHARGEBACK')).state.taken).toEqual(taken);
    order.happens({ is: 'decided', by: 'ana', reason: 'lost', seen: 'chargeback' });
    expect(order.state).toMatchObject({ attention: null, attention_since: null, taken: null });
    expect(waiting().happens({ is: 'taken', by: 'ana' }).state.taken?.note).toBeNull();
  });
});

test('an outcome that a person has said although the gateway shows another end is asked about no more', () => {
  const order = sold(ended, keepsShowing('CANCEL', HOUR));
  expect(order.state.attention).toBe('unlisted-transition');
  order.happens({ is: 'decided', by: 'ana', reason: 'the bank has the money', order: 'SUCCESS' });
  order.happens(keepsShowing('CANCEL', HOUR));
  expect(order.state.attention).toBeNull();
  order.happens(keepsShowing('EXPIRED', HOUR));
  expect(order.state.attention).toBe('unlisted-transition');
});

test('a refund that waits, of an order whose own trade turns out to be none, is declined once a person has ended the search', () => {
  const order = sold(HOUR, { is: 'introduced', trade_no: 'T2' }, asks('a', '50.00'));
  order.happens({ is: 'asked', other: 'T1', trade: null, answer: 'answered' });
  order.happens({ is: 'unanswered', why: 'unknown-trade', after: 0 });
  order.happens({ is: 'decided', by: 'ana', reason: 'it was never made', seen: 'unknown-trade' });
  expect(order.step).toMatchObject({ take: 'decline', number: 'a' });
});

test.each(['asked', 'queried'])(
  'the paid trade of another order, which a signal by hand names, is not the order’s own (%s)',
  (is) => {
    const none = { outcome: null, trade_status: null, confirmed_by: null, method: 'PIX', trade_no: null } as const;
    const order = new Order().happens(endedAs(none), told('SUCCESS', undefined, 'T9'));
    const money = { order_amount: '150.00', order_currency: 'BRL', trade_status: 'SUCCESS' };
    const trade = { trade_no: 'T9', out_trade_no: 'O9', ...money, asked_at: order.now };
    order.happens(
      is === 'asked'
        ? { is, other: 'T9', trade, answer: 'answered' }
        : { is: 'queried', trade, after: order.sale.heard },
    );
    expect(order.state).toMatchObject({ trade_no: null, order_amount: null, claims: [], payment: { outcome: null } });
    expect([order.state.attention, transitionsToTell(order.sale)]).toEqual(['unexpected-signal', []]);
  },
);
