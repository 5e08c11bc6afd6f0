/** Stories: what may happen to virtual accounts and their deposits, drawn at random (swarm testing). */
import fc from 'fast-check';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import type { Broken } from '../../hostile/base-world';
import { type Mishap, statusOf, type Trade } from '../../hostile/gateway';
import { attentionIsTold } from '../../hostile/oracle';
import { playing } from '../../hostile/play';
import { absences, type CommonStep, deaths, takeCommon, troubles, waits } from '../../hostile/steps';
import { type Story as SwarmStory, storiesOf } from '../../hostile/swarm';
import { isSettled, liveness, safety } from './oracle';
import { type Traits, World } from './world';

export type Step =
  | CommonStep
  | { do: 'create'; key: string }
  | { do: 'deposit'; amount: string; times: number }
  /** The gateway has it, and tells nobody yet. */
  | { do: 'silent deposit' | 'open deposit'; amount: string }
  /** The money goes back before anybody is told that it came. */
  | { do: 'returned deposit'; amount: string; status: 'REFUNDED' | 'CHARGEBACK' | 'REFUND_PROCESSING' }
  /** Another transfer under the number of the last one. */
  | { do: 'second deposit'; amount: string; into: 'A1' | 'keyed' }
  /** One transfer that is told of under two numbers. */
  | { do: 'notify other number' }
  | { do: 'burst'; deposits: number }
  | { do: 'notify'; which: 'first' | 'last' | 'all'; times: number }
  | { do: 'notify lie' | 'notify wrong amount' | 'pays open' | 'gives back' }
  /** Into, and of, the account that was made last for a key. */
  | { do: 'keyed deposit' | 'terminate keyed' }
  | { do: 'cancel account' | 'recheck' | 'cancel following' | 'terminate' | 'terminate payment' }
  | { do: 'odd signal'; args: readonly unknown[] }
  | { do: 'resolve' | 'forget' };

/** Sums of these are exact only without floats, and some have more than two decimals. */
const amount = fc.constantFrom('0.10', '0.20', '100.00', '12345.67', '0.005', '99999999.99');

/** The kinds of hostility that a story draws from. */
export const KINDS = {
  /** Always in it: time, deposits, and true notifications. */
  life: fc.oneof(
    { weight: 3, arbitrary: waits(1_000, 20_000, 3 * MINUTE, 15 * MINUTE, 5 * HOUR, 2 * DAY) },
    {
      weight: 4,
      arbitrary: fc
        .tuple(amount, fc.constantFrom(1, 1, 3))
        .map(([of, times]): Step => ({ do: 'deposit', amount: of, times })),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('first' as const, 'last' as const, 'all' as const), fc.constantFrom(1, 4))
        .map(([which, times]): Step => ({ do: 'notify', which, times })),
    },
  ),
  creations: fc.constantFrom('k1', 'k1', 'k2').map((key): Step => ({ do: 'create', key })),
  keyed: fc.constantFrom<Step>({ do: 'keyed deposit' }, { do: 'keyed deposit' }, { do: 'terminate keyed' }),
  silence: amount.map((of): Step => ({ do: 'silent deposit', amount: of })),
  open: fc.oneof(
    amount.map((of): Step => ({ do: 'open deposit', amount: of })),
    fc.constant<Step>({ do: 'pays open' }),
  ),
  returns: fc.oneof(
    fc
      .tuple(amount, fc.constantFrom('REFUNDED' as const, 'CHARGEBACK' as const, 'REFUND_PROCESSING' as const))
      .map(([of, status]): Step => ({ do: 'returned deposit', amount: of, status })),
    fc.constant<Step>({ do: 'gives back' }),
  ),
  numbersAgain: fc.oneof(
    fc
      .tuple(amount, fc.constantFrom('A1' as const, 'A1' as const, 'keyed' as const))
      .map(([of, into]): Step => ({ do: 'second deposit', amount: of, into })),
    fc.constant<Step>({ do: 'notify other number' }),
  ),
  bursts: fc.constantFrom(12, 12, 12, 60).map((deposits): Step => ({ do: 'burst', deposits })),
  lies: fc.constant<Step>({ do: 'notify lie' }),
  wrongMoney: fc.constant<Step>({ do: 'notify wrong amount' }),
  outages: troubles(['unreachable', 'resets', '503'], [20_000, 20 * MINUTE, 3 * HOUR]),
  denials: troubles(['no such order'], [20_000, 20 * MINUTE, DAY]),
  deaths,
  absences: absences(2 * MINUTE, 5 * HOUR),
  terminations: fc.constantFrom<Step>({ do: 'terminate' }, { do: 'terminate' }, { do: 'terminate payment' }),
  cancels: fc.constantFrom<Step>({ do: 'cancel account' }, { do: 'cancel following' }),
  operators: fc.constantFrom<Step>({ do: 'resolve' }, { do: 'resolve' }, { do: 'recheck' }),
  oddSignals: fc
    .constantFrom<unknown[]>(
      [],
      [null],
      ['D1'],
      [{}],
      [{ out_trade_no: 'O1', amount: 'ten', trade_status: 5, transfer_account: null }],
    )
    .map((args): Step => ({ do: 'odd signal', args })),
  retention: fc.constant<Step>({ do: 'forget' }),
} as const;
export type Kind = keyof typeof KINDS;
export type Story = SwarmStory<Partial<Omit<Traits, 'pick'>>, Step>;

