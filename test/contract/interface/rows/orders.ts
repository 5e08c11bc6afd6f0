/** Direct payments and checkouts (sections 4.1 and 4.2): rules beyond type, length and method. */
import { edited, sendable } from '../../../gateway/support';
import { orderIn } from './methods';
import {
  AMOUNTS,
  type Changes,
  CREATE,
  CURRENCY,
  ORDERS,
  PAY,
  type Row,
  rowsOf,
  values,
  WALLET,
  whole,
  without,
} from './row';

const EXPRESS = {
  takes: ['1m', '90m', '2h', '1d', '30d', 'c', '1c'],
  refuses: ['90', 'm', '0m', '90s', '1.5h', '-5m', '2c', '1M', '1w', ' 1h', '1h '],
};
const CANCELLATION = {
  takes: ['1m', '4320m', '72h', '3d'],
  refuses: ['4321m', '73h', '4d', '30d', 'c', '1c', '2', '0d', '1w'],
};
/** Pairs of timeout and cancellation; the time is noon, UTC. */
const LARGER = {
  takes: [
    ['90m', '91m'],
    ['2h', '121m'],
    ['1d', '25h'],
    ['2d', '3d'],
    ['1c', '12h'],
    ['c', '720m'],
  ],
  refuses: [
    ['90m', '90m'],
    ['90m', '89m'],
    ['2h', '120m'],
    ['1d', '24h'],
    ['3d', '72h'],
    ['1c', '11h'],
    ['c', '719m'],
  ],
};
/** A pictograph, one with a skin tone, a keycap, a flag, joined pictographs, and signs with and without a selector. */
const EMOJI = ['😀', '👍🏽', '1️⃣', '🇧🇷', '👩‍👩‍👧', '❤️', '™️', '☎'];

const express = ([timeout_express, cancellation_express]: string[]): Changes => ({
  timeout_express,
  cancellation_express,
});

export const orderRows: Row[] = ORDERS.flatMap((path): Row[] => {
  const row = { section: path === PAY ? '4.1' : '4.2', path, order: whole(path) };
  const timeless = without(whole(path), 'timeout_express', 'cancellation_express');
  return [
    {
      ...row,
      field: 'order_amount',
      says: 'is 0.01 to 99999999999999.99, in cents',
      limit: '0.01 to 99999999999999.99',
      takes: values('order_amount', ...AMOUNTS.takes, '99999999999999.99'),
      refuses: values('order_amount', ...AMOUNTS.refuses, '100000000000000.00', '99999999999999.991'),
    },
    {
      ...row,
      field: 'order_currency',
      says: 'has 3 characters',
      limit: 3,
      takes: values('order_currency', ...CURRENCY.takes),
      refuses: values('order_currency', ...CURRENCY.refuses),
    },
    {
      ...row,
      field: 'timeout_express',
      says: 'is an integer and m, h or d, or c',
      order: timeless,
      takes: values('timeout_express', ...EXPRESS.takes),
      refuses: values('timeout_express', ...EXPRESS.refuses),
    },
    {
      ...row,
      field: 'cancellation_express',
      says: 'is an integer and m, h or d, at most 3 days',
      limit: '3 days',
      order: timeless,
      takes: values('cancellation_express', ...CANCELLATION.takes),
      refuses: values('cancellation_express', ...CANCELLATION.refuses),
    },
    {
      ...row,
      field: 'cancellation_express',
      says: 'is larger than timeout_express',
      takes: LARGER.takes.map(express),
      refuses: LARGER.refuses.map(express),
    },
    {
      ...row,
      field: 'return_url',
      says: 'is an https address where the channel takes no other',
      order: without(
        { ...(path === PAY ? WALLET : whole(CREATE)), method: 'Wallet', channel: 'Secure' },
        'account_number',
      ),
      takes: values('return_url', 'https://shop.example.com/back', 'HTTPS://shop.example.com/back'),
      refuses: values('return_url', 'http://shop.example.com/back'),
    },
    {
      ...row,
      field: 'return_url',
      says: 'may be an http address otherwise',
      takes: values('return_url', 'http://shop.example.com/back'),
      refuses: [],
    },
    {
      ...row,
      field: 'channel',
      says: 'is used with Wallet only',
      order: { ...(path === PAY ? WALLET : whole(CREATE)), method: 'Wallet' },
      takes: values('channel', 'QR', 'PicPay'),
      refuses: values('method', 'Cash', 'BankTransfer'),
    },
  ];
});

const BRAZIL = orderIn('Boleto', 'BRL');
const ECUADOR = without(sendable('bank-transfer-ecuador'), 'out_trade_no');
const PANAMA = edited(ECUADOR, { 'customer.identify': { type: 'RUC', number: '155714930-2-2021' } });

