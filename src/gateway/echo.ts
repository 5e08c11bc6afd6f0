/**
 * Checks what an answer is about. A gateway that ignores case, or mixes up two connections, may answer about another order. Such an
 * answer says nothing about ours.
 */
import { GatewayError, type GatewayErrorFields } from './errors';
import { sameAmount } from './pure/money';
import { textField } from './response';

/** Fields of a request that its answer repeats, if it has them. */
export const ECHOED = [
  'out_trade_no',
  'trade_no',
  'out_request_no',
  'account_id',
  'refund_currency',
  'refund_amount',
] as const;
type Echoed = (typeof ECHOED)[number];

/** How two values of a field are compared. Numbers of orders are compared exactly: `A1` and `a1` are two orders. */
const SAME: Readonly<Partial<Record<Echoed, (asked: string, said: string) => boolean>>> = {
  refund_currency: (asked, said) => asked.toUpperCase() === said.toUpperCase(),
  refund_amount: (asked, said) => sameAmount(asked, said),
};

/** The gateway answered about something else. What was asked for may have been carried out. */
export class OtherAnswerError extends GatewayError {
  /** The fields that name something else. */
  readonly differing: readonly string[];

  constructor(
    about: string,
    differing: readonly string[],
    known: Pick<GatewayErrorFields, 'operation' | 'out_trade_no'>,
  ) {
    const names = differing.join(' and ');
    super(`The gateway was asked about ${about}, and its answer names another ${names}: it says nothing of this one.`, {
      ...known,
      outcome: 'unknown',
      retryable: true,
    });
    this.differing = differing;
  }
}

/** The fields in which an answer differs from the request. A field that the answer lacks says nothing. */
export function otherThanAsked(asked: object, said: object): Echoed[] {
  return ECHOED.filter((name) => {
    const [ours, theirs] = [textField(asked, name), textField(said, name)];
    if (ours === undefined || theirs === undefined) return false;
    return !(SAME[name]?.(ours, theirs) ?? ours === theirs);
  });
}