const mishap = fc.constantFrom<Mishap>(
  ...(['none', 'lost before it arrived', 'answer lost', 'unreachable', 'refused for good'] as const),
);

const traits: fc.Arbitrary<Story['traits']> = fc.record({
  lag_ms: fc.constantFrom(0, 0, 2_000, MINUTE),
  creations: fc.array(mishap, { maxLength: 3 }),
  findsBy: fc.constantFrom('both ids' as const, 'both ids' as const, 'trade_no alone' as const),
  continuesAfter: fc.constantFrom(40, 4_000),
  childEnds_ms: fc.constantFrom(0, 0, 2_000, MINUTE),
  cachesWorkflows: fc.constantFrom(true, true, true, false),
  tellsTime: fc.constantFrom(true, true, false),
});

/** Stories that may meet these kinds of hostility, or a draw of all. */
export function stories(only?: readonly Kind[]): fc.Arbitrary<Story> {
  return storiesOf<Story['traits'], Step>({ kinds: KINDS, traits, maxSteps: 12 }, only).map(withRoom);
}

/** Events that a run of an account has room for where many deposits may be open at once. */
const ROOM = 300;
const MOST_IN_SHORT_RUNS = 12;

/**
 * A run adds a few events for each deposit that is still open, and real runs are long enough for all that it awaits at once. One
 * that is not begins again every ten seconds for as long as they are open: nothing breaks, and a story takes many minutes.
 */
function withRoom(story: Story): Story {
  const deposits = story.steps.reduce((sum, step) => sum + (step.do === 'burst' ? step.deposits : 1), 0);
  if (deposits <= MOST_IN_SHORT_RUNS) return story;
  const { continuesAfter = ROOM } = story.traits;
  return { ...story, traits: { ...story.traits, continuesAfter: Math.max(continuesAfter, ROOM) } };
}

export const play = playing({ create: World.create, take, safety, end });

/** The faults stop, everything has its time, one more deposit comes, and then a person clears what waits for one. */
async function end(world: World): Promise<Broken[]> {
  world.gateway.trouble = undefined;
  await world.pass(DAY);
  for (const { account_id } of world.gateway.accounts) {
    // Whoever ended the account's workflow has it go on with the next deposit.
    if (world.acknowledged.some((one) => one.account_id === account_id))
      world.notify(world.gateway.deposit(account_id, '1.00'));
  }
  // Who is told that there is no answer yet asks again.
  const keys = new Set(world.told.flatMap((one) => (one.is === 'failure' ? [one.key] : [])));
  for (const key of keys) world.create(key);
  await world.pass(DAY);
  await world.answered();
  const broken = [...(await safety(world)), ...(await liveness(world)), ...attentionIsTold(world)];
  if (broken.length > 0) return broken;
  // A person settles one reason after the other, and a payment's end may bring one more.
  for (let round = 0; round < MAX_ROUNDS && (round < 3 || isSettled(world).length > 0); round += 1) {
    await world.resolve();
    await world.pass(DAY);
  }
  await world.answered();
  return [...(await safety(world)), ...(await liveness(world)), ...attentionIsTold(world), ...isSettled(world)];
}

