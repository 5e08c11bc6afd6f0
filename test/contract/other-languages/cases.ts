/** The cases of the contract (clients/cases.json), which every client runs: what is called, and what it must give or fail with. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { APP } from '../../../src/testing/stack';
import { eventually } from '../../harness/eventually';
import { ROOT } from '../../harness/terminal';
import { type Merchant, untilAnswered } from './merchants';

const fields = z.record(z.string(), z.unknown());

const calling = z.strictObject({
  call: z.string(),
  /** The number of the order; by default the case's own. `of` names a part of an answer instead. */
  number: z.string().optional(),
  of: z.string().optional(),
  /** A file of examples/orders, or an order of this file, and what is changed in it. */
  order: z.string().optional(),
  with: fields.optional(),
  refund: z.strictObject({ amount: z.string(), out_request_no: z.string() }).optional(),
  request: z.record(z.string(), z.string()).optional(),
  /** What a payment's state has besides an attention that is null. */
  state: fields.optional(),
  action: z.string().optional(),
  amount: z.string().optional(),
  event: z
    .strictObject({
      signedWith: z.enum(['old', 'new', 'stranger']).default('old'),
      minutesOld: z.number().default(0),
      isChanged: z.boolean().default(false),
      isUnsigned: z.boolean().default(false),
      /** Its type, and the fields of the type. */
      with: fields.default({}),
    })
    .optional(),
  /** What the answer, or the failure, has at least. A text that begins with ~ is a pattern; null is nothing. */
  gives: z.unknown().optional(),
  fails: fields.optional(),
  /** The same as `gives`, as soon as it is so. */
  until: z.unknown().optional(),
  /** Keeps the answer under a name, and compares a later one with it. */
  as: z.string().optional(),
  same: z.string().optional(),
});
/** Temporal forgets a closed workflow of the order, as it does at the end of its retention. */
const forgetting = z.strictObject({ forgets: z.enum(['payment']) });
/** How many requests of the order the gateway had. */
const counting = z.strictObject({ requests: z.string(), count: z.number() });

const file = z.strictObject({
  orders: z.record(z.string(), z.strictObject({ file: z.string(), with: fields })),
  cases: z.array(z.strictObject({ title: z.string(), steps: z.array(z.union([calling, forgetting, counting])) })),
});

const json = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
const { orders, cases } = file.parse(json('clients/cases.json'));

export const CASES = cases;

export interface Around {
  merchant: Merchant;
  /** The case's own order number. */
  number: string;
  account: object;
  secrets: Record<'old' | 'new' | 'stranger', string>;
  requests: (path: string, number: string) => number;
  forget: (workflowId: string) => Promise<void>;
}

/** Whether a step is told that it is pending, and is not to ask until it is answered. */
export const isPending = (step: (typeof cases)[number]['steps'][number]): boolean =>
  'fails' in step && step.fails?.type === 'PaymentPending';

/** Takes the steps of a case, one after the other. */
export async function play(steps: (typeof cases)[number]['steps'], around: Around): Promise<void> {
  const kept = new Map<string, unknown>();
  for (const step of steps) {
    if ('requests' in step) {
      expect([step, around.requests(step.requests, around.number)]).toEqual([step, step.count]);
      continue;
    }
    if ('forgets' in step) {
      await around.forget(`${step.forgets}:${APP.app_id}:${around.number}`);
      continue;
    }
    const ask = isPending(step) ? around.merchant : untilAnswered(around.merchant);
    const { call, refund, request, state, action, amount, as, same, gives, fails, until } = step;
    const number = step.of ? partOf(kept, step.of) : (step.number ?? '{number}').replace('{number}', around.number);
    const asked = {
      ...{ call, number, refund, request, action, amount },
      ...(state ? { state: { attention: null, ...state } } : {}),
      ...(step.order ? { order: orderOf(step.order, step.with, number) } : {}),
      ...(call === 'accounts.create' ? { account: around.account } : {}),
      ...(step.event ? signed(step.event, around.secrets) : {}),
    };
    if (until !== undefined) {
      const isSo = async () => isLike((await ask(asked)).answer, until);
      await eventually(`${call} gives ${JSON.stringify(until)}`, isSo, UNTIL_MS);
      continue;
    }
    const { answer, error } = await ask(asked);
    // In which order they come is nobody's promise.
    const given =
      error && Array.isArray(error.fields) ? { ...error, fields: error.fields.toSorted() } : (error ?? answer);
    expect({ step, isFailure: error !== undefined, given }).toEqual({ step, isFailure: fails !== undefined, given });
    const wanted = fails ?? gives;
    if (wanted !== undefined && !isLike(given, wanted)) expect({ step, given }).toEqual({ step, given: wanted });
    if (same) expect({ step, answer }).toEqual({ step, answer: kept.get(same) });
    if (as) kept.set(as, answer);
  }
}

/** A program needs time where many run: far longer than any has taken. */
const UNTIL_MS = 100_000;

/** A field of a kept answer: `account.account_id`. */
function partOf(kept: Map<string, unknown>, path: string): string {
  const [name = '', field = ''] = path.split('.');
  return String(fields.parse(kept.get(name))[field]);
}

function orderOf(name: string, changes: object = {}, out_trade_no: string): object {
  const { file = name, with: own = {} } = orders[name] ?? {};
  const { request } = z.object({ request: fields }).parse(json(`examples/orders/${file}.json`));
  return { ...request, ...own, ...changes, out_trade_no };
}

const EVENT = {
  ...{ id: 'payment:demo-app:order-1:SUCCESS:1', type: 'transition', time: '2026-03-02T12:04:10.120Z' },
  transition: { time: '2026-03-02T12:04:10.120Z', from: 'PROCESSING', to: 'SUCCESS', source: 'query' },
  payment: { out_trade_no: 'pedido-ñ', outcome: 'SUCCESS', order_amount: '150.00' },
};

type Signing = NonNullable<z.output<typeof calling>['event']>;

/** The request of an event, as the worker posts it, or as somebody else would. */
function signed({ signedWith, minutesOld, isChanged, isUnsigned, with: own }: Signing, secrets: Around['secrets']) {
  const time = new Date(Date.now() - minutesOld * 60_000);
  const body = JSON.stringify({ ...EVENT, ...own });
  const signature = new Webhook(secrets[signedWith]).sign(EVENT.id, time, body);
  return {
    secrets: `${secrets.old},${secrets.new}`,
    body: isChanged ? body.replace('150.00', '15000.00') : body,
    headers: {
      'webhook-id': EVENT.id,
      'webhook-timestamp': String(Math.floor(time.getTime() / 1000)),
      ...(isUnsigned ? {} : { 'webhook-signature': signature }),
    },
  };
}

/** Whether an answer has what is wanted. Nothing is null, absent, or the empty text that Go has for it. */
function isLike(given: unknown, wanted: unknown): boolean {
  if (wanted === null) return given === null || given === undefined || given === '';
  if (typeof wanted === 'string' && wanted.startsWith('~')) {
    return ['string', 'number'].includes(typeof given) && new RegExp(wanted.slice(1)).test(String(given));
  }
  if (Array.isArray(wanted)) {
    return Array.isArray(given) && given.length >= wanted.length && wanted.every((one, at) => isLike(given[at], one));
  }
  if (typeof wanted !== 'object') return given === wanted;
  if (typeof given !== 'object' || given === null) return false;
  return Object.entries(wanted).every(([name, one]) => isLike(Reflect.get(given, name), one));
}
