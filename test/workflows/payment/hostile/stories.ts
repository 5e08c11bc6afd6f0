/**
 * Stories: what may happen to one order, drawn at random. Each story first draws which kinds of hostility it may meet
 * (swarm testing: rare combinations drown where everything may happen at once), then a number of steps of those kinds.
 */
import fc from 'fast-check';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import type { WorkflowRun } from '../../../../src/testing/simulated-temporal/workflow-run';
import type { Broken } from '../../hostile/base-world';
import { type Mishap, type RefundPlan, statusOf, type Trouble } from '../../hostile/gateway';
import { attentionIsTold } from '../../hostile/oracle';
import { playing } from '../../hostile/play';
import {
  absences,
  byHand,
  type CommonStep,
  deaths,
  lackingApps,
  takeCommon,
  troubles,
  waits,
} from '../../hostile/steps';
import { type Story as SwarmStory, storiesOf } from '../../hostile/swarm';
import { waitersAreAnswered } from './answers';
import { isStillWatching, liveness, mayStillBePaid, type Seen, safety } from './oracle';
import { AMOUNT, type TradeBefore, type Traits, World } from './world';

/** One step of a story, as plain data: it prints, shrinks and replays. */
export type Step =
  | CommonStep
  | {
      do:
        | 'pay'
        | 'pay other'
        | 'pay otherwise'
        | 'pay many'
        | 'pay on each view'
        | 'withdraw'
        | 'await outcome'
        | 'refund';
    }
  | { do: 'start again' | 'start elsewhere' | 'start broken' | 'adopt by number' }
  /** Temporal forgets the payment, whose after-sale goes on. */
  | { do: 'retention' }
  | { do: 'paid' | 'paid wrongly' | 'paid late' }
  | { do: 'ends'; as?: 'CANCEL' | 'EXPIRED' | 'REFUSED' }
  | { do: 'another trade'; paid: boolean; silently?: boolean }
  | { do: 'notify'; times: number }
  | { do: 'notify first' | 'notify lie' | 'notify wrong amount' | 'notify progress' }
  | {
      do:
        | 'recheck'
        | 'cancel'
        | 'terminate'
        | 'reset'
        | 'reset to the last task'
        | 'reset to its wait'
        | 'empty signal'
        | 'odd signal';
    }
  /** `correct`: after the end, a person says that it was otherwise. */
  | { do: 'resolve' | 'correct'; outcome: 'CANCEL' | 'SUCCESS' | 'REFUSED' };

/** The kinds of hostility that a story draws from. */
export const KINDS = {
  /** Always in it: time, the buyer, the merchant who asks again, and true notifications. */
  life: fc.oneof(
    { weight: 4, arbitrary: waits(5_000, 20_000, MINUTE, 10 * MINUTE, 45 * MINUTE, 2 * HOUR, 10 * HOUR) },
    { weight: 2, arbitrary: fc.constant<Step>({ do: 'paid' }) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom('CANCEL' as const, 'CANCEL' as const, 'EXPIRED' as const, 'REFUSED' as const)
        .map((as): Step => ({ do: 'ends', as })),
    },
    { weight: 2, arbitrary: fc.constantFrom(1, 1, 7).map((times): Step => ({ do: 'notify', times })) },
    { weight: 1, arbitrary: fc.constant<Step>({ do: 'pay' }) },
  ),
  late: fc.constant<Step>({ do: 'paid late' }),
  wrongMoney: fc.constantFrom<Step>({ do: 'paid wrongly' }, { do: 'notify wrong amount' }),
  secondTrade: fc.boolean().map((paid): Step => ({ do: 'another trade', paid })),
  lies: fc.constantFrom<Step>({ do: 'notify lie' }, { do: 'notify progress' }),
  outages: troubles(
    ['unreachable', 'resets', '429', '500', '503', 'html', 'credentials'],
    [20_000, 2 * MINUTE, HOUR, 20 * HOUR, 3 * DAY],
  ),
  denials: troubles(['no such order'], [20_000, 5 * MINUTE, 3 * HOUR]),
  forGood: fc
    .constantFrom<Trouble>('credentials', 'no such order', '429')
    .map((kind): Step => ({ do: 'outage', kind })),
  deaths,
  absences: absences(2 * MINUTE, 2 * HOUR, 20 * HOUR, 3 * DAY),
  settings: lackingApps,
  byHand,
  operators: fc.oneof(
    fc
      .constantFrom('CANCEL' as const, 'CANCEL' as const, 'SUCCESS' as const, 'REFUSED' as const)
      .map((outcome): Step => ({ do: 'resolve', outcome })),
    fc.constant<Step>({ do: 'recheck' }),
  ),
  corrections: fc
    .constantFrom('CANCEL' as const, 'SUCCESS' as const)
    .map((outcome): Step => ({ do: 'correct', outcome })),
  cancels: fc.constant<Step>({ do: 'cancel' }),
  terminations: fc.constant<Step>({ do: 'terminate' }),
  resets: fc.constantFrom<Step>({ do: 'reset' }, { do: 'reset to the last task' }, { do: 'reset to its wait' }),
  starts: fc.constantFrom<Step>(
    { do: 'start again' },
    { do: 'start elsewhere' },
    { do: 'start broken' },
    { do: 'adopt by number' },
  ),
  manyCalls: fc.constantFrom<Step>({ do: 'pay many' }, { do: 'pay on each view' }),
  others: fc.constantFrom<Step>({ do: 'pay other' }, { do: 'pay otherwise' }),
  withdrawals: fc.constant<Step>({ do: 'withdraw' }),
  waiters: fc.constant<Step>({ do: 'await outcome' }),
  refunds: fc.constant<Step>({ do: 'refund' }),
  retention: fc.constant<Step>({ do: 'retention' }),
  oddSignals: fc.constantFrom<Step>({ do: 'empty signal' }, { do: 'odd signal' }),
} as const;
export type Kind = keyof typeof KINDS;

