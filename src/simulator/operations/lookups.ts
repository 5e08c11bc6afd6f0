import { randomUUID } from 'node:crypto';
import Big from 'big.js';
import { textAt } from '../json';
import { banksOf } from '../rules/banks';
import { methodNamed } from '../rules/methods';
import { decimalAs, type OperationHandler, success } from './operation';

/** `/trade/bank-list`: the banks in which a method can be paid. */
export const listBanks: OperationHandler = ({ body }, { settings, publicUrl }) => {
  const method = methodNamed(textAt(body, 'method') ?? '');
  const banks = method === undefined ? [] : banksOf(method, textAt(body, 'region'));
  const data = banks.map(({ method: _method, region: _region, ...bank }) => {
    return { ...bank, logo: `${publicUrl}/banks/${encodeURIComponent(bank.bank_id)}.svg` };
  });
  return { answer: success({ data: settings.bankListData === 'list' ? data : (data[0] ?? {}) }) };
};

/** One installment costs nothing, and each further one a little more. */
const INSTALLMENTS = 12;
const RATE_OF_EACH = new Big('0.0199');

/** `/trade/installments`: what paying in installments costs. The installments of a line add up to its total exactly. */
export const listInstallments: OperationHandler = ({ body }, { settings }) => {
  const amount = new Big(textAt(body, 'amount') ?? '0');
  const fee = Array.from({ length: INSTALLMENTS }, (_, index) => {
    const stage = index + 1;
    const rate = RATE_OF_EACH.times(index);
    const each = amount.times(rate.plus(1)).div(stage).round(2, Big.roundUp);
    return {
      stage,
      amount_each: decimalAs(each.toFixed(2), settings),
      amount: decimalAs(each.times(stage).toFixed(2), settings),
      rate: decimalAs(rate.toFixed(4), settings),
    };
  });
  return { answer: success({ fee }) };
};

/** The wallet's client token, which the buyer's browser exchanges for a one-time token. */
export const makeWalletToken: OperationHandler = () => ({
  answer: success({ token: `simulated_client_token_${randomUUID()}` }),
});
