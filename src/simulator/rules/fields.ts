import { z } from 'zod';
import { textAt } from '../json';
import { DAY_MS, expressEnd } from '../time';
import { bankMethods } from './banks';
import { allBut, both, either, fieldIs, given, globalApp, only, without } from './conditions';
import { allWireNames, type MethodName, walletKinds } from './methods';
import type { Field, FieldRule, FieldTable } from './rule';
import { digit, digitPattern, emoji, emojiPattern } from './text';
import {
  amountRange,
  cents,
  noPlus,
  oneOf,
  rule,
  textLike,
  textOfLength,
  textThat,
  textWithout,
  threeCharacters,
  timestamp,
  webAddress,
} from './values';

const cardNumberWallet = both(only('Wallet'), fieldIs('channel', ...walletKinds.CardNumber.channels));
// Bank transfers in dollars exist in Ecuador and in Panama. The region tells them apart, or Ecuador's identity card.
const ecuador = both(
  only('BankTransfer'),
  fieldIs('order_currency', 'USD'),
  either(fieldIs('region', 'ECU', 'EC'), both(fieldIs('region', undefined), fieldIs('customer.identify.type', 'CI'))),
);
const brazil = either(fieldIs('order_currency', 'BRL'), fieldIs('region', 'BRA', 'BR'));

const methodAmong = (names: readonly string[], says: string): FieldRule => ({
  ...rule(`must be a method that ${says}`, z.enum(names)),
  subCode: 'no-method-supported',
});
const knownMethod = methodAmong(allWireNames, 'is supported');
const methodWithBanks = methodAmong(bankMethods, 'has banks');
// A checkout may leave the method to the buyer.
const onlyWith = (...methods: MethodName[]): FieldRule =>
  rule(`is for ${methods.join(' and ')} only`, z.never(), both(given('method'), allBut(...methods)));

const httpsFor = (channels: readonly string[]): FieldRule =>
  rule(
    'must be an https address for this channel',
    textLike('^[Hh][Tt][Tt][Pp][Ss]:'),
    either(fieldIs('channel', ...channels), fieldIs('method', ...channels)),
  );

const noEmoji = rule('can not contain emoji', textWithout(emoji, emojiPattern));
const noDigits = rule('can not contain digits', textWithout(digit, digitPattern), brazil);
const tenCharacters = rule('must have at least 10 characters', textOfLength(10), only('SPEI'));
const wholeNumber = rule(
  'must be a whole number from 1',
  textLike('^[1-9][0-9]{0,2}$').meta({ minimum: 1, maximum: 999, multipleOf: 1 }),
);
const cardNumber = rule('must have 10 to 18 digits', textLike('^[0-9]{10,18}$'), cardNumberWallet);
const cardPin = rule('must have 4 digits', textLike('^[0-9]{4}$'), cardNumberWallet);
const ecuadorBank: FieldRule = { ...oneOf('bpacifico', 'internacional', 'pichincha'), when: ecuador };

const isExpress = (text: string) => !Number.isNaN(expressEnd(text, 0));
const express = rule(
  'must be an integer and a unit m, h or d, or 1c for the end of the UTC day',
  textThat(isExpress, { pattern: '^([1-9][0-9]{0,5}[mhd]|1?c)$' }),
);
const cancellationUnits = rule(
  'must be an integer and a unit m, h or d',
  textThat((text) => isExpress(text) && !text.endsWith('c'), { pattern: '^[1-9][0-9]{0,5}[mhd]$' }),
);
const threeDays = rule(
  'can not be more than 3 days',
  textThat((text) => expressEnd(text, 0) <= 3 * DAY_MS, {
    // 4320 minutes, 72 hours, 3 days.
    pattern: '^(([1-9][0-9]{0,2}|[1-3][0-9]{3}|4[0-2][0-9]{2}|43[01][0-9]|4320)m|([1-9]|[1-6][0-9]|7[0-2])h|[1-3]d)$',
  }),
);
const largerThanTimeout: FieldRule = {
  says: 'must be larger than timeout_express',
  agrees: (text, { body, now }) => {
    const timeout = textAt(body, 'timeout_express');
    return timeout === undefined || expressEnd(text, now) > expressEnd(timeout, now);
  },
};

