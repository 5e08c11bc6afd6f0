/** Bank list: `/trade/bank-list` (section 4.5). */
import { z } from 'zod';
import { type Answer, field, said } from './answers';
import * as f from './fields';
import { methodIs } from './methods';
import type { Operation } from './operation';
import type { RequestRules } from './rules';
import { REGION_REQUIRED } from './shared-rules';

export const BANK_LIST_PATH = '/trade/bank-list';

const bankListRequest = z.strictObject({
  method: f.text(32),
  type: z.enum(['1', '2'], 'must be 1 (BankTransfer) or 2 (Cash)').optional(),
  region: f.text().optional(),
});

/** The body of `/trade/bank-list` without `app_id` and `timestamp`. */
export type BankListRequest = z.infer<typeof bankListRequest>;

const bank = z.looseObject({
  bank_id: said,
  bank_name: said,
  language_code: said,
  channel: said,
  logo: said,
  currency: said,
  min_amount: said,
});

/**
 * A bank that an order's `bank` can name by its `bank_id`, with whatever else the gateway says of it. `min_amount` is a
 * decimal string in units of `currency`.
 */
export type Bank = z.infer<typeof bank>;

/** What `type` says of a method. */
const TYPES: readonly (readonly [method: string, type: string])[] = [
  ['BankTransfer', '1'],
  ['Cash', '2'],
];

const RULES: RequestRules<BankListRequest> = {
  operation: BANK_LIST_PATH,
  shape: bankListRequest,
  required: [REGION_REQUIRED],
  cross: TYPES.map(([method, type]) => ({
    field: 'type',
    broken: (context) => context.has('type') && methodIs(method)(context) && context.text('type') !== type,
    rule: `must be ${type} for ${method}`,
  })),
};

export const BANK_LIST: Operation<BankListRequest, Bank[]> = {
  rules: RULES,
  ownFields: ['data.bank_id'],
  ownParts: ['data'],
  about: ({ method }) => `method ${method}`,
  read: readBanks,
};

/**
 * An answer's banks; undefined where `data` is nothing that can hold one. `data` is a list, or one object, or has its
 * fields beside it as `data.bank_id`; and an amount beside `data` is that of its banks.
 */
export function readBanks(answer: Answer): Bank[] | undefined {
  const { data = flattened(answer) } = answer;
  if (data === null || data === '') return [];
  if (typeof data !== 'object') return undefined;
  const min_amount = field(answer, 'min_amount');
  return (Array.isArray(data) ? data : [data])
    .filter((item) => typeof item === 'object' && item !== null)
    .map((item) => bank.parse({ ...(min_amount === undefined ? {} : { min_amount }), ...item }));
}

function flattened(answer: Answer): Answer | null {
  const own = Object.entries(answer).filter(([key]) => key.startsWith('data.'));
  return own.length === 0 ? null : Object.fromEntries(own.map(([key, value]) => [key.slice('data.'.length), value]));
}
