/** Queries, bank lists, installments, wallet tokens and virtual accounts (sections 4.4 to 4.8). */
import { ACCOUNT, AMOUNTS, CURRENCY, type Row, values, whole } from './row';

export const lookupRows: Row[] = [
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

export const accountRows: Row[] = [
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
