/** How failures look to callers: their types, the details of each, and the one way to make them. */
import { ApplicationFailure } from '@temporalio/common';
import { POLL_STOPPED } from './activities';
import type { RefundState, ShownFailure } from './after-sale';
import type { Attention } from './attention';
import type { FieldIssue, GatewayErrorFields } from './gateway';
import type { PaymentState } from './payment';
import { outcomeOf } from './trade-status-table';

/** The types of the failures that callers meet. {@link FailureDetails} has the fields of each. */
export const FAILURE = {
  /** Nothing was sent or changed. */
  invalidRequest: 'InvalidRequest',
  /** No order exists, unless `may_exist` says that an earlier try may still have made one. */
  notCreated: 'NotCreated',
  /** An order under this number exists that this workflow did not make. */
  duplicateOrder: 'DuplicateOrder',
  /** Another request has the same number. */
  differentRequest: 'DifferentRequest',
  /** The order may exist at the gateway, or the gateway will not cancel this virtual account. */
  notCanceled: 'NotCanceled',
  /** The account of this key is canceled, and takes no money. Only clients fail with it, and no workflow. */
  accountCanceled: 'AccountCanceled',
  /** The gateway has not answered yet. The payment goes on; ask again. */
  pending: 'PaymentPending',
  /** More than is left of the trade; nothing was sent. */
  overRefund: 'OverRefund',
  /** There is no refund. */
  notRefunded: 'NotRefunded',
  /** A refund under this number exists that we did not make. */
  duplicateRefund: 'DuplicateRefund',
  /** The refund waits for its turn, or for the gateway. It goes on; ask again. */
  refundPending: 'RefundPending',
  /** A question to the gateway has no answer. A refund was not taken, because nobody knows what was paid: ask again. */
  notAnswered: 'NotAnswered',
  /** Neither Temporal nor the gateway knows an order under this number. Nothing was done. */
  notFound: 'NotFound',
  /** The workflow was just ending, and nothing was done. Asking again starts another one. */
  closing: 'Closing',
  /** A function for a merchant's workflow was started by its name. Nothing was done. */
  notAWorkflow: 'NotAWorkflow',
  /** The payment was ended from outside and has no result, or Temporal has forgotten it. The order may exist. */
  withoutResult: 'PaymentWithoutResult',
} as const;

/** The gateway's error, if there is one. Only `outcome`: no call was made, or it has no answer. */
type GatewayProblem = Partial<GatewayErrorFields>;

/** The order that has the number: the gateway's last answer about it, and how it ended. Null: not known, or under way. */
interface FirstOrder extends Pick<PaymentState, 'trade_no' | 'order_amount' | 'outcome'> {
  trade_status: string | null;
}

/** The details of a failure: `details[0]` of the ApplicationFailure. Each value of a failure's `type` is a key here. */
export interface FailureDetails {
  InvalidRequest: {
    issues: readonly FieldIssue[];
    /** Present if a person was told, too. */
    attention?: Attention;
    /** An earlier try may still have made an order. */
    may_exist?: boolean;
    /** False if a start was refused before it did anything: this says nothing about what earlier runs made. */
    started?: boolean;
  };
  NotCreated: GatewayProblem & {
    /** An earlier try may still have made an order, which is watched. */
    may_exist?: boolean;
    /** It was withdrawn: no later start under its number sends it. */
    withdrawn?: boolean;
  };
  /** What the gateway has under the number; null if it did not say. */
  DuplicateOrder: Pick<PaymentState, 'trade_no' | 'order_amount'> & { trade_status: string | null };
  DifferentRequest: {
    /** The names of the fields that differ. */
    fields: readonly string[];
  } & Partial<FirstOrder>;
  PaymentPending: GatewayProblem;
  /** For an order, its state; for a virtual account, the gateway's error. */
  NotCanceled: Pick<PaymentState, 'outcome' | 'trade_status'> | GatewayErrorFields;
  AccountCanceled: {
    account_id: string;
  };
  OverRefund: {
    /** What is left of the payment: a decimal text in currency units. */
    left: string;
  };
  /** Fields of the trade, of a person's decision, of the refund that had this number, or of the gateway's error. */
  NotRefunded:
    | { trade_status: string | null; ledger_complete?: boolean }
    | { ledger_complete: boolean }
    | Pick<RefundState, 'resolved'>
    | Pick<RefundState, 'out_request_no' | 'outcome'>
    | GatewayProblem;
  DuplicateRefund: GatewayProblem;
  NotAnswered: GatewayProblem;
  RefundPending: Record<never, never>;
  NotFound: Record<never, never>;
  Closing: Record<never, never>;
  NotAWorkflow: Record<never, never>;
  PaymentWithoutResult: Record<never, never>;
}

