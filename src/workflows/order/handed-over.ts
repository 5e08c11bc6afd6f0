/** What a payment hands over at its end. Pure. */
import { claimOf, type HandedOver, isAttention, type NotificationClaim, readSignal } from '../../contract';

/** The order that an after-sale is of. */
interface OfOrder {
  readonly app_id: string;
  readonly out_trade_no: string;
}

/** What came as the signal `payment`; undefined where no payment of this order can have sent it: anybody may, with anything. */
export function readHandedOver(given: unknown, order: OfOrder, now: number): HandedOver | undefined {
  if (!isHandedOver(given) || given.end.state.app_id !== order.app_id) return undefined;
  if ((given.end.state.out_trade_no ?? order.out_trade_no) !== order.out_trade_no) return undefined;
  const { end, claims, contradicted } = given;
  const reasons = end.reasons.filter(isAttention);
  // One from the future would stand above every real end.
  const ended_at = Math.min(end.ended_at, now);
  return {
    end: { ...end, reasons, ended_at },
    claims: claims.flatMap(claimIn),
    contradicted: contradicted.flatMap(claimIn),
  };
}

const claimIn = (given: unknown): NotificationClaim[] => {
  const signal = readSignal(given);
  return signal ? [claimOf(signal)] : [];
};

function isHandedOver(given: unknown): given is HandedOver {
  if (!isObject(given) || !Array.isArray(given.claims) || !Array.isArray(given.contradicted)) return false;
  if (!isObject(given.end)) return false;
  const { run_id, ended_at, watch_until, reasons, asked, state } = given.end;
  const isTimed = typeof ended_at === 'number' && typeof watch_until === 'number';
  return (
    typeof run_id === 'string' && isTimed && [reasons, asked].every(Array.isArray) && isObject(state) && isState(state)
  );
}

/** What is read of it: its numbers and lists. */
function isState(state: Record<string, unknown>): boolean {
  const { app_id, history, other_trades, trade_no, out_trade_no, attention_since, taken } = state;
  const isNamed = typeof app_id === 'string' && [trade_no, out_trade_no].every(isTextOrNull);
  const isTimed = attention_since === null || isTime(attention_since);
  const isTaken = taken === null || (isObject(taken) && [taken.by, taken.time].every((one) => typeof one === 'string'));
  return (
    isNamed &&
    isTimed &&
    isTaken &&
    Array.isArray(history) &&
    Array.isArray(other_trades) &&
    other_trades.every(isObject)
  );
}

const isTime = (value: unknown) => typeof value === 'string' && !Number.isNaN(Date.parse(value));
const isTextOrNull = (value: unknown) => value === null || typeof value === 'string';
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
