/** `show` explains whatever an order has come to in fewer than 30 lines, for every reason; `--all` leaves nothing out. */
import { moneyOwed, type OrderRun, secondMoneyOwed } from '../../src/cli/operator/case';
import { caseText } from '../../src/cli/operator/show';
import {
  ACCOUNT_RUNBOOK,
  type AfterSaleState,
  ATTENTIONS,
  type Attention,
  afterSaleWorkflowId,
  ENDED_FROM_OUTSIDE,
  moneyToSendBack,
  NOT_CREATED_YET,
  namedByWorkflowId,
  namedInCommands,
  type OtherTrade,
  type PaymentState,
  paymentWorkflowId,
  type RefundState,
  RUNBOOK,
  secondTradesPaid,
} from '../../src/contract';
import { attentionSection } from '../../src/workflows/shared/visibility';

const NOW = new Date('2026-03-02T12:00:00Z');
const AT = '2026-03-02T11:00:00.000Z';
const [APP, ORDER] = ['shop', 'order-1'];
const LONG = 'upstream connect error or disconnect/reset before headers '.repeat(20).trim();

const PAYMENT: PaymentState = {
  ...{ app_id: APP, out_trade_no: ORDER, trade_no: 'T1', trade_status: 'PROCESSING', order_amount: '150.00' },
  ...{ order_currency: 'BRL', method: 'PIX', outcome: null, confirmed_by: null, attention: null, expires_at: AT },
  ...{ attention_since: null, taken: null },
  ...{ history: [], previous: null, payment_data: null, refused_because: null, other_trades: [] },
};

const refundOf = (i: number, attention: Attention | null): RefundState => ({
  ...{
    out_request_no: `part-${i}`,
    trade_no: null,
    attempt: 1,
    refund_amount: '1.0',
    refund_currency: 'BRL',
    partial: true,
  },
  ...{ refund_status: null, outcome: null, confirmed_by: null, attention },
  ...{ requested_at: AT, started_at: AT, sent_at: AT, answer: null, failure: null, resolved: null },
});

const otherTrade = (i: number): OtherTrade => ({ trade_no: `T${i}`, trade_status: null, order_amount: null });

function openRun(workflow_id: string, type: string, attention: string | null) {
  const waits = (i: number) => ({
    ...{
      what: `asks the gateway, ${i}`,
      activity: 'gateway.watch',
      activity_id: '5',
      attempt: 9,
      last_answer: LONG,
      last_at: AT,
    },
    ...{ next_at: AT, state: 'waits for its time' as const },
  });
  return {
    ...{ workflow_id, run_id: 'r', type, app_id: APP, out_trade_no: ORDER, execution: 'RUNNING' as const },
    ...{ status: 'PROCESSING', attention, method: 'PIX', currency: 'BRL', amount: '150.00', trade_no: 'T1' },
    ...{ outcome: null, waits_since: attention && AT, taken_by: null },
    ...{ started_at: AT, closed_at: null, expires_at: null, waits_for: [1, 2, 3, 4].map(waits), task_queue: 'q' },
  };
}

/** Everything that may have happened to one order, all of it many times. */
function worst(reason: Attention, of: 'payment' | 'after-sale') {
  const many = Array.from({ length: 40 }, (_, i) => i);
  const isOfSale = of === 'after-sale';
  const refunds = many.map((i) => refundOf(i, isOfSale && i === 7 ? reason : null));
  const after_sale: AfterSaleState = {
    ...{ ...PAYMENT, payment: PAYMENT, watched_until: null, refunds, claims: [], attention: isOfSale ? reason : null },
    ...{
      refunded_amount: '1.00',
      refunding_amount: '39.00',
      refunded_elsewhere: '0.00',
      ledger_complete: true,
      bank_said: null,
      answer_by: null,
    },
  };
  const late_payment_refund = { out_request_no: 'late', refund_status: null, reason: LONG.slice(0, 100) };
  const payment = {
    ...PAYMENT,
    attention: isOfSale ? null : reason,
    other_trades: many.map(otherTrade),
    late_payment_refund,
    mismatch: { amount: '120.00', currency: 'BRL' },
  };
  return {
    ...{ app_id: APP, out_trade_no: ORDER, payment, after_sale, unanswered: ['a', 'b', 'c'], page: [] },
    runs: [
      ...many.map((i) => openRun(`${paymentWorkflowId(APP, ORDER)}-${i}`, 'payment', null)),
      openRun(paymentWorkflowId(APP, ORDER), 'payment', payment.attention),
      openRun(afterSaleWorkflowId(APP, ORDER), 'afterSale', after_sale.attention),
    ],
    timeline: many.map((i) => ({ time: AT, what: 'answered' as const, text: `${i}: ${LONG}`, of: 'payment' })),
  };
}

