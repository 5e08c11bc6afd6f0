/**
 * Sections 4 and 8 of the interface as rows that can be driven: a right request, changes with which it is still taken, and
 * changes one past that. Written from the interface alone, so that neither side's reading of it comes in here.
 */

import { operation } from '../gateway/operations';
import { edited, sendable } from '../gateway/support';
import type { Json, Path } from './support';

/** Changes of a request, by dotted path; `undefined` takes a field away. */
type Changes = Json;

export interface Row {
  section: string;
  path: Path | 'any';
  field: string;
  /** What the interface says, in short. */
  says: string;
  /** Its limit, where the row is about one. */
  limit?: string | number;
  order: Json;
  takes: readonly Changes[];
  refuses: readonly Changes[];
  /** Whether the app is Global. */
  global?: true;
  /** The trade that a refund is of; a PIX trade of the refund's own amount where none is said. */
  trade?: { method: string; channel?: string; order_currency: string; order_amount: string };
  /** The other fields by whose name it may be refused. */
  orBy?: readonly string[];
  /** With what `sub_code` a simulator refuses it that knows no such thing: the field itself has passed. */
  but?: string;
}

const without = (request: Json, ...fields: string[]) =>
  edited(request, Object.fromEntries(fields.map((field) => [field, undefined])));
const whole = (path: Path) => without(operation(path).request, 'out_trade_no', 'trade_no', 'account_id');
const values = (field: string, ...all: unknown[]): Changes[] => all.map((value) => ({ [field]: value }));

/** Rows of one operation. */
const rowsOf = (section: string, path: Path, rows: readonly Omit<Row, 'section' | 'path'>[]): Row[] =>
  rows.map((row) => ({ section, path, ...row }));

const ORDERS = ['/trade/pay', '/trade/create'] as const;
const PAY = '/trade/pay';
const CREATE = '/trade/create';
const REFUND = '/trade/refund';
const ACCOUNT = '/virtual-account/spei/create';
const WALLET = { ...without(sendable('wallet-card-number'), 'out_trade_no') };

// -- Each field by itself: its type, whether it is required, and its length --------------------------------------------

type Type = 'string' | 'decimal' | 'int' | 'list of string';
/** `elsewhere`: when it is required is a row of its own below. */
type Required = 'yes' | 'no' | 'elsewhere';
type Line = readonly [
  field: string,
  type: Type,
  required: Required,
  max?: number | undefined,
  more?: { start?: string; order?: Json; but?: string } | undefined,
];

/** What a field of each type cannot be. A decimal may be a number or a text; the client takes texts only, to lose no digit. */
const NOT_OF_TYPE: Record<Type, readonly unknown[]> = {
  string: [7, ['text'], true],
  decimal: ['twelve', ['12.10'], {}, true],
  int: [1.5, 0, -1, 'three', [1]],
  'list of string': ['BRA', [7], { 0: 'BRA' }],
};

/** One byte, two bytes, and two UTF-16 units: a length counts characters, whatever they are made of. */
const CHARACTERS = ['x', 'é', '𝒳'];

const HTTPS = { start: 'https://shop.example.com/' };
const NOT_A_METHOD = { but: 'no-method-supported' };
const NO_SUCH_TRADE = { but: 'trade-not-exist' };

// biome-ignore format: tables, read by columns
const ORDER_FIELDS: readonly Line[] = [
  ['out_trade_no',         'string',  'yes', 64],
  ['channel',              'string',  'no',  32, { order: WALLET }],
  ['order_currency',       'string',  'yes'],
  ['order_amount',         'decimal', 'yes'],
  ['subject',              'string',  'yes', 128],
  ['content',              'string',  'no',  255],
  ['notify_url',           'string',  'yes', 255, HTTPS],
  ['return_url',           'string',  'no',  255, HTTPS],
  ['buyer_id',             'string',  'yes', 128],
  ['timeout_express',      'string',  'no'],
  ['cancellation_express', 'string',  'no'],
];

