import JsBarcode from 'jsbarcode';
import { toString as drawQr } from 'qrcode';
import { namesOf } from '../names';
import type { TradeRecord } from '../records';
import { Html, html } from '../ui/html';
import type { Voice } from '../ui/languages';
import { type CodeText, codeTexts, labels } from '../ui/texts';

/** What a buyer needs to pay: pictures to scan, and codes to read or copy. */
export async function paymentCodes(voice: Voice, trade: TradeRecord): Promise<Html> {
  const { say } = voice;
  const data = codesOf(trade);
  const qr = await qrCode(trade);
  const bars = barcode(trade);
  const listed = namesOf(codeTexts).filter((name) => data[name] !== undefined);
  return html`
    ${(qr || listed.length > 0) && html`<h2>${say(labels.howToPay)}</h2>`}
    ${qr && html`<div class="qr" role="img" aria-label="${say(labels.qrCode)}">${qr}</div>`}
    ${bars && html`<div class="bars" role="img" aria-label="${say(labels.barcode)}">${bars}</div>`}
    ${listed.map((name) => codeShown(voice, name, codeTexts[name], data[name] ?? ''))}
  `;
}

/** The QR code of a payment as SVG, if the payment has one. */
export async function qrCode({ payment_data: { qr_code, app_link_url } }: TradeRecord): Promise<Html | undefined> {
  const drawn = qr_code ?? app_link_url;
  return drawn === undefined
    ? undefined
    : new Html(await drawQr(drawn, { type: 'svg', margin: 2, errorCorrectionLevel: 'M' }));
}

/** Whether the buyer pays in a shop by a number that the interface does not name. The page shows the trade's. */
const isVoucher = ({ method }: TradeRecord) => method === 'OXXO' || method === 'OXXOPay';

function codesOf(trade: TradeRecord): Readonly<Record<string, string>> {
  return isVoucher(trade) ? { ...trade.payment_data, reference: trade.trade_no } : trade.payment_data;
}

/** The bars of a payment as SVG, as banks (ITF) or shops (Code 128) scan them. */
function barcode(trade: TradeRecord): Html | undefined {
  if (isVoucher(trade)) return bars('CODE128', trade.trade_no);
  const { barcode: digits } = trade.payment_data;
  return digits === undefined ? undefined : bars('ITF', digits);
}

// The light that a scanner needs at both ends, in widths of the thinnest bar.
const QUIET = 10;
// The room on the page, in pixels. The thinnest bar is whole pixels wide where that fits: others blur.
const ROOM = 430;

function bars(format: 'ITF' | 'CODE128', digits: string): Html {
  const drawn: { encodings: { data: string }[] } = { encodings: [] };
  JsBarcode(drawn, digits, { format });
  const modules = drawn.encodings.map(({ data }) => data).join('');
  const dark = [...modules.matchAll(/1+/g)].map(({ index, 0: { length } }) => `M${index} 0h${length}v1h-${length}z`);
  const total = modules.length + 2 * QUIET;
  const width = total * Math.max(1, Math.floor(ROOM / total));
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" viewBox="${-QUIET} 0 ${total} 1" preserveAspectRatio="none"><path d="${dark.join('')}"/></svg>`;
}

function codeShown({ say }: Voice, name: string, text: CodeText, code: string): Html {
  const [label, copy] = [`${name}-label`, `${name}-copy`];
  const button = html`<button type="button" id="${copy}" aria-labelledby="${copy} ${label}" aria-live="polite" data-copies="${name}" data-copied="${say(labels.copied)}" hidden>${say(labels.copy)}</button>`;
  return html`<h3 id="${label}">${say(text)}</h3><div class="code"><p id="${name}">${code}</p>${text.copied && button}</div>`;
}
