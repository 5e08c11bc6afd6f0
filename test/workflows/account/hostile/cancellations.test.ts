/** Promises 2, 5 and 6: a cancellation ends as what the gateway has done, whatever became of its answers and of the run that asked. */

import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { answering } from '../../hostile/answering';
import { refusal, said } from '../../hostile/gateway';
import {
  accountNow,
  CREATION,
  create,
  earlierRunsAreSilent,
  happens,
  latest,
  open,
  refusesToCancel,
  resolve,
  secondRun,
  terminate,
  transfer,
  trouble,
  update,
  works,
  world,
} from './acts';

/** Behind by less than ten times PAYMENTS_SETTLING. */
const BEHIND_MS = 250_000;
const NOT_CANCELED = 'failure.applicationFailureInfo.type';
const REFUSES = () => refusal('account-status-abnormal');
const textOf = (body: Uint8Array) => new TextDecoder().decode(body);

/** The first cancellation is carried out, and `first` becomes of its answer; later ones are refused, and queries are behind. */
function carriedOutOnce(first: () => void) {
  const seen = { cancels: 0, at: Number.POSITIVE_INFINITY };
  answering(world.gateway, async ({ path, ask }) => {
    if (world.gateway.trouble) return ask();
    if (path.endsWith('/cancel')) {
      seen.cancels += 1;
      if (seen.cancels > 1) return REFUSES();
      const answer = await ask();
      seen.at = world.now;
      first();
      return seen.cancels === 1 ? said(503, {}) : answer;
    }
    const { status, body } = await ask();
    const isBehind = path.endsWith('/spei/query') && world.now < seen.at + BEHIND_MS;
    return isBehind ? said(status, textOf(body).replace('CANCELED', 'ACTIVE')) : { status, body };
  });
  return seen;
}

describe('promise 5: a cancellation that the gateway refuses for good ends, and the account is looked at again', () => {
  test.each([
    ['whose first answer was lost', 1, []],
    ['at once', 0, []],
    ['which was certainly not sent at first', 0, [trouble('unreachable'), 5_000, works]],
  ] as const)('%s', async (_, lost, before) => {
    await open();
    await happens(transfer('1.00'), MINUTE);
    let cancels = 0;
    answering(world.gateway, ({ path, ask }) => {
      if (!path.endsWith('/cancel') || world.gateway.trouble) return ask();
      cancels += 1;
      return cancels <= lost ? said(503, {}) : REFUSES();
    });
    if (before[0]) before[0]();
    const asked = await update('cancel');
    await happens(...before.slice(1), MINUTE);
    // Who was told that we keep asking may ask again: by then a replica could be behind no longer.
    if (lost > 0) expect(JSON.stringify(asked?.outcome)).toContain('We keep asking it');
    else expect(asked?.outcome).toHaveProperty(NOT_CANCELED, 'NotCanceled');
    await world.pass(HOUR);
    expect(await accountNow()).toMatchObject({ status: 'ACTIVE', attention: null });
    expect(cancels).toBeLessThan(10);
    const until = cancels;
    await world.pass(DAY);
    expect(cancels).toBe(until);
    // It is canceled elsewhere, and the next check tells.
    const [account] = world.gateway.accounts;
    if (account) account.status = 'CANCELED';
    await world.pass(DAY);
    expect(await accountNow()).toMatchObject({ status: 'CANCELED' });
    expect(world.attentions).toEqual([]);
  });
});

