/** Sends a refund: on a fresh look each time, and again only where there certainly is none, or everything still says so. */
import { condition, workflowInfo } from '@temporalio/workflow';
import { detailsOf, FAILURE, type RefundAttempt, type RefundInput, type RefundResult } from '../../../contract';
import type { QueriedTrade } from '../../../contract/gateway';
import { DAY } from '../../../gateway/pure/durations';
import type { RefundFailure } from '../../order/refusals';
import { gateway } from '../../shared/activities';
import { FIRST_BACKOFF_MS, nextBackoff } from '../../shared/backoff';
import { isResult } from '../../shared/ended-by-hand';
import { pollUntil } from '../../shared/polling';
import { isGeneratedNumber } from '../../shared/refund-numbers';
import { NO_WORD, sendingFailure } from '../../shared/sending-failure';
import { queryUntilFound, type Read, settledTrade } from '../../shared/stale-read';
import type { RefundEvidence } from './evidence';
import { SETTLINGS_OF_A_COPY, unchangedMeansNoRefund } from './interpret';
import { duplicateRefund, notRefunded, type RunningRefund } from './record';

/** A refund whose outcome stays unknown is requested again for so long; then it is left to a person. */
const SENT_AGAIN_WITHIN_MS = DAY;

const FIELDS = { operation: '/trade/refund', retryable: true };

/** Nobody knows whether the request has left. */
const UNKNOWN: RefundResult = { is: 'unknown', message: NO_WORD, error: { ...FIELDS, outcome: 'unknown' } };

/** What comes after a try: another try, a new look whether the refund may begin, or only facts and persons. */
export type AfterTry = 'send' | 'await turn' | 'track';

export class RefundSending {
  /** A request may have reached the gateway. */
  private mayExist = false;
  /** The last try was never answered: a person knows, until one is. */
  private isSlow = false;
  private backoff_ms: number;

  constructor(
    private readonly input: RefundInput,
    private readonly record: RunningRefund,
    private readonly evidence: RefundEvidence,
    private readonly read: Read,
    private readonly waitFor: (what: string) => Promise<void>,
  ) {
    this.backoff_ms = Math.max(FIRST_BACKOFF_MS, SETTLINGS_OF_A_COPY * read.settling_ms);
  }

  /** Tries once. */
  async send(): Promise<AfterTry> {
    if (this.evidence.isHeldBack) return this.standBack();
    if (this.mayExist) this.evidence.noteRepetition();
    const tried = await this.tryOnce();
    switch (tried.is) {
      case 'accepted':
        this.evidence.accept(tried.answer.refund_status);
        this.record.answer(tried.answer);
        return this.look();
      case 'moved':
        if (tried.trade) this.evidence.observe(tried.trade);
        // What it has seen is told before another look shows something else.
        await this.waitFor('its turn: the trade has moved since the last look');
        return this.standBack();
      case 'duplicate':
        if (!this.mayExist && !tried.reached) return this.refuse(duplicateRefund(tried));
        // A merchant may have used its own number for another trade: then the trade alone shows whether ours exists.
        this.evidence.isAccepted = this.isOwnNumber;
        return this.look();
      case 'not-created':
        return this.mayExist ? this.waitBeforeNext() : this.refuse(notRefunded(tried));
      case 'unknown':
        return this.afterUnknown(tried);
      case 'reset':
        this.record.noteReset(Date.now());
        this.mayExist = true;
        return 'track';
      case 'not-ours':
        this.mayExist = true;
        return 'track';
    }
  }

  private get isOwnNumber(): boolean {
    const { request, trade_no = null, out_trade_no = null } = this.input;
    return isGeneratedNumber({ trade_no, out_trade_no }, request, this.record.refund.out_request_no);
  }

  /** Whether the run before a reset may have sent the refund. */
  async wasReset(): Promise<boolean> {
    const isReset = (await gateway.requestRefund(this.attempt(null))).is === 'reset';
    if (isReset) this.record.noteReset(Date.now());
    return isReset;
  }

  /** The last look does not allow to send any more. */
  private standBack(): AfterTry {
    if (this.mayExist) return 'track';
    this.evidence.forget();
    this.record.refund.sent_at = null;
    return 'await turn';
  }

  private refuse(failure: RefundFailure): AfterTry {
    this.record.refuse(failure);
    return 'track';
  }

  /** The gateway has the refund: nothing more is sent. */
  private async look(): Promise<AfterTry> {
    await this.waitFor('the trade to show the refund');
    this.observe(await queryUntilFound(this.read));
    return 'track';
  }

