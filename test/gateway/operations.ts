/** Every operation of the interface with a request that has all its fields, and a response that is a success. */
import type { GatewayClient } from '../../src/gateway';
import type { Json } from './support';
import { sendable } from './support';

export interface TestedOperation {
  path: string;
  /** Complete and right; every field that the operation's table has, but for those that only another method may carry. */
  request: Json;
  answer: Json;
  call(client: GatewayClient, request: Json): Promise<unknown>;
  /** What it brings into being; absent where it may be made again without harm. */
  creates?: 'order' | 'refund' | 'account';
  /** How its errors name what it was about. */
  about: string;
}

const account = {
  account_id: '692W0000MRW4',
  account_number: '646180157000000004',
  provider: 'STP',
  status: 'ACTIVE',
  notify_url: 'https://shop.example.com/ipn',
  beneficiary_name: 'Gateway de Mexico',
};

export const OPERATIONS: readonly TestedOperation[] = [
  {
    path: '/trade/pay',
    request: {
      ...sendable('credit-card'),
      content: 'Two tickets and a programme',
      return_url: 'https://shop.example.com/back',
      timeout_express: '90m',
      cancellation_express: '2h',
      token: 'tok_4f1c2a9be77d',
      issuer: 'visa',
      bank: '001',
      customer: {
        name: 'Mariana Souza Lima',
        email: 'mariana@example.com',
        phone: '5511987654321',
        identify: { number: '11144477735', type: 'CPF' },
      },
      address: {
        zip_code: '01310-100',
        state: 'São Paulo',
        city: 'Guarulhos',
        street: 'Avenida Paulista',
        street_number: '1578',
        neighborhood: 'Bela Vista',
      },
      ip: '189.40.76.12',
      language_code: 'pt',
      installments: 3,
      fingerprint: 'fp-7c0e9f',
      account_number: '300123456789',
      account_verification_code: '4821',
      region: 'BRA',
    },
    answer: { code: '10000', msg: 'Success', trade_no: 't-1', trade_status: 'PROCESSING' },
    call: (client, request) => client.pay(request),
    creates: 'order',
    about: `order ${sendable('credit-card').out_trade_no}`,
  },
  {
    path: '/trade/create',
    request: {
      ...sendable('checkout'),
      method: 'Wallet',
      channel: 'QR',
      content: 'Two tickets and a programme',
      return_url: 'https://shop.example.com/back',
      timeout_express: '90m',
      cancellation_express: '2h',
      regions: ['BRA', 'MEX'],
      version: '2.0',
    },
    answer: { code: '10000', msg: 'Success', trade_no: 't-1', web_url: 'https://pay.example/c?trade_no=t-1' },
    call: (client, request) => client.createCheckout(request),
    creates: 'order',
    about: `order ${sendable('checkout').out_trade_no}`,
  },
  {
    path: '/trade/refund',
    request: {
      trade_no: 't-1',
      out_trade_no: 'o-1',
      out_request_no: 'r-1',
      refund_currency: 'BRL',
      refund_amount: '12.10',
      refund_reason: 'A seat that was sold twice',
      user_info: {
        identify: { number: '11144477735', type: 'CPF' },
        name: 'Mariana Souza Lima',
        email: 'mariana@example.com',
        phone: '5511987654321',
      },
      platform_type: 'API',
      bank_info: {
        bank_id: 'bank-341',
        bank_name: 'Banco do Povo',
        agency: 'agency-0001',
        type: 'CHECKING',
        number: '123456-78',
      },
    },
    answer: { code: '10000', msg: 'Success', out_trade_no: 'o-1', trade_no: 't-1', refund_status: 'REFUND_PROCESSING' },
    call: (client, request) => client.refund(request),
    creates: 'refund',
    about: 'refund r-1 of order o-1',
  },
  {
    path: '/trade/query',
    request: { trade_no: 't-1', out_trade_no: 'o-1' },
    answer: { code: '10000', msg: 'Success', trade_no: 't-1', out_trade_no: 'o-1', trade_status: 'SUCCESS' },
    call: (client, request) => client.query(request),
    about: 'order o-1',
  },
  {
    path: '/trade/bank-list',
    request: { method: 'Cash', type: '2', region: 'MEX' },
    answer: { code: '10000', msg: 'Success', data: [{ bank_id: 'esquina', bank_name: 'Tienda de la Esquina' }] },
    call: (client, { method, ...rest }) => client.banks({ method: String(method), ...rest }),
    about: 'method Cash',
  },
  {
    path: '/trade/installments',
    request: { currency: 'BRL', amount: '1200.00' },
    answer: { code: '10000', msg: 'Success', fee: [{ stage: 1, amount_each: 1200.0, amount: 1200.0, rate: 0 }] },
    call: (client, { currency, amount, ...rest }) =>
      client.installments({ currency: String(currency), amount: String(amount), ...rest }),
    about: '1200.00 BRL',
  },
  {
    path: '/trade/get-wallet-client-token',
    request: { region: 'MEX' },
    answer: { code: '10000', msg: 'Success', token: 'client-token-1' },
    call: (client, request) => client.walletToken(request),
    about: 'a wallet’s client token',
  },
  {
    path: '/virtual-account/spei/create',
    request: {
      notify_url: 'https://shop.example.com/ipn',
      customer: {
        buyer_id: 'buyer-200',
        email: 'jl.hernandez@example.com',
        name: 'José Luis Hernández',
        phone: '525512345678',
        identify: { number: 'HEGJ820506HDFRMR07', type: 'ID' },
      },
    },
    answer: { code: '10000', msg: 'Success', ...account },
    call: (client, request) => client.createSpeiAccount(request),
    creates: 'account',
    about: 'a new virtual account',
  },
  {
    path: '/virtual-account/spei/cancel',
    request: { account_id: account.account_id },
    answer: { code: '10000', msg: 'Success', ...account, status: 'CANCELED' },
    call: (client, { account_id }) => client.cancelSpeiAccount(String(account_id)),
    about: `account ${account.account_id}`,
  },
  {
    path: '/virtual-account/spei/query',
    request: { account_id: account.account_id },
    answer: { code: '10000', msg: 'Success', ...account },
    call: (client, { account_id }) => client.querySpeiAccount(String(account_id)),
    about: `account ${account.account_id}`,
  },
  {
    path: '/virtual-account/spei/quantity',
    request: {},
    answer: { code: '10000', msg: 'Success', available_quantity: 3 },
    call: (client) => client.speiAccountQuantity(),
    about: 'the virtual accounts that are left',
  },
];

/** One operation by its path. */
export function operation(path: string): TestedOperation {
  const found = OPERATIONS.find((one) => one.path === path);
  if (!found) throw new Error(`There is no operation ${path}`);
  return found;
}
