/**
 * The errors of a call of the gateway. Each one tells whether an order can exist, and so whether a creation may be
 * repeated.
 */

/**
 * What a failed creation left behind:
 * - `not-sent`: no byte of the request left this process.
 * - `not-created`: the gateway answered that there is no order.
 * - `created-refused`: the order exists and the payment was refused.
 * - `unknown`: anything else; only a query can tell.
 */
export type CallOutcome = 'not-sent' | 'not-created' | 'created-refused' | 'unknown';

/** One wrong field: its path as the interface names it (`customer.name`) and the rule that it breaks. */
export interface FieldIssue {
  field: string;
  rule: string;
}

/** The fields of an error as plain JSON. */
export interface GatewayErrorFields {
  outcome: CallOutcome;
  /** Whether the same call may succeed later. Whether repeating it is safe is another question: see `outcome`. */
  retryable: boolean;
  /** The operation's path, such as `/trade/pay`. */
  operation: string;
  out_trade_no?: string | undefined;
  code?: string | undefined;
  sub_code?: string | undefined;
  http_status?: number | undefined;
}

/** A call of the gateway that failed. */
export class GatewayError extends Error implements GatewayErrorFields {
  override readonly name: string = 'GatewayError';
  readonly outcome: CallOutcome;
  readonly retryable: boolean;
  readonly operation: string;
  readonly out_trade_no: string | undefined;
  readonly code: string | undefined;
  readonly sub_code: string | undefined;
  readonly http_status: number | undefined;

  constructor(message: string, fields: GatewayErrorFields) {
    super(message);
    this.outcome = fields.outcome;
    this.retryable = fields.retryable;
    this.operation = fields.operation;
    this.out_trade_no = fields.out_trade_no;
    this.code = fields.code;
    this.sub_code = fields.sub_code;
    this.http_status = fields.http_status;
  }

  /** The fields as plain JSON, for the details of a failure. They hold no value of the request but the order's id. */
  fields(): GatewayErrorFields {
    const { outcome, retryable, operation, out_trade_no, code, sub_code, http_status } = this;
    return { outcome, retryable, operation, out_trade_no, code, sub_code, http_status };
  }
}

/** The request breaks rules of the interface; nothing was sent. `issues` names every wrong field. */
export class InvalidRequestError extends GatewayError {
  override readonly name = 'InvalidRequestError';
  readonly issues: readonly FieldIssue[];

  constructor(operation: string, issues: readonly FieldIssue[], out_trade_no?: string) {
    const order = out_trade_no === undefined ? 'The request' : `Order ${out_trade_no}`;
    const list = issues.map((issue) => `${issue.field}: ${issue.rule}`).join('; ');
    super(`${order} was not sent to ${operation}, because it breaks the gateway's rules: ${list}`, {
      outcome: 'not-sent',
      retryable: false,
      operation,
      out_trade_no,
    });
    this.issues = issues;
  }
}
