/** Stories: what may happen after one sale, drawn at random. Each first draws which kinds of hostility it may meet (swarm testing). */
import fc from 'fast-check';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import type { Broken } from '../../hostile/base-world';
import { type Mishap, type RefundEnd, type RefundPlan, statusOf, USED_IN_APP } from '../../hostile/gateway';
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
import { isClosed, isRight, liveness, safety } from './oracle';
import { type Asked, LIKE_THE_NEIGHBOURS, TRADE, type Traits, World } from './world';

export type Step =
  | CommonStep
  | ({ do: 'ask' } & Asked)
  /** The same once more, after so many ms. */
  | { do: 'ask again'; ms: number }
  | { do: 'ask mended' | 'ask many' }
  /** Somebody refunds at the gateway's desk; a merchant may ask for so much right then, before anybody is told. */
  | { do: 'desk'; amount: string; takes_ms: number; ends?: RefundEnd; beside?: string | undefined }
  /** A refund that was done comes back; its notification may lack the number. */
  | { do: 'comes back'; of: 'us' | 'the desk'; isNamed: boolean }
  /** Another trade under the order's number has a refund under one of our numbers. */
  | { do: 'another trade'; number: string; status: 'REFUND_REVOKE' | 'REFUND_REFUSED' | 'REFUNDED' }
  | { do: 'bank'; status: 'DISPUTE' | 'CHARGEBACK' | 'CHARGEBACK_REVERSED' | 'SUCCESS' }
  | { do: 'notify'; which: 'all' | 'the latest' }
  | { do: 'rename queue' }
  /** The button in Temporal UI, on the after-sale. */
  | { do: 'request cancel' }
  | {
      do:
        | 'terminate'
        | 'reset refund'
        | 'reset to the last task'
        | 'reset the first run'
        | 'forget'
        | 'resolve'
        | 'name elsewhere'
        | 'settle';
    }
  | { do: 'read dashboard' }
  /** A person looks at the refund that waits for one, or at whichever, and decides it after so many ms. */
  | { do: 'read and decide'; which: 'stuck' | 'any'; ms: number };

/** The last asks for all that is left. */
const AMOUNTS = ['50.00', '50.00', '100.00', '150.00', undefined] as const;

/** The kinds of hostility that a story draws from. */
export const KINDS = {
  /** Always in it: time, merchants who ask, and true notifications. */
  life: fc.oneof(
    { weight: 4, arbitrary: waits(1_000, 10_000, 35_000, 2 * MINUTE, 20 * MINUTE, 3 * HOUR) },
    {
      weight: 4,
      arbitrary: fc
        .tuple(fc.constantFrom(...AMOUNTS), fc.constantFrom('a', 'b', USED_IN_APP, LIKE_THE_NEIGHBOURS, undefined))
        .map(([amount, number]): Step => ({ do: 'ask', amount, number })),
    },
    { weight: 2, arbitrary: fc.constantFrom(0, 3 * HOUR).map((ms): Step => ({ do: 'ask again', ms })) },
    {
      weight: 2,
      arbitrary: fc.constantFrom('all' as const, 'the latest' as const).map((which): Step => ({ do: 'notify', which })),
    },
  ),
  desks: fc
    .tuple(
      fc.constantFrom('50.00', '100.00', '150.00'),
      fc.constantFrom(0, 60_000, HOUR),
      fc.constantFrom('done' as const, 'done' as const, 'refused' as const),
      fc.constantFrom(undefined, '50.00', '100.00'),
    )
    .map(([amount, takes_ms, ends, beside]): Step => ({ do: 'desk', amount, takes_ms, ends, beside })),
  returns: fc
    .tuple(fc.constantFrom('us' as const, 'us' as const, 'the desk' as const), fc.boolean())
    .map(([of, isNamed]): Step => ({ do: 'comes back', of, isNamed })),
  bank: fc
    .constantFrom(
      ...(['DISPUTE', 'CHARGEBACK', 'CHARGEBACK', 'CHARGEBACK_REVERSED', 'CHARGEBACK_REVERSED', 'SUCCESS'] as const),
    )
    .map((status): Step => ({ do: 'bank', status })),
  strangers: fc
    .tuple(
      fc.constantFrom('a', 'b'),
      fc.constantFrom('REFUND_REVOKE' as const, 'REFUND_REFUSED' as const, 'REFUNDED' as const),
    )
    .map(([number, status]): Step => ({ do: 'another trade', number, status })),
  outages: troubles(['unreachable', 'refunds unreachable', 'resets', '503'], [20_000, 10 * MINUTE, 3 * HOUR, 3 * DAY]),
  deaths: fc.oneof(deaths, deaths, fc.constant<Step>({ do: 'request cancel' })),
  absences: absences(2 * MINUTE, 5 * HOUR),
  settings: lackingApps,
  byHand,
  terminations: fc.constantFrom<Step>(
    ...([{ do: 'terminate' }, { do: 'terminate' }, { do: 'terminate' }, { do: 'rename queue' }] as const),
  ),
  resets: fc.constantFrom<Step>(
    ...([{ do: 'reset refund' }, { do: 'reset to the last task' }, { do: 'reset the first run' }] as const),
  ),
  retention: fc.constant<Step>({ do: 'forget' }),
  operators: fc.oneof(
    fc.constantFrom<Step>({ do: 'read dashboard' }, { do: 'resolve' }, { do: 'name elsewhere' }, { do: 'settle' }),
    fc.record({
      do: fc.constant('read and decide' as const),
      which: fc.constantFrom('stuck' as const, 'any' as const, 'any' as const),
      ms: fc.constantFrom(1_000, 5 * MINUTE, HOUR),
    }),
  ),
  mended: fc.constantFrom<Step>({ do: 'ask mended' }, { do: 'ask many' }),
} as const;
export type Kind = keyof typeof KINDS;