describe('promise 8: a cancellation that the gateway confirms and never shows is before a person, and is not sent again', () => {
  const confirmed = async (queries: () => ReturnType<typeof said> | undefined) => {
    const seen = { cancels: 0 };
    answering(world.gateway, async ({ path, ask }) => {
      const [account] = world.gateway.accounts;
      if (!path.endsWith('/cancel')) return (path.endsWith('/spei/query') && queries()) || ask();
      seen.cancels += 1;
      return said(200, { code: '10000', msg: 'Success', ...account, status: 'CANCELED' });
    });
    const asked = await update('cancel');
    await world.pass(HOUR);
    expect(JSON.stringify(asked?.outcome)).toContain('We keep asking it');
    return seen;
  };

  test('until somebody asks for it once more, or the gateway shows it', async () => {
    await open();
    await happens(transfer('1.00'), MINUTE);
    const seen = await confirmed(() => undefined);
    expect(await accountNow()).toMatchObject({ status: 'ACTIVE', attention: 'not-canceled' });
    await world.pass(3 * DAY);
    expect(seen.cancels).toBe(1);
    await update('cancel');
    await world.pass(DAY);
    expect(seen.cancels).toBe(2);
    await happens(resolve, 3 * DAY);
    expect(await accountNow()).toMatchObject({ status: 'ACTIVE', attention: null });
    await update('cancel');
    await world.pass(HOUR);
    expect(await accountNow()).toMatchObject({ attention: 'not-canceled' });
    const [account] = world.gateway.accounts;
    if (account) account.status = 'CANCELED';
    await world.pass(DAY);
    expect(await accountNow()).toMatchObject({ status: 'CANCELED', attention: null });
    expect(seen.cancels).toBe(3);
  });

  test('where queries have no answer for days', async () => {
    await open();
    await happens(transfer('1.00'), MINUTE);
    let isDown = true;
    const seen = await confirmed(() => (isDown ? said(503, {}) : undefined));
    await world.pass(3 * DAY);
    expect(await accountNow()).toMatchObject({ attention: 'no-answer' });
    isDown = false;
    await world.pass(DAY);
    expect(await accountNow()).toMatchObject({ attention: 'not-canceled' });
    expect(seen.cancels).toBe(1);
  });

  test('whose account continues as new, or is terminated, meanwhile', async () => {
    await open({ continuesAfter: 40, settings: { PAYMENTS_SETTLING: '3h' } });
    await happens(transfer('1.00'), MINUTE);
    const seen = await confirmed(() => undefined);
    const first = latest().runId;
    for (let i = 0; i < 20; i += 1) await happens(transfer('1.00'), HOUR);
    expect(latest().runId).not.toBe(first);
    await happens(terminate, MINUTE, transfer('2.00'), HOUR);
    expect(await accountNow()).toMatchObject({ attention: null });
    await world.pass(12 * HOUR);
    expect(await accountNow()).toMatchObject({ attention: 'not-canceled' });
    expect(seen.cancels).toBe(1);
  });
});

test('promise 5: a refusal counts however long PAYMENTS_SETTLING is', async () => {
  await open({ settings: { PAYMENTS_SETTLING: '3h' } });
  await happens(transfer('1.00'), MINUTE);
  let cancels = 0;
  answering(world.gateway, ({ path, ask }) => {
    if (!path.endsWith('/cancel')) return ask();
    cancels += 1;
    return cancels === 1 ? said(503, {}) : REFUSES();
  });
  await update('cancel');
  await world.pass(30 * HOUR + MINUTE);
  const until = cancels;
  await world.pass(10 * DAY);
  expect(cancels).toBe(until);
  const asked = await update('cancel');
  await world.pass(MINUTE);
  expect(asked?.outcome).toHaveProperty(NOT_CANCELED, 'NotCanceled');
});

test('promise 8: whoever calls again is asked for again, while the refusal of an earlier call does not count yet', async () => {
  await open({ settings: { PAYMENTS_SETTLING: '3h' } });
  await happens(transfer('1.00'), MINUTE);
  const { seen, mend } = refusesToCancel();
  await update('cancel');
  await world.pass(HOUR);
  expect(seen.cancels).toBe(2);
  await update('cancel');
  await world.pass(HOUR);
  expect(seen.cancels).toBe(3);
  mend();
  const asked = await update('cancel');
  await world.pass(MINUTE);
  expect(asked?.outcome).toHaveProperty('completed');
});

describe('promise 2: a cancellation that was carried out, and whose answer nobody has, is not called refused', () => {
  const isCanceledInTheEnd = async (asked: Awaited<ReturnType<typeof update>>) => {
    await world.pass(20 * MINUTE);
    expect(asked?.outcome).not.toHaveProperty(NOT_CANCELED, 'NotCanceled');
    expect(await accountNow()).toMatchObject({ status: 'CANCELED' });
    const again = await update('cancel');
    await world.pass(MINUTE);
    expect(again?.outcome).toHaveProperty('completed');
  };

  test.each(['answered', 'silent'])(
    'where somebody terminates the account, whose run is %s when asked',
    async (how) => {
      await open();
      await happens(transfer('1.00'), MINUTE);
      carriedOutOnce(() => undefined);
      const asked = await update('cancel');
      await world.pass(50);
      if (how === 'silent') earlierRunsAreSilent();
      await happens(terminate, 1_000, transfer('2.00'), 5_000);
      await isCanceledInTheEnd(asked);
    },
  );

  test('where somebody resets the account to before the request', async () => {
    const run = await secondRun();
    carriedOutOnce(() => undefined);
    const asked = await update('cancel');
    await world.pass(50);
    await world.within(async () => void world.temporal.reset(run));
    await world.pass(5_000);
    await isCanceledInTheEnd(asked);
  });
});

