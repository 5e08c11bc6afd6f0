import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { isNameIn, namesOf } from '../names';
import { tradeStates } from '../records';
import { refusalCodes } from '../rules/refusal';

/** The names of the operations, for faults and for the OpenAPI document. */
export const operationNames = [
  'pay',
  'create',
  'query',
  'refund',
  'bank-list',
  'installments',
  'wallet-token',
  'account-create',
  'account-cancel',
  'account-query',
  'account-quantity',
] as const;

export type OperationName = (typeof operationNames)[number];

/** The faults of a request. "Before" and "after": before or after the gateway has done what was asked. */
export const requestFaults = {
  'delay-before': 'waits `ms`, then does what was asked and answers',
  delay: 'does what was asked, and answers `ms` later',
  'reset-before': 'cuts the connection; nothing was done',
  'reset-after': 'does what was asked, then cuts the connection',
  '5xx-before': 'answers a proxy’s HTML page with `http_status` (502); nothing was done',
  '5xx-after': 'does what was asked, then answers that page',
  malformed: 'does what was asked, and answers half of the JSON',
  'lost-response': 'does what was asked and never answers; the connection stays open (or is cut after `ms`)',
  'answer-before': 'answers `body` (any JSON, or a text as it is) with `http_status` (200); nothing was done',
  'answer-after': 'does what was asked, and answers that',
  refuse: 'refuses with `code` (20000) and `sub_code`; nothing was done',
  'bank-refusal': 'pay: creates the order, which the bank refuses, and answers `code` (90001) and `sub_code` (71012)',
  'early-ipn': 'pay, create, refund: it is paid (or done) at once, and its notification is sent before the answer',
  'not-found': 'query, account-query: answers that there is no such order or account',
  stale: 'query, account-query: answers with the state before the present one',
} as const;

/** The faults of an attempt to deliver a notification. */
export const notificationFaults = {
  drop: 'the attempt is not sent; the next one comes by the schedule',
  delay: 'the attempt is sent `ms` later by the simulator’s clock',
  reorder: 'the attempt waits until a later notification of its trade or account was attempted; `ms` (10 min) at most',
  duplicate: 'the attempt is made twice',
  'wrong-signature': 'the attempt is signed with another key',
  forge: 'a false state, signed with another key, is sent before the attempt',
} as const;

/** Where faults can be injected: in an operation, or in the notifications (`ipn`). */
export const faultPlaces = [...operationNames, 'ipn'] as const;

export type FaultPlace = (typeof faultPlaces)[number];
export type RequestFault = keyof typeof requestFaults;
export type NotificationFault = keyof typeof notificationFaults;

/** Faults that make sense in some operations only. */
const onlyOn: Readonly<Record<string, readonly FaultPlace[]>> = {
  'bank-refusal': ['pay'],
  'early-ipn': ['pay', 'create', 'refund'],
  'not-found': ['query', 'account-query'],
  stale: ['query', 'account-query'],
};

const faultsOn = (place: FaultPlace): string[] =>
  Object.keys(place === 'ipn' ? notificationFaults : requestFaults).filter(
    (name) => onlyOn[name]?.includes(place) ?? true,
  );
const faultNames = Object.keys({ ...requestFaults, ...notificationFaults });
const listed = (faults: Readonly<Record<string, string>>) =>
  Object.entries(faults)
    .map(([name, does]) => `- \`${name}\`: ${does}`)
    .join('\n');
const faultMeanings = `In an operation:\n${listed(requestFaults)}\n\nIn a notification (\`on: ipn\`):\n${listed(notificationFaults)}`;

/** A field that may be left out; it is `null` then. */
const optional = <Schema extends z.ZodType>(schema: Schema, description = '') =>
  schema.nullable().describe(description).default(null);

/** What a fault can be limited to. Without a limit it strikes every request or attempt of its place. */
const limits = {
  app_id: optional(z.string()),
  out_trade_no: optional(z.string()),
  account_id: optional(z.string()),
  buyer_id: optional(z.string()),
  trade_status: optional(z.enum(tradeStates), '`ipn` only: the state that is notified.'),
};
const limitNames = namesOf(limits);

const fields = z.strictObject({
  on: z.enum(faultPlaces).describe('The operation that fails, or the notifications.'),
  fault: z.string().meta({ enum: faultNames, description: faultMeanings }),
  ...limits,
  times: z.int().min(1).default(1).describe('How often it strikes.'),
  ms: z.int().min(0).default(0).describe('For faults that take time.'),
  http_status: optional(z.int().min(200).max(599), 'For faults that answer; of `5xx` faults 500 to 599.'),
  code: optional(z.enum(namesOf(refusalCodes)), 'For `refuse` and `bank-refusal`.'),
  sub_code: optional(z.string(), 'For `refuse` and `bank-refusal`.'),
  body: optional(z.unknown(), 'For `answer-before` and `answer-after`: any JSON, or a text that is sent as it is.'),
});

/** A fault to inject, as the control API takes it. */
export const faultSchema = fields.superRefine(({ on, fault, http_status }, context) => {
  const known = faultsOn(on);
  if (!known.includes(fault)) {
    const message = `there is no fault ${fault} on ${on}; there are ${known.join(', ')}`;
    context.addIssue({ code: 'custom', message });
  } else if (fault.startsWith('5xx') && http_status !== null && http_status < 500) {
    context.addIssue({ code: 'custom', message: `${fault} has an http_status from 500 to 599` });
  }
});

/** A fault as the control API shows it. */
export const faultViewSchema = fields.extend({ id: z.string(), fired: z.int().describe('How often it struck.') });

export type FaultOrder = z.input<typeof faultSchema>;
/** What a request or an attempt is about. */
export type FaultTarget = { [Name in keyof typeof limits]?: string | null | undefined };

export type Fault = z.output<typeof faultViewSchema>;
/** A fault that strikes now. */
export type Strike<Name extends string = string> = Fault & { name: Name };

/** The faults that wait to strike. */
export class Faults {
  readonly #faults: Fault[] = [];
  readonly #keys = new Set<string>();

  /** Sets a fault. Throws a ZodError if it makes no sense. */
  add(order: FaultOrder): Fault {
    const fault = { id: randomUUID(), ...faultSchema.parse(order), fired: 0 };
    this.#faults.push(fault);
    return { ...fault };
  }

  /** Sets a fault unless it was set with this key before: a repeated request sets it only once. */
  addOnce(key: string, order: FaultOrder): void {
    if (this.#keys.has(key)) return;
    this.#keys.add(key);
    this.add(order);
  }

  list(): Fault[] {
    return this.#faults.map((fault) => ({ ...fault }));
  }

  clear(): void {
    this.#faults.length = 0;
  }

  /** The fault that strikes this request: the first that fits. It is counted as fired. */
  onRequest(place: OperationName, target: FaultTarget): Strike<RequestFault> | undefined {
    return this.#take(place, target, requestFaults);
  }

  /** The fault that strikes this attempt: the first that fits. It is counted as fired. */
  onNotification(target: FaultTarget): Strike<NotificationFault> | undefined {
    return this.#take('ipn', target, notificationFaults);
  }

  #take<Name extends string>(place: FaultPlace, target: FaultTarget, known: Readonly<Record<Name, string>>) {
    const struck = this.#faults.find(
      (fault) =>
        fault.on === place &&
        fault.fired < fault.times &&
        limitNames.every((name) => fault[name] === null || fault[name] === target[name]),
    );
    if (!struck || !isNameIn(known, struck.fault)) return undefined;
    struck.fired += 1;
    return { ...struck, name: struck.fault };
  }
}
