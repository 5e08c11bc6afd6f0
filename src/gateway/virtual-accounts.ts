/** Virtual accounts by SPEI: `/virtual-account/spei/…` (sections 2.3 and 4.8). */
import { z } from 'zod';
import { type Answer, counted, said, withoutEnvelope } from './answers';
import { type CheckOptions, checkRequest } from './check';
import * as f from './fields';
import type { Operation } from './operation';
import type { RequestRules, Requirement } from './rules';
import { NOTIFY_URL_REQUIRED } from './shared-rules';

export const SPEI_ACCOUNT_PATHS = {
  create: '/virtual-account/spei/create',
  cancel: '/virtual-account/spei/cancel',
  query: '/virtual-account/spei/query',
  quantity: '/virtual-account/spei/quantity',
} as const;

const newAccount = z.strictObject({
  notify_url: f.httpUrl.optional(),
  customer: z
    .strictObject({
      buyer_id: f.text(128).optional(),
      email: f.email.optional(),
      name: f.text().optional(),
      phone: f.text().optional(),
      identify: z.strictObject({ number: f.text().optional(), type: f.text().optional() }).optional(),
    })
    .optional(),
});

/** The body of the creation without `app_id` and `timestamp`; `notify_url` may be left to the webhook's public address. */
export type NewSpeiAccount = z.infer<typeof newAccount>;

/** Required although a sample of the interface omits the identity: its table says so, and its text asks for user information. */
const CUSTOMER: readonly Requirement[] = [
  'customer.buyer_id',
  'customer.email',
  'customer.identify.number',
  'customer.identify.type',
].map((field) => ({ field, when: () => true, rule: 'required' }));

const NEW_ACCOUNT: RequestRules<NewSpeiAccount> = {
  operation: SPEI_ACCOUNT_PATHS.create,
  shape: newAccount,
  required: [...CUSTOMER, NOTIFY_URL_REQUIRED],
  cross: [],
};

/** Reads the request for a virtual account. Throws InvalidRequestError naming each wrong field. */
export function parseNewSpeiAccount(input: unknown, options?: CheckOptions): NewSpeiAccount {
  return checkRequest(NEW_ACCOUNT, input, options);
}

const account = z.looseObject({
  account_id: said,
  account_number: said,
  provider: said,
  status: said,
  notify_url: said,
  beneficiary_name: said,
});

/**
 * A virtual account with whatever else the gateway says of it. `account_number` is the CLABE; `status` is ACTIVE or
 * CANCELED (section 3.2), others are kept.
 */
export type SpeiAccount = z.infer<typeof account> & { account_id: string };

const accountId = z.strictObject({ account_id: f.text() });

/** Names one virtual account. */
export type SpeiAccountId = z.infer<typeof accountId>;

const named = ({ account_id }: SpeiAccountId) => `account ${account_id}`;

/** An answer's account; `asked` is the id that was asked about, which an answer may leave out. */
function readAccount(answer: Answer, asked?: string): SpeiAccount | undefined {
  const read = account.parse(withoutEnvelope(answer));
  const account_id = read.account_id ?? asked;
  return account_id === undefined ? undefined : { ...read, account_id };
}

/** The gateway knows no key for a creation, so one whose outcome is unknown must not be repeated. */
export const CREATE_ACCOUNT: Operation<NewSpeiAccount, SpeiAccount> = {
  rules: NEW_ACCOUNT,
  ownFields: ['account_id'],
  creates: 'account',
  about: () => 'a new virtual account',
  read: (answer) => readAccount(answer),
};

/** Canceling twice is canceling once. */
export const CANCEL_ACCOUNT: Operation<SpeiAccountId, SpeiAccount> = {
  rules: { operation: SPEI_ACCOUNT_PATHS.cancel, shape: accountId, required: [], cross: [] },
  ownFields: ['status'],
  about: named,
  read: (answer, { account_id }) => readAccount(answer, account_id),
};

export const QUERY_ACCOUNT: Operation<SpeiAccountId, SpeiAccount & { status: string }> = {
  rules: { operation: SPEI_ACCOUNT_PATHS.query, shape: accountId, required: [], cross: [] },
  ownFields: ['status'],
  about: named,
  read: (answer, { account_id }) => {
    const read = readAccount(answer, account_id);
    return read?.status === undefined ? undefined : { ...read, status: read.status };
  },
};

// A sample of the interface also sends an account_id, which counts for nothing.
const quantityRequest = z.strictObject({ account_id: f.text().optional() });

const quantity = z.union([
  z.looseObject({ available_quantity: counted }),
  // Seen in the field where accounts are counted by another path.
  z.looseObject({ unused: counted }).transform(({ unused, ...rest }) => ({ ...rest, available_quantity: unused })),
]);

/** How many virtual accounts are left to create, with whatever else the gateway says. */
export type SpeiAccountQuantity = z.infer<typeof quantity>;

export const ACCOUNT_QUANTITY: Operation<z.infer<typeof quantityRequest>, SpeiAccountQuantity> = {
  rules: { operation: SPEI_ACCOUNT_PATHS.quantity, shape: quantityRequest, required: [], cross: [] },
  ownFields: ['available_quantity', 'unused'],
  about: () => 'the virtual accounts that are left',
  read: (answer) => quantity.safeParse(withoutEnvelope(answer)).data,
};
