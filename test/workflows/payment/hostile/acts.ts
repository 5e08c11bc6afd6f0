/** What happens in a hostile world, and what people know afterwards. The named schedules are written in these words. */

import type { AfterSaleState, PaymentState } from '../../../../src/contract';
import { MINUTE } from '../../../../src/gateway/pure/durations';
import type { LedgerTrade } from './gateway';
import { story } from './schedule';
import type { Story } from './stories';
import { timelineOf } from './timeline';
import { AMOUNT, World } from './world';

/** The world of the test that runs. */
export let world: World;

/** `pick` is the world's chance: a whole number from 0 to n - 1. */
export async function begin(changed: Partial<Story['traits']> = {}, pick = (_n: number) => 0): Promise<void> {
  world = await World.create({ ...story([], changed).traits, pick });
}

/** Ends the world. HOSTILE_TIMELINE prints what happened in it. */
export async function end(): Promise<void> {
  if (process.env.HOSTILE_TIMELINE !== undefined) process.stderr.write(`${timelineOf(world)}\n`);
  await world?.close();
}

// — What happens —

export async function pay(ms: number): Promise<void> {
  world.pay();
  await world.pass(ms);
}

export const tradeAt = (i: number): LedgerTrade => {
  const trade = world.gateway.trades[i];
  if (!trade) throw new Error('no such trade');
  return trade;
};

/** Our order is made, paid and sold. */
export async function sell(): Promise<void> {
  await pay(MINUTE);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(10 * MINUTE);
  expect(await outcomeNow()).toBe('SUCCESS');
}

/** Another system makes an order under our number, and tells nobody. */
export const madeByAnother = (status = 'PROCESSING'): LedgerTrade =>
  world.gateway.make({ out_trade_no: world.out_trade_no, amount: AMOUNT }, 'another system', status);

/** A caller forgets the request. */
export async function startBroken(ms: number): Promise<void> {
  world.start('ALLOW_DUPLICATE', world.workflowId, [{ kind: 'direct', app_id: 'hostile' }]);
  await world.pass(ms);
}

export async function startAgain(ms: number): Promise<void> {
  world.start('ALLOW_DUPLICATE');
  await world.pass(ms);
}

/** A trade is paid, and the gateway says so. */
export function paid(trade: LedgerTrade): void {
  world.gateway.move(trade, 'SUCCESS');
  world.notify(trade);
}

/** Temporal's list of workflows is down after so many more answers. Returns what mends it. */
export function listIsDown(after = 0): () => void {
  const { workflow } = world.temporal.client;
  const { list } = workflow;
  let left = after;
  Object.assign(workflow, {
    list: (...args: unknown[]) => {
      if (left <= 0) throw new Error('the list of workflows is down');
      left -= 1;
      return Reflect.apply(list, workflow, args);
    },
  });
  return () => Object.assign(workflow, { list });
}

// — What people know —

/** What the merchant's client says of the order now, or the name of its error. */
export const stateNow = (): Promise<PaymentState> => world.within(() => world.payments.state(world.out_trade_no));

/** What the merchant who waits for the outcome is told; undefined while there is nothing. */
export async function outcomeNow(): Promise<string | null | undefined> {
  let said: string | null | undefined;
  world.payments.outcome(world.out_trade_no).then(
    ({ outcome }) => {
      said = outcome;
    },
    (error: Error) => {
      said = error.name;
    },
  );
  await world.pass(MINUTE);
  return said;
}

/** What each call of `pay` was answered: the trade, or the error. */
export const answers = () =>
  world.told.flatMap((one) => {
    if (one.is === 'failure') return [one.type];
    return one.is === 'payment data' ? [one.data.trade_no] : [];
  });

/** What people find under `PaymentAttention is not null` in the whole app; `open`: of what still runs. */
export function found({ open = false } = {}): string[] {
  const runs = world.temporal.allRuns().filter(({ isRunning }) => isRunning || !open);
  return runs.flatMap((run) => {
    const { PaymentAttention } = world.temporal.attributesOf(run);
    return typeof PaymentAttention === 'string' ? [PaymentAttention] : [];
  });
}

/** The trades that whoever reads the payment's state knows of. */
export async function tradesKnown(): Promise<(string | null)[]> {
  const { trade_no, other_trades } = await stateNow();
  return [trade_no, ...other_trades.map((other) => other.trade_no)];
}

export const attentions = () => [...new Set(world.attentions.map(({ attention }) => attention))];

/** The sale as it stands, and whether anybody has to look at it. */
export async function sale() {
  const { outcome, trade_no, attention } = await stateNow();
  return { outcome, trade_no, attention };
}

export const AFTER = 'after-sale:hostile:order-1';
export async function afterSale(): Promise<AfterSaleState | undefined> {
  const run = world.temporal.latest(AFTER);
  return run && world.within(() => world.temporal.query<AfterSaleState>(run, 'state'));
}
export async function resolveAfterSale(said: object): Promise<unknown> {
  const asked = world.temporal.update(AFTER, 'resolve', { by: 'ana', reason: 'looked', ...said });
  if (!asked) return 'not running';
  return world.temporal.answerTo(asked, 10 * MINUTE).then(
    (a) => JSON.stringify(a).slice(0, 100),
    (e) => `${e} ${e?.cause}`,
  );
}
export const open = () =>
  world.runs.flatMap((run) => {
    const { PaymentAttention } = world.temporal.attributesOf(run);
    return run.isRunning && typeof PaymentAttention === 'string' ? [PaymentAttention] : [];
  });
