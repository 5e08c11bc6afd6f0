/** Which events a change of a payment's state makes. */
import { type Attention, isSold, type PaymentEvent, type PaymentState, type Transition } from '../../../src/contract';
import { PaymentEventLog } from '../../../src/workflows/shared/outbox/payment-outbox';

const NOW = Date.parse('2026-01-02T03:04:05.000Z');

const transition = (to: string): Transition => ({
  time: `2026-01-01T00:00:0${to.length}.000Z`,
  from: null,
  to,
  source: 'query',
});

const context = (
  attention: Attention | null,
  outcome: PaymentState['outcome'] = 'SUCCESS',
): Pick<PaymentEvent, 'payment'> => ({
  payment: {
    app_id: 'app',
    out_trade_no: 'order-1',
    trade_no: 'T1',
    trade_status: 'SUCCESS',
    order_amount: '10.00',
    order_currency: 'MXN',
    method: null,
    outcome,
    confirmed_by: null,
    attention,
    ...{ attention_since: null, taken: null },
    expires_at: null,
    previous: null,
    refused_because: null,
    other_trades: [],
  },
});

/** Each state in turn, and the ids of the events that it makes. */
const LIVES: [name: string, states: [history: string[], attention: Attention | null][], events: string[][]][] = [
  ['no transition makes no event', [[[], null]], [[]]],
  ['each transition makes one event', [[['PROCESSING', 'SUCCESS'], null]], [['p:PROCESSING:1', 'p:SUCCESS:1']]],
  [
    'a transition of an earlier call makes none again',
    [
      [['PROCESSING'], null],
      [['PROCESSING'], null],
      [['PROCESSING', 'SUCCESS'], null],
    ],
    [['p:PROCESSING:1'], [], ['p:SUCCESS:1']],
  ],
  [
    'a new attention makes an event behind the transitions',
    [[['SUCCESS'], 'late-payment']],
    [['p:SUCCESS:1', 'p:attention-late-payment:1']],
  ],
  [
    'an attention that stays makes no second event, one that ends makes an event, and one that comes back another',
    [
      [[], 'late-payment'],
      [[], 'late-payment'],
      [[], null],
      [[], 'late-payment'],
    ],
    [['p:attention-late-payment:1'], [], ['p:sold:1', 'p:attention-cleared:1'], ['p:attention-late-payment:2']],
  ],
  [
    'another attention makes an event',
    [
      [[], 'unknown-trade'],
      [[], 'dispute'],
    ],
    [['p:attention-unknown-trade:1'], ['p:attention-dispute:1']],
  ],
];

const shown = ({ id }: PaymentEvent) => id;

test.each(LIVES)('%s', (_name, states, events) => {
  const log = new PaymentEventLog('p');
  const made = states.map(([history, attention]) =>
    log.changes(history.map(transition), context(attention), NOW, 'stays'),
  );
  expect(made.map((some) => some.map(shown))).toEqual(events);
});

test('an order that is sold once a person has looked is told, so that it is delivered; one that is not sold is not', () => {
  const settled = (outcome: PaymentState['outcome']) => {
    const log = new PaymentEventLog('p');
    log.changes([transition('SUCCESS')], context('late-payment', outcome), NOW);
    const seen: Transition = {
      ...transition('SUCCESS'),
      from: 'SUCCESS',
      source: 'operator',
      time: '2026-01-02T00:00:00.000Z',
    };
    return log.changes([transition('SUCCESS'), seen], context(null, outcome), NOW, 'stays');
  };
  const cleared = { type: 'attention.cleared', payment: { attention: null } };
  expect(settled('SUCCESS')).toMatchObject([{ type: 'sold', payment: { attention: null } }, cleared]);
  expect(settled('SUCCESS').map(({ payment }) => isSold(payment))).toEqual([true, true]);
  expect(settled('CANCEL')).toMatchObject([cleared]);
});

test('that nobody has to look any more is not told while money of a sale goes back: the event would say that it is sold', () => {
  const log = new PaymentEventLog('p');
  const told = (attention: Attention | null, money: 'stays' | 'goes back' | 'not shown') =>
    log.changes([transition('SUCCESS')], context(attention), NOW, money).map(({ type }) => type);
  expect(told('late-payment', 'stays')).toEqual(['transition', 'attention']);
  expect(told(null, 'goes back')).toEqual([]);
  expect(told(null, 'stays')).toEqual(['sold', 'attention.cleared']);
  expect(told('unlisted-transition', 'not shown')).toEqual(['attention']);
  // The gateway shows nothing of the money, and a person has decided.
  expect(told(null, 'not shown')).toEqual(['attention.cleared']);
});

test('a transition’s event has the time of the transition, an attention’s event has the present time', () => {
  const [moved, raised] = new PaymentEventLog('p').changes([transition('SUCCESS')], context('late-payment'), NOW);
  expect(moved?.time).toBe('2026-01-01T00:00:07.000Z');
  expect(raised?.time).toBe('2026-01-02T03:04:05.000Z');
});

test('what an earlier run has published is not published again', () => {
  const log = new PaymentEventLog('p');
  log.skip([transition('SUCCESS')], 'dispute');
  const events = log.changes([transition('SUCCESS'), transition('REFUNDED')], context('dispute'), NOW);
  expect(events.map(shown)).toEqual(['p:REFUNDED:1']);
});

test('a run that was reset tells the same again under the same id, whatever it told in between', () => {
  const [before] = new PaymentEventLog('p').changes([transition('SUCCESS')], context(null), NOW);
  const reset = new PaymentEventLog('p');
  reset.changes([], context('credentials'), NOW);
  const [after] = reset.changes([transition('SUCCESS')], context(null), NOW);
  expect(after?.id).toBe(before?.id);
});

test('what says that money came is told once the payment was paid, with what followed it', () => {
  const log = new PaymentEventLog('p');
  const told = (history: string[], outcome: PaymentState['outcome']) =>
    log.changes(history.map(transition), context(null, outcome), NOW).map(({ id }) => id);
  expect(told(['PROCESSING', 'SUCCESS'], null)).toEqual(['p:PROCESSING:1']);
  expect(told(['PROCESSING', 'SUCCESS', 'DISPUTE'], null)).toEqual([]);
  expect(told(['PROCESSING', 'SUCCESS', 'DISPUTE'], 'SUCCESS')).toEqual(['p:SUCCESS:1', 'p:DISPUTE:1']);
});

test('what says that money came is never told of a payment that ended otherwise', () => {
  const log = new PaymentEventLog('p');
  const history = ['SUCCESS'].map(transition);
  expect(log.changes(history, context(null, null), NOW)).toEqual([]);
  const told = log.changes([...history, transition('CANCEL')], context(null, 'CANCEL'), NOW);
  expect(told.map(({ id }) => id)).toEqual(['p:CANCEL:1']);
});

test('each transition is told once where only the latest of a long history are kept', () => {
  const log = new PaymentEventLog('p');
  const history: Transition[] = [];
  const told: unknown[] = [];
  for (let hour = 0; hour < 10; hour += 1) {
    const time = new Date(NOW + hour).toISOString();
    history.push({ time, from: null, to: hour % 2 === 0 ? 'PARTIAL_REFUND' : 'REFUND_PROCESSING', source: 'query' });
    told.push(...log.changes(history.slice(-3), context(null), NOW).map((event) => event.time));
  }
  expect(told).toEqual(history.map(({ time }) => time));
});
