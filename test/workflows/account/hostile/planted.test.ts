/** The oracle of accounts, tried: whatever is planted into the world, or into what people read, breaks the promise that it should. */
import type { MerchantEvent, SpeiAccountState } from '../../../../src/contract';
import { HOUR } from '../../../../src/gateway/pure/durations';
import { isSettled, liveness, safety } from './oracle';
import { World } from './world';

Error.stackTraceLimit = 0;

interface Planted {
  /** What happens besides. */
  plant?: (world: World) => Promise<void> | void;
  /** What people read of the account's deposits instead. */
  deposits?: (read: SpeiAccountState['deposits']) => Partial<SpeiAccountState['deposits']>;
}

/** What the oracle says of an account that was created for a key, and of another with two deposits. */
async function brokenBy({ plant, deposits }: Planted): Promise<string> {
  const world = await World.create();
  try {
    world.create('k1');
    for (const amount of ['0.10', '0.20']) world.notify(world.gateway.deposit('A1', amount));
    await world.pass(HOUR);
    await plant?.(world);
    const read = world.state.bind(world);
    if (deposits)
      world.state = async (account_id) => {
        const state = await read(account_id);
        return state && account_id === 'A1'
          ? { ...state, deposits: { ...state.deposits, ...deposits(state.deposits) } }
          : state;
      };
    const broken = [...(await safety(world)), ...(await liveness(world)), ...isSettled(world)];
    return broken.map(({ promise, what }) => `${promise}: ${what}`).join('\n');
  } finally {
    await world.close();
  }
}

test('nothing is broken where nothing is planted', async () => {
  expect(await brokenBy({})).toBe('');
});

test.each<[string, Planted, string]>([
  [
    'promise 1: a second account for one key',
    { plant: ({ gateway }) => void gateway.makeAccount('k1') },
    '1: 2 accounts for k1',
  ],
  [
    'promise 1: one key is answered with two accounts',
    { plant: ({ told, now }) => void told.push({ at: now, is: 'account', key: 'k1', account_id: 'A9' }) },
    '1: the key k1 was answered with A2,A9',
  ],
  [
    'promise 3: an acknowledged deposit is not counted',
    { deposits: ({ latest }) => ({ latest: latest.slice(1), count: 1, total: { MXN: '0.1' } }) },
    '3: 2 deposits of A1 were acknowledged, 1 are counted',
  ],
  [
    'promise 3: the sum is not that of the deposits',
    { deposits: () => ({ total: { MXN: '0.30000000000000004' } }) },
    '3: 2 deposits sum up to',
  ],
  [
    'promise 3: a deposit is set aside, and nobody is told',
    {
      deposits: ({ latest: [last, ...latest] }) => ({
        ...{ latest, count: 1, total: { MXN: '0.1' } },
        set_aside: last ? [{ ...last, because: 'unconfirmed-deposit' as const }] : [],
      }),
    },
    '3: deposit D2 was acknowledged, and is neither counted nor before a person',
  ],
  [
    'promise 4: a deposit is counted that the gateway does not have',
    { plant: ({ gateway }) => void gateway.trades.pop() },
    '4: deposit D2 is counted, and the gateway has none',
  ],
  [
    'promise 4: a deposit is counted that was never paid',
    { plant: ({ gateway }) => void gateway.trades[0]?.states.splice(0, 1, { status: 'PROCESSING', at: 0 }) },
    '4: deposit D1 is counted, and it was never paid',
  ],
  [
    'promise 4: a deposit is counted that no query could show as paid',
    {
      plant: ({ gateway }) => {
        const [deposit] = gateway.trades;
        deposit?.states.push({ status: 'REFUNDED', at: deposit.states[0]?.at ?? 0 });
      },
    },
    '4: deposit D1 is counted, and its money went back before any query could show it',
  ],
  [
    'promise 4: another amount is counted',
    { deposits: ({ latest }) => ({ latest: latest.map((one) => ({ ...one, amount: '0.15' })) }) },
    '4: deposit D2 is counted, as 0.15, and it is 0.20',
  ],
  [
    'promise 4: a deposit is counted twice',
    { deposits: ({ latest }) => ({ latest: [...latest, ...latest], count: 4, total: { MXN: '0.6' } }) },
    '4: deposit D2 is counted, twice',
  ],
  [
    'promise 4: the merchant hears of a deposit twice',
    {
      plant: ({ events }) => {
        const heard = events.find(({ type }) => type === 'deposit');
        if (heard) events.push({ ...heard, id: 'another' } as MerchantEvent);
      },
    },
    '4: the merchant heard of deposit D\\d, twice',
  ],
  [
    'promise 8: an account is made, and nobody knows',
    { plant: ({ gateway }) => void gateway.makeAccount('k2') },
    '8: the account of k2 is made, and nobody knows',
  ],
])('%s', async (_, planted, words) => {
  expect(await brokenBy(planted)).toMatch(new RegExp(words));
});
