/** Virtual accounts (SPEI): `/virtual-account/spei/…` (sections 2.3 and 4.8). */
import { z } from 'zod';
import { type CheckOptions, checkRequest } from './check';
import * as f from './fields';
import type { Operation } from './operation';
import { PATH } from './pure/paths';
import { type GatewayResponse, looseInt, looseText, withoutEnvelope } from './response';
import type { RequestRules, Requirement } from './rules';
import { NOTIFY_URL_REQUIRED } from './shared-rules';

const newAccount = z.strictObject({
  notify_url: f.httpUrl.optional(),
  customer: z
    .strictObject({
      buyer_id: f.text(128).optional(),
      email: f.email.optional(),
      name: f.text(f.MOST.name).optional(),
      phone: f.text(f.MOST.phone).optional(),
      identify: f.identity.optional(),
    })
    .optional(),
});

/** The body of the creation without `app_id` and `timestamp`. Without `notify_url`, the webhook's public address is used. */
export type NewSpeiAccount = z.infer<typeof newAccount>;

/** The table and the text of section 4.8 require the identity, although one of its samples omits it. */
const CUSTOMER: readonly Requirement[] = [
  'customer.buyer_id',
  'customer.email',
  'customer.identify.number',
  'customer.identify.type',
].map((field) => ({ field, when: () => true, rule: 'required' }));

const NEW_ACCOUNT: RequestRules<NewSpeiAccount> = {
  operation: PATH.createSpeiAccount,
  shape: newAccount,
  required: [...CUSTOMER, NOTIFY_URL_REQUIRED],
  cross: [],
};

/** Checks the request for a virtual account. Throws InvalidRequestError, which names every wrong field. */
export function parseNewSpeiAccount(input: unknown, options?: CheckOptions): NewSpeiAccount {
  return checkRequest(NEW_ACCOUNT, input, options);
}

const account = z.looseObject({
  account_id: looseText,
  account_number: looseText,
  provider: looseText,
  status: looseText,
  notify_url: looseText,
  beneficiary_name: looseText,
});

/**
 * A virtual account, with all fields that the gateway sends. `account_number` is the CLABE. `status` is ACTIVE or CANCELED
 * (section 3.2); others are kept.
 */
export type SpeiAccount = z.infer<typeof account> & { account_id: string };

const accountId = z.strictObject({ account_id: f.id(f.MOST.account_id) });

/** Names one virtual account. */
export type SpeiAccountId = z.infer<typeof accountId>;

const named = ({ account_id }: SpeiAccountId) => `account ${account_id}`;

/** The account of a response. `requested` is the id in the request, because some responses leave it out. */
function readAccount(response: GatewayResponse, requested?: string): SpeiAccount | undefined {
  const read = account.parse(withoutEnvelope(response));
  const account_id = read.account_id ?? requested;
  return account_id === undefined ? undefined : { ...read, account_id };
}

/** The creation as an operation. It has no idempotency key, so one whose outcome is unknown must not be repeated. */
export const CREATE_ACCOUNT: Operation<NewSpeiAccount, SpeiAccount> = {
  rules: NEW_ACCOUNT,
  ownFields: ['account_id'],
  creates: 'account',
  about: () => 'a new virtual account',
  read: (answer) => readAccount(answer),
};

export const CANCEL_ACCOUNT: Operation<SpeiAccountId, SpeiAccount> = {
  rules: { operation: PATH.cancelSpeiAccount, shape: accountId, required: [], cross: [] },
  ownFields: ['status'],
  about: named,
  read: (answer, { account_id }) => readAccount(answer, account_id),
};

export const QUERY_ACCOUNT: Operation<SpeiAccountId, SpeiAccount & { status: string }> = {
  rules: { operation: PATH.querySpeiAccount, shape: accountId, required: [], cross: [] },
  ownFields: ['status'],
  onlyAsks: true,
  about: named,
  read: (answer, { account_id }) => {
    const read = readAccount(answer, account_id);
    return read?.status === undefined ? undefined : { ...read, status: read.status };
  },
};

// A sample of the interface sends an account_id, which has no effect.
const quantityRequest = z.strictObject({ account_id: f.id(f.MOST.account_id).optional() });

const quantity = z.union([
  z.looseObject({ available_quantity: looseInt }),
  // Some gateways count accounts at another path and send this field.
  z.looseObject({ unused: looseInt }).transform(({ unused, ...rest }) => ({ ...rest, available_quantity: unused })),
]);

/** How many virtual accounts are left to create, with all fields that the gateway sends. */
export type SpeiAccountQuantity = z.infer<typeof quantity>;

export const ACCOUNT_QUANTITY: Operation<z.infer<typeof quantityRequest>, SpeiAccountQuantity> = {
  rules: { operation: PATH.speiAccountQuantity, shape: quantityRequest, required: [], cross: [] },
  ownFields: ['available_quantity', 'unused'],
  onlyAsks: true,
  about: () => 'the virtual accounts that are left',
  read: (answer) => quantity.safeParse(withoutEnvelope(answer)).data,
};
