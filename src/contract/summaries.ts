/** One line about a workflow, from its start on: Temporal UI shows it in lists. It holds nothing personal. */

interface Started {
  kind?: unknown;
  out_trade_no?: unknown;
  trade_no?: unknown;
  request?: unknown;
}

/** The static summary of a payment, `PIX 150.00 BRL · order-123`, or of what follows it, by its input: no order is in that of an after-sale. */
export function startSummary({ kind, out_trade_no, trade_no, request }: Started): string {
  const {
    method,
    order_amount,
    order_currency,
    out_trade_no: ordered,
  }: Record<string, unknown> = { ...asObject(request) };
  const name = [ordered, out_trade_no, trade_no].find((one) => typeof one === 'string') ?? 'a trade';
  if (kind === undefined && name === out_trade_no) return `After payment ${name}`;
  if (kind === 'adopt') return `Taken on · ${name}`;
  const money = [method, order_amount, order_currency].filter(
    (one) => typeof one === 'string' || typeof one === 'number',
  );
  return [money.join(' '), String(name)].filter(Boolean).join(' · ');
}

/** The forms of all summaries that our workflows give to timers, to other workflows and to themselves. */
const OURS = [
  /^[A-Za-z]+ [\d.]+ [A-Z]{3} · \S+$/,
  /^[\d.]+ [A-Z]{3}( · \S+)?$/,
  /^(Taken on ·|After payment) \S+$/,
  /^Orders of \S+ fail$/,
  /^Events of \S+ (that the handler has not taken yet|for \S+)$/,
  /^(Reconciliation of \S+|Sweep for stuck payments)$/,
  /^(until|before|how long|callers of) [a-z_ ]+(: then the gateway is asked)?$/,
  /^sends the order: [\w.\- ]+$/,
  /^(the deadline, where the poll is held up|a person has ended the look: before it is made again)$/,
  /^(watch|recheck|refund|looked at|canceled|followed)$/,
];

/** Whether a text is one of our summaries, which hold nothing personal. A merchant's own memo is none. */
export const isOurSummary = (text: string): boolean => OURS.some((form) => form.test(text));

const asObject = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});
