import type { OperationName } from '../faults/faults';
import * as fields from '../rules/fields';
import type { FieldTable } from '../rules/rule';
import type { Settings } from '../settings';
import { accountQuantity, cancelAccount, openAccount, queryAccount } from './accounts';
import { createCheckout, createDirect } from './create-trade';
import { listBanks, listInstallments, makeWalletToken } from './lookups';
import type { OperationHandler } from './operation';
import { queryOrder } from './query';
import { refundTrade } from './refund';

/** An operation of the interface: where it is served, what its request must have, and what it does. */
export interface GatewayOperation {
  path: string;
  name: OperationName;
  /** The section of the interface. */
  section: string;
  fields: FieldTable;
  run: OperationHandler;
  /** The `sub_code`s of its refusals, besides names of fields and those that every operation has. */
  sub_codes: readonly string[];
  does: string;
}

const none: readonly [] = [];
const ofOrders = ['no-method-supported', 'duplicate-out_trade_no'];
const ofRefunds = [
  'refund-not-supported',
  'partial-refund-not-supported',
  'duplicate-out_request_no',
  'trade-status-error',
  'refund-amount-exceeded',
];

// biome-ignore format: a table, read by columns
/** All operations, by the settings in force. A refund checks its other fields itself. */
export const operationsOf = ({ walletTokenPath, unknownOrderSubCode: order, unknownAccountSubCode: account }: Settings): readonly GatewayOperation[] => [
  { path: '/trade/pay',                     name: 'pay',              section: '4.1', fields: fields.directFields,      run: createDirect,     sub_codes: ofOrders,               does: 'Creates an order in one method; the answer has what the buyer needs to pay' },
  { path: '/trade/create',                  name: 'create',           section: '4.2', fields: fields.checkoutFields,    run: createCheckout,   sub_codes: ofOrders,               does: 'Creates an order that the buyer pays on the checkout page' },
  { path: '/trade/refund',                  name: 'refund',           section: '4.3', fields: fields.queryFields,       run: refundTrade,      sub_codes: [order, ...ofRefunds],  does: 'Gives back what was paid, or a part of it' },
  { path: '/trade/query',                   name: 'query',            section: '4.4', fields: fields.queryFields,       run: queryOrder,       sub_codes: [order],                does: 'The state of an order' },
  { path: '/trade/bank-list',               name: 'bank-list',        section: '4.5', fields: fields.bankListFields,    run: listBanks,        sub_codes: ['no-method-supported'], does: 'The banks in which a method can be paid' },
  { path: '/trade/installments',            name: 'installments',     section: '4.6', fields: fields.installmentFields, run: listInstallments, sub_codes: none,                   does: 'What paying with a card in installments costs' },
  { path: walletTokenPath,                  name: 'wallet-token',     section: '4.7', fields: fields.walletTokenFields, run: makeWalletToken,  sub_codes: none,                   does: 'A client token, which the buyer’s browser exchanges for a one-time token' },
  { path: '/virtual-account/spei/create',   name: 'account-create',   section: '4.8', fields: fields.openAccountFields, run: openAccount,      sub_codes: ['account-pool-run-out'], does: 'Opens a virtual account (SPEI)' },
  { path: '/virtual-account/spei/cancel',   name: 'account-cancel',   section: '4.8', fields: fields.accountFields,     run: cancelAccount,    sub_codes: [account],              does: 'Cancels a virtual account; a canceled one stays as it is' },
  { path: '/virtual-account/spei/query',    name: 'account-query',    section: '4.8', fields: fields.accountFields,     run: queryAccount,     sub_codes: [account],              does: 'The state of a virtual account' },
  { path: '/virtual-account/spei/quantity', name: 'account-quantity', section: '4.8', fields: () => none,               run: accountQuantity,  sub_codes: none,                   does: 'How many virtual accounts are still available' },
];