/** A failure as a program in any language reads it. `details` is missing if there are none. */
export type TypedFailure = {
  [Type in keyof FailureDetails]: { type: Type; message: string; details?: FailureDetails[Type] };
}[keyof FailureDetails];

/** The types of the failures after which activities are tried again, besides those that callers meet. */
const OF_ACTIVITIES: readonly string[] = [
  ...['NotYet', 'GatewayUnavailable', 'EventNotTaken', 'EventHandlerFailed'],
  ...Object.values(POLL_STOPPED),
];

/** Whether the message of a failure of this type is ours, so that it quotes nobody. */
export const isOwnFailureType = (type: unknown): boolean =>
  typeof type === 'string' && [...Object.values<string>(FAILURE), ...OF_ACTIVITIES].includes(type);

/**
 * A failure that callers recognise by its type and that Temporal does not retry.
 *
 * @param type one of {@link FAILURE}
 * @param message one or two sentences for the person who reads it
 * @param details the fields of the type, see {@link FailureDetails}; any for a type that was read from another failure
 */
export function typedFailure<Type extends string>(
  type: Type,
  message: string,
  details?: (Type extends keyof FailureDetails ? FailureDetails[Type] : Readonly<Record<string, unknown>>) | undefined,
): ApplicationFailure {
  return ApplicationFailure.create({
    type,
    message,
    nonRetryable: true,
    ...(details === undefined ? {} : { details: [details] }),
  });
}

/** A copy of the failure: Temporal encodes a failure that is thrown, so each place throws its own. */
export function sameFailure(failure: ApplicationFailure, typeIfNone = ''): ApplicationFailure {
  return typedFailure(failure.type ?? typeIfNone, failure.message, detailsOf(failure));
}

/** A copy as of {@link sameFailure}, or the same value if it is no such failure. */
export function failureAnew(failure: unknown): unknown {
  return failure instanceof ApplicationFailure ? sameFailure(failure) : failure;
}

/** The failure as states and events show it; null for one that no caller meets. */
export const shownFailure = (failure: unknown): ShownFailure | null =>
  failure instanceof ApplicationFailure && failure.type && isOwnFailureType(failure.type)
    ? { type: failure.type, message: failure.message, details: detailsOf(failure) ?? {} }
    : null;

/** The details of a failure; undefined if it has none. */
export function detailsOf({ details }: ApplicationFailure): Record<string, unknown> | undefined {
  const [first]: unknown[] = details ?? [];
  return typeof first === 'object' && first !== null ? { ...first } : undefined;
}

/** What a caller is told if the order was not made, and another system's trade has its number. */
export const madeElsewhere = (out_trade_no: string) =>
  `Order ${out_trade_no} was made elsewhere, as the gateway or a person has said, and ours was not made. ${IF_MADE_ELSEWHERE}`;

/** A new number for a sale that has a trade is a second charge, so the advice names the trade first. */
export const IF_MADE_ELSEWHERE =
  'Look at that trade first. If it is this sale, let the buyer pay it, and adopt it: a new out_trade_no would charge the buyer twice. Only another sale takes a new out_trade_no.';

