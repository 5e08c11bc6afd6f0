/** Installment query: `/trade/installments` (section 4.6). */
import { z } from 'zod';
import * as f from './fields';
import type { Operation } from './operation';
import { MAX_INSTALLMENT_AMOUNT } from './pure/money';
import { PATH } from './pure/paths';
import { type GatewayResponse, looseAmount, looseInt, looseText } from './response';

const installmentsRequest = z.strictObject({ currency: f.currency, amount: f.amountUpTo(MAX_INSTALLMENT_AMOUNT) });

/** The body of `/trade/installments` without `app_id` and `timestamp`. `amount` is a decimal string in currency units. */
export type InstallmentsRequest = z.infer<typeof installmentsRequest>;

const plan = z.looseObject({
  stage: looseInt,
  amount_each: looseAmount,
  amount: looseAmount,
  rate: looseText,
});

/**
 * One way to pay in installments: `stage` is their number; `amount_each`, the total `amount` and the `rate` of the fee are
 * decimal strings. Some gateways leave the rate out.
 */
export type InstallmentPlan = z.infer<typeof plan>;

export const INSTALLMENTS: Operation<InstallmentsRequest, InstallmentPlan[]> = {
  rules: { operation: PATH.installments, shape: installmentsRequest, required: [], cross: [] },
  ownFields: [],
  onlyAsks: true,
  ownParts: ['fee'],
  about: ({ amount, currency }) => `${amount} ${currency}`,
  read: readPlans,
};

/** The plans of a response; undefined if `fee` is not a list of plans. */
export function readPlans(response: GatewayResponse): InstallmentPlan[] | undefined {
  return z.array(plan).safeParse(response.fee).data;
}