export type Story = SwarmStory<Partial<Omit<Traits, 'pick'>>, Step>;

/** What may have made a refund, and what says that there is none, more often than the others. */
const MISHAPS: readonly Mishap[] = [
  ...(['lost before it arrived', 'lost before it arrived', 'answer lost', 'answer lost', 'answer lost'] as const),
  ...(['carried out late', 'its worker dies', 'its worker dies', 'refused for good'] as const),
  ...(['unreachable', 'temporary', 'refused for good', 'refused in other words'] as const),
  ...(['answers of another trade', 'answers of another amount', 'refused in other words, and made'] as const),
];
/** A story meets few kinds of mishaps, and these more than once. */
const mishaps = fc
  .subarray([...MISHAPS], { minLength: 1, maxLength: 2 })
  .chain((few) => fc.array(fc.constantFrom<Mishap>('none', ...few), { maxLength: 4 }));
const plan: fc.Arbitrary<RefundPlan> = fc.record({
  startsAfter_ms: fc.constantFrom(0, 0, 0, 0, 10 * MINUTE, 2 * DAY),
  takes_ms: fc.constantFrom(0, 0, 5_000, 10 * MINUTE, 5 * HOUR, 2 * DAY),
  ends: fc.constantFrom('done' as const, 'done' as const, 'refused' as const, 'revoked' as const),
});

const traits: fc.Arbitrary<Story['traits']> = fc.record({
  numbers: fc.constantFrom('twice' as const, 'twice' as const, 'refused' as const, 'repeated' as const),
  usedInApp: fc.boolean(),
  // Behind for less than the settling time, which is there for it; or a little longer.
  lag_ms: fc.constantFrom(0, 0, 2_000, 10_000, 45_000),
  copies: fc.constantFrom('one' as const, 'one' as const, 'several' as const),
  partialStatus: fc.constantFrom('PARTIAL_REFUND' as const, 'PARTIAL_REFUND' as const, 'REFUNDED' as const),
  returnsTo: fc.constantFrom('as before' as const, 'SUCCESS' as const),
  revokedFor_ms: fc.constantFrom(1_000, MINUTE),
  mishaps,
  plans: fc.array(plan, { maxLength: 3 }),
  answersStatus: fc.boolean(),
  race: fc.option(
    fc.record({
      after: fc.constantFrom('request' as const, 'end' as const),
      ms: fc.constantFrom(2_000, 12_000, MINUTE),
      status: fc.constantFrom('DISPUTE' as const, 'CHARGEBACK' as const),
    }),
    { nil: undefined, freq: 2 },
  ),
  childEnds_ms: fc.constantFrom(0, 2_000, MINUTE),
  cachesWorkflows: fc.constantFrom(true, true, true, false),
  continuesAfter: fc.constantFrom(40, 4_000),
  watchWindow: fc.constantFrom('0s' as const, '3d' as const),
  out_trade_no: fc.constantFrom<string>(...Array(5).fill(TRADE.out_trade_no), '"A":1\\ %2F'),
  tells_ms: fc.constantFrom(undefined, 500, 5_000),
  asksAgain: fc.constantFrom(0, 0, 1, 2),
  hasNeighbour: fc.constantFrom(...Array(5).fill(false), true),
});