const linesOf = (text: string) => text.split('\n');

describe.each(ATTENTIONS)('%s', (reason) => {
  test.each(['payment', 'after-sale'] as const)('of a %s is explained in fewer than 30 lines', (of) => {
    const text = caseText(worst(reason, of), {}, NOW);
    expect(linesOf(text).length).toBeLessThan(30);
    const { happened, look, act } = RUNBOOK[reason];
    const id = of === 'payment' ? paymentWorkflowId(APP, ORDER) : afterSaleWorkflowId(APP, ORDER);
    for (const told of [`Needs a person: ${reason}. ${happened}`, `Look: ${look}`, `Do: ${namedInCommands(act, id)}`])
      expect(text).toContain(told);
    expect(text).toContain(`payment-gateway recheck ${ORDER} --app ${APP}`);
    expect(text).toContain(`payment-gateway resolve ${ORDER} --app ${APP} `);
    // What was not sent can only be given up.
    const outcome = reason === 'waiting-refund' ? 'NOT_CREATED' : 'OUTCOME';
    if (of === 'after-sale') expect(text).toContain(`--refund part-7 --outcome ${outcome}`);
    // The first and the last of what happened.
    expect(text).toContain('answered  0: upstream');
    expect(text).toContain('answered  39: upstream');
  });
});

const firstLine = (found: Parameters<typeof caseText>[0]) => linesOf(caseText(found, {}, NOW))[0];

test('the first line names both amounts, what waits for how long, and the command that settles it', () => {
  const asked = (trade_status: string) => {
    const found = worst('amount-mismatch', 'payment');
    return firstLine({ ...found, payment: { ...PAYMENT, ...found.payment, trade_status } });
  };
  const said = `Order ${ORDER} (app ${APP}) is under way. Ordered: 150.00 BRL. The gateway names: 120.00 BRL. 1.00 refunded, 39.00 being refunded. It has needed a person for 1h 0m: amount-mismatch. Next: payment-gateway resolve ${ORDER} --app ${APP}`;
  expect(asked('SUCCESS')).toBe(`${said} --seen amount-mismatch --outcome OUTCOME --by YOU --reason WHY`);
  // What is not paid yet goes on.
  expect(asked('PROCESSING')).toBe(`${said} --seen amount-mismatch --by YOU --reason WHY`);
  expect(firstLine(worst('no-answer', 'payment'))).toContain(
    `no-answer. Next: payment-gateway recheck ${ORDER} --app ${APP}`,
  );
});

test('of late money the first line says that CANCEL comes before a refund: what counts as sold is delivered', () => {
  const found = worst('late-payment', 'after-sale');
  const resolve = `payment-gateway resolve ${ORDER} --app ${APP} --seen late-payment`;
  expect(firstLine({ ...found, after_sale: { ...found.after_sale, refunds: [] } })).toContain(
    `late-payment. Next: deliver it (to send it back, say CANCEL first, by the outcome below, and refund then); then ${resolve}`,
  );
  const gone = { order_amount: '150.00', refunded_amount: '150.00', refunds: [] };
  expect(firstLine({ ...found, after_sale: { ...found.after_sale, ...gone } })).toContain(
    `late-payment. Next: do not deliver it, all of the money goes back; then, with CANCEL, ${resolve} --outcome OUTCOME`,
  );
});

test('of a second trade the first line names the money that is to be sent back, and of which trade, before the decision', () => {
  const found = worst('second-trade', 'after-sale');
  const other_trades = [{ trade_no: 'T2', trade_status: 'SUCCESS', order_amount: '150.00' }];
  const resolve = `payment-gateway resolve ${ORDER} --app ${APP} --seen second-trade --by YOU --reason WHY`;
  const next = (payment: Partial<PaymentState>) =>
    firstLine({
      ...{
        ...found,
        after_sale: { ...found.after_sale, refunds: [], refunded_amount: '0.00', refunding_amount: '0.00' },
      },
      payment: { ...found.payment, other_trades, ...payment },
    })?.split(' Next: ')[1];
  expect(next({ outcome: 'SUCCESS' })).toBe(
    `send 150.00 BRL of trade T2 back in the gateway’s dashboard; then ${resolve}`,
  );
  // Nobody has paid twice yet, as far as the gateway shows.
  expect(next({})).toBe(`look at both trades in the gateway’s dashboard; then ${resolve}`);
});

