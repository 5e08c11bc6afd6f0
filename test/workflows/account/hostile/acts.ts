/** What happens to a virtual account and its deposits, and what people know then: the named schedules are written in these words. */
import { createSpeiAccountWorkflowId, type SpeiAccountCreation, speiAccountWorkflowId } from '../../../../src/contract';
import { MINUTE } from '../../../../src/gateway/pure/durations';
import { answering } from '../../hostile/answering';
import { APP } from '../../hostile/base-world';
import { refusal, said, type Trade } from '../../hostile/gateway';
import { happensIn } from '../../hostile/happens';
import { listFails, runsAreSilent } from '../../hostile/temporal-down';
import { type Traits, World } from './world';

export const A1 = speiAccountWorkflowId(APP, 'A1');
export const CREATION = createSpeiAccountWorkflowId(APP, 'k1');

/** The world of the test that runs. */
export let world: World;

export async function open(traits: Partial<Traits> = {}): Promise<void> {
  world = await World.create(traits);
}
afterEach(() => {
  jest.restoreAllMocks();
  return world?.close();
});

Error.stackTraceLimit = 0;

export const happens = happensIn(() => world);

// — What buyers, merchants and the gateway do: a deposit is called by its number, D1 the first —

type Which = string | Trade;
const depositOf = (which: Which): Trade => {
  const found = typeof which === 'string' ? world.gateway.trades.find((one) => one.out_trade_no === which) : which;
  if (!found) throw new Error(`no deposit ${which}`);
  return found;
};
/** Money comes to the account A1, and nobody is told. */
export const deposit = (amount: string, status?: string) => () => world.gateway.deposit('A1', amount, status);
/** The gateway tells a deposit's status; another one, or another amount, where it lies or is late. */
export const notify = (which: Which, status?: string, more?: { times?: number; amount?: string }) => () =>
  world.notify(depositOf(which), status, more);
/** Money comes to the account A1, and the gateway says so; `said`: that it is something else. */
export const transfer = (amount: string, status?: string, said?: string) => () =>
  world.notify(world.gateway.deposit('A1', amount, status), said);
export const move = (which: Which, status: string) => () => world.gateway.move(depositOf(which), status);
export const trouble = (kind: World['gateway']['trouble']) => () => {
  world.gateway.trouble = kind;
};
export const works = trouble(undefined);
/** A merchant asks for the account of a key. */
/** The gateway refuses to cancel; where `isLost`, by default of the first request, its answer is lost. */
export function refusesToCancel(isLost: (cancels: number) => boolean = (cancels) => cancels === 1) {
  const seen = { cancels: 0 };
  const mend = answering(world.gateway, ({ path, ask }) => {
    if (!path.endsWith('/cancel')) return ask();
    seen.cancels += 1;
    return isLost(seen.cancels) ? said(503, {}) : refusal('account-status-abnormal');
  });
  return { seen, mend };
}

export const create = (key: string) => () => world.create(key);
// — What becomes of workers and workflows, and what people do —

export const noWorker = (ms: number) => () => world.leaveWithoutWorker(ms);
export const terminate = () => world.terminate('A1');
export const resolve = () => world.resolve();
/** An update of the account, or of another workflow, whose answer may be long in coming. */
export const update = (name: string, workflowId = A1, ...args: object[]) =>
  world.within(async () => world.temporal.update(workflowId, name, ...args));
export const listIsDown = () => listFails(world.temporal.client);
export const earlierRunsAreSilent = () => runsAreSilent(world.temporal.client);

// — What is known —

export const accountNow = () => world.state('A1');
/** The creation of the key k1, as people read it. */
export const creationNow = () =>
  world.within(async () => {
    const run = world.temporal.latest(CREATION);
    return run && world.temporal.query<SpeiAccountCreation>(run, 'state');
  });
export const attention = async () => (await accountNow())?.attention;
/** The accounts of the key k1 at the gateway. */
export const made = () => world.gateway.accounts.filter(({ buyer_id }) => buyer_id === 'k1');
export const answers = () => world.told.flatMap((one) => (one.is === 'account' ? [one.account_id] : []));
export function attentionOf(workflowId: string) {
  const run = world.temporal.latest(workflowId);
  return run && world.temporal.attributesOf(run).PaymentAttention;
}
export const attentionOfCreation = () => attentionOf(CREATION);

/** The account's latest run. */
export function latest() {
  const run = world.temporal.latest(A1);
  if (!run) throw new Error('nobody follows the account');
  return run;
}

/** The account's second run, which began with what the first has handed on. */
export async function secondRun() {
  await open({ continuesAfter: 40 });
  while (world.temporal.latest(A1)?.start.firstRunId === undefined) await happens(transfer('1.00'), MINUTE);
  return latest();
}