export const payRows = rowsOf('4.1', PAY, [
  {
    field: 'customer.name',
    says: 'has no emoji',
    order: BRAZIL,
    takes: values('customer.name', 'Zoë Ñandú d’Ávila-Łuczak', '王小明', 'Acme™ ©®'),
    refuses: values('customer.name', ...EMOJI.map((emoji) => `Mariana ${emoji} Souza`)),
  },
  {
    field: 'customer.name',
    says: 'has at least 10 characters for SPEI',
    limit: 10,
    order: orderIn('SPEI', 'MXN'),
    takes: values('customer.name', 'Ana Torres', 'é'.repeat(10), '𝒳'.repeat(10)),
    refuses: values('customer.name', 'Ana Torre', 'é'.repeat(9), '𝒳'.repeat(9)),
  },
  {
    field: 'customer.name',
    says: 'may be shorter for other methods',
    order: orderIn('OXXO', 'MXN'),
    takes: values('customer.name', 'Ana'),
    refuses: [],
  },
  {
    field: 'customer.name',
    says: 'has no digits in Brazil',
    order: BRAZIL,
    takes: values('customer.name', 'Mariana Souza'),
    refuses: values('customer.name', 'Mariana 2 Souza', 'Mariana ٢ Souza', 'Mariana ２ Souza'),
  },
  {
    field: 'customer.name',
    says: 'may have digits elsewhere',
    order: orderIn('OXXO', 'MXN'),
    takes: values('customer.name', 'Mariana 2 Souza'),
    refuses: [],
  },
  {
    field: 'customer.name',
    says: 'has no digits in Brazil, told by the region of a Global app',
    global: true,
    order: { ...orderIn('CreditCard', 'USD'), region: 'BRA' },
    takes: [{}, { region: 'MEX', 'customer.name': 'Mariana 2 Souza' }],
    refuses: values('customer.name', 'Mariana 2 Souza'),
  },
  {
    field: 'customer.email',
    says: 'has no +',
    order: BRAZIL,
    takes: values('customer.email', 'mariana.souza_1-x@example.com'),
    refuses: values('customer.email', 'mariana+shop@example.com', '+@example.com'),
  },
  {
    field: 'bank',
    says: 'is one of three in Ecuador',
    order: ECUADOR,
    takes: values('bank', 'bpacifico', 'internacional', 'pichincha'),
    refuses: values('bank', undefined, '', 'guayaquil', 'Pichincha'),
  },
  {
    field: 'bank',
    says: 'is one of three in Ecuador, told by the region of a Global app',
    global: true,
    order: { ...PANAMA, region: 'ECU' },
    takes: values('bank', 'bpacifico', 'internacional', 'pichincha'),
    refuses: values('bank', undefined, 'guayaquil'),
  },
  {
    field: 'bank',
    says: 'is any or none for a transfer elsewhere, also in dollars',
    order: PANAMA,
    takes: values('bank', '1805', undefined),
    refuses: [],
  },
  {
    field: 'token',
    says: 'is for CreditCard and Wallet',
    order: orderIn('CreditCard', 'BRL'),
    takes: [{ token: 'tok_1' }, { token: 'nonce_1', method: 'Wallet', channel: 'Token' }],
    refuses: [{ token: 'tok_1', method: 'Boleto' }],
  },
  {
    field: 'issuer',
    says: 'is for CreditCard only',
    order: orderIn('CreditCard', 'BRL'),
    takes: values('issuer', 'visa'),
    refuses: [
      { issuer: 'visa', method: 'Boleto' },
      { issuer: 'visa', method: 'Wallet', channel: 'QR' },
    ],
  },
  {
    field: 'installments',
    says: 'is a whole number from 1',
    order: orderIn('CreditCard', 'BRL'),
    takes: values('installments', undefined, 1, 3, 12, 48),
    refuses: values('installments', 0, -1, 1.5),
  },
  {
    field: 'account_number',
    says: 'has 10 to 18 digits',
    limit: '10 to 18 digits',
    order: WALLET,
    takes: values('account_number', '7'.repeat(10), '7'.repeat(18)),
    refuses: values('account_number', '7'.repeat(9), '7'.repeat(19), '300123456x', ' 3001234567', '٣٠٠١٢٣٤٥٦٧'),
  },
  {
    field: 'account_verification_code',
    says: 'has 4 digits',
    limit: '4 digits',
    order: WALLET,
    takes: values('account_verification_code', '4821', '0000'),
    refuses: values('account_verification_code', '482', '48211', '48a1', '٤٨٢١'),
  },
  {
    field: 'region',
    says: 'is required where the app is Global',
    global: true,
    order: { ...orderIn('Boleto', 'BRL'), region: 'BRA' },
    takes: [{}],
    refuses: values('region', undefined, ''),
  },
  {
    field: 'region',
    says: 'may be left out where the app is not',
    order: { ...orderIn('Boleto', 'BRL'), region: 'BRA' },
    takes: [{}, { region: undefined }],
    refuses: [],
  },
]);

export const checkoutRows = rowsOf('4.2', CREATE, [
  {
    field: 'trade_type',
    says: 'is WEB',
    order: whole(CREATE),
    takes: values('trade_type', 'WEB'),
    refuses: values('trade_type', 'APP', 'web', 'WEB '),
  },
  {
    field: 'channel',
    says: 'may be given while the buyer is still to choose a method',
    order: whole(CREATE),
    takes: values('method', undefined),
    refuses: [],
  },
  {
    field: 'regions',
    says: 'is a list of region codes where the app is Global',
    global: true,
    order: whole(CREATE),
    takes: values('regions', ['BRA'], ['BRA', 'MEX'], undefined),
    refuses: values('regions', 'BRA', [7]),
  },
  {
    field: 'version',
    says: 'is carried by a sample, and in no table',
    order: whole(CREATE),
    takes: values('version', '2.0', undefined),
    refuses: [],
  },
]);