const mishap = fc.constantFrom<Mishap>(
  ...([
    'none',
    'lost before it arrived',
    'answer lost',
    'answer lost',
    'carried out late',
    'unreachable',
    'temporary',
    'overloaded',
  ] as const),
  ...(['refused for good', 'credentials', 'created and refused'] as const),
);

export type Story = SwarmStory<Partial<Omit<Traits, 'pick'>>, Step>;

const refundMishap = fc.constantFrom<Mishap>(
  ...(['none', 'none', 'lost before it arrived', 'answer lost', 'unreachable', 'refused for good'] as const),
);

/** Most stories meet the defaults: each of these changes what is right. */
const worker = {
  late: fc.constantFrom('attention' as const, 'attention' as const, 'accept' as const, 'refund' as const),
  confirmByQuery: fc.constantFrom(true, true, true, true, false),
  kind: fc.constantFrom('direct' as const, 'direct' as const, 'checkout' as const),
  method: fc.constantFrom('PIX' as const, 'Wallet' as const),
  hidesTradeNo: fc.constantFrom(false, false, false, true),
  mishaps: fc.array(refundMishap, { maxLength: 2 }),
  plan: fc.constantFrom<RefundPlan>(...[0, 0, 0, HOUR].map((takes_ms) => ({ takes_ms, ends: 'done' as const }))),
  childStarts_ms: fc.constantFrom(0, 0, 0, MINUTE, HOUR),
};

/** Another system, or a counter of the merchant's that began anew, has used the number already. */
const before = fc.record<TradeBefore>({
  amount: fc.constantFrom(AMOUNT, '15.00'),
  isPaid: fc.boolean(),
  isNotified: fc.boolean(),
});

/** One creation, and then a gateway that takes no connection for minutes. */
const refused = fc
  .tuple(mishap, fc.constantFrom(8, 31))
  .map(([first, times]) => [first, ...Array.from({ length: times }, () => 'unreachable' as const)]);

const anyWorld: fc.Arbitrary<Story['traits']> = fc.record({
  takesNumbersTwice: fc.boolean(),
  lag_ms: fc.constantFrom(0, 0, 0, 2_000, 10_000, 120_000),
  findsBy: fc.constantFrom(
    'both ids' as const,
    'both ids' as const,
    'trade_no alone' as const,
    'out_trade_no alone' as const,
  ),
  shows: fc.constantFrom('the first' as const, 'the latest' as const),
  forgetsAfter_ms: fc.constantFrom(0, 0, 0, 0, 4 * HOUR),
  creations: fc.oneof({ weight: 5, arbitrary: fc.array(mishap, { maxLength: 3 }) }, { weight: 1, arbitrary: refused }),
  late_ms: fc.constantFrom(5_000, 25_000, 5 * MINUTE),
  noSuchOrder: fc.constantFrom('trade-not-exist' as const, 'order-not-found' as const),
  heldBack: fc.constantFrom(0, 0, 0, 1, 3),
  deafFor: fc.constantFrom(0, 0, 1, 3),
  notifies_ms: fc.constantFrom(null, null, null, 2_000, 20_000, 2 * MINUTE),
  before: fc.oneof({ weight: 7, arbitrary: fc.constant('nothing' as const) }, { weight: 1, arbitrary: before }),
  ...worker,
});

