/** What was observed of the trade and told of the refund, from which `interpret` reads how the refund stands. Pure. */
import {
  isBankStatus,
  isRefundStatus,
  type NotificationSignal,
  type RefundInput,
  takesMoneyBack,
} from '../../../contract';
import type { TradeSeen } from '../../../contract/gateway';
import type { RefundFailure } from '../../order/refusals';
import {
  endsInVainAlike,
  interpret,
  isAlone,
  isInVain,
  latestWord,
  type Observation,
  type Reading,
  turnOf,
} from './interpret';

export class RefundEvidence {
  /** Something was notified since the last query. */
  hasNews = false;
  /** A notification or a look has said that the bank takes the money back. A later look may be at a copy that is behind. */
  claimed: string | null;
  /** A look before it was sent has shown a refund that is not in our ledger: a copy that is behind shows none. */
  hasSeenOthers = false;
  /** Why the after-sale says that it may not be sent any more. */
  obstacle: RefundFailure | undefined;
  /** What the gateway showed of the trade last; null before the first answer. */
  seen: TradeSeen | null = null;
  /** The gateway has said that it has the refund. */
  isAccepted = false;
  isAttributed = false;
  private baseline: string | null = null;
  /** What the trade showed, or a notification without a number said, since it was sent: that a refund paid nothing. */
  private readonly endsInVain = new Set<string>();
  /** The bank took part since ours was sent. */
  private isDisturbed = false;
  /** What a notification called the refund last. */
  named: string | null = null;
  /** What notifications have called other refunds since ours was sent. */
  private readonly ofOthers = new Set<string>();
  private notified: string | null = null;

  private readonly out_request_no: string;
  /** Notifications name a number, and not which request under it they mean. */
  private isFirstRequest: boolean;
  /** The statuses that our ledger explains. */
  private explained: readonly string[];
  private readonly earlier: readonly string[];

  constructor({ state, trade }: Pick<RefundInput, 'state' | 'trade'>) {
    this.out_request_no = state.out_request_no;
    this.isFirstRequest = state.attempt === 1;
    this.explained = trade.explained;
    this.claimed = trade.bank_said;
    this.earlier = trade.earlier_statuses;
  }

  /** The trade's status as the gateway showed it last; null before the first answer. */
  private get status(): string | null {
    return this.seen?.trade_status ?? null;
  }

  get now(): string {
    return this.status ?? '';
  }

  /** Whether something forbids each further request. */
  get isHeldBack(): boolean {
    return this.claimed !== null || this.obstacle !== undefined;
  }

  holdBack(obstacle: RefundFailure): void {
    this.obstacle = obstacle;
    this.hasNews = true;
  }

  /** Whether the refund may begin. */
  get turn(): ReturnType<typeof turnOf> {
    return turnOf(this.now, this.explained);
  }

  get observation(): Observation {
    const { baseline, now, earlier, isAttributed: attributed, isAccepted: accepted, notified } = this;
    const { isEndOfAnother: ofAnother, disturbed, endsInVain } = this;
    const endedInVain = endsInVain.size > 0;
    return {
      ...{ baseline: baseline ?? now, now, earlier },
      ...{ attributed, accepted, notified, ofAnother, disturbed, endedInVain },
    };
  }

  get reading(): Reading {
    return interpret(this.observation);
  }

  private get disturbed(): boolean {
    return this.isDisturbed || this.ofOthers.size > 0;
  }

  /** Whether nothing else than ours can have moved the trade since it was sent. */
  get isAlone(): boolean {
    const { earlier, disturbed } = this;
    return isAlone({ earlier, disturbed });
  }

  /** The trade shows the end of a refund that paid nothing, and that is known to be another one. */
  private get isEndOfAnother(): boolean {
    return this.isNamedOfOthers(this.now) && !endsInVainAlike(this.now, this.notified);
  }