  /** The refund may exist. The trade's status tells, where every refund would change it. */
  private async afterUnknown({ error, message }: Extract<RefundResult, { is: 'unknown' }>): Promise<AfterTry> {
    const isFirst = !this.mayExist;
    this.mayExist = true;
    await this.waitFor('the trade to show whether the gateway has the refund: the outcome of the request is unknown');
    const { baseline: seen } = this.evidence.observation;
    const showsNone = (await this.stays(seen)) && unchangedMeansNoRefund(this.evidence.observation);
    // A word that the table lacks may be about the request before this one, and an error of the server says nothing.
    const isWord = error.code !== undefined && (error.http_status ?? 0) < 500;
    if (showsNone && isFirst && isWord) return this.believe(notRefunded({ error, message }));
    return showsNone ? this.waitBeforeNext() : 'track';
  }

  /** A word that the table lacks means that there is no refund where the trade shows none for as long as a copy may be behind. */
  private async believe(failure: RefundFailure): Promise<AfterTry> {
    await this.waitFor('the trade to go on showing none: the gateway refused the refund in words that are not known');
    const { evidence } = this;
    const { now: seen } = evidence;
    await this.rest(SETTLINGS_OF_A_COPY * this.read.settling_ms);
    if (this.isInterrupted) return 'track';
    return (await this.stays(seen)) && evidence.isAlone ? this.refuse(failure) : 'track';
  }

  /** Whether the trade has this status once that has settled, and nothing says that the refund exists. */
  private async stays(seen: string): Promise<boolean> {
    const { evidence } = this;
    this.observe(await settledTrade(seen, this.read));
    return evidence.now === seen && !evidence.isKnownToExist;
  }

  private async waitBeforeNext(): Promise<AfterTry> {
    const { sent_at } = this.record.refund;
    if (Date.now() - Date.parse(sent_at ?? '') > SENT_AGAIN_WITHIN_MS) return 'track';
    await this.waitFor('a while, before the refund is requested again under the same number');
    await this.rest(this.backoff_ms);
    this.backoff_ms = nextBackoff(this.backoff_ms);
    return this.isInterrupted ? 'track' : 'send';
  }

  /** Waits for as long as a copy of the gateway may be behind, or until something is told of the refund. */
  private async rest(rests_ms: number): Promise<void> {
    await condition(() => this.isInterrupted, rests_ms, {
      summary: 'until a copy of the gateway can be no more behind',
    });
  }

  /** Whether something was told meanwhile, so that an unchanged status says nothing of the refund any more. */
  private get isInterrupted(): boolean {
    const { isKnownToExist, isHeldBack, isAlone } = this.evidence;
    return isKnownToExist || isHeldBack || !isAlone;
  }

  /** The gateway's answer. A notification that the bank takes the money back keeps the next attempt from being sent. */
  private async tryOnce(): Promise<RefundResult> {
    const { evidence, record } = this;
    record.markSent(Date.now());
    record.isAsking = true;
    if (this.isSlow) record.raise('no-answer');
    await this.waitFor('the gateway to take the refund');
    const { baseline } = evidence.observation;
    try {
      const tried = await pollUntil(() => gateway.requestRefund(this.attempt(baseline)), {
        isInterrupted: () => evidence.isHeldBack,
        timeout_ms: this.isSlow ? DAY : this.read.patience_ms,
        summary: 'until a person hears that the gateway takes no refunds',
      });
      if (tried === 'timeout') record.raise('no-answer');
      this.isSlow = tried === 'timeout';
      if (typeof tried === 'string') return this.heldBack();
      return isResult(tried) ? tried : UNKNOWN;
    } catch (error) {
      return this.failed(error);
    } finally {
      record.isAsking = false;
    }
  }

  private attempt(seen: string | null): RefundAttempt {
    const { trade, request, state } = this.input;
    const { originalExecutionRunId: original_run_id } = workflowInfo();
    const { order_amount, method } = trade;
    const numbered = { ...request, out_request_no: state.out_request_no };
    const { app_id, id } = this.read;
    return { app_id, id, trade: { order_amount, method }, request: numbered, seen, original_run_id };
  }

  /** No attempt has reached the gateway, and none follows. */
  private heldBack(): RefundResult {
    return { is: 'moved', trade: null };
  }

  private failed(error: unknown): RefundResult {
    const failed = sendingFailure(error);
    switch (failed.is) {
      case 'none':
        throw error;
      case 'unknown':
        return UNKNOWN;
      // The attempt that was under way when it was called off.
      case 'unsent':
        return this.heldBack();
      case 'refused': {
        const { message } = failed.failure;
        this.record.refuse({ type: FAILURE.invalidRequest, message, details: detailsOf(failed.failure) ?? {} });
        return { is: 'not-created', message, credentials: false, error: { ...FIELDS, outcome: 'not-sent' } };
      }
    }
  }

  private observe(trade: QueriedTrade): void {
    this.evidence.observe(trade);
    this.record.settleUnanswered();
  }
}
