/** How the command line speaks to people. */
import {
  knownBy,
  type PaymentData,
  type PaymentState,
  type SetAsideDeposit,
  type SpeiAccountData,
  type SpeiAccountState,
  speiAccountWorkflowId,
  type Transition,
  unseenLine,
} from '../contract';

/** Prints to standard output. */
export function say(text: string): void {
  process.stdout.write(`${asTypedHere(text)}\n`);
}

/** Prints to standard error. */
export function complain(text: string): void {
  process.stderr.write(`${asTypedHere(text)}\n`);
}

/**
 * The text with our commands as a person types them here. Who runs us by `npx` or `npm start`, as in a clone, has no `payment-gateway` on the
 * `PATH`. A line of JSON stays as it is, for programs.
 */
export function asTypedHere(text: string, { npm_command }: NodeJS.ProcessEnv = process.env): string {
  if (npm_command === undefined || text.startsWith('{')) return text;
  return text.replaceAll(/(?<!npx )(?<![\w/.-])payment-gateway (?=[a-z-])/g, 'npx payment-gateway ');
}

/** Fields that are not payment data. */
const ENVELOPE = new Set(['recovered', 'complete', 'out_trade_no']);

/** The payment data as lines, with the QR code of a PIX drawn in the terminal. */
export async function paymentData(data: PaymentData): Promise<string> {
  const lines = fields(Object.entries(data).filter(([name]) => !ENVELOPE.has(name)));
  if (data.recovered) lines.push('  (the gateway’s answer was lost; this was learned by a query)');
  if (data.complete === false)
    lines.push('  (there is nothing to pay with: once this order ends unsold, sell under a new number)');
  if (typeof data.qr_code === 'string' && data.qr_code !== '') lines.push('', await drawn(data.qr_code));
  return lines.join('\n');
}

/** One transition as a line. */
export function transition({ time, from, to, source, by, reason }: Transition): string {
  const who = by ? `${source} ${printable(by)}: ${printable(reason ?? '')}` : source;
  return `  ${time}  ${from ? `${from} → ` : ''}${to}  (${who})`;
}

/** How far an order has come, by its outcome. */
export const STANDINGS = {
  SUCCESS: 'is paid',
  CANCEL: 'was canceled',
  REFUSED: 'was refused',
  EXPIRED: 'has expired',
} as const;

type Ended = Pick<
  PaymentState,
  'out_trade_no' | 'outcome' | 'order_amount' | 'order_currency' | 'confirmed_by' | 'attention'
>;

/** How a payment ended, in a sentence. */
export function ending(ended: Ended): string {
  const { out_trade_no, outcome, order_amount, order_currency, confirmed_by, attention } = ended;
  const said = outcome === null ? 'is under way' : STANDINGS[outcome];
  const money = order_amount ? `, ${printable(order_amount)} ${printable(order_currency ?? '')}` : '';
  return `Order ${printable(out_trade_no ?? '')} ${said}${money}${confirmed_by ? `, ${knownBy(confirmed_by)}` : ''}${attention ? `. It needs a person: ${attention}` : ''}.`;
}

/** A virtual account, as lines. */
export const account = (data: SpeiAccountData & { app_id?: string }): string => fields(Object.entries(data)).join('\n');

/** A line for each field that has a value. */
function fields(all: readonly (readonly [name: string, value: unknown])[]): string[] {
  const shown = all.filter(([, value]) => value !== undefined && value !== null && value !== '');
  const width = Math.max(...shown.map(([name]) => name.length), 0);
  return shown.map(([name, value]) => `  ${name.padEnd(width)}  ${printable(value)}`);
}

/** A deposit that is not counted, as a line. */
export function setAside({ out_trade_no, amount, currency, because }: SetAsideDeposit): string {
  return `Not counted: ${printable(out_trade_no)}, notified with ${printable(amount ?? '?')} ${printable(currency ?? '')} (${because})`;
}

/** A virtual account with its deposits, as lines. */
export function accountState(state: SpeiAccountState): string {
  const { count, total, pending, set_aside } = state.deposits;
  const sums = Object.entries(total).map(([currency, sum]) => `${sum} ${printable(currency)}`);
  return [
    account({ app_id: state.app_id, ...state.account, status: state.status ?? 'not known yet' }),
    `  ${count} deposits, ${sums.join(' and ') || 'nothing yet'}${pending > 0 ? `; ${pending} being confirmed` : ''}`,
    ...set_aside.map((one) => `  ${setAside(one)}`),
    ...state.unseen.map((one) => `  Nobody has seen ${printable(unseenLine(one))}`),
    ...(state.attention
      ? [
          `  It needs a person: ${state.attention}. What to do: payment-gateway show ${printable(speiAccountWorkflowId(state.app_id, state.account_id))}`,
        ]
      : []),
  ].join('\n');
}

/** Replaces characters that could control a terminal or reverse a line: values come from outside. */
export function printable(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '�');
}

async function drawn(code: string): Promise<string> {
  // Loaded only when a code is drawn, which most commands never do.
  const { default: qrcode } = await import('qrcode');
  // With explicit colours, so that it can be scanned in a dark terminal too.
  if (process.stdout.isTTY) return qrcode.toString(code, { type: 'terminal', small: true, errorCorrectionLevel: 'L' });
  return qrcode.toString(code, { type: 'utf8', errorCorrectionLevel: 'L', margin: 2 });
}