describe('promise 6: a canceled account is not called ACTIVE again by a replica that is behind', () => {
  const isBehind = () => {
    const canceled_at = world.now;
    answering(world.gateway, async ({ path, ask }) => {
      const { status, body } = await ask();
      if (!path.endsWith('/spei/query') || world.now - canceled_at > BEHIND_MS) return { status, body };
      return said(status, textOf(body).replace('CANCELED', 'ACTIVE'));
    });
  };
  const isToldOnce = async () => {
    expect(await accountNow()).toMatchObject({ status: 'CANCELED', attention: null });
    const told = world.events.flatMap((one) => (one.type === 'account-status' ? one.account.status : []));
    expect(told.filter((status, i) => status !== told[i - 1])).toEqual(['ACTIVE', 'CANCELED']);
  };
  /** Canceled a moment before the daily poll. */
  const canceled = async (traits = {}) => {
    await open(traits);
    await happens(transfer('1.00'), DAY - 20_000);
    const asked = await update('cancel');
    await world.pass(1_000);
    expect(asked?.outcome).toHaveProperty('completed');
    isBehind();
  };

  test('at the daily poll, nor where somebody asks', async () => {
    await canceled();
    await happens(MINUTE, () => world.recheck('A1'), HOUR);
    await isToldOnce();
  });

  test('but is, once the gateway has opened it again', async () => {
    await canceled();
    await world.pass(HOUR);
    const [account] = world.gateway.accounts;
    if (account) account.status = 'ACTIVE';
    await world.pass(DAY);
    expect(await accountNow()).toMatchObject({ status: 'ACTIVE' });
  });
});

describe('promise 6: an account that was canceled while nobody followed it is canceled for its merchant', () => {
  const cancelElsewhere = () => {
    for (const one of world.gateway.accounts) if (one.account_id === 'A2') one.status = 'CANCELED';
  };

  test('where the creation that starts it has just heard so, and an earlier run says otherwise', async () => {
    await open();
    await happens(create('k1'), HOUR, () => world.terminate('A2'), cancelElsewhere, 3 * DAY);
    await world.temporal.forget(CREATION);
    await happens(create('k1'), 5_000, create('k1'), MINUTE);
    expect(await world.state('A2')).toMatchObject({ status: 'CANCELED' });
    expect(world.told.slice(-2)).not.toContainEqual(expect.objectContaining({ is: 'account' }));
  });

  test('where the run that canceled it cannot be asked', async () => {
    await secondRun();
    await update('cancel');
    await world.pass(HOUR);
    earlierRunsAreSilent();
    await happens(terminate, 1_000, transfer('2.00'), HOUR);
    expect(await accountNow()).toMatchObject({ status: 'CANCELED' });
  });
});

describe('promise 2: an account that cannot be asked is not canceled for a call whose successor was told that the gateway refuses', () => {
  test.each<[string, () => Promise<{ mend: () => void }>]>([
    [
      'by the same run',
      async () => {
        const refused = refusesToCancel();
        await update('cancel');
        await world.pass(HOUR);
        return refused;
      },
    ],
    [
      'by the run that the first call was handed on to',
      async () => {
        const { runId } = latest();
        const refused = refusesToCancel(() => latest().runId === runId);
        await update('cancel');
        while (latest().runId === runId) await happens(transfer('1.00'), 1_000);
        await world.pass(HOUR);
        return refused;
      },
    ],
    [
      'by the run that took it over after a termination',
      async () => {
        const refused = refusesToCancel();
        await update('cancel');
        await happens(50, terminate, 1_000, transfer('2.00'), HOUR);
        return refused;
      },
    ],
  ])('%s', async (_which, called) => {
    await open({ continuesAfter: 200 });
    await happens(transfer('1.00'), MINUTE);
    const { mend } = await called();
    const asked = await update('cancel');
    await world.pass(MINUTE);
    expect(asked?.outcome).toHaveProperty(NOT_CANCELED, 'NotCanceled');
    mend();
    await world.pass(30 * DAY);
    earlierRunsAreSilent();
    await happens(terminate, 1_000, transfer('2.00'), HOUR);
    expect(world.gateway.accounts[0]?.status).toBe('ACTIVE');
  });
});

test('promise 8: nobody is asked about a cancellation that shows a little later, though its attempt had waited for a worker', async () => {
  await open();
  await happens(transfer('1.00'), MINUTE);
  let at = Number.POSITIVE_INFINITY;
  answering(world.gateway, async ({ path, ask }) => {
    if (path.endsWith('/cancel') && !world.gateway.trouble) at = world.now;
    const { status, body } = await ask();
    const isBehind = path.endsWith('/spei/query') && world.now < at + 20_000;
    return isBehind ? said(status, textOf(body).replace('CANCELED', 'ACTIVE')) : { status, body };
  });
  trouble('unreachable')();
  await update('cancel');
  await happens(20_000, () => world.leaveWithoutWorker(8 * MINUTE), works, HOUR);
  expect(await accountNow()).toMatchObject({ status: 'CANCELED', attention: null });
  expect(world.attentions).not.toContain('not-canceled');
});

test('promise 2: a refusal is not believed too early because the attempt before had waited for a worker', async () => {
  await open();
  await happens(transfer('1.00'), MINUTE);
  carriedOutOnce(() => undefined);
  trouble('unreachable')();
  await update('cancel');
  await happens(20_000, () => world.leaveWithoutWorker(8 * MINUTE), works, HOUR);
  expect(await accountNow()).toMatchObject({ status: 'CANCELED' });
});
