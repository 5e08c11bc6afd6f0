/** Which fields each payment method requires (section 4.1). */
import type { Json } from '../support';
import { PAY, type Row, values, whole, without } from './row';

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
 * The 16 methods that section 2.6 names, and the two masked ones by their real names. By the text PIX requires an identity,
 * but the published PIX order has none and must be accepted.
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

/** An order with every field that any method requires. */
export const orderIn = (method: string, order_currency: string, more: Json = {}): Json => ({
  ...without(whole(PAY), 'token', 'issuer', 'account_number', 'account_verification_code', 'region'),
  method,
  order_currency,
  order_amount: '1200',
  ...more,
});

export const methodRows: Row[] = METHODS.flatMap(({ method, currency, asks }) =>
  COLUMNS.map((field): Row => {
    const row = { section: '4.1', path: PAY, field, order: orderIn(method, currency) } as const;
    const gone = values(field, undefined);
    return asks.some((asked) => asked === field)
      ? { ...row, says: `is required of ${method}`, takes: [{}], refuses: [...gone, ...values(field, '')] }
      : { ...row, says: `is not required of ${method}`, takes: [{}, ...gone], refuses: [] };
  }),
);