// biome-ignore format: tables, read by columns
const FIELDS: readonly (readonly [section: string, path: Path, lines: readonly Line[]])[] = [
  ['4.1', PAY, [
    ...ORDER_FIELDS,
    // A method that nobody knows asks for all that any method asks for, but for what only one may carry.
    ['method',                    'string', 'yes', 32, { ...NOT_A_METHOD, order: without(whole(PAY), 'token', 'issuer') }],
    ['token',                     'string', 'no'],
    ['issuer',                    'string', 'no'],
    ['bank',                      'string', 'elsewhere'],
    ['customer.name',             'string', 'yes'],
    ['customer.email',            'string', 'yes'],
    ['customer.phone',            'string', 'yes'],
    ['customer.identify.number',  'string', 'yes'],
    ['customer.identify.type',    'string', 'yes'],
    ['address.zip_code',          'string', 'elsewhere'],
    ['address.state',             'string', 'no'],
    ['address.city',              'string', 'no'],
    ['address.street_number',     'string', 'no'],
    ['address.street',            'string', 'no'],
    ['address.neighborhood',      'string', 'no'],
    ['ip',                        'string', 'elsewhere'],
    ['language_code',             'string', 'no'],
    ['installments',              'int',    'no'],
    ['fingerprint',               'string', 'elsewhere'],
    ['account_number',            'string', 'no', undefined, { order: WALLET }],
    ['account_verification_code', 'string', 'no', undefined, { order: WALLET }],
    ['region',                    'string', 'elsewhere'],
  ]],
  ['4.2', CREATE, [
    // Its order may have a channel, and its number must be no other order's.
    ...ORDER_FIELDS.map(([field, type, required, max, more]): Line =>
      [field, type, required, max, { ...more, order: whole(CREATE), ...(field === 'out_trade_no' && { start: 'checkout-' }) }]),
    ['method',     'string',         'no', 32, { ...NOT_A_METHOD, order: without(whole(CREATE), 'channel') }],
    ['trade_type', 'string',         'yes'],
    ['regions',    'list of string', 'no'],
  ]],
  ['4.3', REFUND, [
    ['trade_no',                  'string',  'elsewhere', 64, NO_SUCH_TRADE],
    ['out_trade_no',              'string',  'elsewhere', 64, NO_SUCH_TRADE],
    ['out_request_no',            'string',  'elsewhere', 16],
    ['refund_currency',           'string',  'yes'],
    ['refund_amount',             'decimal', 'yes'],
    ['refund_reason',             'string',  'no',  128],
    ['user_info.identify.number', 'string',  'yes', 16],
    ['user_info.identify.type',   'string',  'no',  16],
    ['user_info.name',            'string',  'yes', 64],
    ['user_info.email',           'string',  'yes', 64, { start: 'a@' }],
    ['user_info.phone',           'string',  'no',  64],
    ['platform_type',             'string',  'no'],
    ['bank_info.bank_id',         'string',  'no',  64],
    ['bank_info.bank_name',       'string',  'no',  64],
    ['bank_info.agency',          'string',  'no',  64],
    ['bank_info.type',            'string',  'no',  64],
    ['bank_info.number',          'string',  'no',  64],
  ]],
  ['4.4', '/trade/query', [
    ['trade_no',     'string', 'elsewhere', 64, NO_SUCH_TRADE],
    ['out_trade_no', 'string', 'elsewhere', 64, NO_SUCH_TRADE],
  ]],
  ['4.5', '/trade/bank-list', [
    ['method', 'string', 'yes', 32, NOT_A_METHOD],
    ['type',   'string', 'no'],
    ['region', 'string', 'elsewhere'],
  ]],
  ['4.6', '/trade/installments', [
    ['currency', 'string',  'yes'],
    ['amount',   'decimal', 'yes'],
  ]],
  ['4.7', '/trade/get-wallet-client-token', [
    ['region', 'string', 'elsewhere'],
  ]],
  ['4.8', ACCOUNT, [
    ['notify_url',               'string', 'yes', 255, HTTPS],
    ['customer.buyer_id',        'string', 'yes', 128],
    ['customer.email',           'string', 'yes'],
    ['customer.name',            'string', 'no'],
    ['customer.phone',           'string', 'no'],
    ['customer.identify.number', 'string', 'yes'],
    ['customer.identify.type',   'string', 'yes'],
  ]],
  ['4.8', '/virtual-account/spei/cancel', [['account_id', 'string', 'yes']]],
  ['4.8', '/virtual-account/spei/query', [['account_id', 'string', 'yes']]],
];