const MAX_ROUNDS = 12;

/** A deposit that the gateway does not have. */
const lieAbout = ({ now }: World): Trade => ({
  ...{ account_id: 'A1', out_trade_no: `L${now}`, trade_no: `TL${now}`, amount: '77.00', made_over: '77.00' },
  ...{ currency: 'MXN', method: 'SPEI', made_by: 'a buyer', kind: 'deposit' },
  states: [{ status: 'SUCCESS', at: now }],
});

async function take(world: World, step: Step): Promise<void> {
  const { gateway } = world;
  const { trades: deposits } = gateway;
  const keyed = gateway.accounts.findLast(({ buyer_id }) => buyer_id !== 'elsewhere');
  const open = deposits.findLast((one) => statusOf(one) === 'PROCESSING');
  switch (step.do) {
    case 'create':
      return world.create(step.key);
    case 'deposit':
      return world.notify(gateway.deposit('A1', step.amount), undefined, { times: step.times });
    case 'keyed deposit':
      return keyed && world.notify(gateway.deposit(keyed.account_id, '5.00'));
    case 'terminate keyed':
      return keyed && world.terminate(keyed.account_id);
    case 'silent deposit':
      return void gateway.deposit('A1', step.amount);
    case 'open deposit':
      return world.notify(gateway.deposit('A1', step.amount, 'PROCESSING'));
    case 'pays open':
      if (open) {
        gateway.move(open, 'SUCCESS');
        world.notify(open);
      }
      return;
    case 'returned deposit': {
      const deposit = gateway.deposit('A1', step.amount);
      gateway.move(deposit, step.status);
      return world.notify(deposit, 'SUCCESS');
    }
    case 'second deposit': {
      const account_id = step.into === 'A1' ? 'A1' : keyed?.account_id;
      const last = deposits.at(-1);
      if (last && account_id) world.notify(gateway.deposit(account_id, step.amount, 'SUCCESS', last.out_trade_no));
      return;
    }
    case 'notify other number': {
      const last = deposits.at(-1);
      return last && world.notify({ ...last, out_trade_no: `X-${last.out_trade_no}` });
    }
    case 'gives back':
      return giveBack(world);
    case 'burst':
      await world.leaveWithoutWorker(MINUTE);
      for (let i = 0; i < step.deposits; i += 1) world.notify(gateway.deposit('A1', '0.10'));
      return;
    case 'notify':
      for (const one of step.which === 'all' ? deposits : deposits.slice(...(step.which === 'first' ? [0, 1] : [-1])))
        world.notify(one, undefined, { times: step.times });
      return;
    case 'notify lie':
      return world.notify(lieAbout(world));
    case 'notify wrong amount':
      return world.notify(gateway.deposit('A1', '10.00'), undefined, { amount: '1000.00' });
    case 'cancel account':
      return world.cancelAccount('A1');
    case 'recheck':
      return world.recheck('A1');
    case 'cancel following':
      return world.cancelFollowing('A1');
    case 'terminate':
      return world.terminate('A1');
    case 'terminate payment': {
      const last = deposits.at(-1);
      return last && world.terminatePayment(last);
    }
    case 'odd signal':
      return world.oddSignal('A1', ...step.args);
    case 'resolve':
      return world.resolve();
    case 'forget':
      return world.forget();
    default:
      return takeCommon(world, step);
  }
}

/** Somebody sends the money of the latest deposit back from the gateway's dashboard. */
function giveBack(world: World): void {
  const last = world.gateway.trades.at(-1);
  if (!last || statusOf(last) !== 'SUCCESS') return;
  world.gateway.move(last, 'REFUNDED');
  world.notify(last);
}
