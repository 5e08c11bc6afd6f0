import { textAt } from '../json';
import type { Settings } from '../options';
import { DAY, expressEnd, parseExpress } from '../time';
import { allWireNames, type MethodName, methodNamed, walletsOfKind } from './methods';
import { allBut, always, type Condition, type Field, never, only, type Rule } from './rule';
import {
  amountRange,
  both,
  cents,
  either,
  fieldIs,
  given,
  globalApp,
  noEmoji,
  noPlus,
  oneOf,
  settingIs,
  threeCharacters,
  timestamp,
  webAddress,
  without,
} from './shared';
import { characters, hasDigit, patternOfDigits } from './text';

const cardNumberWallet = both(only('Wallet'), fieldIs('channel', ...walletsOfKind('CardNumber')));
// Bank transfers in dollars exist in Ecuador and in Panama; a region tells them apart, or else Ecuador's identity card.
const ecuador = both(
  only('BankTransfer'),
  fieldIs('order_currency', 'USD'),
  either(fieldIs('region', 'ECU', 'EC'), both(fieldIs('region', undefined), fieldIs('customer.identify.type', 'CI'))),
);
const brazil = either(fieldIs('order_currency', 'BRL'), fieldIs('region', 'BRA', 'BR'));
const amongHttpsChannels = ({ httpsChannels }: Settings) =>
  either(fieldIs('channel', ...httpsChannels), fieldIs('method', ...httpsChannels));
const httpsChannel: Condition = {
  holds: (request) => amongHttpsChannels(request.settings).holds(request),
  says: 'by the simulator’s setting httpsChannels',
  schema: (settings) => amongHttpsChannels(settings).schema(settings),
};

const knownMethod: Rule = {
  holds: (name) => methodNamed(name) !== undefined,
  says: 'must be a method that is supported',
  schema: { enum: allWireNames() },
  subCode: 'no-method-supported',
};
const onlyWith = (...methods: MethodName[]): Rule => ({
  holds: () => false,
  says: `is for ${methods.join(' and ')} only`,
  schema: false,
  // A checkout may leave the method to the buyer.
  when: both(given('method'), allBut(...methods)),
});
const httpsWhereAsked: Rule = {
  holds: (address) => /^https:/i.test(address),
  says: 'must be an https address for this channel',
  schema: { pattern: '^[Hh][Tt][Tt][Pp][Ss]:' },
  when: httpsChannel,
};
const noDigits: Rule = {
  holds: (name) => !hasDigit(name),
  says: 'can not contain digits',
  get schema() {
    return { not: { pattern: patternOfDigits() } };
  },
  when: brazil,
};
const tenCharacters: Rule = {
  holds: (name) => characters(name) >= 10,
  says: 'must have at least 10 characters',
  schema: { minLength: 10 },
  when: only('SPEI'),
};
const wholeNumber: Rule = {
  holds: (count) => /^[1-9]\d{0,2}$/.test(count),
  says: 'must be a whole number from 1',
  schema: { minimum: 1, maximum: 999, multipleOf: 1, pattern: '^[1-9][0-9]{0,2}$' },
};
const digits = (smallest: number, largest: number, says: string): Rule => ({
  holds: (text) => new RegExp(`^\\d{${smallest},${largest}}$`).test(text),
  says,
  schema: { pattern: `^[0-9]{${smallest},${largest}}$` },
  when: cardNumberWallet,
});
const ecuadorBank: Rule = { ...oneOf('bpacifico', 'internacional', 'pichincha'), when: ecuador };

const express: Rule = {
  holds: (text) => parseExpress(text) !== undefined,
  says: 'must be an integer and a unit m, h or d, or 1c for the end of the UTC day',
  schema: { pattern: '^([1-9][0-9]{0,5}[mhd]|1?c)$' },
};
const cancellationUnits: Rule = {
  holds: (text) => typeof parseExpress(text) === 'object',
  says: 'must be an integer and a unit m, h or d',
  schema: { pattern: '^[1-9][0-9]{0,5}[mhd]$' },
};
const threeDays: Rule = {
  holds: (text) => endOf(text, 0) <= 3 * DAY,
  says: 'can not be more than 3 days',
  // 4320 minutes, 72 hours, 3 days.
  schema: {
    pattern: '^(([1-9][0-9]{0,2}|[1-3][0-9]{3}|4[0-2][0-9]{2}|43[01][0-9]|4320)m|([1-9]|[1-6][0-9]|7[0-2])h|[1-3]d)$',
  },
};
const largerThanTimeout: Rule = {
  holds: (text, request) => {
    const timeout = textAt(request.body, 'timeout_express');
    return timeout === undefined || endOf(text, request.now) > endOf(timeout, request.now);
  },
  says: 'must be larger than timeout_express',
};