const fieldRows: Row[] = FIELDS.flatMap(([section, path, lines]) =>
  lines.flatMap(([field, type, required, max, more = {}]): Row[] => {
    const { start = '', order = whole(path), but } = more;
    const about = { section, path, field, order };
    const filled = (length: number) =>
      CHARACTERS.map((character) => ({ [field]: start + character.repeat(length - start.length) }));
    return [
      { ...about, says: `is of type ${type}`, takes: [{}], refuses: values(field, ...NOT_OF_TYPE[type]) },
      ...(required === 'yes'
        ? [{ ...about, says: 'is required', takes: [{}], refuses: values(field, undefined, '') }]
        : []),
      ...(required === 'no'
        ? [{ ...about, says: 'may be left out', takes: values(field, undefined), refuses: [] }]
        : []),
      ...(max === undefined
        ? []
        : [
            {
              ...about,
              says: `has at most ${max} characters`,
              limit: max,
              takes: filled(max),
              refuses: filled(max + 1),
              ...(but === undefined ? {} : { but }),
            },
          ]),
    ];
  }),
);

// -- What each payment method asks of an order (4.1) --------------------------------------------------------------------

const COLUMNS = [
  'customer.name',
  'customer.email',
  'customer.phone',
  'customer.identify.number',
  'customer.identify.type',
  'bank',
  'address.zip_code',
  'ip',
  'fingerprint',
] as const;

// biome-ignore format: a table, read by columns
/**
 * The 16 methods that section 2.6 names, and the two that it masks by the names they have in the field. By the letter PIX
 * needs an identity; the published PIX order has none, and must pass.
 */
const ASKS: readonly (readonly [method: string, currency: string, asks: string])[] = [
  //                          name email phone number type bank zip  ip   fingerprint
  ['PIX',            'BRL', 'yes  no    no    no     no   no   no   no   no'],
  ['Boleto',         'BRL', 'yes  yes   yes   yes    yes  no   yes  no   no'],
  ['Lottery',        'BRL', 'yes  yes   yes   yes    yes  no   yes  no   no'],
  ['DepositExpress', 'BRL', 'yes  yes   yes   yes    yes  no   no   no   no'],
  ['SPEI',           'MXN', 'yes  yes   yes   no     no   no   no   no   no'],
  ['Wallet',         'BRL', 'yes  yes   yes   yes    yes  no   no   no   no'],
  ['CreditCard',     'BRL', 'yes  yes   yes   yes    yes  no   no   yes  yes'],
  ['Cash',           'MXN', 'yes  yes   yes   no     no   no   no   no   no'],
  ['BankTransfer',   'PEN', 'yes  yes   yes   yes    yes  no   no   no   no'],
  ['PSE',            'COP', 'yes  yes   yes   yes    yes  no   no   no   no'],
  ['Efecty',         'COP', 'yes  yes   yes   yes    yes  no   no   no   no'],
  ['OXXO',           'MXN', 'yes  yes   yes   no     no   no   no   no   no'],
  ['OXXOPay',        'MXN', 'yes  yes   yes   no     no   no   no   no   no'],
  ['CoDi',           'MXN', 'yes  yes   yes   no     no   no   no   no   no'],
  ['OpenFinance',    'BRL', 'yes  yes   no    yes    yes  yes  no   no   no'],
  ['BNCR',           'CRC', 'yes  yes   yes   no     no   no   no   no   no'],
  ['Khipu',          'CLP', 'yes  yes   no    no     no   yes  no   no   no'],
  ['Pago46',         'CLP', 'no   yes   no    no     no   no   no   no   no'],
];

