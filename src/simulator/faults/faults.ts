import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { isRefusalCode, type RefusalCode, refusals } from '../operations/answers';
import { tradeStatuses } from '../trades/states';

/** The operations in which a request can go wrong. */
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

/** The name of an operation. */
export type OperationName = (typeof operationNames)[number];

/** What can go wrong with a request, and when. "Before" and "after" are about the gateway doing what was asked. */
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
  'early-ipn': 'pay, create, refund: it is paid (or done) at once, and its notification comes before the answer',
  'not-found': 'query, account-query: answers that there is no such order or account',
  stale: 'query, account-query: answers with the state before the present one',
} as const;

/** What can go wrong with an attempt to deliver a notification. */
export const notificationFaults = {
  drop: 'the attempt never leaves, and the next one comes by the schedule',
  delay: 'the attempt leaves `ms` later by the simulator’s clock',
  reorder: 'the attempt waits until a later notification of its trade or account was attempted; `ms` (10 min) at most',
  duplicate: 'the attempt is made twice',
  'wrong-signature': 'the attempt is signed with another key',
  forge: 'before the attempt comes a lie about the state, signed with another key',
} as const;

/** Where faults can be injected: an operation of the gateway, or its notifications. */
export const faultPlaces = [...operationNames, 'ipn'] as const;

/** Where a fault is injected. */
export type FaultPlace = (typeof faultPlaces)[number];
/** A fault of a request. */
export type RequestFault = keyof typeof requestFaults;
/** A fault of a notification. */
export type NotificationFault = keyof typeof notificationFaults;

/** The faults that make sense in some operations only. */
const onlyOn: Partial<Record<string, readonly FaultPlace[]>> = {
  'bank-refusal': ['pay'],
  'early-ipn': ['pay', 'create', 'refund'],
  'not-found': ['query', 'account-query'],
  stale: ['query', 'account-query'],
};

const isRequestFault = (name: string): name is RequestFault => Object.hasOwn(requestFaults, name);
const isNotificationFault = (name: string): name is NotificationFault => Object.hasOwn(notificationFaults, name);

const faultNames = [...new Set([...Object.keys(requestFaults), ...Object.keys(notificationFaults)])];
const meaningsOf = (faults: Readonly<Record<string, string>>) =>
  Object.entries(faults).map(([name, does]) => `- \`${name}\`: ${does}`);
const faultMeanings = [
  'In an operation:',
  ...meaningsOf(requestFaults),
  '\nIn a notification (`on: ipn`):',
  ...meaningsOf(notificationFaults),
].join('\n');

/** What a fault can be limited to; without any of them it strikes every request or attempt of its place. */
const filters = {
  app_id: z.string().optional(),
  out_trade_no: z.string().optional(),
  account_id: z.string().optional(),
  buyer_id: z.string().optional(),
  trade_status: z.enum(tradeStatuses).optional().describe('`ipn` only: the state that is notified.'),
};

/** A fault to inject, as the control API takes it. */
export const faultSchema = z
  .strictObject({
    on: z.enum(faultPlaces).describe('The operation that goes wrong, or the notifications.'),
    fault: z.string().meta({ enum: faultNames, description: faultMeanings }),
    ...filters,
    times: z.int().min(1).default(1).describe('How often it strikes.'),
    ms: z.int().min(0).optional().describe('For faults that take time.'),
    http_status: z.int().min(200).max(599).optional().describe('For faults that answer; of `5xx` faults 500 to 599.'),
    code: z
      .custom<RefusalCode>(isRefusalCode, `must be one of ${Object.keys(refusals).join(', ')}`)
      .meta({ type: 'string', enum: Object.keys(refusals), description: 'For `refuse` and `bank-refusal`.' })
      .optional(),
    sub_code: z.string().optional().describe('For `refuse` and `bank-refusal`.'),
    body: z.unknown().optional().describe('For `answer-before` and `answer-after`: any JSON, or a text sent as it is.'),
  })
  .superRefine(({ on, fault, http_status }, context) => {
    const exists = on === 'ipn' ? isNotificationFault(fault) : isRequestFault(fault);
    if (exists && (onlyOn[fault]?.includes(on) ?? true)) {
      if (!fault.startsWith('5xx') || http_status === undefined || http_status >= 500) return;
      context.addIssue({ code: 'custom', message: `${fault} has an http_status from 500 to 599` });
      return;
    }
    const all = Object.keys(on === 'ipn' ? notificationFaults : requestFaults);
    const known = all.filter((name) => onlyOn[name]?.includes(on) ?? true).join(', ');
    context.addIssue({ code: 'custom', message: `there is no fault ${fault} on ${on}; there are ${known}` });
  });