function endOf(text: string, from: number): number {
  const parsed = parseExpress(text);
  return parsed === undefined ? Number.NaN : expressEnd(parsed, from);
}

// biome-ignore format: tables, read by columns
/** The fields of every request body. */
export const commonFields: readonly Field[] = [
  { name: 'app_id',    required: always, max: 32 },
  { name: 'timestamp', required: always, max: 19, rules: [timestamp] },
];

// biome-ignore format: tables, read by columns
const orderFields = {
  out_trade_no:         { name: 'out_trade_no',         required: always, max: 64 },
  method:               { name: 'method',               required: always, max: 32, rules: [knownMethod] },
  channel:              { name: 'channel',              required: never,  max: 32, rules: [onlyWith('Wallet')] },
  order_currency:       { name: 'order_currency',       required: always, rules: [threeCharacters] },
  order_amount:         { name: 'order_amount',         required: always, type: 'decimal', rules: [amountRange(), cents] },
  subject:              { name: 'subject',              required: always, max: 128 },
  content:              { name: 'content',              required: never,  max: 255 },
  notify_url:           { name: 'notify_url',           required: always, max: 255, rules: [webAddress] },
  return_url:           { name: 'return_url',           required: never,  max: 255, rules: [httpsWhereAsked] },
  buyer_id:             { name: 'buyer_id',             required: always, max: 128 },
  timeout_express:      { name: 'timeout_express',      required: never,  rules: [express] },
  cancellation_express: { name: 'cancellation_express', required: never,  rules: [cancellationUnits, threeDays, largerThanTimeout] },
} as const satisfies Record<string, Field>;

const identifyRequired = both(
  allBut('Khipu', 'Pago46', 'CoDi', 'OXXO', 'OXXOPay', 'SPEI', 'Cash', 'BNCR'),
  either(allBut('PIX'), settingIs('pixIdentify', 'required')),
);

// biome-ignore format: tables, read by columns
/** The fields of a direct creation. */
export const directFields: readonly Field[] = [
  ...Object.values(orderFields),
  { name: 'token',                     required: never, rules: [onlyWith('CreditCard', 'Wallet')] },
  { name: 'issuer',                    required: never, rules: [onlyWith('CreditCard')] },
  { name: 'bank',                      required: either(only('OpenFinance', 'Khipu'), ecuador), rules: [ecuadorBank] },
  { name: 'customer.name',             required: allBut('Pago46'), rules: [noEmoji, noDigits, tenCharacters] },
  { name: 'customer.email',            required: allBut('PIX'), rules: [noPlus] },
  { name: 'customer.phone',            required: allBut('Khipu', 'Pago46', 'OpenFinance', 'PIX') },
  { name: 'customer.identify.number',  required: identifyRequired },
  { name: 'customer.identify.type',    required: identifyRequired },
  { name: 'address.zip_code',          required: only('Boleto', 'Lottery') },
  { name: 'address.state',             required: never },
  { name: 'address.city',              required: never },
  { name: 'address.street_number',     required: never },
  { name: 'address.street',            required: never },
  { name: 'address.neighborhood',      required: never },
  { name: 'ip',                        required: only('CreditCard') },
  { name: 'language_code',             required: never },
  { name: 'installments',              required: never, type: 'decimal', rules: [wholeNumber] },
  { name: 'fingerprint',               required: only('CreditCard') },
  { name: 'account_number',            required: never, rules: [digits(10, 18, 'must have 10 to 18 digits')] },
  { name: 'account_verification_code', required: never, rules: [digits(4, 4, 'must have 4 digits')] },
  { name: 'region',                    required: globalApp },
];

// biome-ignore format: tables, read by columns
/** The fields of a checkout creation: the order's, of which the method is optional, and two more. */
export const checkoutFields: readonly Field[] = [
  ...Object.values({ ...orderFields, method: { ...orderFields.method, required: never } }),
  { name: 'trade_type', required: always, rules: [oneOf('WEB')] },
  { name: 'regions',    required: never, type: 'list of strings' },
];

// biome-ignore format: tables, read by columns
/** The fields of a query: one of the two numbers suffices. */
export const queryFields: readonly Field[] = [
  { name: 'trade_no',     required: without('out_trade_no'), max: 64 },
  { name: 'out_trade_no', required: without('trade_no'),     max: 64 },
];
