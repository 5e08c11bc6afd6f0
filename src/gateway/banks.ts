/** Bank list: `/trade/bank-list` (section 4.5). */
import { z } from 'zod';
import * as f from './fields';
import { METHOD_FITS, methodIs } from './methods';
import type { Operation } from './operation';
import { PATH } from './pure/paths';
import { type GatewayResponse, looseAmount, looseText, textField } from './response';
import type { RequestRules, RuleContext } from './rules';
import { REGION_REQUIRED } from './shared-rules';

const bankListRequest = z.strictObject({
  method: f.text(32),
  type: z.enum(['1', '2'], 'must be 1 (BankTransfer) or 2 (Cash)').optional(),
  region: f.text(f.MOST.region).optional(),
});

/** The body of `/trade/bank-list` without `app_id` and `timestamp`. */
export type BankListRequest = z.infer<typeof bankListRequest>;

const bank = z.looseObject({
  bank_id: looseText,
  bank_name: looseText,
  language_code: looseText,
  channel: looseText,
  logo: looseText,
  currency: looseText,
  min_amount: looseAmount,
});

/**
 * A bank, with all fields that the gateway sends. An order names it in `bank` by its `bank_id`. `min_amount` is a decimal
 * string in units of `currency`.
 */
export type Bank = z.infer<typeof bank>;

const TYPES: readonly (readonly [method: string, type: string])[] = [
  ['BankTransfer', '1'],
  ['Cash', '2'],
];

const RULES: RequestRules<BankListRequest> = {
  operation: PATH.banks,
  shape: bankListRequest,
  required: [REGION_REQUIRED],
  cross: [
    ...METHOD_FITS,
    ...TYPES.map(([method, type]) => ({
      field: 'type',
      broken: (context: RuleContext) =>
        context.has('type') && methodIs(method)(context) && context.text('type') !== type,
      rule: `must be ${type} for ${method}`,
    })),
  ],
};

export const BANK_LIST: Operation<BankListRequest, Bank[]> = {
  rules: RULES,
  ownFields: ['data.bank_id'],
  onlyAsks: true,
  ownParts: ['data'],
  about: ({ method }) => `method ${method}`,
  read: readBanks,
};

/**
 * The banks of a response; undefined if it has no usable `data`. Gateways send `data` as a list, as one object, or as
 * fields named `data.bank_id`. A `min_amount` beside `data` applies to all its banks.
 */
export function readBanks(response: GatewayResponse): Bank[] | undefined {
  const { data = flattened(response) } = response;
  if (data === null || data === '') return [];
  if (typeof data !== 'object') return undefined;
  const min_amount = textField(response, 'min_amount');
  return (Array.isArray(data) ? data : [data])
    .filter((item) => typeof item === 'object' && item !== null)
    .map((item) => bank.parse({ ...(min_amount === undefined ? {} : { min_amount }), ...item }));
}

/** The object that fields such as `data.bank_id` stand for; null if there are none. */
function flattened(response: GatewayResponse): GatewayResponse | null {
  const own = Object.entries(response).filter(([key]) => key.startsWith('data.'));
  return own.length === 0 ? null : Object.fromEntries(own.map(([key, value]) => [key.slice('data.'.length), value]));
}
