import type { OperationName } from '../faults/faults';
import type { Settings } from '../options';
import { accountFields, openAccountFields } from '../rules/accounts';
import { checkoutFields, directFields, queryFields } from '../rules/fields';
import { bankListFields, installmentFields, walletTokenFields } from '../rules/lookups';
import { refundFields } from '../rules/refund';
import type { Field } from '../rules/rule';
import type { AnswerName } from './answers';

/** What the document says of an operation besides its path, which the table of operations has. */
export interface Described {
  tag: 'payments' | 'lookups' | 'virtual accounts';
  section: string;
  summary: string;
  fields: readonly Field[];
  answer: AnswerName;
  /** Own `sub_code`s of refusals, besides those that every operation has and the names of fields. */
  sub_codes: (settings: Settings) => readonly string[];
  /** A request, where `examples/orders` has none of this kind; `app_id` and `timestamp` are added. */
  example?: Readonly<Record<string, unknown>>;
}

const none = () => [];
const ofOrders = () => ['no-method-supported', 'duplicate-out_trade_no'];
const unknownAccount = ({ unknownAccountSubCode }: Settings) => [unknownAccountSubCode];
const account_id = '9F2C4B7A1D3E5F60';

/** Every operation of the interface, by the name that faults have for it. */
export const described: Readonly<Record<OperationName, Described>> = {
  pay: {
    tag: 'payments',
    section: '4.1',
    summary: 'Creates an order in one method; the answer has what the buyer needs to pay',
    fields: directFields,
    answer: 'pay',
    sub_codes: ofOrders,
  },
  create: {
    tag: 'payments',
    section: '4.2',
    summary: 'Creates an order that the buyer finishes on the checkout page',
    fields: checkoutFields,
    answer: 'create',
    sub_codes: ofOrders,
  },
  refund: {
    tag: 'payments',
    section: '4.3',
    summary: 'Gives back what was paid, or a part of it',
    fields: refundFields,
    answer: 'refund',
    sub_codes: ({ unknownOrderSubCode }) => [
      unknownOrderSubCode,
      'refund-not-supported',
      'partial-refund-not-supported',
      'duplicate-out_request_no',
      'trade-status-error',
      'refund-amount-exceeded',
    ],
    example: {
      out_trade_no: '2026-0001-PIX',
      out_request_no: 'R-1',
      refund_currency: 'BRL',
      refund_amount: '50.00',
      user_info: {
        name: 'Mariana Souza Lima',
        email: 'mariana.souza@example.com',
        identify: { number: '11144477735', type: 'CPF' },
      },
    },
  },
  query: {
    tag: 'payments',
    section: '4.4',
    summary: 'What has become of an order',
    fields: queryFields,
    answer: 'query',
    sub_codes: ({ unknownOrderSubCode }) => [unknownOrderSubCode],
    example: { out_trade_no: '2026-0001-PIX' },
  },
  'bank-list': {
    tag: 'lookups',
    section: '4.5',
    summary: 'The banks in which a method can be paid',
    fields: bankListFields,
    answer: 'bankList',
    sub_codes: () => ['no-method-supported'],
    example: { method: 'BankTransfer', type: '1' },
  },
  installments: {
    tag: 'lookups',
    section: '4.6',
    summary: 'What paying with a card in installments costs',
    fields: installmentFields,
    answer: 'installments',
    sub_codes: none,
    example: { currency: 'BRL', amount: '899.70' },
  },
  'wallet-token': {
    tag: 'lookups',
    section: '4.7',
    summary: 'A client token, which the buyer’s browser exchanges for a one-time token',
    fields: walletTokenFields,
    answer: 'walletToken',
    sub_codes: none,
    example: {},
  },
  'account-create': {
    tag: 'virtual accounts',
    section: '4.8',
    summary: 'Opens a virtual account (SPEI)',
    fields: openAccountFields,
    answer: 'account',
    sub_codes: () => ['account-pool-run-out'],
    example: {
      notify_url: 'https://shop.example.com/ipn',
      customer: {
        buyer_id: 'buyer-mx-005',
        name: 'José Luis Hernández Gómez',
        email: 'jl.hernandez@example.com',
        identify: { number: 'HEGL900101HDFRMS05', type: 'CURP' },
      },
    },
  },
  'account-cancel': {
    tag: 'virtual accounts',
    section: '4.8',
    summary: 'Ends a virtual account; one that has ended stays so',
    fields: accountFields,
    answer: 'account',
    sub_codes: unknownAccount,
    example: { account_id },
  },
  'account-query': {
    tag: 'virtual accounts',
    section: '4.8',
    summary: 'What has become of a virtual account',
    fields: accountFields,
    answer: 'account',
    sub_codes: unknownAccount,
    example: { account_id },
  },
  'account-quantity': {
    tag: 'virtual accounts',
    section: '4.8',
    summary: 'How many virtual accounts can still be opened',
    fields: [],
    answer: 'quantity',
    sub_codes: none,
    example: {},
  },
};
