import { randomUUID } from 'node:crypto';
import Big from 'big.js';
import { textAt } from '../json';
import { type Bank, banksOf } from '../rules/banks';
import { bankListFields, installmentFields, walletTokenFields } from '../rules/lookups';
import { methodNamed } from '../rules/methods';
import { check } from '../rules/rule';
import { decimalAs, success } from './answers';
import type { Operation } from './operation';

/** `/trade/bank-list`: the banks in which a method can be paid. */
export const bankList: Operation = ({ app, body }, { settings, clock, publicUrl }) => {
  const refusal = check(bankListFields, { body, app, settings, now: clock.now() });
  if (refusal) return { answer: refusal };
  const method = methodNamed(textAt(body, 'method') ?? '');
  const banks = method === undefined ? [] : banksOf(method, textAt(body, 'region'));
  const data = banks.map((bank) => bankAnswer(bank, publicUrl));
  return { answer: success({ data: settings.bankListData === 'list' ? data : (data[0] ?? {}) }) };
};

function bankAnswer({ method: _method, region: _region, ...bank }: Bank, publicUrl: string) {
  return { ...bank, logo: `${publicUrl}/banks/${encodeURIComponent(bank.bank_id)}.svg` };
}

/** What each number of installments costs: nothing for one, and a little more for each that follows. */
const INSTALLMENTS = 12;
const RATE_OF_EACH = new Big('0.0199');

/** `/trade/installments`: what paying in installments costs. The installments of a line add up to its total exactly. */
export const installments: Operation = ({ app, body }, { settings, clock }) => {
  const refusal = check(installmentFields, { body, app, settings, now: clock.now() });
  if (refusal) return { answer: refusal };
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
export const walletToken: Operation = ({ app, body }, { settings, clock }) => {
  const refusal = check(walletTokenFields, { body, app, settings, now: clock.now() });
  return { answer: refusal ?? success({ token: `simulated_client_token_${randomUUID()}` }) };
};