export const METHODS = ASKS.map(([method, currency, asks]) => {
  const asked = asks.split(/ +/).map((word) => word === 'yes');
  return { method, currency, asks: COLUMNS.filter((_, column) => asked[column]) };
});

/** An order that has whatever any method asks for. */
export const orderIn = (method: string, order_currency: string, more: Json = {}): Json => ({
  ...without(whole(PAY), 'token', 'issuer', 'account_number', 'account_verification_code', 'region'),
  method,
  order_currency,
  order_amount: '1200',
  ...more,
});

const methodRows: Row[] = METHODS.flatMap(({ method, currency, asks }) =>
  COLUMNS.map((field): Row => {
    const row = { section: '4.1', path: PAY, field, order: orderIn(method, currency) } as const;
    const gone = values(field, undefined);
    return asks.some((asked) => asked === field)
      ? { ...row, says: `is required of ${method}`, takes: [{}], refuses: [...gone, ...values(field, '')] }
      : { ...row, says: `is not required of ${method}`, takes: [{}, ...gone], refuses: [] };
  }),
);

// -- What is more than a type, a length, or a method's need ---------------------------------------------------------------

const AMOUNTS = {
  takes: ['0.01', '1', '1.5', '1.50'],
  refuses: ['0', '0.00', '-0.01', '0.001', '0.009', '1.001', '12.345'],
};
const CURRENCY = { takes: ['BRL'], refuses: ['B', 'BR', 'BRLL'] };
const EXPRESS = {
  takes: ['1m', '90m', '2h', '1d', '30d', 'c', '1c'],
  refuses: ['90', 'm', '0m', '90s', '1.5h', '-5m', '2c', '1M', '1w', ' 1h', '1h '],
};
const CANCELLATION = {
  takes: ['1m', '4320m', '72h', '3d'],
  refuses: ['4321m', '73h', '4d', '30d', 'c', '1c', '2', '0d', '1w'],
};
/** At noon, UTC. */
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
/** A pictograph, one with a skin tone, a keycap, a flag, a family of joined ones, and a sign made an emoji by its selector. */
const EMOJI = ['😀', '👍🏽', '1️⃣', '🇧🇷', '👩‍👩‍👧', '❤️', '™️', '☎'];

const express = ([timeout_express, cancellation_express]: string[]): Changes => ({
  timeout_express,
  cancellation_express,
});

const orderRows: Row[] = ORDERS.flatMap((path): Row[] => {
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
      refuses: values('method', 'PSE', 'OXXO'),
    },
  ];
});

const BRAZIL = orderIn('Boleto', 'BRL');
const ECUADOR = without(sendable('bank-transfer-ecuador'), 'out_trade_no');
const PANAMA = edited(ECUADOR, { 'customer.identify': { type: 'RUC', number: '155714930-2-2021' } });