const ENDED = { execution: 'COMPLETED', attention: null, waits_since: null, waits_for: [] };
const quiet = (payment: Partial<PaymentState>, run: object) => ({
  ...{ app_id: APP, out_trade_no: ORDER, after_sale: null, unanswered: [], page: [], timeline: [] },
  payment: { ...PAYMENT, ...payment },
  runs: [{ ...openRun(paymentWorkflowId(APP, ORDER), 'payment', null), ...run }],
});

test.each<[what: string, payment: Partial<PaymentState>, run: object, said: string]>([
  ['is open', {}, {}, 'is under way. It needs nobody; open: payment.'],
  [
    'was paid',
    { outcome: 'SUCCESS', confirmed_by: 'query' },
    ENDED,
    'is paid, as the gateway answered. Nothing of it is open.',
  ],
  [
    'was paid after it had expired',
    { outcome: 'SUCCESS', confirmed_by: 'query', previous: { run_id: 'run-0', outcome: 'EXPIRED' } },
    ENDED,
    'is paid, after it had ended as EXPIRED, as the gateway answered. Nothing of it is open.',
  ],
  [
    'was paid after somebody had terminated its workflow',
    { outcome: 'SUCCESS', confirmed_by: 'query', previous: { run_id: 'run-0', outcome: null } },
    ENDED,
    'is paid, after somebody had ended its workflow, as the gateway answered. Nothing of it is open.',
  ],
  [
    'once needed a person, and needs nobody now',
    { outcome: 'CANCEL', attention: 'late-payment' },
    ENDED,
    'was canceled. Nothing of it is open.',
  ],
  [
    'was not created',
    { attention: 'credentials' },
    { ...ENDED, execution: 'FAILED' },
    'was not created. Nothing of it is open.',
  ],
  [
    'was not created, and whose closed run keeps its reason',
    {},
    { ...ENDED, execution: 'FAILED', attention: 'credentials', waits_since: AT },
    'was not created. Nothing of it is open.',
  ],
  [
    'was terminated',
    {},
    { ...ENDED, execution: 'TERMINATED' },
    'was terminated before its outcome was known: the next sweep takes it on again. Nothing of it is open.',
  ],
])('the first line of an order that %s says so', (_what, payment, run, said) => {
  expect(firstLine(quiet(payment, run))).toBe(`Order ${ORDER} of 150.00 BRL (app ${APP}) ${said}`);
});

/** What `show` says of a run that somebody has ended from outside, whose state nobody has told. */
function endedRun(workflow_id: string, type: string, run: Partial<OrderRun> = {}) {
  const { out_trade_no = null } = namedByWorkflowId(workflow_id) ?? {};
  const ended = { ...openRun(workflow_id, type, ENDED_FROM_OUTSIDE), execution: 'TERMINATED' as const, waits_for: [] };
  const none = { app_id: APP, payment: null, after_sale: null, unanswered: [], page: [], timeline: [] };
  return caseText({ ...none, out_trade_no, runs: [{ ...ended, out_trade_no, ...run }] }, {}, NOW);
}

