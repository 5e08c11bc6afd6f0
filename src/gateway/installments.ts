/** Installment query: `/trade/installments` (section 4.6). */
import { z } from 'zod';
import { type Answer, counted, said } from './answers';
import * as f from './fields';
import { MAX_INSTALLMENT_AMOUNT } from './money';
import type { Operation } from './operation';

export const INSTALLMENTS_PATH = '/trade/installments';

const installmentsRequest = z.strictObject({ currency: f.currency, amount: f.amountUpTo(MAX_INSTALLMENT_AMOUNT) });

/** The body of `/trade/installments` without `app_id` and `timestamp`. `amount` is a decimal string in currency units. */
export type InstallmentsRequest = z.infer<typeof installmentsRequest>;

const plan = z.looseObject({
  stage: counted,
  amount_each: said,
  amount: said,
  rate: said,
});

/**
 * One way to pay in installments: `stage` is their number; each amount, the total and the fee's rate are decimal strings.
 * Some gateways leave the rate out.
 */
export type InstallmentPlan = z.infer<typeof plan>;

export const INSTALLMENTS: Operation<InstallmentsRequest, InstallmentPlan[]> = {
  rules: { operation: INSTALLMENTS_PATH, shape: installmentsRequest, required: [], cross: [] },
  ownFields: [],
  ownParts: ['fee'],
  about: ({ amount, currency }) => `${amount} ${currency}`,
  read: readPlans,
};

/** An answer's plans; undefined where `fee` is no list of them. */
export function readPlans(answer: Answer): InstallmentPlan[] | undefined {
  return z.array(plan).safeParse(answer.fee).data;
}
