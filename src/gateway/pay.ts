/** Direct payment: `/trade/pay` (section 4.1). */
import { z } from 'zod';
import { NO_CARD_AS_TOKEN } from './card-numbers';
import { type CheckOptions, checkRequest } from './check';
import * as f from './fields';
import {
  ECUADOR_BANKS,
  inBrazil,
  isEcuadorTransfer,
  METHOD_FITS,
  METHOD_IS_KNOWN,
  METHOD_REQUIREMENTS,
  methodIs,
  ONLY_FOR,
} from './methods';
import type { Operation } from './operation';
import type { DirectPayment } from './orders';
import { PATH } from './pure/paths';
import { type GatewayResponse, looseText, withoutEnvelope } from './response';
import type { CrossRule, RequestRules, RuleContext } from './rules';
import { SECRET_FIELDS } from './sealing';
import { CANCELLATION_AFTER_TIMEOUT, HTTPS_RETURN_URL, NOTIFY_URL_REQUIRED, REGION_REQUIRED } from './shared-rules';

export const orderFields = {
  out_trade_no: f.id(64),
  channel: f.text(32).optional(),
  order_currency: f.currency,
  order_amount: f.amount,
  subject: f.text(128),
  content: f.text(255).optional(),
  notify_url: f.httpUrl.optional(),
  return_url: f.url.optional(),
  buyer_id: f.text(128),
  timeout_express: f.timeoutExpress.optional(),
  cancellation_express: f.cancellationExpress.optional(),
};

const address = z.strictObject({
  zip_code: f.text(f.MOST.address).optional(),
  state: f.text(f.MOST.address).optional(),
  city: f.text(f.MOST.address).optional(),
  street_number: f.text(f.MOST.address).optional(),
  street: f.text(f.MOST.address).optional(),
  neighborhood: f.text(f.MOST.address).optional(),
});

const directPayment = z.strictObject({
  ...orderFields,
  method: f.text(32),
  token: f.secret(f.text(f.MOST.token)).optional(),
  issuer: f.text(f.MOST.issuer).optional(),
  bank: f.text(f.MOST.bank).optional(),
  customer: z
    .strictObject({
      name: f.personName.optional(),
      email: f.email.optional(),
      phone: f.text(f.MOST.phone).optional(),
      identify: f.identity.optional(),
    })
    .optional(),
  address: address.optional(),
  ip: f.text(f.MOST.ip).optional(),
  language_code: f.text(f.MOST.language_code).optional(),
  installments: z.int('must be a whole number').min(1, 'at least 1').optional(),
  fingerprint: f.text(f.MOST.fingerprint).optional(),
  account_number: f.digits(10, 18).optional(),
  account_verification_code: f.secret(f.digits(4)).optional(),
  region: f.text(f.MOST.region).optional(),
});

const CROSS_RULES: readonly CrossRule[] = [
  ...METHOD_FITS,
  METHOD_IS_KNOWN,
  NO_CARD_AS_TOKEN,
  CANCELLATION_AFTER_TIMEOUT,
  HTTPS_RETURN_URL,
  ...Object.entries(ONLY_FOR).map(([field, methods]) => ({
    field,
    broken: (context: RuleContext) => context.has(field) && !methodIs(...methods)(context),
    rule: `only with ${methods.join(' or ')}`,
  })),
  ...SECRET_FIELDS.map((field) => ({
    field,
    broken: ({ sending, has }: RuleContext) => sending && has(`${field}.sealed`),
    rule: 'must be opened before it is sent',
  })),
  {
    field: 'customer.name',
    broken: (context) => methodIs('SPEI')(context) && [...(context.text('customer.name') ?? '          ')].length < 10,
    rule: 'SPEI needs at least 10 characters',
  },
  {
    field: 'customer.name',
    broken: (context) => inBrazil(context) && /\p{Nd}/u.test(context.text('customer.name') ?? ''),
    rule: 'no digits in Brazil',
  },
  {
    field: 'bank',
    broken: (context) =>
      isEcuadorTransfer(context) && context.has('bank') && !ECUADOR_BANKS.includes(context.text('bank') ?? ''),
    rule: `one of ${ECUADOR_BANKS.join(', ')}`,
  },
];

const RULES: RequestRules<DirectPayment> = {
  operation: PATH.pay,
  shape: directPayment,
  required: [...METHOD_REQUIREMENTS, REGION_REQUIRED, NOTIFY_URL_REQUIRED],
  cross: CROSS_RULES,
};

/** Checks a direct payment order. Throws InvalidRequestError, which names every wrong field. */
export function parseDirectPayment(input: unknown, options?: CheckOptions): DirectPayment {
  return checkRequest(RULES, input, options);
}

const createdOrder = z
  .object({ out_trade_no: looseText, trade_no: looseText, trade_status: looseText })
  .catchall(z.union([z.string(), z.number(), z.boolean()]).transform(String).or(z.unknown()));

/**
 * The answer to an order's creation, with numbers as text, such as a `reference` of SPEI: the interface has only text, and every
 * language must read the same. The named fields show which trade the answer is about.
 */
export const readCreatedOrder = (answer: GatewayResponse): GatewayResponse =>
  createdOrder.parse(withoutEnvelope(answer));

export const DIRECT_PAYMENT: Operation<DirectPayment, GatewayResponse> = {
  rules: RULES,
  ownFields: ['trade_no', 'trade_status'],
  creates: 'order',
  about: ({ out_trade_no }) => `order ${out_trade_no}`,
  read: readCreatedOrder,
};