test.each<[kind: string, type: string, next: string, does: string]>([
  [paymentWorkflowId(APP, ORDER), 'payment', 'the next sweep takes it on again', 'Leave it to the next sweep'],
  [afterSaleWorkflowId(APP, ORDER), 'afterSale', 'its next notification, refund or recheck goes on with it', 'recheck'],
  [
    `app-attention:${APP}:credentials`,
    'appAttention',
    'the next order that fails for this reason asks again',
    'resolve',
  ],
  [`stray-notification:${APP}:1`, 'strayNotification', 'nobody goes on with it: reset it', 'resolve'],
  [
    `event-delivery:abc:${paymentWorkflowId(APP, ORDER)}`,
    'eventDelivery',
    'nobody tells what it had left: reset it',
    'recheck',
  ],
  [`spei-account:${APP}:1`, 'speiAccount', 'its next deposit goes on with it', 'recheck'],
  [`create-spei-account:${APP}:1`, 'createSpeiAccount', 'nobody goes on with it: reset it', 'resolve'],
  [`spei-account-quantity:${APP}`, 'speiAccountQuantity', 'the next creation of an account begins it again', 'recheck'],
  [`reconciliation:${APP}:2026-03-01`, 'reconciliation', 'nobody goes on with it: reset it', 'resolve'],
])('of %s, which somebody has terminated, show says what comes of it and what to do', (id, type, next, does) => {
  const text = endedRun(id, type);
  const known = namedByWorkflowId(id)?.out_trade_no ? ' before its outcome was known' : '';
  expect(linesOf(text)[0]).toContain(` was terminated${known}: ${next}. It has needed a person for `);
  const reset = `Do: \`temporal workflow reset --workflow-id ${id} --type LastWorkflowTask --reason WHY\`, then \`${does}\``;
  expect(text).toContain(type === 'payment' ? `Do: ${does}: it may still be paid.` : reset);
});

describe('of an order that the gateway may still call paid, show says what that would be', () => {
  const { after_sale } = worst('late-payment', 'after-sale');
  const nothing = {
    order_amount: null,
    refunds: [],
    refunded_amount: '0.00',
    refunding_amount: '0.00',
    attention: null,
  };
  const told = (payment: Partial<PaymentState>, sale: Partial<AfterSaleState>, unanswered: string[] = []) => {
    const found = { ...quiet(payment, ENDED), after_sale: { ...after_sale, ...nothing, ...sale }, unanswered };
    return linesOf(caseText(found, {}, NOW)).filter((line) => /may still|not shown it/.test(line));
  };
  const canceled = { outcome: 'CANCEL', confirmed_by: 'operator' } as const;
  const watched_until = '2026-03-05T11:00:00.000Z';
  const late = 'That would be late money: PAYMENTS_LATE says what becomes of it, by default a person is asked.';

  test.each<[what: string, payment: Partial<PaymentState>, sale: Partial<AfterSaleState>, said: string]>([
    [
      'a person has ended',
      canceled,
      { watched_until },
      `  The gateway has not ended it, so the buyer may still pay: it is watched until 2026-03-05 11:00 UTC. ${late}`,
    ],
    [
      'the gateway itself has ended, within its settling time',
      { outcome: 'CANCEL', confirmed_by: 'query' },
      { watched_until, trade_status: 'CANCEL' },
      `  Money of it may still come: it is watched until 2026-03-05 11:00 UTC. ${late}`,
    ],
    [
      'a person has called sold',
      { outcome: 'SUCCESS', confirmed_by: 'operator' },
      {},
      '  The gateway has not shown it as paid; if it does, that counts as the money of this sale. Where the sale was paid another way, say CANCEL instead: then what the buyer pays there is late money.',
    ],
  ])('that %s', (_what, payment, sale, said) => expect(told(payment, sale)).toEqual([said]));

  test('and nothing once its watch is over, it is paid, or nobody has answered', () => {
    expect(told(canceled, { watched_until: AT })).toEqual([]);
    expect(told(canceled, { watched_until, trade_status: 'SUCCESS' })).toEqual([]);
    expect(told({ outcome: 'SUCCESS', confirmed_by: 'operator' }, { trade_status: 'SUCCESS' })).toEqual([]);
    expect(told(canceled, { watched_until }, ['after-sale'])).toEqual([]);
  });
});

test('a number that nobody knows is no order that has ended, although somebody asked for a refund of it', () => {
  const { after_sale, ...asked } = worst('late-payment', 'after-sale');
  const run = { ...openRun(afterSaleWorkflowId(APP, ORDER), 'afterSale', null), ...ENDED };
  const unknown = { ...after_sale, trade_status: null, refunds: [], refunded_amount: '0.00', refunding_amount: '0.00' };
  const found = { ...asked, payment: null, after_sale: unknown, runs: [run] };
  expect(firstLine(found)).toBe(
    `Order ${ORDER} (app ${APP}) is known to nobody: Temporal has no payment of it, and the gateway showed no trade. Nothing of it is open.`,
  );
});

