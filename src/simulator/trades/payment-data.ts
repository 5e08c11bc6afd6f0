import { createHash } from 'node:crypto';
import type { TradeRecord } from '../records';
import { answersOf, type MethodName, type PaymentField, walletKind, walletKinds } from '../rules/methods';
import { boleto } from './boleto';
import { simulatedClabe } from './clabe';
import { type DatedOrder, deadlinesOf } from './deadlines';
import { pixCode } from './pix';

interface PaymentTerms {
  trade: Pick<TradeRecord, 'app_id' | 'trade_no' | 'order_amount'> & DatedOrder;
  /** A number that no other trade has. */
  count: number;
  /** The address that buyers' browsers reach. */
  publicUrl: string;
}

/** The address of the page on which a buyer pays a trade. */
export function checkoutAddress(publicUrl: string, trade_no: string): string {
  return `${publicUrl}/checkout?${new URLSearchParams({ trade_no })}`;
}

/** What a buyer needs to pay a trade in a method: the fields that the interface names for the method, and no other. */
export function paymentDataOf(method: MethodName, terms: PaymentTerms): Record<string, string> {
  return Object.fromEntries(answersOf(method, terms.trade.channel).map((field) => [field, makers[field](terms)]));
}

const makers: Readonly<Record<PaymentField, (terms: PaymentTerms) => string>> = {
  pay_url: ({ publicUrl, trade }) => checkoutAddress(publicUrl, trade.trade_no),
  barcode: (terms) => boletoOf(terms).barcode,
  // Gateways call the line that a person types "bank_code".
  bank_code: (terms) => boletoOf(terms).digitableLine,
  qr_code: ({ trade: { app_id, trade_no, order_amount } }) => pixCode(pixKey(app_id), order_amount, trade_no),
  provider_owner: () => 'Simulated Gateway Brasil',
  provider_owner_document: () => '11.222.333/0001-81',
  provider_agency: () => '0154',
  provider_number: () => '13006729-4',
  wallet_url: ({ publicUrl, trade: { channel, trade_no } }) =>
    walletKind(channel) === walletKinds.QR
      ? `${publicUrl}/qr?${new URLSearchParams({ trade_no })}`
      : checkoutAddress(publicUrl, trade_no),
  app_link_url: ({ trade }) => `simulated-wallet://payment?trade_no=${encodeURIComponent(trade.trade_no)}`,
  bank_name: () => 'STP',
  reference: ({ count }) => String(count % 10_000_000).padStart(7, '0'),
  clabe: ({ count }) => simulatedClabe('180', count),
  beneficiary_name: () => 'SIMULATED GATEWAY SA DE CV',
};

function boletoOf({ trade, count }: PaymentTerms) {
  const free = String(count).padStart(25, '0');
  return boleto({ bank: '237', amount: trade.order_amount, due: deadlinesOf(trade).cancels_at, free });
}

// A PIX key in the form of a UUID. An app has the same key in every run.
function pixKey(appId: string): string {
  const hex = createHash('sha256').update(`pix key of ${appId}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
