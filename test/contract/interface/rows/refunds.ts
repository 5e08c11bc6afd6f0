/** Refunds (section 4.3): rules beyond type and length. */
import { edited } from '../../../gateway/support';
import { AMOUNTS, CURRENCY, REFUND, rowsOf, values, whole } from './row';

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

export const refundRows = rowsOf('4.3', REFUND, [
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