test('an order whose task fails is told without a command: nobody could answer one', () => {
  const run = { attention: 'failing-tasks', waits_since: AT, status: NOT_CREATED_YET };
  const unread = 'A payload cannot be decrypted';
  const timeline = [{ time: AT, what: 'unread' as const, text: unread, of: 'payment' }];
  const text = caseText({ ...quiet({}, run), payment: null, timeline }, {}, NOW);
  expect(linesOf(text)[0]).toBe(
    `Order ${ORDER} (app ${APP}) is under way, and the gateway has not answered yet. It has needed a person for 1h 0m: failing-tasks.`,
  );
  expect(text).toMatch(new RegExp(`unread +${unread}$`, 'm'));
  expect(text).not.toMatch(/payment-gateway (resolve|recheck)/);
});

test('whether a worker runs is asked where none has answered, and not where one fails the task each time', () => {
  const unanswered = [paymentWorkflowId(APP, ORDER)];
  const asked = (run: object) => caseText({ ...quiet({}, run), unanswered }, {}, NOW).includes('Is one running?');
  const [work] = quiet({}, {}).runs.flatMap(({ waits_for }) => waits_for);
  expect(asked({})).toBe(true);
  expect(asked({ waits_for: [{ ...work, state: 'fails each time' }] })).toBe(false);
});

test.each([
  ['CHARGEBACK', 'was paid, and the bank has taken the money back.'],
  ['DISPUTE', 'was paid, and the buyer disputes it.'],
])('nobody reads in the first line of an order under %s that it is paid', (trade_status, said) => {
  const { after_sale } = worst('dispute', 'after-sale');
  const found = {
    ...quiet({ outcome: 'SUCCESS', confirmed_by: 'query' }, ENDED),
    after_sale: { ...after_sale, trade_status },
  };
  expect(firstLine(found)).toContain(`Order ${ORDER} of 150.00 BRL (app ${APP}) ${said}`);
});

describe('an order of which a person has decided CANCEL although money came', () => {
  const mismatch = { amount: '120.00', currency: 'BRL' };
  const canceled = { outcome: 'CANCEL', confirmed_by: 'operator', trade_status: 'SUCCESS', mismatch } as const;
  const refund = `payment-gateway refund ${ORDER} --app ${APP} --with FILE`;

  test('says in its first line and in what is open that the money is to be sent back, and how', () => {
    const text = caseText(quiet(canceled, ENDED), {}, NOW);
    expect(linesOf(text)[0]).toMatch(
      / 120\.00 BRL came, and is to be sent back\. Next: payment-gateway refund \S+ --app \S+ --with FILE$/,
    );
    expect(text).toContain(`  To send back: 120.00 BRL. Nothing does so by itself:\n      ${refund}\n`);
    expect(text).toContain(`payment-gateway resolve ${ORDER} --app ${APP} --elsewhere AMOUNT`);
  });

  test('says nothing of it while the after-sale does not answer, which knows what has gone back', () => {
    const found = { ...quiet(canceled, ENDED), unanswered: [afterSaleWorkflowId(APP, ORDER)] };
    expect(caseText(found, {}, NOW)).not.toMatch(/sen[dt] back/);
    expect(moneyOwed(found)).toBeNull();
  });

  test.each<[what: string, sale: Partial<AfterSaleState>, back: string | undefined]>([
    ['a part is being refunded', { order_amount: '120.00', refunding_amount: '20.00' }, '100.00 BRL'],
    ['a person names what went back elsewhere', { order_amount: '120.00', refunded_elsewhere: '120.00' }, undefined],
    ['the bank takes the money back', { order_amount: '120.00', trade_status: 'CHARGEBACK' }, undefined],
  ])('says so until nothing is left: %s', (_, sale, back) => {
    const none = { refunds: [], refunded_amount: '0.00', refunding_amount: '0.00', refunded_elsewhere: '0.00' };
    const { after_sale } = worst('dispute', 'after-sale');
    const now = { ...after_sale, ...none, trade_status: 'SUCCESS' as const, ...sale };
    expect(moneyToSendBack({ ...PAYMENT, ...canceled }, now)).toBe(back);
  });

  test.each<[what: string, payment: Partial<PaymentState>]>([
    ['is sold', { outcome: 'SUCCESS' }],
    ['still waits for a person', { attention: 'amount-mismatch' }],
    ['has no money at the gateway', { trade_status: 'CANCEL' }],
  ])('says nothing of it where it %s', (_, payment) => {
    expect(moneyToSendBack({ ...PAYMENT, ...canceled, ...payment }, null)).toBeUndefined();
  });
});

