/** What happens after a sale, and what people and the gateway know then. The named schedules are written in these words. */
import { HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { answering } from '../../hostile/answering';
import { APP } from '../../hostile/base-world';
import { type RefundPlan, refusal, said, type TrueRefund } from '../../hostile/gateway';
import { happensIn } from '../../hostile/happens';
import { type Traits, World } from './world';

/** The world of the test that runs. */
export let world: World;

export const open = async (traits: Partial<Traits> = {}) => {
  world = await World.create(traits);
};
export const openWatched = (traits: Partial<Traits> = {}) => open({ watchWindow: '3d', ...traits });
afterEach(() => {
  jest.restoreAllMocks();
  return world?.close();
});

export const happens = happensIn(() => world);

export const SECOND = 1_000;
/** What becomes of a refund at the gateway. */
export const DONE = { takes_ms: 0, ends: 'done' } as const;
export const LONG = { takes_ms: 5 * HOUR, ends: 'done' } as const;
export const REVOKED = { takes_ms: 0, ends: 'revoked' } as const;
export const REFUSED = { takes_ms: 0, ends: 'refused' } as const;

/** An act that calls this method of the world. */
const does =
  <Args extends readonly unknown[]>(method: (...args: Args) => unknown) =>
  (...args: Args) =>
  () =>
    method(...args);

// — What merchants do —

/** Asks for a refund of this amount, under this number. */
export const ask = does((amount: string, number?: string) => world.ask({ amount, number }));
/** Parts of 50.00 are refunded, one after the other. */
export const parts =
  (...numbers: string[]) =>
  () =>
    happens(...numbers.flatMap((number) => [ask('50.00', number), 10 * MINUTE]));
export const comesLate = () => world.comesLate();

// — What the gateway, its desk and the bank do —

/** The trade comes to this status, and nobody is told. */
export const move = does((status: string) => world.gateway.move(world.sold, status));
/** The gateway tells a status; of a refund by its number. */
export const tell = does((status: string, number?: string) => world.deliver({ at: world.now, status, number }));
export const notify = does((which: 'all' | 'the latest') => world.tellNews(which));
export const desk = does((...of: Parameters<World['desk']>) => world.desk(...of));
/** Somebody else refunds, or tries to, under a number. */
export const makes = does((number: string, amount: string, by: TrueRefund['by'], plan: RefundPlan) =>
  world.gateway.giveBack(world.sold, number, amount, by, plan),
);
export const comesBack = does((number: string, status?: string) => world.gateway.comesBack(world.sold, number, status));
export const giveUp = does((by: TrueRefund['by'], isNamed: boolean) => world.gateway.giveUp(world.sold, by, isNamed));
export const chargeBackAndReverse = () => world.chargeBackAndReverse();
export const trouble = does((kind: World['gateway']['trouble']) => {
  world.gateway.trouble = kind;
});
export const works = trouble(undefined);
/** The gateway denies the trade: an order number that a merchant mistyped, or a trade that it lost. */
export const denyTheTrade = () => answering(world.gateway, () => refusal('trade-not-exist', '40004'));

// — What becomes of workers and workflows —

export const noWorker = does((ms: number) => world.leaveWithoutWorker(ms));
export const terminate = () => world.terminate();
export const reset = () => world.reset();
/** The same to the last task, of the latest run or of an earlier one. */
export const resetToLast = does((which?: number) => world.reset('last', which));
export const renameQueue = () => world.renameQueue();
export const cancel = () => world.run?.requestCancel('the button');
export const recheck = () => world.temporal.update(world.workflowId, 'recheck');

// — What people do —

export const untilShown = does((status: string) => world.untilShown(status));
export const resolve = does((...said: Parameters<World['resolve']>) => world.resolve(...said));
/** A person has read what is shown of the trade, and says so. */
export const settle = () => world.settle();
export const nameElsewhere = () => world.nameElsewhere();
export const readDashboard = () => world.readDashboard();
export const resolveRefund = () => world.resolveRefund();
/** A person says what the dashboard shows of the refund that waits for one. */
export const decideStuck = () => happens(readDashboard, resolveRefund, MINUTE);
/** A person says of each refund that is asked about what the dashboard shows. */
export const decideAll = () => happens(decideStuck, decideStuck, decideStuck, decideStuck);

/** A refund of a trade that somebody has named is asked for while the gateway is silent: a denial later is not that of a mistyped number. */
export async function askInSilence(): Promise<void> {
  const mend = answering(world.gateway, () => said(502, '<html>'));
  const { out_trade_no, trade_no } = world.sold;
  await world.temporal.start('afterSale', world.workflowId, { app_id: APP, out_trade_no, trade_no });
  await happens(ask('150.00', 'a'), MINUTE, mend);
}

// — What is known —

/** How many queries the gateway has answered, or failed to. */
export const queries = () => world.gateway.exchanges.filter(({ is }) => is === 'query').length;
export const goneBack = () => world.gateway.gone().toFixed(2);
export const amountGoneBack = () => Number(goneBack());
export const refundOf = async (number: string) =>
  (await world.state())?.refunds.find(({ out_request_no }) => out_request_no === number);
export const attention = async () => (await world.state())?.attention;
export const numbersMade = () => world.gateway.refunds.map(({ number }) => number);
export const isMade = (number: string) => numbersMade().includes(number);
export const isTold = (number: string) => world.told.some((one) => one.is === 'answer' && one.order.number === number);
