import { createHash } from 'node:crypto';
import { answersOf, type MethodName, type PaymentField } from '../rules/methods';
import { boleto } from './boleto';
import { clabe } from './clabe';
import { pixCode } from './pix';

/** What payment data is made of. */
export interface PaymentTerms {
  trade_no: string;
  app_id: string;
  order_amount: string;
  method: MethodName;
  channel: string | undefined;
  /** A number that no other trade has. */
  count: number;
  due: number;
  /** Where buyers reach the simulator. */
  publicUrl: string;
}

/** The address of a trade's page for its buyer. */
export function pageAddress(publicUrl: string, tradeNo: string): string {
  return `${publicUrl}/checkout?trade_no=${encodeURIComponent(tradeNo)}`;
}

/** Everything a buyer needs to pay in the method: the fields that the interface names for it, and no other. */
export function paymentData(terms: PaymentTerms): Record<string, string> {
  return Object.fromEntries(answersOf(terms.method, terms.channel).map((field) => [field, makers[field](terms)]));
}

const makers: Readonly<Record<PaymentField, (terms: PaymentTerms) => string>> = {
  pay_url: ({ publicUrl, trade_no }) => pageAddress(publicUrl, trade_no),
  barcode: (terms) => boletoOf(terms).barcode,
  // The field calls the line that a person types "bank_code".
  bank_code: (terms) => boletoOf(terms).digitableLine,
  qr_code: ({ app_id, trade_no, order_amount }) =>
    pixCode({
      key: pixKey(app_id),
      amount: order_amount,
      receiver: 'SIMULATED GATEWAY',
      city: 'SAO PAULO',
      txid: trade_no,
    }),
  provider_owner: () => 'Simulated Gateway Brasil',
  provider_owner_document: () => '11.222.333/0001-81',
  provider_agency: () => '0154',
  provider_number: () => '13006729-4',
  wallet_url: ({ publicUrl, trade_no, channel }) =>
    channel === 'QR' || channel === 'AME'
      ? `${publicUrl}/qr?trade_no=${encodeURIComponent(trade_no)}`
      : pageAddress(publicUrl, trade_no),
  app_link_url: ({ trade_no }) => `simulated-wallet://payment?trade_no=${encodeURIComponent(trade_no)}`,
  bank_name: () => 'STP',
  reference: ({ count }) => String(count % 10_000_000).padStart(7, '0'),
  clabe: ({ count }) => clabe('646', '180', count),
  beneficiary_name: () => 'SIMULATED GATEWAY SA DE CV',
};

function boletoOf({ order_amount, due, count }: PaymentTerms) {
  return boleto({ bank: '237', amount: order_amount, due, free: String(count).padStart(25, '0') });
}

// A random key in the form that PIX has (a UUID), the same for an app in every run.
function pixKey(appId: string): string {
  const hex = createHash('sha256').update(`pix key of ${appId}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
