/** How a timeline says what was asked for and answered, in one line each. Nothing personal is taken from a payload. */
import { moneyText, SIGNAL } from '../contract';

export type Said = Readonly<Record<string, unknown>>;

/** A payload's value as an object; empty if it is not one. */
export const asSaid = (value: unknown): Said => (typeof value === 'object' && value !== null ? { ...value } : {});

const field = (said: unknown, name: string): unknown =>
  typeof said === 'object' && said !== null ? Reflect.get(said, name) : undefined;

/** The texts of these fields that are there, with a space between; amounts as every amount is written. */
const texts = (said: unknown, ...names: string[]): string =>
  names
    .map((name) => [name, field(said, name)] as const)
    .map(([name, one]) => (name.endsWith('amount') && typeof one === 'string' ? moneyText(one) : one))
    .filter((one) => (typeof one === 'string' && one !== '') || typeof one === 'number')
    .join(' ');

export function orderLine(input: Said): string {
  const { kind, request, payment, foreign_input } = input;
  if (foreign_input) return `nothing of its own: ${texts(input, 'foreign_input')}`;
  const money = texts(request, 'method', 'order_amount', 'order_currency');
  if (kind === 'direct' || kind === 'checkout') return `${kind === 'direct' ? 'direct payment' : 'checkout'}: ${money}`;
  if (kind === 'adopt') return `taken on: trade ${texts(input, 'trade_no') || 'of this number'}`;
  if (payment) {
    const attention = texts(field(field(payment, 'end'), 'state'), 'attention');
    return `goes on after the payment${attention && `, which needs a person: ${attention}`}`;
  }
  // Reconciliations, sweeps and accounts are about no single trade.
  return input.trade_no || input.out_trade_no ? `for trade ${texts(input, 'trade_no') || 'of this number'}` : '';
}

/** What an activity, a signal or an update asks for. */
export function askedLine(name: string, said: Said): string {
  const { request, foreign_input } = said;
  if (foreign_input) return `${name} that was not taken: ${texts(said, 'foreign_input')}`;
  // The answer says whether it was sent.
  if (name === 'gateway.create') return `to send a creation of ${texts(request, 'order_amount', 'order_currency')}`;
  if (name === 'gateway.refund')
    return `to send a refund of ${texts(request, 'refund_amount', 'refund_currency', 'out_request_no')}`;
  if (name === 'refund')
    return `refund of ${texts(said, 'refund_amount', 'amount') || 'all that is left'} ${texts(said, 'refund_currency', 'out_request_no')}`.trim();
  if (name === 'notification') {
    const trade = texts(said, 'trade_no');
    const what = texts(said, 'trade_status', 'refund_status', 'amount', 'currency') || 'a call to look at the gateway';
    return trade ? `${what} (trade ${trade})` : what;
  }
  if (name === SIGNAL.tell) return 'events to deliver';
  if (name === SIGNAL.followed) return 'the after-sale waits to be told of the end';
  if (name === 'take') return `takes it on${texts(said, 'note') && `: ${texts(said, 'note')}`}`;
  if (name !== 'resolve') return name;
  return `${texts(said, 'outcome') || 'seen'}: ${texts(said, 'reason')}`;
}

/** What the gateway answered to an activity; undefined for an activity that asked nobody outside. */
export function answerLine(activity: string, result: Said): string | undefined {
  if (!activity.startsWith('gateway.') || activity.endsWith('policy')) return undefined;
  const { is, told, trade, answer, message, foreign_input } = result;
  // Somebody completed it by hand: that is no answer of the gateway.
  if (foreign_input) return `by hand, and not taken: ${texts(result, 'foreign_input')}`;
  if (is === 'created') {
    const [trade_no, status] = [texts(answer, 'trade_no'), texts(answer, 'trade_status')];
    return ['created', trade_no && `trade ${trade_no}`, status].filter(Boolean).join(', ');
  }
  if (is === 'accepted') return `refund ${texts(answer, 'refund_status') || 'taken'}`;
  if (is === 'moved') {
    const status = texts(trade, 'trade_status');
    return `not sent: ${status ? `the trade is ${status} now` : 'no trade that allows it was seen'}`;
  }
  if (is === 'found') return texts(trade, 'trade_status', 'order_amount', 'order_currency');
  // An activity that only looks returns its answer in an envelope.
  if (is === 'told')
    return typeof told === 'number' ? `${told} virtual accounts left` : answerLine(activity, asSaid(told));
  if (typeof is === 'string') return `${is}${typeof message === 'string' && message !== '' ? `: ${message}` : ''}`;
  const said = texts(result, 'trade_status', 'order_amount', 'order_currency', 'status');
  return said || (activity in UNANSWERED ? UNANSWERED[activity] : 'no such order');
}

/** What an empty answer of an activity means, if it does not mean "no such order". */
const UNANSWERED: Readonly<Record<string, string | undefined>> = {
  'gateway.watch': 'nothing new until its time',
  'gateway.find-account': 'no such account',
  // No answer within a moment: a look follows.
  'gateway.glance': undefined,
};