/** A fault to inject. */
export type FaultOrder = z.input<typeof faultSchema>;

/** Whom a request or an attempt is about. */
export type FaultTarget = { [Filter in keyof typeof filters]?: string | undefined };

const text = z.string().nullable();

/** A fault that is set, and how often it struck. */
export const faultViewSchema = z.object({
  id: z.string(),
  on: z.enum(faultPlaces),
  fault: z.string(),
  app_id: text,
  out_trade_no: text,
  account_id: text,
  buyer_id: text,
  trade_status: text,
  times: z.int(),
  ms: z.int(),
  http_status: z.int().nullable(),
  code: z
    .custom<RefusalCode>(isRefusalCode)
    .meta({ type: 'string', enum: Object.keys(refusals) })
    .nullable(),
  sub_code: text,
  body: z.unknown(),
  fired: z.int().describe('How often it struck.'),
});

/** A fault that is set. */
export type Fault = z.output<typeof faultViewSchema>;

/** A fault that strikes now. */
export type Strike<Name extends string> = Pick<Fault, 'ms' | 'http_status' | 'code' | 'sub_code' | 'body'> & {
  name: Name;
};

/** The faults that wait to strike. */
export class Faults {
  readonly #faults: Fault[] = [];
  readonly #once = new Set<string>();

  add(order: FaultOrder): Fault {
    const {
      on,
      fault,
      times,
      ms = 0,
      http_status = null,
      code = null,
      sub_code = null,
      ...given
    } = faultSchema.parse(order);
    const {
      app_id = null,
      out_trade_no = null,
      account_id = null,
      buyer_id = null,
      trade_status = null,
      body = null,
    } = given;
    const limits = { app_id, out_trade_no, account_id, buyer_id, trade_status };
    const set: Fault = {
      id: randomUUID(),
      on,
      fault,
      ...limits,
      times,
      ms,
      http_status,
      code,
      sub_code,
      body,
      fired: 0,
    };
    this.#faults.push(set);
    return { ...set };
  }

  /** Adds a fault unless it was added under this key before: a request that is made again sets it only once. */
  addOnce(key: string, order: FaultOrder): void {
    if (this.#once.has(key)) return;
    this.#once.add(key);
    this.add(order);
  }

  list(): Fault[] {
    return this.#faults.map((fault) => ({ ...fault }));
  }

  clear(): void {
    this.#faults.length = 0;
  }

  /** The fault that strikes this request, counted as fired: the first set of those that fit. */
  onRequest(place: OperationName, target: FaultTarget): Strike<RequestFault> | undefined {
    return this.#take(place, target, isRequestFault);
  }

  /** The fault that strikes this attempt, counted as fired. */
  onNotification(target: FaultTarget): Strike<NotificationFault> | undefined {
    return this.#take('ipn', target, isNotificationFault);
  }

  #take<Name extends string>(place: FaultPlace, target: FaultTarget, is: (name: string) => name is Name) {
    const struck = this.#faults.find(
      (fault) =>
        fault.on === place &&
        fault.fired < fault.times &&
        fits(fault.app_id, target.app_id) &&
        fits(fault.out_trade_no, target.out_trade_no) &&
        fits(fault.account_id, target.account_id) &&
        fits(fault.buyer_id, target.buyer_id) &&
        fits(fault.trade_status, target.trade_status),
    );
    if (!struck || !is(struck.fault)) return undefined;
    struck.fired += 1;
    const { ms, http_status, code, sub_code, body } = struck;
    return { name: struck.fault, ms, http_status, code, sub_code, body };
  }
}

function fits(wanted: string | null, actual: string | undefined): boolean {
  return wanted === null || wanted === actual;
}