describe('an order under whose number another trade was paid', () => {
  const other = (trade_status: string) => ({ trade_no: 'T2', trade_status, order_amount: '150.00' });
  const paidTwice: PaymentState = {
    ...PAYMENT,
    outcome: 'SUCCESS',
    other_trades: [other('SUCCESS'), other('CANCEL')],
  };
  test('owes what that trade has, by its number', () => {
    expect(secondTradesPaid(paidTwice)).toBe('150.00 BRL of trade T2');
  });
  test.each<[what: string, payment: Partial<PaymentState>]>([
    ['the other money is the only one', { outcome: 'CANCEL' }],
    ['the other was not paid', { other_trades: [other('CANCEL'), other('CHARGEBACK')] }],
  ])('owes nothing where %s', (_, payment) => {
    expect(secondTradesPaid({ ...paidTwice, ...payment })).toBeUndefined();
  });
});

describe('an order that was paid twice, and of whose own trade money has gone back', () => {
  const none = { refunds: [], refunded_amount: '0.00', refunding_amount: '0.00', refunded_elsewhere: '0.00' };
  const other_trades = [{ trade_no: 'T2', trade_status: 'SUCCESS', order_amount: '150.00' }];
  const twice = (gone: Partial<AfterSaleState>) => {
    const { after_sale, ...found } = worst('second-trade', 'after-sale');
    const payment: PaymentState = { ...PAYMENT, outcome: 'SUCCESS', other_trades };
    return { ...found, payment, after_sale: { ...after_sale, ...none, ...gone }, unanswered: [] };
  };
  const unless = 'unless the 150.00 BRL that went back of the order’s own trade was for it';

  // A refund of the order's own trade may have been for the second payment, or for goods that came back: no fact tells.
  test.each<[what: string, gone: Partial<AfterSaleState>]>([
    ['is refunded', { refunded_amount: '150.00' }],
    ['is being refunded', { refunding_amount: '150.00' }],
    ['went back elsewhere', { refunded_elsewhere: '150.00' }],
  ])('owes the other trade’s money only perhaps, and a person reads why: it %s', (_, gone) => {
    expect(secondMoneyOwed(twice(gone))).toBe(`perhaps 150.00 BRL of trade T2, ${unless}`);
    expect(firstLine(twice(gone))).toContain(
      ` Next: send 150.00 BRL of trade T2 back in the gateway’s dashboard, ${unless}; then payment-gateway resolve `,
    );
  });
  test('owes it for certain where nothing has gone back, and nobody says so while no worker tells what has', () => {
    expect(secondMoneyOwed(twice({}))).toBe('150.00 BRL of trade T2');
    expect(secondMoneyOwed({ ...twice({}), unanswered: [afterSaleWorkflowId(APP, ORDER)] })).toBeNull();
  });
});

test('an order with an event that nobody has taken shows itself first, and then what is tried for how long', () => {
  const id = `event-delivery:abc:${paymentWorkflowId(APP, ORDER)}`;
  const delivery = openRun(id, 'eventDelivery', null);
  const found = quiet({}, { attention: null });
  const text = caseText({ ...found, runs: [delivery, ...found.runs] }, {}, NOW);
  expect(text).toContain(`\n  Open: ${paymentWorkflowId(APP, ORDER)}\n`);
  expect(text).toContain(`\n  Open too: ${id}: asks the gateway, 1, attempt 9 (--all)\n`);
});

test('an open payment says what it waits for, and of its page nothing more', () => {
  const page = ['**PROCESSING** · 150.00 BRL', 'Waits for the buyer, or a notification.', 'Trade T1'];
  const text = caseText({ ...quiet({}, {}), page }, {}, NOW);
  expect(text).toContain('\n  Waits for the buyer, or a notification.\n');
  expect(text).not.toContain('Trade T1');
});

test('an order that was not created for the app’s credentials points to what waits for all orders of the app', () => {
  const { runs, ...found } = quiet({ attention: 'credentials' }, { ...ENDED, execution: 'FAILED' });
  const ofApp = openRun(`app-attention:${APP}:credentials`, 'appAttention', 'credentials');
  const text = firstLine({ ...found, runs: [...runs, ofApp] });
  expect(text).toContain('was not created. It has needed a person for 1h 0m: credentials');
});

