/** One line about a workflow, from its start on: Temporal UI shows it in lists. It holds nothing personal. */

interface Started {
  kind?: unknown;
  out_trade_no?: unknown;
  trade_no?: unknown;
  request?: unknown;
}

/** The static summary of a payment or of whatever follows it, by its input: `PIX 150.00 BRL · order-123`. */
export function startSummary({ kind, out_trade_no, trade_no, request }: Started): string {
  const {
    method,
    order_amount,
    order_currency,
    out_trade_no: ordered,
  }: Record<string, unknown> = { ...asObject(request) };
  const name = [ordered, out_trade_no, trade_no].find((one) => typeof one === 'string') ?? 'a trade';
  if (kind === 'adopt') return `Taken on · ${name}`;
  const money = [method, order_amount, order_currency].filter(
    (one) => typeof one === 'string' || typeof one === 'number',
  );
  return [money.join(' '), String(name)].filter(Boolean).join(' · ');
}

const asObject = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});
