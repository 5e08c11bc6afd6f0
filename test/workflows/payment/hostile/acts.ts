/**
 * What happens in a hostile world, and what people know afterwards. The named schedules are written in these words: a trade is
 * called by its number, T1 the first that was made.
 */
import { defaultPayloadConverter, toPayloads } from '@temporalio/common';
import type { AfterSaleState, PaymentState } from '../../../../src/contract';
import { MINUTE } from '../../../../src/gateway/pure/durations';
import type { Trade, Trouble } from '../../hostile/gateway';
import { type Act, happensIn } from '../../hostile/happens';
import { listFails } from '../../hostile/temporal-down';
import { timelineOf } from '../../hostile/timeline';
import { SECOND } from './schedule';
import type { Story } from './stories';
import { AMOUNT, World } from './world';

/** The world of the test that runs. */
export let world: World;

/** `pick` is the world's chance: a whole number from 0 to n - 1. */
export async function begin(changed: Partial<Story['traits']> = {}, pick = (_n: number) => 0): Promise<void> {
  world = await World.create({ ...changed, pick });
}

/** Ends the world. HOSTILE_TIMELINE prints what happened in it. */
export async function end(): Promise<void> {
  if (process.env.HOSTILE_TIMELINE !== undefined) process.stderr.write(`${timelineOf(world)}\n`);
  await world?.close();
}
afterEach(() => (world ? end() : undefined));

export const happens = happensIn(() => world);

// — What merchants do —

export const pay = () => world.pay();
export const withdraw = () => world.withdraw();
export const refund = () => world.refund();
/** By the plain contract, under the policy that lets every number be used again. */
export const startWith = (args: unknown[]) => () => world.start('ALLOW_DUPLICATE', world.workflowId, args);
export const startAgain = () => world.start('ALLOW_DUPLICATE');
/** A caller forgets the request. */
export const startBroken = startWith([{ kind: 'direct', app_id: 'hostile' }]);
export const adopt = () => world.adopt();
/** Somebody takes a trade on by its own number alone. */
export const adoptAlone = (trade_no: string) => () =>
  world.start('ALLOW_DUPLICATE', `payment:hostile:${trade_no}`, [{ kind: 'adopt', app_id: 'hostile', trade_no }]);

// — What the gateway does —

type Which = string | Trade;
const tradeOf = (which: Which): Trade => {
  if (typeof which !== 'string') return which;
  const trade = world.gateway.trades.find(({ trade_no }) => trade_no === which);
  if (!trade) throw new Error(`no trade ${which}`);
  return trade;
};
export const tradeAt = (i: number): Trade => tradeOf(`T${i + 1}`);

/** A trade comes to this status, and nobody is told. */
export const move = (trade: Which, status: string) => () => world.gateway.move(tradeOf(trade), status);
/** The gateway tells a trade's status; another one, or another amount, where it lies or is late. */
export const notify = (trade: Which, status?: string, more?: { amount?: string; times?: number }) => () =>
  world.notify(tradeOf(trade), status, more);
/** A trade comes to this status, and the gateway says so. */
export const tell = (trade: Which, status: string) => () => {
  world.gateway.move(tradeOf(trade), status);
  world.notify(tradeOf(trade));
};
/** The buyer pays another amount. */
export const costs = (trade: Which, amount: string) => () => Object.assign(tradeOf(trade), { amount });
/** Another system makes an order under our number, and tells nobody. */
export const madeByAnother = (status = 'PROCESSING'): Trade =>
  world.gateway.make({ out_trade_no: world.out_trade_no, amount: AMOUNT }, 'another system', status);
export const anotherMade = (status?: string) => () => madeByAnother(status);
/** Another system makes an order under our number, and the gateway tells it. */
export const anotherTold = (status?: string) => () => world.notify(madeByAnother(status));
export const trouble = (kind: Trouble | undefined) => () => {
  world.gateway.trouble = kind;
};
export const works = trouble(undefined);

// — What becomes of workers and workflows —

export const noWorker = (ms: number) => () => world.leaveWithoutWorker(ms);
export const terminate = () => world.terminate();
export const reset = () => world.reset();
/** To a task, from 0, or from -1 for the last; of the latest run, or of the one with this place. */
export const resetTo = (task: number, which?: number) => () => world.reset(task, which);
export const cancel = () => world.cancel();
export const killWorker = () => world.killWorker();
export const oddSignal =
  (...signal: Parameters<World['oddSignal']>) =>
  () =>
    world.oddSignal(...signal);