// Rules that are made once. The tables are made for each request, by the settings in force.
const orderAmount = amountRange();
const installmentAmount = amountRange('99999999.99');
const walletsOnly = onlyWith('Wallet');
const cardsOnly = onlyWith('CreditCard');
const cardsAndWallets = onlyWith('CreditCard', 'Wallet');
const typeWeb = oneOf('WEB');
const bankType = oneOf('1', '2');
const transferType = { ...oneOf('1'), when: only('BankTransfer') };
const cashType = { ...oneOf('2'), when: only('Cash') };
const noIdentity: MethodName[] = ['Khipu', 'Pago46', 'CoDi', 'OXXO', 'OXXOPay', 'SPEI', 'Cash', 'BNCR'];
const identityOf = { required: allBut(...noIdentity), optional: allBut(...noIdentity, 'PIX') };

const sameApp: FieldRule = {
  says: 'must be the one of the credentials',
  agrees: (appId, { app }) => appId === app.app_id,
  subCode: 'app-not-match',
};

// biome-ignore format: a table, read by columns
/** The fields of every request body. */
export const commonFields: readonly Field[] = [
  { name: 'app_id',    required: true, max: 32, rules: [sameApp], means: 'Id of the application.' },
  { name: 'timestamp', required: true, max: 19, rules: [timestamp], means: 'Time of the request, `yyyy-MM-dd HH:mm:ss`.' },
];

// biome-ignore format: a table, read by columns
const orderFields = (methodRequired: boolean, httpsChannels: readonly string[]): Field[] => [
  { name: 'out_trade_no',         required: true,           max: 64, means: 'The merchant’s own number of the order.' },
  { name: 'method',               required: methodRequired, max: 32, rules: [knownMethod], means: 'Payment method.' },
  { name: 'channel',              required: false,          max: 32, rules: [walletsOnly], means: 'Sub-channel of a wallet.' },
  { name: 'order_currency',       required: true,           rules: [threeCharacters], means: 'Currency code.' },
  { name: 'order_amount',         required: true,           type: 'decimal', rules: [orderAmount, cents], means: 'Amount to pay.' },
  { name: 'subject',              required: true,           max: 128, means: 'What is paid for. Tags such as `[sim:reset-after]` set faults here.' },
  { name: 'content',              required: false,          max: 255, means: 'Details of what is paid for.' },
  { name: 'notify_url',           required: true,           max: 255, rules: [webAddress], means: 'Where notifications are posted to.' },
  { name: 'return_url',           required: false,          max: 255, rules: httpsChannels.length > 0 ? [httpsFor(httpsChannels)] : [], means: 'Where the checkout sends the buyer afterwards.' },
  { name: 'buyer_id',             required: true,           max: 128, means: 'The merchant’s id of the buyer.' },
  { name: 'timeout_express',      required: false,          rules: [express], means: 'How long the order may stay INITIAL before it is EXPIRED.' },
  { name: 'cancellation_express', required: false,          rules: [cancellationUnits, threeDays, largerThanTimeout], means: 'How long it may stay PROCESSING before it is CANCEL.' },
];