/** Another system has the number, the gateway guards it, and our first attempts are held back: no later refusal is of an order of ours. */
const guarded = fc
  .record({ world: anyWorld, first: before, heldBack: fc.constantFrom(1, 3) })
  .map(({ world, first, heldBack }) => ({
    ...world,
    ...{ before: { ...first, isNotified: false }, takesNumbersTwice: false, heldBack },
  }));

const traits: typeof anyWorld = fc.oneof({ weight: 15, arbitrary: anyWorld }, { weight: 1, arbitrary: guarded });

/** Stories that may meet these kinds of hostility, or a draw of all. */
export function stories(only?: readonly Kind[]): fc.Arbitrary<Story> {
  return storiesOf<Story['traits'], Step>({ kinds: KINDS, traits, maxSteps: 14 }, only);
}

export const play = playing({
  ...{ create: World.create, begin, take, end },
  safety: async (world: World) => safety(world, await seenIn(world)),
});

async function begin(world: World): Promise<void> {
  const { before } = world.traits;
  if (before !== 'nothing') await beginWith(world, before);
  world.pay();
  await world.pass(10);
}

async function beginWith(world: World, { amount, isPaid, isNotified }: TradeBefore): Promise<void> {
  const { gateway, out_trade_no } = world;
  const trade = gateway.make({ out_trade_no, amount }, 'another system', isPaid ? 'SUCCESS' : 'PROCESSING');
  if (isNotified) world.notify(trade);
  await world.pass(10 * MINUTE);
}

/** So many reasons for a person may stand behind one another: one is shown, and settled, at a time. */
const ROUNDS = 5;

/** The faults stop, everything has its time, and then a person clears what waits for one. */
async function end(world: World): Promise<Broken[]> {
  world.gateway.trouble = undefined;
  await world.pass(6 * DAY);
  await world.answered();
  const seen = await seenIn(world);
  const broken = [...safety(world, seen), ...liveness(world, seen), ...attentionIsTold(world)];
  if (broken.length > 0) return broken;
  for (let round = 0; round < ROUNDS; round += 1) {
    await world.resolve('CANCEL');
    await world.pass(3 * DAY);
  }
  // What may still be paid is watched until then, and needs nobody.
  const after = await seenIn(world);
  const mayBePaid = mayStillBePaid(world, after);
  const left = world.runs.filter((run) => {
    if (!run.isRunning || isStillWatching(world, after, run)) return false;
    return !mayBePaid || typeof world.temporal.attributesOf(run).PaymentAttention === 'string';
  });
  const open = left.map(({ runId }) => ({
    promise: 8,
    what: `a person has settled what was shown ${ROUNDS} times, and ${runId} is still open`,
  }));
  return [...open, ...safety(world, after), ...waitersAreAnswered(world, after, false), ...attentionIsTold(world)];
}

/** What was known of the runs that Temporal has forgotten. */
const knownOfForgotten = new WeakMap<World, Seen[]>();

/** Every run of the payment that can say what it is, and the after-sales that have one: a run that was refused at its start cannot. */
export async function seenIn(world: World): Promise<Seen[]> {
  const runs = world.temporal.runs(world.workflowId).filter(({ hasBegun }) => hasBegun);
  const after = world.runs.filter(({ hasBegun, start }) => hasBegun && start.type === 'afterSale');
  return world.within(async () => {
    const afterSales = new Map<string, { others: string[]; watched_until: number }>();
    const follow: Seen[] = [];
    for (const { runId, isRunning } of after) {
      const run = world.runs.find((one) => one.runId === runId);
      if (run === undefined) continue;
      const { payment: state, other_trades, watched_until } = await world.afterSale(run);
      const others = other_trades.map(({ trade_no }) => trade_no);
      afterSales.set(runId, { others, watched_until: watched_until === null ? 0 : Date.parse(watched_until) });
      if (state) follow.push({ runId, isOpen: isRunning, state, afterSales });
    }
    const seen = await Promise.all(runs.map((run) => seenOf(world, run, afterSales)));
    const forgotten = (knownOfForgotten.get(world) ?? []).map((one) => ({ ...one, afterSales }));
    return [...forgotten, ...seen.flat(), ...follow];
  });
}