/** The failure for another request under the number of a known order: it describes the known order. */
export function differentOrder(first: KnownOrder, fields: readonly string[]): ApplicationFailure {
  const { out_trade_no, trade_no, trade_status, order_amount, outcome } = first;
  const differ = `${fields.join(', ')} ${fields.length === 1 ? 'differs' : 'differ'}`;
  const message = `Order ${out_trade_no} exists with another request: ${differ}. Nothing was sent now. The first one has ${tradeShown(first)}. ${ADVICE[chargeOf(first)]}`;
  return typedFailure(FAILURE.differentRequest, message, { fields, trade_no, trade_status, order_amount, outcome });
}

interface KnownOrder
  extends TradeOfOthers,
    Pick<PaymentState, 'outcome' | 'confirmed_by' | 'order_currency' | 'attention'> {}

/** What a new number for the same sale would do. */
const ADVICE = {
  open: 'It may still be paid. If this is the same sale, send the first request again for its payment data: a new out_trade_no could charge the buyer twice. Only another sale takes a new out_trade_no.',
  paid: 'It is paid. If this is the same sale, there is nothing more to charge. Only another sale takes a new out_trade_no.',
  over: 'It ended so, and money may have come since: read its state first. Where that is not SUCCESS, a new try of this sale takes a new out_trade_no.',
} as const;

function chargeOf({ outcome, confirmed_by, attention, trade_status }: KnownOrder): keyof typeof ADVICE {
  if (outcome === 'SUCCESS') return 'paid';
  // A person may have ended the payment while the buyer can still pay, or before the gateway showed the trade.
  const isOpen = trade_status === null ? confirmed_by === 'operator' : outcomeOf(trade_status) === null;
  return outcome === null || isOpen || attention !== null ? 'open' : 'over';
}

function tradeShown({ trade_no, trade_status, order_amount, order_currency }: KnownOrder): string {
  if (trade_no === null && trade_status === null) return 'no trade that the gateway has named yet';
  return `trade ${trade_no ?? '(no number)'}, ${trade_status}, ${[order_amount ?? 'an unknown amount', order_currency ?? ''].join(' ').trim()}`;
}

/** What a caller is told if a person or the server has ended the payment's workflow. */
export const endedFromOutside = (out_trade_no: string) =>
  `Somebody ended the workflow of order ${out_trade_no} in Temporal before its outcome was known. The order may exist, and may still be paid: the next sweep takes it on again, or a notification does. Ask for its state then.`;

/** The failure with {@link madeElsewhere}, and what the gateway has. */
export function duplicateOrder({
  out_trade_no,
  trade_no,
  trade_status,
  order_amount,
}: TradeOfOthers): ApplicationFailure {
  const details = { trade_no, trade_status, order_amount };
  return typedFailure(FAILURE.duplicateOrder, madeElsewhere(out_trade_no ?? ''), details);
}

interface TradeOfOthers {
  readonly out_trade_no: string | null;
  readonly trade_no: string | null;
  readonly trade_status: string | null;
  readonly order_amount: string | null;
}

/** Whether a payment's failure says that its run made no order: then a trade under the number is another system's. */
export function saysWithoutOrder(failure: unknown): boolean {
  return isDuplicateOrderFailure(failure) || isNotCreatedFailure(failure);
}

/** Whether a payment's failure says that its order was withdrawn, and is not sent any more. */
export const saysWithdrawn = (failure: unknown): boolean =>
  failure instanceof ApplicationFailure && detailsOf(failure)?.withdrawn === true;

/** Whether a payment's failure says that the gateway has an order under the number which is not ours. */
export function isDuplicateOrderFailure(failure: unknown): boolean {
  return failure instanceof ApplicationFailure && failure.type === FAILURE.duplicateOrder;
}

/** Whether a payment's failure says that there is no order of ours and none can come, so that its number can be used again. */
export function isNotCreatedFailure(failure: unknown): boolean {
  if (!(failure instanceof ApplicationFailure)) return false;
  const isRefusal = failure.type === FAILURE.notCreated || failure.type === FAILURE.invalidRequest;
  return isRefusal && detailsOf(failure)?.may_exist !== true;
}
