import { textAt } from '../json';
import { isBetween, SMALLEST_AMOUNT, twoDecimals } from './amount';
import { type MethodName, methodNamed } from './methods';
import { always, type Field, never, type Rule } from './rule';
import { amountRange, beyondBody, cents, either, oneOf, settingIs, threeCharacters, without } from './shared';

/** Where refunds of a method go, and what they need (the interface's table of methods in 4.3). */
export interface RefundWay {
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

/** Wallets that give back all or nothing. */
export function refundsWholeOnly(channel: string | null): boolean {
  return channel === 'PicPay';
}

const needsAll = either(
  beyondBody(
    `for trades in ${Object.keys(ways)
      .filter((method) => refundWay(method)?.userInfo === 'all')
      .join(', ')}`,
    ({ trade }) => refundWay(trade?.method ?? null)?.userInfo === 'all',
  ),
  settingIs('refundUserInfo', 'all'),
);

/** Whether a refund asks for less than was paid; an amount that is none at all is refused for itself. */
export const isPartial = beyondBody('for a partial refund', ({ body, trade }) => {
  const amount = textAt(body, 'refund_amount') ?? '';
  return (
    trade !== undefined &&
    isBetween(amount, SMALLEST_AMOUNT, trade.order_amount) &&
    twoDecimals(amount) !== trade.order_amount
  );
});
const currencyOfOrder: Rule = {
  holds: (currency, { trade }) => currency === trade?.order_currency,
  says: 'must be the currency of the order',
};

// biome-ignore format: tables, read by columns
/** The fields of a refund. */
export const refundFields: readonly Field[] = [
  { name: 'trade_no',                  required: without('out_trade_no'), max: 64 },
  { name: 'out_trade_no',              required: without('trade_no'),     max: 64 },
  { name: 'out_request_no',            required: isPartial, max: 16 },
  { name: 'refund_currency',           required: always,    rules: [threeCharacters, currencyOfOrder] },
  { name: 'refund_amount',             required: always,    type: 'decimal', rules: [amountRange(), cents] },
  { name: 'refund_reason',             required: never,     max: 128 },
  { name: 'user_info.identify.number', required: needsAll,  max: 16 },
  { name: 'user_info.identify.type',   required: never,     max: 16 },
  { name: 'user_info.name',            required: needsAll,  max: 64 },
  { name: 'user_info.email',           required: always,    max: 64 },
  { name: 'user_info.phone',           required: never,     max: 64 },
  { name: 'platform_type',             required: never,     max: 3, rules: [oneOf('API')] },
  { name: 'bank_info.bank_id',         required: never,     max: 64 },
  { name: 'bank_info.bank_name',       required: never,     max: 64 },
  { name: 'bank_info.agency',          required: never,     max: 64 },
  { name: 'bank_info.type',            required: never,     max: 64 },
  { name: 'bank_info.number',          required: never,     max: 64 },
];
