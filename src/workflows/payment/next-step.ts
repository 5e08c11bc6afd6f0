/** What a payment does next while it waits for its outcome, by what is known and what time it is. Pure: it acts on nothing. */
import { outcomeOf, type PaymentPolicy } from '../../contract';
import { allDeadlines, type Deadline, doubtDueAt } from './deadlines';
import {
  claimsOfTrade,
  hasClaimsAfter,
  isOver,
  type KnownPayment,
  needsDecision,
  type PendingClaim,
} from './known-payment';

export type PaymentStep =
  /** Take a notification as true, if the settings say so. */
  | { readonly take: 'believe'; readonly claim: PendingClaim }
  /** Ask the gateway. */
  | { readonly take: 'look' }
  /** Poll the gateway until then. `due_at`: when something else is due before the deadline. */
  | { readonly take: 'watch'; readonly stage: Deadline; readonly due_at: number }
  /** Wait for a person's decision, or for news: the trade is polled meanwhile. */
  | { readonly take: 'decide' }
  /** What was notified has stayed unconfirmed for long: a person has to look. */
  | { readonly take: 'doubt' }
  /** All deadlines are over, and the gateway is silent: a payment expires only after it has answered, never because it is silent. */
  | { readonly take: 'insist' }
  | { readonly take: 'expire' }
  | { readonly take: 'end' };

/** `isAsked`: somebody wants a fresh answer. `stages`: the order's deadlines, earliest first. */
interface PaymentWishes {
  readonly isAsked: boolean;
  readonly stages: readonly Deadline[];
}

type Settings = Pick<PaymentPolicy, 'confirm_by_query' | 'poll_schedule_ms' | 'risk_control_ms'>;

interface Question extends PaymentWishes {
  readonly known: KnownPayment;
  readonly now: number;
  readonly settings: Settings;
}

/** The first rule that has a step counts. People read its words as the reason. */
const RULES: readonly (readonly [because: string, step: (question: Question) => PaymentStep | undefined])[] = [
  ['The payment has its outcome.', ({ known }) => (isOver(known) ? { take: 'end' } : undefined)],
  [
    'The creation’s answer alone does not prove a SUCCESS: a query does.',
    ({ known }) =>
      known.look === null && outcomeOf(known.heard?.status ?? '') === 'SUCCESS' ? { take: 'look' } : undefined,
  ],
  [
    'The settings take what was notified without a query.',
    ({ known, settings }) => {
      // A notification that names no trade is not the gateway's, and while our trade_no is unknown it may name another order's trade.
      const named = claimsOfTrade(known, known.shown.trade_no).filter(({ signal }) => signal.trade_no);
      const believed = settings.confirm_by_query || known.shown.trade_no === null ? [] : named;
      const [claim] = isNotified(known) && !needsDecision(known) ? believed : [];
      return claim && { take: 'believe', claim };
    },
  ],
  [
    'A notification or a question is a hint: the gateway’s answer to a query counts.',
    ({ known, isAsked }) => (isNotified(known) || isAsked ? { take: 'look' } : undefined),
  ],
  [
    'Another amount was paid than ordered: a person decides.',
    ({ known }) => (needsDecision(known) ? { take: 'decide' } : undefined),
  ],
  [
    'What was notified has stayed unconfirmed for long: a person has to look.',
    ({ known, now, settings }) => {
      const due_at = doubtToTellAt(known, settings);
      return due_at !== null && due_at <= now ? { take: 'doubt' } : undefined;
    },
  ],
  [
    'At each deadline the gateway is asked.',
    ({ known, now, stages, settings }) => {
      const looked_at = known.look?.at ?? Number.NEGATIVE_INFINITY;
      const isDue = allDeadlines(stages, known, settings).some(({ at }) => at <= now && looked_at < at);
      return isDue ? { take: 'look' } : undefined;
    },
  ],
  [
    'Until a deadline the trade is polled, and a notification is waited for.',
    ({ known, now, stages, settings }) => {
      const stage = allDeadlines(stages, known, settings).find(({ at }) => at > now);
      if (stage === undefined) return undefined;
      return { take: 'watch', stage, due_at: Math.min(stage.at, doubtToTellAt(known, settings) ?? stage.at) };
    },
  ],
  [
    'EXPIRED follows an answer of the gateway, and never a silence.',
    ({ known }) => (known.look?.isSilent ? { take: 'insist' } : undefined),
  ],
  ['All deadlines are over, and the gateway has not ended the trade.', () => ({ take: 'expire' })],
];

/** The step, and the words of its rule. */
export function paymentRule(
  known: KnownPayment,
  now: number,
  wishes: PaymentWishes,
  settings: Settings,
): { readonly step: PaymentStep; readonly because: string } {
  const question = { known, now, ...wishes, settings };
  for (const [because, stepOf] of RULES) {
    const step = stepOf(question);
    if (step) return { step, because };
  }
  // The last rule always gives a step.
  return { step: { take: 'expire' }, because: '' };
}

export const nextPaymentStep = (...question: Parameters<typeof paymentRule>): PaymentStep =>
  paymentRule(...question).step;

const isNotified = (known: KnownPayment) => hasClaimsAfter(known, known.looked_after);

/** When a person is told that what was notified stays unconfirmed; null if nothing is in doubt, or the person is told already. */
export const doubtToTellAt = (known: KnownPayment, settings: Pick<PaymentPolicy, 'poll_schedule_ms'>): number | null =>
  known.reasons.includes('unconfirmed-notification') ? null : doubtDueAt(known, settings);
