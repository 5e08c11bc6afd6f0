/** What a failure of each type says besides its message: `details[0]` of the ApplicationFailure. */
import type { RefundState } from './after-sale';
import type { Attention } from './attention';
import type { FieldIssue, GatewayErrorFields } from './gateway';
import type { PaymentState } from './payment';

/** The gateway's error, where there is one. `outcome` alone: no call was made, or it has no answer. */
type GatewayProblem = Partial<GatewayErrorFields>;

/** The order that has the number: what the gateway said of it last, and how it ended. Null: not known, or under way. */
interface FirstOrder extends Pick<PaymentState, 'trade_no' | 'order_amount' | 'outcome'> {
  trade_status: string | null;
}

/** By the failure's type. Each value of a failure's `type` is a key here. */
export interface FailureDetails {
  InvalidRequest: {
    issues: readonly FieldIssue[];
    /** Where a person was told, too. */
    attention?: Attention;
    /** An earlier try may still show an order. */
    may_exist?: boolean;
    /** False where a start was refused that is not its own: it says nothing of what runs before it made. */
    started?: boolean;
  };
  NotCreated: GatewayProblem & {
    /** An earlier try may still show an order, which is watched. */
    may_exist?: boolean;
  };
  /** What the gateway has under the number; null where it did not say. */
  DuplicateOrder: Pick<PaymentState, 'trade_no' | 'order_amount'> & { trade_status: string | null };
  DifferentRequest: {
    /** The names of the fields that differ. */
    fields: readonly string[];
  } & Partial<FirstOrder>;
  PaymentPending: GatewayProblem;
  /** Of an order, its state; of a virtual account, the gateway's error. */
  NotCanceled: Pick<PaymentState, 'outcome' | 'trade_status'> | GatewayErrorFields;
  AccountCanceled: {
    account_id: string;
  };
  OverRefund: {
    /** What is left of the payment: a decimal text in currency units. */
    left: string;
  };
  /** Of the trade, of a person's decision, of the refund that had this number, or of the gateway's error. */
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

/** A failure as a program in any language reads it. `details` is missing where there are none. */
export type TypedFailure = {
  [Type in keyof FailureDetails]: { type: Type; message: string; details?: FailureDetails[Type] };
}[keyof FailureDetails];
