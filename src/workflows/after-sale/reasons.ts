/** Why an after-sale itself needs a person, and which of the reasons is shown. Pure. */
import {
  type AfterSaleState,
  type Attention,
  attentionOfStatus,
  type NotificationClaim,
  type RefundState,
} from '../../contract';
import { TradeReasons } from '../shared/reasons';
import { isUnanswered } from './claims';

/** What a person has to know of the bank. */
const OF_THE_BANK: readonly Attention[] = ['dispute', 'chargeback', 'chargeback-reversed'];

export class AfterSaleReasons extends TradeReasons {
  /** `contradicted`: what was notified, and the gateway contradicts, until a person has looked or an answer agrees. */
  constructor(
    reasons: readonly Attention[] = [],
    public contradicted: readonly NotificationClaim[] = [],
  ) {
    super(reasons);
  }

  /** The one that people find: the bank's word, else the first that only a person settles, else the first. */
  get shown(): Attention | null {
    const [first = null] = this.reasons;
    const lasting = this.reasons.find((one) => one !== 'unconfirmed-notification');
    return this.reasons.find((one) => OF_THE_BANK.includes(one)) ?? lasting ?? first;
  }

  /** The same of the whole after-sale. */
  shownOf(
    trade_status: string | null,
    claims: readonly NotificationClaim[],
    refunds: readonly RefundState[],
  ): Attention | null {
    // Of a trade that nobody has seen, no word can be confirmed.
    if (trade_status === null && this.has('unknown-trade')) return 'unknown-trade';
    const claimed = claims.map((claim) => attentionOfStatus(claim.trade_status)).find((one) => one !== undefined);
    return claimed ?? this.shown ?? refunds.find(({ attention }) => attention !== null)?.attention ?? null;
  }

  /**
   * The bank's latest word replaces the one before, and answers what was notified of it, but no later step. The other reasons wait
   * behind it.
   */
  onBank(status: string): void {
    const word = attentionOfStatus(status);
    if (word === undefined) return;
    // A late word about the dispute before it does not take a chargeback from a person.
    const stays = (one: Attention) => !OF_THE_BANK.includes(one) || (one === 'chargeback' && word === 'dispute');
    const others = this.reasons.filter((one) => one !== word && stays(one));
    this.reasons = others.includes('chargeback') ? [...others, word] : [word, ...others];
    this.contradicted = this.contradicted.filter((one) => isUnanswered(status, [one]));
    if (this.contradicted.length === 0) this.settle('unconfirmed-notification');
  }

  /** The gateway keeps contradicting these notifications. */
  onContradicted(claims: readonly NotificationClaim[]): void {
    this.contradicted = [...this.contradicted, ...claims];
    this.raise('unconfirmed-notification');
  }

  override settle(reason: Attention | null): void {
    super.settle(reason);
    if (reason === 'unconfirmed-notification') this.contradicted = [];
  }
}

/** The reason of the trade alone. Those of refunds and of held notifications are added each time the state is shown. */
export function ownAttention({
  attention,
  refunds,
  claims,
  trade_status,
  ledger_complete,
}: AfterSaleState): Attention | null {
  const isOfClaim = claims.some(
    (one) => one.trade_status !== trade_status && attentionOfStatus(one.trade_status) === attention,
  );
  if (!isOfClaim && !refunds.some((one) => one.attention !== null && one.attention === attention)) return attention;
  return ledger_complete ? null : 'refund-elsewhere';
}
