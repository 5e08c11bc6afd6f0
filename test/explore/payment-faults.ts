/** What must never be of a payment, by what the gateway really did and what was told; and what a person is asked who sees it. */
import { outcomeOf } from '../../src/contract';
import { hasClaimsAfter, hasSentAgain, isResolved, mayHaveSent } from '../../src/workflows/payment/known-payment';
import {
  attentionIn,
  isWait,
  nextOf,
  ORDERED,
  OTHERS,
  oursIn,
  type PaymentNode,
  type PaymentWorld,
} from './payment-world';

/** Longer than all of the poll schedule. */
const HOUR = 60 * 60_000;

export function paymentFaults(node: PaymentNode): string[] {
  const { world, known } = node;
  const faults = world.fault === undefined ? [] : [world.fault];
  return [
    ...faults,
    ...ofOrders(node),
    ...(isResolved(known) ? [] : [...ofOutcome(node), ...ofNews(node), ...ofPersons(node)]),
  ];
}

/** Orders that may be paid, and nobody knows of them. */
function ofOrders(node: PaymentNode): string[] {
  const { world, known } = node;
  const ours = oursIn(world).filter(({ status }) => status === 'PROCESSING' || status === 'SUCCESS');
  const isKnown = attentionIn(node) !== null || isResolved(known);
  const faults: string[] = [];
  if (ours.length > 1 && !isKnown && !hasSentAgain(known))
    faults.push('two orders of ours may be paid, and nobody knows');
  // A number that is taken at the first request may be ours or another system's: the merchant is told of the trade, and compares.
  const isUntold = ours.some(({ isDoubled = false }) => !isDoubled || world.failure !== 'duplicate');
  if (world.failure !== null && isUntold && !mayHaveSent(known) && !isKnown)
    faults.push(`it fails as ${world.failure}, and an order of ours may be paid that nobody watches`);
  if (world.failure === 'not-sent' && ours.length > 0)
    faults.push('it is told that nothing was sent, and an order of ours exists');
  const isRefused = known.shown.refused_because !== null && !world.shown.some((one) => one.endsWith(' REFUSED'));
  if (isRefused && ours.length > 0 && !mayHaveSent(known) && !isKnown)
    faults.push('a refusal is believed, and the order may be paid that nobody watches');
  return faults;
}

/** An outcome that the truth does not have. */
function ofOutcome({ world, known }: PaymentNode): string[] {
  const { outcome, trade_no } = known.shown;
  if (outcome !== 'SUCCESS') return [];
  const trade = world.trades.find((one) => one.trade_no === trade_no);
  const faults: string[] = [];
  if (trade?.status !== 'SUCCESS') faults.push('it is sold, and nobody has paid');
  if (trade && trade.amount !== ORDERED) faults.push('it is sold for another amount');
  // Where an order of ours was made and its trade's number is not known, the number alone cannot tell the two apart.
  const isPerhapsOurs = known.creation.reach === 'sent' || known.shown.payment_data?.recovered === false;
  if (trade_no === OTHERS && !isPerhapsOurs && !known.reasons.includes('unproven-trade'))
    faults.push('it is sold by the money of another system');
  return faults;
}

/** What was notified or shown, and is forgotten. */
function ofNews(node: PaymentNode): string[] {
  const { world, known } = node;
  const { claims, contradicted, others, shown } = known;
  const isKept = (trade_no: string) =>
    [...claims.map(({ signal }) => signal), ...contradicted, ...others].some(
      (one) => one.trade_no === trade_no && outcomeOf(one.trade_status ?? '') === 'SUCCESS',
    );
  const isOurs = (trade_no: string) => shown.trade_no === trade_no;
  const isSold = (trade_no: string) =>
    isOurs(trade_no) && (shown.outcome === 'SUCCESS' || known.reasons.includes('amount-mismatch'));
  const of = (said: readonly string[]) =>
    said.filter((one) => one.endsWith(' SUCCESS')).map((one) => one.split(' ')[0] ?? '');
  const faults: string[] = [];
  if (of(world.told).some((trade_no) => !isKept(trade_no) && !isSold(trade_no)))
    faults.push('money was notified, and it is forgotten');
  const isUnread = hasClaimsAfter(known, known.looked_after);
  if (world.phase === 'waiting' && isUnread && nextOf(node).take === 'watch')
    faults.push('a notification has come, and the gateway is not asked');
  const isFailed = world.failure === 'duplicate';
  if (!isFailed && of(world.shown).some((trade_no) => !isKept(trade_no) && !isSold(trade_no)))
    faults.push('money was shown, and it is forgotten');
  const isLate = world.told_at !== null && world.now - world.told_at > HOUR && shown.outcome === null;
  // That of a second trade a person was told of, and may have seen.
  const isSecond = others.some(({ trade_status }) => outcomeOf(trade_status ?? '') === 'SUCCESS');
  if (isLate && !isSecond && isWait(nextOf(node)) && world.failure === null && attentionIn(node) === null)
    faults.push('money was notified an hour ago, it is not sold, and nobody is asked');
  return faults;
}

/** Waits without an end that nobody knows of, and questions that nothing calls for. */
function ofPersons(node: PaymentNode): string[] {
  const { world, known } = node;
  const attention = attentionIn(node);
  const faults: string[] = [];
  const next = nextOf(node);
  const { take } = next;
  if (next.take === 'watch' && world.phase === 'waiting' && next.due_at <= world.now)
    faults.push('a wait is over before it begins');
  if (world.phase !== 'over' && ['look-on', 'rest', 'insist', 'decide'].includes(take) && attention === null)
    faults.push('it waits without an end, and nobody is asked');
  const isOver = known.shown.outcome === 'EXPIRED' && attention === 'never-ended';
  if (!world.isOdd && attention !== null && !isOver)
    faults.push(`a person is asked (${attention}), and nothing is unclear`);
  return faults;
}

/** What the trade is in truth, for the person who is asked. */
export type PaymentTruth = 'paid' | 'paid to another system' | 'open' | 'over, and not paid' | 'never made';

export function truthOfPayment(world: PaymentWorld): PaymentTruth {
  const ours = oursIn(world);
  if (ours.some(({ status }) => status === 'SUCCESS')) return 'paid';
  if (ours.some(({ status }) => status === 'PROCESSING')) return 'open';
  if (world.trades.length > ours.length) return 'paid to another system';
  return ours.length > 0 ? 'over, and not paid' : 'never made';
}

/** What a person is asked, where we wait or are done; null where nobody is. */
export function questionOf(node: PaymentNode): string | null {
  const { world, known } = node;
  const attention = attentionIn(node);
  if (attention === null || isResolved(known)) return null;
  if (world.phase === 'over') return `It has ended as ${known.shown.outcome ?? world.failure}: \`${attention}\``;
  if (!isWait(nextOf(node))) return null;
  return `${world.phase === 'waiting' ? 'It waits for its outcome' : 'The order is created'}: \`${attention}\``;
}
