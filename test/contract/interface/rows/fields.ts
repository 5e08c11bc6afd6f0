/** Each field by itself: its type, whether it is required, and its length (the tables of section 4). */
import type { Json, Path } from '../support';
import { ACCOUNT, CREATE, PAY, REFUND, type Row, values, WALLET, whole, without } from './row';

type Type = 'string' | 'decimal' | 'int' | 'list of string';
/** `elsewhere`: another row tells when the field is required. */
type Required = 'yes' | 'no' | 'elsewhere';
type Line = readonly [
  field: string,
  type: Type,
  required: Required,
  max?: number | undefined,
  more?: { start?: string; order?: Json; but?: string } | undefined,
];

/** Values that are not of the type. A decimal may be a number or text; the client accepts text only, to keep all digits. */
const NOT_OF_TYPE: Record<Type, readonly unknown[]> = {
  string: [7, ['text'], true],
  decimal: ['twelve', ['12.10'], {}, true],
  int: [1.5, 0, -1, 'three', [1]],
  'list of string': ['BRA', [7], { 0: 'BRA' }],
};

/** One byte, two bytes, two UTF-16 units: a length counts characters (code points). */
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
    // An unknown method requires all fields of the buyer, and may not have the fields of single methods.
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
    // A checkout may have a channel. Its order numbers must differ from those of the direct payments.
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

export const fieldRows: Row[] = FIELDS.flatMap(([section, path, lines]) =>
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