/** Temporal's retention is over for the payment's closed runs. */
export const forget = () => world.temporal.forget(world.workflowId);
export const recheck = () => world.recheck();
/** Whatever of this order waits for a person has its word. */
export const decide = (outcome: 'CANCEL' | 'SUCCESS' | 'EXPIRED') => () => world.resolve(outcome);
/** The same of the payment alone, and nobody waits for its answer. */
export const say = (said: object) => () =>
  void world.temporal.update(world.workflowId, 'resolve', { by: 'ana', reason: 'looked', ...said });
/** A person says something of the after-sale. */
export const settle = (said: object) => () => resolveAfterSale(said);

/** Temporal's list of workflows is down after so many more answers. Returns what mends it. */
export const listIsDown = (after = 0) => listFails(world.temporal.client, after);

// — What has happened before much else —

/** Our order is made, paid and sold. */
export async function sell(): Promise<void> {
  await happens(pay, MINUTE, tell('T1', 'SUCCESS'), 10 * MINUTE);
  expect(await outcomeNow()).toBe('SUCCESS');
}

/** Our order is made and cancelled at the gateway. */
export async function endCancelled(): Promise<void> {
  await happens(pay, MINUTE, tell('T1', 'CANCEL'), 10 * MINUTE);
  expect(await outcomeNow()).toBe('CANCEL');
}

/** Another system's order under our number is adopted and sold, and the merchant is answered with it. */
export async function sellAdopted(): Promise<void> {
  await happens(anotherTold('SUCCESS'), 10 * MINUTE, pay, MINUTE);
  expect([await outcomeNow(), answers()]).toEqual(['SUCCESS', ['T1']]);
}

/** The worker is away while a run is started and notified; somebody terminates that run before a worker has taken anything. */
export const cutOff = (start: Act, notified: Act) => () =>
  happens(noWorker(MINUTE), start, SECOND, notified, SECOND, terminate, 5 * MINUTE);

/** Looks are refused, and what looks then is ended. */
export const endWhileSilent = (act: Act) => () => happens(trouble('429'), act, MINUTE, terminate, SECOND, works);

/** Our trade was sold, another is notified to a run that is terminated, and the next one can read the list but so often. */
export async function leftUnread(reads: number): Promise<() => void> {
  await begin();
  await happens(sell, anotherMade('SUCCESS'), cutOff(adopt, notify('T2')));
  const mend = listIsDown(reads);
  adopt();
  return mend;
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
export const open = () => found({ open: true });

/** What people could ever find there. */
export const attentions = () => [...new Set(world.attentions.map(({ attention }) => attention))];

/** The trades of which an open workflow says that a person is needed. */
export async function tradesBeforeAPerson(): Promise<string[]> {
  const trades: string[] = [];
  for (const run of world.runs) {
    if (!run.isRunning || world.temporal.attributesOf(run).PaymentAttention === undefined) continue;
    const { trade_no, other_trades = [] } = await world.within(() => world.state(run));
    trades.push(...(trade_no ? [trade_no] : []), ...other_trades.map((other) => other.trade_no));
  }
  return trades;
}

/** The types of what runs. */
export const running = () => world.runs.filter(({ isRunning }) => isRunning).map(({ start }) => start.type);
export const openUpdates = () => world.run?.openUpdates ?? 0;
/** The creations that reached the gateway, or were tried. */
export const creations = () => world.gateway.exchanges.filter(({ is }) => is === 'creation');

/** The trades that whoever reads the payment's state knows of. */
export async function tradesKnown(): Promise<(string | null)[]> {
  const { trade_no, other_trades } = await stateNow();
  return [trade_no, ...other_trades.map((other) => other.trade_no)];
}

/** The other trades, and what people read of them. */
export const others = async () =>
  (await stateNow()).other_trades.map(({ trade_no, trade_status }) => `${trade_no} ${trade_status}`);

export const outcome = async () => (await stateNow()).outcome;

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
/** Somebody sends the after-sale the end of a payment by hand. */
export const handOver = (state: object) => () => {
  const end = { run_id: 'x', ended_at: world.now, state, reasons: [], watch_until: 0 };
  const said = { sent_again: false, made_here: true, ordered_here: true, repeats: false, asked: [] };
  const given = { end: { ...end, ...said }, claims: [], contradicted: [] };
  world.temporal.latest(AFTER)?.signal('payment', toPayloads(defaultPayloadConverter, given) ?? []);
};
async function resolveAfterSale(said: object): Promise<unknown> {
  const asked = world.temporal.update(AFTER, 'resolve', { by: 'ana', reason: 'looked', ...said });
  return asked && world.temporal.answerTo(asked, 10 * MINUTE).catch((error: unknown) => error);
}
