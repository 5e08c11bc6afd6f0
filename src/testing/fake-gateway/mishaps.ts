/** What can go wrong with a call of the fake gateway, and the errors that the real gateway's client throws then. */
import { GatewayError } from '../../gateway';
import { type Creation, refusalOf } from '../../gateway/refusals';

/**
 * What happens to a call that makes something. `lost before`: no answer, and nothing was made. `lost after`: no answer,
 * and it was made. `unreachable`: the call never left. `refuse`: the gateway says no, with these codes.
 */
export type Mishap =
  | 'lost before'
  | 'lost after'
  | 'unreachable'
  | { refuse: { code: string; sub_code?: string | undefined } };

export const SUB_CODE = {
  unknownTrade: 'trade-not-exist',
  unknownAccount: 'account-not-exist',
  duplicateOrder: 'duplicate-out_trade_no',
  wrongStatus: 'trade-status-error',
} as const;

/** No answer came: the call was not sent, or nobody knows what became of it. */
export function silence(outcome: 'unknown' | 'not-sent', operation: string, out_trade_no?: string): GatewayError {
  return new GatewayError(`${outcome} (no answer)`, { outcome, retryable: true, operation, out_trade_no });
}

/** The error of a refusal, with its meaning for what was to be made. */
export function refused(
  { code, sub_code }: { code: string; sub_code?: string | undefined },
  operation: string,
  creates: Creation,
  out_trade_no?: string,
  about = out_trade_no === undefined ? 'the request' : `order ${out_trade_no}`,
): GatewayError {
  const { outcome, retryable } = refusalOf(code, sub_code, [], creates);
  const said = `code ${code}${sub_code ? `, sub_code ${sub_code}` : ''}`;
  return new GatewayError(`The gateway refused ${operation} for ${about}: ${said}.`, {
    outcome,
    retryable,
    operation,
    code,
    sub_code,
    out_trade_no,
  });
}

/** Throws the error of a mishap that happens before anything is made. */
export function fail(mishap: Mishap | undefined, operation: string, creates: Creation, out_trade_no?: string): void {
  if (mishap === 'unreachable') throw silence('not-sent', operation, out_trade_no);
  if (mishap === 'lost before') throw silence('unknown', operation, out_trade_no);
  if (typeof mishap === 'object') throw refused(mishap.refuse, operation, creates, out_trade_no);
}