test('the key is corrected before anything else is typed, and a reason of two workflows is told once', () => {
  const found = quiet({ attention: 'credentials' }, { attention: 'credentials', waits_since: AT });
  const ofApp = openRun(`app-attention:${APP}:credentials`, 'appAttention', 'credentials');
  expect(firstLine({ ...found, runs: [...found.runs, ofApp] })).toMatch(
    / is under way\. It has needed a person for 1h 0m: credentials\. Next: correct the credentials and restart the worker; then payment-gateway recheck /,
  );
  expect(firstLine({ ...found, payment: null, runs: [ofApp] })).toContain(
    ` Next: correct the credentials and restart the worker; then payment-gateway resolve ${ofApp.workflow_id} `,
  );
});

test('a paused activity is named in the command that unpauses it', () => {
  const { runs, ...found } = quiet({}, { attention: 'paused-activity', waits_since: AT });
  const waits_for = runs.flatMap((run) => run.waits_for.slice(0, 2));
  const paused = waits_for.map((one, i) => (i === 1 ? { ...one, state: 'is paused' as const, activity_id: '7' } : one));
  const text = caseText({ ...found, runs: runs.map((run) => ({ ...run, waits_for: paused })) }, {}, NOW);
  expect(text).toContain(
    `\`temporal activity unpause --workflow-id ${paymentWorkflowId(APP, ORDER)} --activity-id 7\``,
  );
});

describe('an order whose money has gone back', () => {
  const sold = { ...quiet({ outcome: 'SUCCESS', confirmed_by: 'query' }, ENDED), after_sale: null };
  const none = { refunds: [], refunded_amount: '0.00', refunding_amount: '0.00', refunded_elsewhere: '0.00' };
  const first = (sale: Partial<AfterSaleState>) =>
    firstLine({ ...sold, after_sale: { ...worst('dispute', 'after-sale').after_sale, ...none, ...sale } });

  test.each<[what: string, sale: Partial<AfterSaleState>]>([
    ['by refunds elsewhere', { refunded_elsewhere: '150.00' }],
    ['by ours', { refunded_amount: '150.00' }],
    ['by both', { refunded_amount: '100.00', refunded_elsewhere: '50.00' }],
  ])('is not said to be paid: %s', (_, sale) => {
    expect(first(sale)).toContain(' was paid, and nothing of it is left. ');
  });
  test('is what the gateway calls it, while nobody knows how much went back', () => {
    expect(first({ trade_status: 'REFUNDED', ledger_complete: false })).toContain(
      ' was paid, and the gateway calls it REFUNDED. ',
    );
  });
  test('is paid while a part is left, whatever the gateway calls it', () => {
    expect(first({ trade_status: 'REFUNDED', refunded_amount: '149.99' })).toContain(
      ' is paid, as the gateway answered. ',
    );
  });
});

test('what went back by refunds elsewhere stands in the first line', () => {
  const { after_sale, ...found } = worst('dispute', 'after-sale');
  const none = { refunds: [], refunded_amount: '0.00', refunding_amount: '0.00' };
  const sale = { ...after_sale, ...none, refunded_elsewhere: '150.00' };
  expect(firstLine({ ...found, after_sale: sale })).toContain(
    ' 150.00 went back by refunds that are not in our list. ',
  );
});

test('an event that nobody takes is to be posted again, and its page leaves no part of an update behind', () => {
  const id = `event-delivery:abc:${paymentWorkflowId(APP, ORDER)}`;
  const run = { ...openRun(id, 'eventDelivery', 'undelivered-event'), out_trade_no: null };
  const section = attentionSection({ attention: 'undelivered-event' }, AT, id).join('\n\n');
  const page = [...section.split('\n').filter((line) => line !== ''), '127.0.0.1:9000 answered HTTP 500'];
  const found = { app_id: APP, out_trade_no: null, payment: null, after_sale: null, unanswered: [] };
  const text = caseText({ ...found, page, runs: [run], timeline: [] }, {}, NOW);
  expect(linesOf(text)[0]).toContain(`undelivered-event. Next: payment-gateway recheck ${id}`);
  expect(text).toContain('\n  127.0.0.1:9000 answered HTTP 500\n');
  expect(text).not.toContain('"by"');
});