// biome-ignore format: a table, read by columns
/** The fields of a direct creation. */
export const directFields: FieldTable = ({ httpsChannels, pixIdentify }) => [
  ...orderFields(true, httpsChannels),
  { name: 'token',                     required: false, rules: [cardsAndWallets], means: 'Token of a card, or a wallet’s one-time token.' },
  { name: 'issuer',                    required: false, rules: [cardsOnly], means: 'Issuer of the card.' },
  { name: 'bank',                      required: either(only('OpenFinance', 'Khipu'), ecuador), rules: [ecuadorBank], means: 'Id of the bank, from `/trade/bank-list`.' },
  { name: 'customer.name',             required: allBut('Pago46'), rules: [noEmoji, noDigits, tenCharacters], means: 'The buyer’s name.' },
  { name: 'customer.email',            required: allBut('PIX'), rules: [noPlus], means: 'The buyer’s email address.' },
  { name: 'customer.phone',            required: allBut('Khipu', 'Pago46', 'OpenFinance', 'PIX'), means: 'The buyer’s phone number.' },
  { name: 'customer.identify.number',  required: identityOf[pixIdentify], means: 'Number of the buyer’s identity document.' },
  { name: 'customer.identify.type',    required: identityOf[pixIdentify], means: 'Kind of that document, such as CPF or CURP.' },
  { name: 'address.zip_code',          required: only('Boleto', 'Lottery'), means: 'Postal code.' },
  { name: 'address.state',             required: false, means: 'State or province.' },
  { name: 'address.city',              required: false, means: 'City.' },
  { name: 'address.street_number',     required: false, means: 'House number.' },
  { name: 'address.street',            required: false, means: 'Street.' },
  { name: 'address.neighborhood',      required: false, means: 'Neighbourhood, or second line of the street.' },
  { name: 'ip',                        required: only('CreditCard'), means: 'The buyer’s IP address.' },
  { name: 'language_code',             required: false, means: 'Language of the banks, from `/trade/bank-list`.' },
  { name: 'installments',              required: false, type: 'decimal', rules: [wholeNumber], means: 'In how many installments a card is charged; 1 if left out.' },
  { name: 'fingerprint',               required: only('CreditCard'), means: 'Fingerprint of the buyer’s device.' },
  { name: 'account_number',            required: false, rules: [cardNumber], means: 'Number of the wallet’s card.' },
  { name: 'account_verification_code', required: false, rules: [cardPin], means: 'PIN of the wallet’s card.' },
  { name: 'region',                    required: globalApp, means: 'Region code.' },
];

// biome-ignore format: a table, read by columns
/** The fields of a checkout creation. */
export const checkoutFields: FieldTable = ({ httpsChannels }) => [
  ...orderFields(false, httpsChannels),
  { name: 'trade_type', required: true, rules: [typeWeb], means: 'Kind of checkout.' },
  { name: 'regions',    required: false, type: 'list of strings', means: 'Region codes, of use where the app is Global.' },
];

// biome-ignore format: a table, read by columns
/** The fields of a query: one of the two numbers is enough. */
export const queryFields: FieldTable = () => [
  { name: 'trade_no',     required: without('out_trade_no'), max: 64, means: 'The service’s number of the order.' },
  { name: 'out_trade_no', required: without('trade_no'),     max: 64, means: 'The merchant’s own number of the order.' },
];

// biome-ignore format: a table, read by columns
/** The fields of a bank list. */
export const bankListFields: FieldTable = () => [
  { name: 'method', required: true,      max: 32, rules: [methodWithBanks], means: 'Payment method.' },
  { name: 'type',   required: false,     max: 1,  rules: [bankType, transferType, cashType], means: '1 for BankTransfer, 2 for Cash.' },
  { name: 'region', required: globalApp, means: 'Region code.' },
];

/** The fields of an installment query. */
export const installmentFields: FieldTable = () => [
  { name: 'currency', required: true, rules: [threeCharacters], means: 'Currency code.' },
  { name: 'amount', required: true, type: 'decimal', rules: [installmentAmount, cents], means: 'Amount of the order.' },
];

/** The fields of a wallet's client token. */
export const walletTokenFields: FieldTable = () => [{ name: 'region', required: globalApp, means: 'Region code.' }];

// biome-ignore format: a table, read by columns
/** The fields of a new virtual account. */
export const openAccountFields: FieldTable = ({ accountIdentify }) => [
  { name: 'notify_url',               required: true,  max: 255, rules: [webAddress], means: 'Where notifications are posted to.' },
  { name: 'customer.buyer_id',        required: true,  max: 128, means: 'The merchant’s id of the buyer.' },
  { name: 'customer.email',           required: true,  rules: [noPlus], means: 'The buyer’s email address.' },
  { name: 'customer.name',            required: false, means: 'The buyer’s name.' },
  { name: 'customer.phone',           required: false, means: 'The buyer’s phone number.' },
  { name: 'customer.identify.number', required: accountIdentify === 'required', means: 'Number of the buyer’s identity document.' },
  { name: 'customer.identify.type',   required: accountIdentify === 'required', means: 'Kind of that document, such as CPF or CURP.' },
];

/** The fields that name a virtual account. */
export const accountFields: FieldTable = () => [
  { name: 'account_id', required: true, means: 'Id of the virtual account.' },
];
