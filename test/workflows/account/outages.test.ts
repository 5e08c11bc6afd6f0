/** A gateway that gives no answer about virtual accounts, for whatever reason and however long: bounded, and told to a person as what it is. */

import { accountActivities, accountPolicyOf } from '../../../src/activities';
import { speiAccountQuantityWorkflowId } from '../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../src/gateway/pure/durations';
import { loadConfig } from '../../../src/process/settings';
import { APP } from '../hostile/base-world';
import {
  A1,
  accountNow,
  CREATION,
  create,
  happens,
  made,
  open,
  terminate,
  transfer,
  trouble,
  works,
  world,
} from './hostile/acts';

const LENGTHS = [
  ['1 minute', MINUTE],
  ['15 minutes', 15 * MINUTE],
  ['60 minutes', HOUR],
  ['3 days', 3 * DAY],
] as const;

/** The reason under which a person finds the latest run of a workflow. */
function reasonOf(workflowId: string): unknown {
  const run = world.temporal.latest(workflowId);
  return (run?.isRunning && world.temporal.attributesOf(run).PaymentAttention) || null;
}

/** Whatever is asked from now on fails for this reason. Returns what mends it. */
const TROUBLES = {
  'no-answer': () => {
    world.gateway.trouble = 'unreachable';
    return works;
  },
  settings: () =>
    lacks(
      accountActivities({ gateways: new Map(), notifyUrl: undefined, policy: accountPolicyOf(loadConfig({}), []) }),
    ),
  'missing-activity': () =>
    lacks(
      Object.fromEntries(
        ['create-account', 'find-account', 'cancel-account', 'account-quantity'].map((name) => [
          `gateway.${name}`,
          undefined,
        ]),
      ),
    ),
  credentials: () => {
    world.gateway.trouble = 'credentials';
    return () => {
      world.gateway.trouble = undefined;
    };
  },
} as const;
type Trouble = keyof typeof TROUBLES;

function lacks(changed: object): () => void {
  const { functions } = world.temporal.activities;
  const before = { ...functions };
  Object.assign(functions, changed);
  return () => void Object.assign(functions, before);
}

const cases = (troubles: readonly Trouble[]) =>
  troubles.flatMap((why) => LENGTHS.map(([length, ms]) => [why, length, ms] as const));

describe.each(cases(['no-answer', 'settings', 'missing-activity']))('%s for %s', (why, _length, ms) => {
  test('a creation is made once after it within its hour, and otherwise has failed with the word that there is no account', async () => {
    await open();
    const mend = TROUBLES[why]();
    world.create('k1');
    await world.pass(Math.min(ms, 15 * MINUTE));
    expect(reasonOf(CREATION)).toBe(ms > 10 * MINUTE ? why : null);
    await world.pass(ms - Math.min(ms, 15 * MINUTE));
    expect(made()).toEqual([]);
    await happens(mend, 5 * MINUTE);
    expect(reasonOf(CREATION)).toBeNull();
    if (ms < HOUR) {
      expect(made()).toHaveLength(1);
      return;
    }
    expect(made()).toEqual([]);
    const { status, failure } = world.temporal.latest(CREATION) ?? {};
    expect({ status, failure }).toMatchObject({
      status: 'FAILED',
      failure: {
        message: expect.stringMatching(
          /none was made.*(could not be reached|no such app|gateway\.create-account|before a worker could send it)/,
        ),
        applicationFailureInfo: { type: 'NotCreated' },
      },
    });
    await happens(create('k1'), HOUR);
    expect(made()).toHaveLength(1);
  });
});

describe.each(cases(['no-answer', 'settings', 'missing-activity', 'credentials']))('%s for %s', (why, _length, ms) => {
  test('a cancellation is before a person after ten minutes, and is carried out after it', async () => {
    await open();
    await happens(transfer('1.00'), MINUTE);
    const mend = TROUBLES[why]();
    world.cancelAccount('A1');
    await world.pass(Math.min(ms, 15 * MINUTE));
    expect(reasonOf(A1)).toBe(ms > 10 * MINUTE ? why : null);
    await world.pass(ms - Math.min(ms, 15 * MINUTE));
    await happens(mend, 5 * MINUTE);
    expect(world.gateway.accounts[0]?.status).toBe('CANCELED');
    expect(await accountNow()).toMatchObject({ status: 'CANCELED', attention: null });
  });
});

test('a gateway that answers with HTTP 503 and a code refuses no cancellation: it is carried out after the overload', async () => {
  await open();
  await happens(transfer('1.00'), MINUTE, trouble('503'));
  world.cancelAccount('A1');
  await world.pass(15 * MINUTE);
  expect(reasonOf(A1)).toBe('no-answer');
  await happens(works, 5 * MINUTE);
  expect(await world.state('A1')).toMatchObject({ status: 'CANCELED', attention: null });
});

test.each(['no-answer', 'settings', 'missing-activity', 'credentials'] as const)(
  '%s: how many accounts are left, and an account that is looked at, are before a person after ten minutes, and nobody is asked after it',
  async (why) => {
    await open();
    const mend = TROUBLES[why]();
    world.notify(world.gateway.deposit('A1', '1.00', 'PROCESSING'));
    const quantity = speiAccountQuantityWorkflowId(APP);
    world.temporal.start('speiAccountQuantity', quantity, { app_id: APP });
    await world.pass(15 * MINUTE);
    expect([reasonOf(A1), reasonOf(quantity)]).toEqual([why, why]);
    await happens(mend, 5 * MINUTE);
    expect([reasonOf(A1), reasonOf(quantity)]).toEqual([null, null]);
  },
);

test('without the activity that tells the settings, an account and its creation are before a person after ten minutes, and go on after it', async () => {
  await open();
  const mend = lacks({ 'gateway.account-policy': undefined });
  await happens(create('k1'), terminate, transfer('1.00'), 5 * MINUTE);
  expect([reasonOf(CREATION), reasonOf(A1)]).toEqual([null, null]);
  await world.pass(10 * MINUTE);
  expect([reasonOf(CREATION), reasonOf(A1)]).toEqual(['missing-activity', 'missing-activity']);
  await world.pass(DAY);
  expect(made()).toEqual([]);
  await happens(mend, 15 * MINUTE);
  expect([reasonOf(CREATION), reasonOf(A1)]).toEqual([null, null]);
  expect(made()).toHaveLength(1);
  expect(await accountNow()).toMatchObject({ deposits: { count: 1 } });
});

test('a creation that cannot read what earlier runs under its key made says so, and goes on once it can', async () => {
  await open();
  const mend = lacks({
    'payments.account-of-creation': async () => {
      throw new Error('it was encrypted with the key "k2"');
    },
  });
  await happens(create('k1'), HOUR);
  expect([reasonOf(CREATION), made().length]).toEqual(['no-answer', 0]);
  mend();
  await world.pass(HOUR);
  expect([reasonOf(CREATION), made().length]).toEqual([null, 1]);
});
