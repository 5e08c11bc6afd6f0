import { textAt } from '../json';
import type { Settings } from '../settings';
import { beyondBody } from './conditions';
import { queryFields } from './fields';
import { type MethodName, methodNamed } from './methods';
import type { FieldRule, FieldTable } from './rule';
import { amountRange, cents, isAmount, oneOf, threeCharacters, twoDecimals } from './values';

/** Where refunds of a method go, and what they need (the interface's table of methods in 4.3). */
interface RefundWay {
  to: 'account' | 'clabe' | 'source';
  userInfo: 'all' | 'email';
}

// biome-ignore format: a table, read by columns
const ways: Partial<Record<MethodName, RefundWay>> = {
  //                money goes back to,  user info that it needs
  PIX:            { to: 'account',       userInfo: 'all' },
  Boleto:         { to: 'account',       userInfo: 'all' },
  Lottery:        { to: 'account',       userInfo: 'all' },
  DepositExpress: { to: 'account',       userInfo: 'all' },
  SPEI:           { to: 'clabe',         userInfo: 'email' },
  Wallet:         { to: 'source',        userInfo: 'email' },
  CreditCard:     { to: 'source',        userInfo: 'email' },
};

/** How a method is refunded; `undefined` for the methods that have no refund. */
export function refundWay(method: string | null): RefundWay | undefined {
  const name = methodNamed(method ?? '');
  return name && ways[name];
}

const methodNeedsAll = beyondBody(
  `for trades in ${Object.keys(ways)
    .filter((method) => refundWay(method)?.userInfo === 'all')
    .join(', ')}`,
  ({ trade }) => refundWay(trade?.method ?? null)?.userInfo === 'all',
);

const isPartial = beyondBody('for a partial refund', ({ body, trade }) => {
  const amount = textAt(body, 'refund_amount') ?? '';
  return trade !== undefined && isAmount(amount, trade.order_amount) && twoDecimals(amount) !== trade.order_amount;
});
const wholeAmount: FieldRule = {
  says: 'must be the whole amount for PicPay',
  agrees: (_amount, request) => request.trade?.channel !== 'PicPay' || !isPartial.holds(request),
  subCode: 'partial-refund-not-supported',
};
const currencyOfOrder: FieldRule = {
  agrees: (currency, { trade }) => currency === trade?.order_currency,
  says: 'must be the currency of the order',
};
const refundAmount = amountRange();
const platform = oneOf('API');

const needsAll = ({ refundUserInfo }: Settings) => refundUserInfo === 'all' || methodNeedsAll;

// biome-ignore format: a table, read by columns
/** The fields of a refund. They are checked when the trade is known. */
export const refundFields: FieldTable = (settings) => [
  ...queryFields(settings),
  { name: 'out_request_no',            required: isPartial, max: 16, means: 'The merchant’s own number of the refund.' },
  { name: 'refund_currency',           required: true,      rules: [threeCharacters, currencyOfOrder], means: 'Currency code.' },
  { name: 'refund_amount',             required: true,      type: 'decimal', rules: [refundAmount, cents, wholeAmount], means: 'Amount to give back.' },
  { name: 'refund_reason',             required: false,     max: 128, means: 'Why it is given back. Tags such as `[sim:reset-after]` set faults here.' },
  { name: 'user_info.identify.number', required: needsAll(settings), max: 16, means: 'Number of the receiver’s identity document.' },
  { name: 'user_info.identify.type',   required: false,     max: 16, means: 'Kind of that document.' },
  { name: 'user_info.name',            required: needsAll(settings), max: 64, means: 'The receiver’s name.' },
  { name: 'user_info.email',           required: true,      max: 64, means: 'The receiver’s email address.' },
  { name: 'user_info.phone',           required: false,     max: 64, means: 'The receiver’s phone number.' },
  { name: 'platform_type',             required: false,     max: 3, rules: [platform], means: 'From where the refund is asked for.' },
  { name: 'bank_info.bank_id',         required: false,     max: 64, means: 'Id of the receiving bank.' },
  { name: 'bank_info.bank_name',       required: false,     max: 64, means: 'Name of the receiving bank.' },
  { name: 'bank_info.agency',          required: false,     max: 64, means: 'Branch of the receiving bank.' },
  { name: 'bank_info.type',            required: false,     max: 64, means: 'Kind of account.' },
  { name: 'bank_info.number',          required: false,     max: 64, means: 'Number of the receiving account; a CLABE for SPEI.' },
];
