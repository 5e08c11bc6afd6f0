import { randomUUID } from 'node:crypto';
import { z } from 'zod';

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
  'not-found': 'query: answers that there is no such order',
  stale: 'query: answers with the state before the present one',
} as const;

/** What can go wrong with an attempt to deliver a notification. */
export const notificationFaults = {
  drop: 'the attempt never leaves, and the next one comes by the schedule',
  delay: 'the attempt leaves `ms` later by the simulator’s clock',
  duplicate: 'the attempt is made twice',
  'wrong-signature': 'the attempt is signed with another key',
} as const;

/** Where faults can be injected: an operation of the gateway, or its notifications. */
export const faultPlaces = ['pay', 'create', 'query', 'ipn'] as const;

/** Where a fault is injected. */
export type FaultPlace = (typeof faultPlaces)[number];
/** A fault of a request. */
export type RequestFault = keyof typeof requestFaults;
/** A fault of a notification. */
export type NotificationFault = keyof typeof notificationFaults;

const isRequestFault = (name: string): name is RequestFault => Object.hasOwn(requestFaults, name);
const isNotificationFault = (name: string): name is NotificationFault => Object.hasOwn(notificationFaults, name);

/** A fault to inject, as the control API takes it. */
export const faultSchema = z
  .strictObject({
    on: z.enum(faultPlaces),
    fault: z.string(),
    /** Only for this order; every order without it. */
    out_trade_no: z.string().optional(),
    /** How often it strikes. */
    times: z.int().min(1).default(1),
    ms: z.int().min(0).optional(),
    http_status: z.int().min(500).max(599).optional(),
  })
  .superRefine(({ on, fault }, context) => {
    const fits = on === 'ipn' ? isNotificationFault(fault) : isRequestFault(fault);
    const onQueryOnly = fault === 'not-found' || fault === 'stale';
    if (fits && (!onQueryOnly || on === 'query')) return;
    const known = Object.keys(on === 'ipn' ? notificationFaults : requestFaults).join(', ');
    context.addIssue({ code: 'custom', message: `there is no fault ${fault} on ${on}; there are ${known}` });
  });

/** A fault to inject. */
export type FaultOrder = z.input<typeof faultSchema>;

/** A fault that is set, and how often it struck. */
export interface Fault {
  id: string;
  on: FaultPlace;
  fault: string;
  out_trade_no: string | null;
  times: number;
  ms: number;
  http_status: number;
  fired: number;
}

/** The faults that wait to strike. */
export class Faults {
  readonly #faults: Fault[] = [];

  add(order: FaultOrder): Fault {
    const { on, fault, out_trade_no = null, times, ms = 0, http_status = 502 } = faultSchema.parse(order);
    const set: Fault = { id: randomUUID(), on, fault, out_trade_no, times, ms, http_status, fired: 0 };
    this.#faults.push(set);
    return { ...set };
  }

  list(): Fault[] {
    return this.#faults.map((fault) => ({ ...fault }));
  }

  clear(): void {
    this.#faults.length = 0;
  }

  /** The fault that strikes this request, counted as fired: the first set of those that fit. */
  onRequest(place: Exclude<FaultPlace, 'ipn'>, outTradeNo: string | undefined) {
    return this.#take(place, outTradeNo, isRequestFault);
  }

  /** The fault that strikes this attempt, counted as fired. */
  onNotification(outTradeNo: string) {
    return this.#take('ipn', outTradeNo, isNotificationFault);
  }

  #take<Name extends string>(place: FaultPlace, outTradeNo: string | undefined, is: (name: string) => name is Name) {
    const struck = this.#faults.find(
      ({ on, out_trade_no, fired, times }) =>
        on === place && fired < times && (out_trade_no === null || out_trade_no === outTradeNo),
    );
    if (!struck || !is(struck.fault)) return undefined;
    struck.fired += 1;
    return { name: struck.fault, ms: struck.ms, http_status: struck.http_status };
  }
}