const payRows = rowsOf('4.1', PAY, [
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

const checkoutRows = rowsOf('4.2', CREATE, [
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

// biome-ignore format: a table, read by columns
const REFUNDS: readonly (readonly [method: string, currency: string, channel: string, needs: string])[] = [
  ['PIX',            'BRL', '',   'user_info.identify.number user_info.name user_info.email'],
  ['Boleto',         'BRL', '',   'user_info.identify.number user_info.name user_info.email'],
  ['Lottery',        'BRL', '',   'user_info.identify.number user_info.name user_info.email'],
  ['DepositExpress', 'BRL', '',   'user_info.identify.number user_info.name user_info.email'],
  ['SPEI',           'MXN', '',   'user_info.email'],
  ['Wallet',         'BRL', 'QR', 'user_info.email'],
  ['CreditCard',     'BRL', '',   'user_info.email'],
];
const USER_INFO = [
  'user_info.identify.number',
  'user_info.identify.type',
  'user_info.name',
  'user_info.email',
  'user_info.phone',
];

const refundOf = (amount: string, currency = 'BRL') => ({
  order: edited(whole(REFUND), { refund_amount: amount, refund_currency: currency }),
  trade: { method: 'PIX', order_currency: currency, order_amount: amount },
});
const LARGEST = refundOf('99999999999999.99');

const refundRows = rowsOf('4.3', REFUND, [
  {
    field: 'out_trade_no',
    says: 'or trade_no: one of the two suffices',
    orBy: ['trade_no'],
    ...refundOf('12.10'),
    takes: [{ trade_no: undefined }, { out_trade_no: undefined }],
    refuses: [
      { trade_no: undefined, out_trade_no: undefined },
      { trade_no: undefined, out_trade_no: '' },
    ],
  },
  {
    field: 'refund_amount',
    says: 'is 0.01 to 99999999999999.99, in cents',
    limit: '0.01 to 99999999999999.99',
    ...LARGEST,
    takes: values('refund_amount', ...AMOUNTS.takes, '99999999999999.99'),
    refuses: values('refund_amount', ...AMOUNTS.refuses, '100000000000000.00'),
  },
  {
    field: 'refund_currency',
    says: 'has 3 characters',
    limit: 3,
    ...refundOf('12.10'),
    takes: values('refund_currency', ...CURRENCY.takes),
    refuses: values('refund_currency', ...CURRENCY.refuses),
  },
  {
    field: 'out_request_no',
    says: 'is required for a partial refund',
    ...refundOf('12.10'),
    takes: [
      { refund_amount: '12.09' },
      { out_request_no: undefined },
      { out_request_no: undefined, refund_amount: '12.1' },
    ],
    refuses: [
      { out_request_no: undefined, refund_amount: '12.09' },
      { out_request_no: '', refund_amount: '0.01' },
    ],
  },
  {
    field: 'platform_type',
    says: 'is API, 3 characters',
    limit: 3,
    ...refundOf('12.10'),
    takes: values('platform_type', 'API', undefined),
    refuses: values('platform_type', 'WEB', 'APIX', 'api'),
  },
  ...REFUNDS.flatMap(([method, currency, channel, needs]) =>
    USER_INFO.map((field) => {
      const gone = values(field, undefined);
      const needed = needs.split(' ').includes(field);
      const { order, trade } = refundOf('12.10', currency);
      return {
        field,
        says: `is ${needed ? '' : 'not '}required to refund ${method}`,
        order,
        trade: { ...trade, method, ...(channel && { channel }) },
        takes: needed ? [{}] : [{}, ...gone],
        refuses: needed ? [...gone, ...values(field, '')] : [],
      };
    }),
  ),
]);

const lookupRows: Row[] = [
  {
    section: '4.4',
    path: '/trade/query',
    field: 'out_trade_no',
    says: 'or trade_no: one of the two suffices',
    orBy: ['trade_no'],
    order: {},
    takes: [{}, { trade_no: undefined }, { out_trade_no: undefined }],
    refuses: [
      { trade_no: undefined, out_trade_no: undefined },
      { trade_no: undefined, out_trade_no: '' },
    ],
  },
  ...(
    [
      ['BankTransfer', ['1'], ['2', '3', '11']],
      ['Cash', ['2'], ['1', '3', '22']],
      ['Khipu', ['1', '2'], ['3', '12', 'x']],
    ] as const
  ).map(
    ([method, takes, refuses]): Row => ({
      section: '4.5',
      path: '/trade/bank-list',
      field: 'type',
      says: `is one character: 1 for BankTransfer, 2 for Cash (here ${method})`,
      limit: 1,
      order: { method },
      takes: [{}, ...values('type', ...takes)],
      refuses: values('type', ...refuses),
    }),
  ),
  {
    section: '4.6',
    path: '/trade/installments',
    field: 'amount',
    says: 'is 0.01 to 99999999.99, in cents',
    limit: '0.01 to 99999999.99',
    order: whole('/trade/installments'),
    takes: values('amount', ...AMOUNTS.takes, '99999999.99'),
    refuses: values('amount', ...AMOUNTS.refuses, '100000000.00', '99999999.991'),
  },
  {
    section: '4.6',
    path: '/trade/installments',
    field: 'currency',
    says: 'has 3 characters',
    limit: 3,
    order: whole('/trade/installments'),
    takes: values('currency', ...CURRENCY.takes),
    refuses: values('currency', ...CURRENCY.refuses),
  },
  ...(['/trade/bank-list', '/trade/get-wallet-client-token'] as const).flatMap((path): Row[] => {
    const row = { section: path === '/trade/bank-list' ? '4.5' : '4.7', path, field: 'region', order: whole(path) };
    return [
      {
        ...row,
        says: 'is required where the app is Global',
        global: true,
        takes: [{}],
        refuses: values('region', undefined, ''),
      },
      { ...row, says: 'may be left out where the app is not', takes: values('region', undefined), refuses: [] },
    ];
  }),
];

const accountRows: Row[] = [
  {
    section: '4.8',
    path: ACCOUNT,
    field: 'customer.email',
    says: 'has no +',
    order: whole(ACCOUNT),
    takes: values('customer.email', 'jl.hernandez@example.com'),
    refuses: values('customer.email', 'jl+shop@example.com'),
  },
  {
    section: '4.8',
    path: '/virtual-account/spei/quantity',
    field: 'account_id',
    says: 'is carried by a sample, and counts for nothing',
    order: {},
    takes: values('account_id', undefined, '692W0000MRW4'),
    refuses: [],
  },
];

/** Every row of the request's tables. */
export const ROWS: readonly Row[] = [
  ...fieldRows,
  ...methodRows,
  ...orderRows,
  ...payRows,
  ...checkoutRows,
  ...refundRows,
  ...lookupRows,
  ...accountRows,
];

// biome-ignore format: a table, read by columns
/** Which direct creations answer with which of the fields that not all have (4.1); a wallet stands with its channel's kind. */
export const PAYMENT_DATA: Record<string, readonly string[]> = {
  pay_url:                 ['PIX', 'Boleto', 'DepositExpress', 'Lottery', 'OXXO', 'SPEI', 'Wallet QR', 'PSE', 'Efecty'],
  barcode:                 ['Boleto'],
  qr_code:                 ['PIX'],
  provider_owner:          ['DepositExpress'],
  provider_owner_document: ['DepositExpress'],
  provider_agency:         ['DepositExpress'],
  provider_number:         ['DepositExpress'],
  wallet_url:              ['Wallet QR', 'Wallet URL'],
  app_link_url:            ['Wallet QR'],
  bank_code:               ['Boleto'],
  bank_name:               ['SPEI'],
  reference:               ['SPEI'],
  clabe:                   ['SPEI'],
  beneficiary_name:        ['SPEI'],
  // In a sample only, and in no table.
  service_url:             [],
};

/** A notification's fields: what each can be at most, and what the reader needs. What it does not need it never fails for. */
// biome-ignore format: a table, read by columns
export const NOTIFICATION: readonly (readonly [field: string, max: number | undefined, onePast: 'refused' | 'read'])[] = [
  ['app_id',                               32, 'refused'],
  ['trade_no',                             64, 'refused'],
  ['out_trade_no',                         64, 'refused'],
  ['out_request_no',                       64, 'read'],
  ['method',                               32, 'read'],
  // States that gateways send are longer than the interface's 16 characters.
  ['trade_status',                         16, 'read'],
  ['currency',                             3,  'read'],
  ['amount',                               undefined, 'read'],
  ['user.name',                            undefined, 'read'],
  ['user.email',                           undefined, 'read'],
  ['user.phone',                           undefined, 'read'],
  ['user.identify.number',                 undefined, 'read'],
  ['user.identify.type',                   undefined, 'read'],
  ['card.card_no',                         undefined, 'read'],
  ['transfer_account.account_id',          undefined, 'read'],
  ['transfer_account.account_number',      undefined, 'read'],
  ['transfer_account.provider',            undefined, 'read'],
  ['transfer_account.buyer_id',            undefined, 'read'],
  ['transfer_account.transfer_timestamp',  undefined, 'read'],
  ['transfer_account.beneficiary_name',    undefined, 'read'],
];
