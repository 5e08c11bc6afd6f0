/** Sends a refund once, on a fresh look, and returns its result as facts. */
import { condition } from '@temporalio/workflow';
import {
  detailsOf,
  FAILURE,
  type GrantedRefund,
  type KnownOrder,
  knownIds,
  type PaymentPolicy,
  type RefundResult,
} from '../../contract';
import type { QueriedTrade } from '../../contract/gateway';
import { gateway } from '../shared/activities';
import { sendingFailure } from '../shared/activity-failure';
import { isObject, isResultOf, isText, isTradeOrNull, type ResultShape } from '../shared/ended-by-hand';
import { pollUntil } from '../shared/polling';
import type { RefundAnswered } from './facts';

interface Sent {
  readonly answered: RefundAnswered;
  /** The trade, if its status changed since the look that let the refund begin; null if the gateway has no such trade. */
  readonly trade?: QueriedTrade | null;
  /** The gateway refuses our credentials. */
  readonly credentials?: boolean;
}

/** A refund as it is sent: its number always goes with it. */
interface NumberedRefund extends GrantedRefund {
  readonly out_request_no: string;
}

/**
 * `read_by`: the run that knows what was sent before; in a reset of it, nothing is sent. `settling_ms`: how long the gateway has to deny the
 * trade until the denial counts. `patience_ms`: after a silence of this many ms a person is told.
 */
interface SendOptions extends Pick<PaymentPolicy, 'read_by' | 'settling_ms' | 'patience_ms'> {
  /** Whether something forbids the refund now: a request that has not left us is called off. */
  readonly isForbidden: () => boolean;
  readonly onSilence: () => void;
}

const NOT_SENT: RefundAnswered = { said: 'not-sent' };
const UNKNOWN: RefundAnswered = { said: 'unknown' };

const NOT_MADE = { error: isObject, message: isText };

const SENT: ResultShape<RefundResult> = {
  accepted: { answer: isObject },
  'not-created': NOT_MADE,
  duplicate: NOT_MADE,
  unknown: NOT_MADE,
  'not-ours': NOT_MADE,
  moved: { trade: isTradeOrNull },
};

/**
 * Returns once the request is answered, or given up. Throws nothing that the gateway can cause, and `WasReset` if nothing was sent
 * because the run is a reset.
 */
export async function sendRefund(
  app_id: string,
  sale: KnownOrder,
  request: NumberedRefund,
  { read_by, isForbidden, settling_ms, patience_ms, onSilence }: SendOptions,
): Promise<Sent> {
  const { paid, method, seen } = sale;
  const attempt = {
    app_id,
    id: knownIds(sale),
    trade: { order_amount: paid?.amount ?? request.refund_amount, method },
    request,
    seen: seen?.status ?? null,
    settling_ms,
    read_by,
  };
  let isOver = false;
  const isHeard = condition(() => isOver, patience_ms, {
    summary: 'until a person hears that the gateway takes no refunds',
  });
  isHeard.then(
    (inTime) => inTime || onSilence(),
    () => undefined,
  );
  try {
    const sent = await pollUntil(() => gateway.requestRefund(attempt), { isInterrupted: isForbidden });
    // Called off before any attempt has reached the gateway.
    if (typeof sent === 'string') return { answered: NOT_SENT };
    // A person may have completed the activity with anything.
    return isResultOf(sent, SENT) ? readResult(sent, request) : { answered: UNKNOWN };
  } catch (error) {
    return { answered: readFailure(error) };
  } finally {
    isOver = true;
  }
}

function readResult(result: RefundResult, { out_request_no }: NumberedRefund): Sent {
  switch (result.is) {
    case 'accepted':
      return { answered: { said: 'taken', answer: { ...result.answer, out_request_no, recovered: false } } };
    case 'moved':
      return { answered: NOT_SENT, trade: result.trade };
    case 'not-created':
      return { answered: { said: 'refused', failure: notRefunded(result) }, credentials: result.credentials };
    case 'duplicate':
      // If an attempt of ours has reached the gateway, the refund under this number may be ours.
      return { answered: result.reached ? UNKNOWN : { said: 'taken-by-others', failure: duplicateRefund(result) } };
    case 'unknown':
    case 'not-ours':
      return { answered: UNKNOWN };
  }
}

function readFailure(error: unknown): RefundAnswered {
  const failed = sendingFailure(error);
  switch (failed.is) {
    case 'none':
      throw error;
    case 'unknown':
      return UNKNOWN;
    // The attempt that was under way when the refund was called off.
    case 'unsent':
      return NOT_SENT;
    case 'refused': {
      const { message } = failed.failure;
      const details = detailsOf(failed.failure) ?? {};
      return { said: 'refused', failure: { type: FAILURE.invalidRequest, message, details } };
    }
  }
}

const notRefunded = ({ message, error }: { message: string; error: object }) => ({
  type: FAILURE.notRefunded,
  message,
  details: { ...error },
});

const duplicateRefund = ({ error }: { error: object }) => ({
  type: FAILURE.duplicateRefund,
  message: 'The gateway has another refund under this number already, which we did not make. Nothing was refunded now.',
  details: { ...error },
});