/** Stories that may meet these kinds of hostility, or a draw of all. */
export function stories(only?: readonly Kind[]): fc.Arbitrary<Story> {
  return storiesOf<Story['traits'], Step>({ kinds: KINDS, traits, maxSteps: 12 }, only);
}

export const play = playing({
  ...{ create: World.create, begin, take, end },
  safety: async (world: World) => safety(world, await world.state()),
});

const MAX_ROUNDS = 6;

async function begin(world: World): Promise<void> {
  if (world.traits.hasNeighbour) world.askForTheNeighbour();
}

/** The faults stop, everything has its time, and then a person clears what waits for one. */
async function end(world: World): Promise<Broken[]> {
  world.gateway.trouble = undefined;
  // One refund goes after the other.
  const slowest = world.traits.plans.reduce(
    (sum, { startsAfter_ms = 0, takes_ms }) => sum + startsAfter_ms + takes_ms,
    0,
  );
  await world.pass(DAY + slowest);
  world.tellNews('all');
  // One that was sent only now has a day until a person is asked.
  await world.pass(DAY + HOUR + slowest);
  await world.answered();
  const state = await world.state();
  const neighbour = await world.stateOfTheNeighbour();
  const broken = [
    ...safety(world, state),
    ...liveness(world, state),
    ...attentionIsTold(world),
    ...isRight(world.neighbour, neighbour),
  ];
  if (broken.length > 0) return broken;
  const { gateway, sold } = world;
  if (['DISPUTE', 'CHARGEBACK'].includes(statusOf(sold))) gateway.move(sold, 'CHARGEBACK_REVERSED');
  if (statusOf(sold) === 'CHARGEBACK_REVERSED') gateway.move(sold, 'SUCCESS');
  // A person settles one reason after the other, and the look at the end may bring one more.
  const isOpen = async () => isClosed(world, await world.state()).length > 0;
  for (let round = 0; round < 3 || (round < MAX_ROUNDS && (await isOpen())); round += 1) {
    // As many as there are wait for a person, who goes through all of them.
    for (const _ of (await world.state())?.refunds ?? []) {
      await world.readDashboard();
      world.resolveRefund();
      await world.pass(MINUTE);
    }
    await world.pass(HOUR);
    world.tellNews('all');
    world.nameElsewhere();
    await world.pass(MINUTE);
    world.settle();
    // A refund that is sent only now takes its own time.
    await world.pass(round < 2 ? DAY : DAY + slowest);
  }
  await world.answered();
  const after = await world.state();
  const theirs = isRight(world.neighbour, await world.stateOfTheNeighbour());
  return [
    ...safety(world, after),
    ...liveness(world, after),
    ...attentionIsTold(world),
    ...isClosed(world, after),
    ...theirs,
  ];
}

async function take(world: World, step: Step): Promise<void> {
  const { gateway } = world;
  switch (step.do) {
    case 'ask':
      return world.ask(step);
    case 'ask again':
      await world.pass(step.ms);
      return askLike(world, 'the same');
    case 'ask mended':
      return askLike(world, 'mended');
    case 'ask many':
      for (let i = 0; i < 8; i += 1) world.ask({ amount: '40.00', number: `n${i}` });
      return;
    case 'desk':
      world.desk(step.amount, step.takes_ms, step.ends);
      return step.beside === undefined ? undefined : world.ask({ amount: step.beside, number: 'beside' });
    case 'comes back':
      return gateway.giveUp(world.sold, step.of, step.isNamed);
    case 'another trade':
      return world.tellOfAnotherTrade(step.status, step.number);
    case 'bank':
      return gateway.onBank(world.sold, step.status);
    case 'notify':
      return world.tellNews(step.which);
    case 'request cancel':
      return world.run?.isRunning ? world.run.requestCancel('the button') : undefined;
    case 'terminate':
      return world.terminate();
    case 'rename queue':
      return world.renameQueue();
    case 'reset refund':
      return world.reset();
    case 'reset to the last task':
      return world.reset('last');
    case 'reset the first run':
      return world.reset('last', 0);
    case 'forget':
      return world.forget();
    case 'read dashboard':
      return world.readDashboard();
    case 'read and decide':
      return world.readAndDecide(step.which, step.ms);
    case 'resolve':
      return world.resolveRefund();
    case 'name elsewhere':
      return world.nameElsewhere();
    case 'settle':
      return world.settle();
    default:
      return takeCommon(world, step);
  }
}

/** A merchant asks once more for what was answered last. */
function askLike(world: World, how: 'the same' | 'mended'): void {
  const last = world.told.findLast((one) => 'order' in one);
  if (last && 'order' in last)
    world.ask(how === 'the same' ? last.order : { ...last.order, bank: String(world.told.length) });
}
