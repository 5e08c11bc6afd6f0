/** What a payment does next while it waits for its outcome, by what is known and what time it is. Pure: it acts on nothing. */
import { outcomeOf, type PaymentPolicy } from '../../contract';
import { type Deadline, endOfRiskControl } from './deadlines';
import {
  claimsOfTrade,
  hasClaimsAfter,
  isOver,
  type KnownPayment,
  needsDecision,
  type PendingClaim,
  paymentState,
} from './known-payment';

export type PaymentStep =
  /** Take what was notified as it is, where the settings say so. */
  | { readonly take: 'believe'; readonly claim: PendingClaim }
  /** Ask the gateway. */
  | { readonly take: 'look' }
  /** Poll the gateway until then. `due_at`: when something else is due before the deadline. */
  | { readonly take: 'watch'; readonly stage: Deadline; readonly due_at: number }
  /** Wait for a person's decision, or for news. */
  | { readonly take: 'decide' }
  /** What was notified has stayed unconfirmed for long: a person has to look. */
  | { readonly take: 'doubt' }
  /** All deadlines are over, and the gateway is silent: EXPIRED follows an answer of its, and never a silence. */
  | { readonly take: 'insist' }
  | { readonly take: 'expire' }
  | { readonly take: 'end' };

/** `isAsked`: somebody wants an answer of now. `stages`: the order's deadlines, earliest first. */
export interface PaymentWishes {
  readonly isAsked: boolean;
  readonly stages: readonly Deadline[];
}

type Settings = Pick<PaymentPolicy, 'confirm_by_query' | 'poll_schedule_ms' | 'risk_control_ms'>;

export function nextPaymentStep(
  known: KnownPayment,
  now: number,
  { isAsked, stages }: PaymentWishes,
  settings: Settings,
): PaymentStep {
  if (isOver(known)) return { take: 'end' };
  // The creation's answer alone does not prove a SUCCESS.
  if (known.look === null && outcomeOf(known.heard?.status ?? '') === 'SUCCESS') return { take: 'look' };
  const isDecision = needsDecision(known);
  const isNotified = hasClaimsAfter(known, known.looked_after);
  // One that names no trade is not the gateway's, and where ours has no number yet it may name another's.
  const named = claimsOfTrade(known, known.shown.trade_no).filter(({ signal }) => signal.trade_no);
  const believed = settings.confirm_by_query || known.shown.trade_no === null ? [] : named;
  const [claim] = isNotified && !isDecision ? believed : [];
  if (claim) return { take: 'believe', claim };
  if (isNotified || isAsked) return { take: 'look' };
  if (isDecision) return { take: 'decide' };
  const doubtDue = doubtDueAt(known, settings);
  const isUntold = !known.reasons.includes('unconfirmed-notification');
  if (doubtDue !== null && doubtDue <= now && isUntold) return { take: 'doubt' };
  const deadlines = [...stages, ...lastStages(known, stages, doubtDue, settings)];
  const looked_at = known.look?.at ?? Number.NEGATIVE_INFINITY;
  if (deadlines.some(({ at }) => at <= now && looked_at < at)) return { take: 'look' };
  const stage = deadlines.find(({ at }) => at > now);
  if (stage) return { take: 'watch', stage, due_at: Math.min(stage.at, isUntold ? (doubtDue ?? stage.at) : stage.at) };
  return { take: known.look?.isSilent ? 'insist' : 'expire' };
}

/** When a person has to look at a SUCCESS that was notified and not confirmed. */
function doubtDueAt({ doubted_at }: KnownPayment, { poll_schedule_ms }: Settings): number | null {
  return doubted_at === null ? null : doubted_at + (poll_schedule_ms.at(-1) ?? 0);
}

/** What may be due after the order's own deadlines. */
function lastStages(
  known: KnownPayment,
  stages: readonly Deadline[],
  doubtDue: number | null,
  settings: Settings,
): Deadline[] {
  const last = stages.at(-1)?.at ?? 0;
  const held: Deadline = { name: 'risk control', at: endOfRiskControl(paymentState(known), settings) };
  const later: Deadline[] = [held, { name: 'confirmation', at: doubtDue ?? 0 }];
  return later.filter(({ at }) => at > last).sort((one, other) => one.at - other.at);
}