  private isNamedOfOthers(status: string): boolean {
    return [...this.ofOthers].some((one) => endsInVainAlike(one, status));
  }

  /** Whether a refund paid nothing, and no number says which one. */
  get hasUnnamedEnd(): boolean {
    return [...this.endsInVain].some((one) => !this.isNamedOfOthers(one) && !endsInVainAlike(one, this.notified));
  }

  /** Whether the gateway has the refund: by its word, or by a state that only a refund brings. */
  get isKnownToExist(): boolean {
    return this.isAccepted || this.isAttributed || this.notified !== null;
  }

  /** Whether the trade shows it, too. A gateway may call a number known that somebody else has used. */
  get isShown(): boolean {
    return this.isKnownToExist && isRefundStatus(this.now);
  }

  /** The present status is the one from before the refund. */
  begin(): void {
    this.baseline = this.status;
  }

  /** Nothing was sent after all: what the trade has shown since is not ours. */
  forget(): void {
    this.baseline = null;
    this.notified = null;
    this.named = null;
    this.isAttributed = false;
    this.isDisturbed = false;
    this.endsInVain.clear();
    this.noteOthers();
  }

  /** Ours is not sent: what the ledger does not explain is from elsewhere, and so is whatever comes of it. */
  private noteOthers(): void {
    if (!isRefundStatus(this.now) || this.explained.includes(this.now)) return;
    this.explained = [];
    this.hasSeenOthers = true;
  }

  observe({ trade_status: status, asked_at }: TradeSeen): void {
    this.seen = { trade_status: status, asked_at };
    if (this.baseline === null) this.noteOthers();
    if (takesMoneyBack(status)) this.claimed = status;
    if (this.baseline === null) return;
    if (isBankStatus(status)) this.isDisturbed = true;
    if (status === this.baseline || !isRefundStatus(status)) return;
    if (isInVain(status)) this.endsInVain.add(status);
    if (this.isOnlyOurs(status)) this.isAttributed = true;
  }

  /** It is requested once more, although the request before may have reached the gateway. */
  noteRepetition(): void {
    this.isFirstRequest = false;
  }

  /** The present status has lasted. After a part, SUCCESS says that one came back. */
  noteLasting(): void {
    if (this.baseline !== null && this.now === 'SUCCESS' && this.now !== this.baseline) this.endsInVain.add(this.now);
  }

  /** Whether only ours brings the trade into this status: none before it did, and what paid nothing may be any other. */
  private isOnlyOurs(status: string): boolean {
    return !this.earlier.includes(status) && (!isInVain(status) || this.isAlone);
  }

  /** Two refunds look alike in the trade's status; only an answer or a notification names one. */
  add({ out_request_no, trade_status = '' }: NotificationSignal): void {
    this.hasNews = true;
    if (takesMoneyBack(trade_status)) this.claimed = trade_status;
    if (this.baseline === null) return;
    if (isBankStatus(trade_status)) this.isDisturbed = true;
    if (!isRefundStatus(trade_status)) return;
    if (out_request_no !== this.out_request_no) {
      if (out_request_no) this.ofOthers.add(trade_status);
      else if (isInVain(trade_status)) this.endsInVain.add(trade_status);
      return;
    }
    if (!this.isFirstRequest && isInVain(trade_status)) {
      this.isDisturbed = true;
      return;
    }
    this.named = latestWord(this.named, trade_status);
    this.notified = latestWord(this.notified, trade_status);
  }

  /**
   * The gateway's own answer to the request. Its code says that the gateway has the refund. Its `refund_status` may be the
   * trade's, as it still is from the refund before: so it frees nothing, and what stood before says nothing of ours.
   */
  accept(refund_status: unknown): void {
    this.isAccepted = true;
    if (typeof refund_status !== 'string' || !isRefundStatus(refund_status)) return;
    if (!isInVain(refund_status) && refund_status !== this.baseline) this.notified ??= refund_status;
  }
}
