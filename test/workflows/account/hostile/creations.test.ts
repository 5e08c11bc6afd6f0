/** Promises 1 and 2: an account is made once, whatever became of the answer or of the run. */

import { accountActivities, accountPolicyOf } from '../../../../src/activities';
import { HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { loadConfig } from '../../../../src/process/settings';
import { answering } from '../../hostile/answering';
import { refusal, said } from '../../hostile/gateway';
import {
  answers,
  attentionOfCreation,
  CREATION,
  create,
  creationNow,
  happens,
  made,
  open,
  resolve,
  update,
  world,
} from './acts';

const end = (how: 'terminated' | 'canceled' | 'reset') => () =>
  world.within(async () => {
    const run = world.temporal.latest(CREATION);
    if (how === 'canceled') run?.requestCancel('the button');
    else if (how === 'reset' && run) world.temporal.reset(run);
    else run?.terminate();
  });
/** A worker whose setting has an account of unknown outcome created once more. */
async function openToCreateAgain(): Promise<void> {
  await open({ creations: ['answer lost'] });
  createAgain();
}
function createAgain(): void {
  const policy = accountPolicyOf(loadConfig({ PAYMENTS_ACCOUNT_UNKNOWN: 'again' }), []);
  const again = accountActivities({ gateways: new Map(), notifyUrl: undefined, policy });
  const settings = { 'gateway.account-policy': again['gateway.account-policy'] };
  Object.assign(world.temporal.activities.functions, settings);
}
const LEFT = said(200, { code: '10000', msg: 'Success', available_quantity: 100 });
/** The gateway says for certain that it has made none. */
const noneLeft = () => refusal('account-pool-run-out');

test.each([
  ['terminated', HOUR],
  ['terminated', 200],
  ['canceled', HOUR],
  ['canceled', 200],
  ['reset', HOUR],
  ['reset', 200],
] as const)(
  'promise 1: a creation whose outcome is unknown, %s after %i ms, does not send again before a person has looked',
  async (how, ms) => {
    await open({ creations: ['answer lost'] });
    await happens(create('k1'), ms, end(how), MINUTE, create('k1'), HOUR);
    expect(made().length).toBeLessThanOrEqual(1);
    if (made().length === 0) throw new Error('the first try has sent nothing');
    expect(attentionOfCreation()).toBe('unknown-outcome');
    await happens(resolve, HOUR, create('k1'), HOUR);
    expect(made()).toHaveLength(1);
    expect(new Set(answers())).toEqual(new Set([made()[0]?.account_id]));
  },
);

test('promise 1: a creation that a person has made again is not sent twice by a reset while its request is under way', async () => {
  await open({ creations: ['lost before it arrived', 'answer lost'] });
  await happens(create('k1'), HOUR, resolve, MINUTE);
  expect(made()).toHaveLength(1);
  await happens(end('reset'), HOUR);
  expect(made()).toHaveLength(1);
  expect(attentionOfCreation()).toBe('unknown-outcome');
});

test.each([
  ['never', 'first'],
  ['before it alone', 'second'],
])(
  'promise 2: a creation of unknown outcome is not repeated where the number of accounts left can be read %s',
  async (_title, unread_from) => {
    await openToCreateAgain();
    answering(world.gateway, ({ path, ask }) => {
      const isUnread = path.endsWith('/quantity') && (unread_from === 'first' || made().length > 0);
      return isUnread ? said(503, {}) : ask();
    });
    await happens(create('k1'), HOUR);
    expect(made()).toHaveLength(1);
    expect(attentionOfCreation()).toBe('unknown-outcome');
  },
);

describe('promise 2: a creation of unknown outcome is not repeated because the number of accounts left is behind', () => {
  /** Behind by less than ten times PAYMENTS_SETTLING; accounts that were made later are not counted yet. */
  function isBehind(by_ms: number): void {
    const made_at: number[] = [];
    answering(world.gateway, async ({ path, ask }) => {
      if (path.endsWith('/quantity')) {
        const shown = made_at.filter((at) => at <= world.now - by_ms).length;
        return said(200, { code: '10000', msg: 'Success', available_quantity: 100 - shown });
      }
      const { length } = world.gateway.accounts;
      try {
        return await ask();
      } finally {
        if (world.gateway.accounts.length > length) made_at.push(world.now);
      }
    });
  }
  const isMadeOnce = async () => {
    expect(made()).toHaveLength(1);
    expect(attentionOfCreation()).toBe('unknown-outcome');
    await happens(resolve, HOUR, create('k1'), HOUR);
    expect(new Set(answers())).toEqual(new Set([made()[0]?.account_id]));
  };

  test.each([20_000, 290_000])('by %i ms', async (by_ms) => {
    await openToCreateAgain();
    isBehind(by_ms);
    await happens(create('k1'), HOUR);
    expect((await creationNow())?.unknown_tries).toMatchObject([{ quantity_before: 100, quantity_after: 99 }]);
    await isMadeOnce();
  });

  test.each(['terminated', 'reset', 'canceled'] as const)(
    'where the run is %s before it is read again',
    async (how) => {
      await openToCreateAgain();
      isBehind(20_000);
      await happens(create('k1'), MINUTE, end(how), MINUTE, create('k1'), HOUR);
      await isMadeOnce();
    },
  );

  test('but is, where nothing was made', async () => {
    await open({ creations: ['lost before it arrived'] });
    createAgain();
    isBehind(20_000);
    await happens(create('k1'), MINUTE);
    expect(made()).toHaveLength(0);
    await happens(5 * MINUTE, create('k1'), MINUTE);
    expect(made()).toHaveLength(1);
    expect(answers()).toContain(made()[0]?.account_id);
  });
});

test('promise 2: a refusal after a try of unknown outcome does not say that there is no account', async () => {
  await openToCreateAgain();
  answering(world.gateway, ({ path, ask }) => {
    // Another account was canceled at the same moment.
    if (path.endsWith('/quantity')) return LEFT;
    return path.endsWith('/create') && made().length > 0 ? noneLeft() : ask();
  });
  await happens(create('k1'), HOUR);
  expect(made()).toHaveLength(1);
  expect(world.temporal.latest(CREATION)?.isRunning).toBe(true);
  expect(attentionOfCreation()).toBe('unknown-outcome');
  await happens(resolve, create('k1'), HOUR);
  expect(new Set(answers())).toEqual(new Set([made()[0]?.account_id]));
});

const names = (account_id: string) => () =>
  update('resolve', CREATION, { account_id, reason: 'the dashboard', by: 'ana' });

test.each(['not shown yet', 'silent'])(
  'promise 8: an account that was named while the gateway was %s is doubted once it is found to be another buyer’s',
  async (how) => {
    await open({ creations: ['none', 'answer lost'] });
    await happens(create('k2'), MINUTE, create('k1'), HOUR);
    const another = world.gateway.accounts.find(({ buyer_id }) => buyer_id === 'k2')?.account_id ?? '';
    const works = answering(world.gateway, ({ text, ask }) => {
      if (!text.includes(another)) return ask();
      return how === 'silent' ? said(503, {}) : refusal('account-not-exist');
    });
    await happens(names(another), HOUR);
    if (how === 'silent') await happens(names('MISTYPED'), HOUR);
    works();
    await happens(names(another), HOUR);
    expect([attentionOfCreation(), answers()]).toEqual(['unknown-outcome', [another]]);
    // Who names it again has read whose it is, and then that another key has it.
    await happens(names(another), HOUR, names(another), HOUR, create('k1'), HOUR);
    expect(answers()).toEqual([another, another]);
  },
);

test('promise 8: a person corrects a mistyped account while the gateway does not answer', async () => {
  await open({ creations: ['answer lost'] });
  await happens(create('k1'), HOUR);
  answering(world.gateway, ({ text, ask }) => (text.includes('MISTYPED') ? said(503, {}) : ask()));
  await happens(names('MISTYPED'), HOUR, names(made()[0]?.account_id ?? ''), HOUR, create('k1'), HOUR);
  expect(answers()).toEqual([made()[0]?.account_id]);
});

test('a creation that the gateway has refused for certain is made by the next one, and needs nobody', async () => {
  await open({});
  const mend = answering(world.gateway, ({ path, ask }) => (path.endsWith('/create') ? noneLeft() : ask()));
  await happens(create('k1'), HOUR);
  expect(world.temporal.latest(CREATION)?.status).toBe('FAILED');
  mend();
  await happens(create('k1'), HOUR);
  expect(answers()).toEqual([made()[0]?.account_id]);
  expect(world.attentions).toEqual([]);
});