async function seenOf(world: World, run: WorkflowRun, afterSales: Seen['afterSales']): Promise<Seen[]> {
  try {
    return [{ runId: run.runId, isOpen: run.isRunning, state: await world.state(run), afterSales }];
  } catch (error) {
    if (run.status === 'FAILED' && String(error).includes('did not register a handler')) return [];
    throw error;
  }
}

const IS_OPEN = ['INITIAL', 'PROCESSING'];

async function take(world: World, step: Step): Promise<void> {
  const { gateway } = world;
  if (step.do !== 'wait') world.disturbances += 1;
  const mine = gateway.trades.filter(({ out_trade_no }) => out_trade_no === world.out_trade_no);
  const open = mine.find((trade) => IS_OPEN.includes(statusOf(trade)));
  const last = mine.at(-1);
  switch (step.do) {
    case 'pay':
      return world.pay();
    case 'pay other':
      return world.pay({ ...world.own, amount: '151.00' });
    case 'pay otherwise':
      return world.pay({ ...world.own, kind: world.own.kind === 'direct' ? 'checkout' : 'direct' });
    case 'withdraw':
      return world.withdraw();
    case 'await outcome':
      return world.awaitOutcome();
    case 'refund':
      return world.refund();
    case 'pay many':
      for (let i = 0; i < 25; i += 1) world.pay();
      return;
    case 'pay on each view':
      for (let i = 0; i < 60; i += 1) {
        world.pay();
        await world.pass(10_000);
      }
      return;
    case 'start again':
      return world.start('ALLOW_DUPLICATE');
    case 'start elsewhere':
      return world.start('ALLOW_DUPLICATE', `merchant-${world.workflowId}`);
    case 'start broken':
      return world.start('ALLOW_DUPLICATE', world.workflowId, [{ kind: 'direct', app_id: 'hostile' }]);
    case 'adopt by number':
      return world.adopt();
    case 'retention': {
      await world.pass(3 * DAY);
      const before = await seenIn(world);
      const forgotten = await world.outlive();
      const known = before.filter(({ runId }) => forgotten.includes(runId));
      knownOfForgotten.set(world, [...(knownOfForgotten.get(world) ?? []), ...known]);
      return;
    }
    case 'paid':
      return open && gateway.move(open, 'SUCCESS');
    case 'paid wrongly':
      if (open) gateway.trades.splice(gateway.trades.indexOf(open), 1, { ...open, amount: '15.00' });
      return;
    case 'ends':
      return open && gateway.move(open, step.as ?? 'CANCEL');
    case 'paid late': {
      const ended = mine.find((trade) => ['CANCEL', 'EXPIRED', 'REFUSED'].includes(statusOf(trade)));
      return ended && gateway.move(ended, 'SUCCESS');
    }
    case 'another trade': {
      const trade = gateway.make(
        { out_trade_no: world.out_trade_no, amount: AMOUNT },
        'another system',
        step.paid ? 'SUCCESS' : 'PROCESSING',
      );
      return step.silently ? undefined : world.notify(trade);
    }
    case 'notify':
      return last && world.notify(last, undefined, { times: step.times });
    case 'notify first':
      return mine[0] && world.notify(mine[0]);
    case 'notify lie':
      return last && world.notify(last, 'SUCCESS');
    case 'notify progress':
      return last && world.notify(last, 'PROCESSING');
    case 'notify wrong amount':
      return last && world.notify(last, undefined, { amount: '9999.00' });
    case 'recheck':
      return world.recheck();
    case 'resolve':
      return world.resolve(step.outcome);
    case 'correct':
      return world.correct(step.outcome);
    case 'cancel':
      return world.cancel();
    case 'terminate':
      return world.terminate();
    case 'reset':
      return world.reset();
    case 'reset to the last task':
      return world.reset(-1);
    case 'reset to its wait':
      return world.reset(-2);
    case 'empty signal':
      return world.oddSignal('notification');
    case 'odd signal':
      return world.oddSignal('somethingElse', {});
    default:
      return takeCommon(world, step);
  }
}