test('a refund that was refused says why, and how often it was tried', () => {
  const failure = { type: 'NotRefunded', message: 'bank_info.number: not an account', details: {} };
  const found = worst('dispute', 'after-sale');
  const refunds = [{ ...refundOf(1, null), attempt: 2, outcome: 'NOT_CREATED' as const, failure }];
  const text = caseText({ ...found, after_sale: { ...found.after_sale, refunds } }, {}, NOW);
  expect(text).toContain('part-1 (attempt 2): 1.00 BRL, NOT_CREATED: bank_info.number: not an account');
});

test('a refund is called sent nowhere while nobody knows whether it has left, and being sent only while a worker tries it', () => {
  const found = worst('dispute', 'after-sale');
  const refunds = [refundOf(1, null), { ...refundOf(2, null), started_at: NOW.toISOString() }];
  const trying = openRun(afterSaleWorkflowId(APP, ORDER), 'afterSale', null);
  const waits_for = trying.waits_for.map((one) => ({ ...one, activity: 'gateway.refund' }));
  const standings = (runs: OrderRun[]) =>
    linesOf(caseText({ ...found, runs, after_sale: { ...found.after_sale, refunds } }, { all: true }, NOW)).filter(
      (line) => line.startsWith('    part-'),
    );
  const unknown = '1.00 BRL, begun, and nobody knows yet whether it was made';
  expect(standings([trying])).toEqual([`    part-2: ${unknown}`, `    part-1: ${unknown}`]);
  expect(standings([{ ...trying, waits_for }])).toEqual(['    part-2: 1.00 BRL, being sent', `    part-1: ${unknown}`]);
});

test('with --all, show has every line, whole', () => {
  const found = worst('second-trade', 'payment');
  const text = caseText(found, { all: true }, NOW);
  for (const { text: line } of found.timeline) expect(text).toContain(line);
  for (const { trade_no } of found.payment.other_trades) expect(text).toContain(`Another trade: ${trade_no} `);
  for (const { out_request_no } of found.after_sale.refunds) expect(text).toContain(`    ${out_request_no}: 1.00 BRL`);
  for (const { workflow_id } of found.runs) expect(text).toContain(`  Open: ${workflow_id}\n`);
});

test.each(
  Object.entries(ACCOUNT_RUNBOOK).flatMap(([kind, entries]) => Object.keys(entries).map((reason) => [kind, reason])),
)('%s under %s is explained with its own words, not with those of payments', (kind, reason) => {
  const run = { ...openRun(`${kind}:${APP}:${'1'.repeat(18)}`, kind, reason), out_trade_no: null };
  const workflow_id = kind === 'spei-account-quantity' ? `${kind}:${APP}` : run.workflow_id;
  const found = { app_id: APP, out_trade_no: null, payment: null, after_sale: null, unanswered: [] };
  const page = [
    '⚠️ **x**: why',
    '- To look: `payment-gateway recheck x`',
    '**3** left',
    ...Array(40).fill('- one more'),
  ];
  const text = caseText({ ...found, page, timeline: [], runs: [{ ...run, workflow_id }] }, {}, NOW);
  expect(text).toContain('\n  3 left\n  - one more\n');
  expect(text).not.toContain('⚠️');
  expect(text).toContain(`Needs a person: ${reason}. ${ACCOUNT_RUNBOOK[kind]?.[reason]?.happened}`);
  expect(text).toContain(` ${workflow_id}`);
  expect(linesOf(text).length).toBeLessThan(30);
});

test('a creation of an account that needs a person names the buyer, by whom the dashboard lists accounts', () => {
  const workflow_id = `create-spei-account:${APP}:buyer-54c46bd6`;
  const run = { ...openRun(workflow_id, 'createSpeiAccount', 'unknown-outcome'), out_trade_no: null };
  const found = { app_id: APP, out_trade_no: null, payment: null, after_sale: null, unanswered: [], page: [] };
  const wait = { attention: 'unknown-outcome' as const, attention_since: AT, taken: null };
  const creation = {
    app_id: APP,
    buyer_id: 'ana@shop\u001b[2J',
    account: null,
    ...wait,
    unknown_tries: [],
    resolved: [],
  };
  expect(caseText({ ...found, creation, timeline: [], runs: [run] }, {}, NOW)).toMatch(
    /^ {2}For the buyer ana@shop\S/m,
  );
});
