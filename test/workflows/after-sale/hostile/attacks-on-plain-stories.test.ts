/** Attacks on promises 3, 4, 7 and 8: what the mends of refunds could have broken, and a few that they had left. */
import type { RefundOutcome } from '../../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { PLAIN, type Traits, World } from './world';

let world: World;
const open = async (traits: Partial<Traits> = {}) => {
  world = await World.create({ ...PLAIN, pick: () => 0, ...traits });
};
afterEach(() => world?.close());

const SECOND = 1_000;
const DONE = { takes_ms: 0, ends: 'done' } as const;
const SLOW = { takes_ms: 20 * SECOND, ends: 'done' } as const;
const LONG = { takes_ms: 5 * HOUR, ends: 'done' } as const;
const REVOKED = { takes_ms: 0, ends: 'revoked' } as const;
const SLOWLY_REVOKED = { takes_ms: 20 * SECOND, ends: 'revoked' } as const;

const goneBack = () => Number(world.gateway.gone().toFixed(2));
const tell = (status: string, number?: string) => world.deliver({ at: world.now, status, number });
const attention = async () => (await world.state())?.attention;
const outcomeOf = async (number: string) =>
  (await world.state())?.refunds.find(({ out_request_no }) => out_request_no === number)?.outcome;
async function parts(...numbers: string[]): Promise<void> {
  for (const number of numbers) {
    world.ask({ amount: '50.00', number });
    await world.pass(10 * MINUTE);
  }
}
/** A person says of each refund that is asked about what became of it, three times over, and that nothing went back elsewhere. */
async function answer(truth: Readonly<Record<string, Exclude<RefundOutcome, 'ACCEPTED'>>>): Promise<void> {
  world.resolve({ refunded_elsewhere: '0.00' });
  for (let i = 0; i < 3; i += 1)
    for (const [out_request_no, outcome] of Object.entries(truth)) {
      await world.pass(MINUTE);
      world.resolve({ out_request_no, outcome });
    }
  await world.pass(HOUR);
}
async function untilSentAgain(): Promise<void> {
  for (let i = 0; i < 1_200 && world.gateway.requests.length < 2; i += 1) await world.pass(SECOND);
  await world.pass(2 * SECOND);
}

describe('what the after-sale knows reaches a refund that tries at once', () => {
  test('promise 7: a refund is not sent on top of one of the desk that is before a person, after an outage', async () => {
    await open({ plans: [DONE, DONE] });
    await parts('a');
    world.gateway.trouble = 'refunds unreachable';
    world.ask({ amount: '100.00', number: 'b' });
    await world.pass(90 * SECOND);
    world.gateway.trouble = 'unreachable';
    world.desk('50.00', 0);
    await world.pass(10 * SECOND);
    tell('PARTIAL_REFUND', 'desk-1');
    await world.pass(20 * SECOND);
    const shown = await attention();
    world.gateway.trouble = undefined;
    await world.pass(HOUR);
    expect([shown, goneBack()]).toEqual(['refund-elsewhere', 100]);
  });

  // No lag, and each query is answered: the look waits for a settling time because of another notification.
  test('promise 7: a refund is not sent on top of one of the desk while the look settles what another notification said', async () => {
    await open({ plans: [DONE, DONE] });
    await parts('a');
    world.gateway.trouble = 'refunds unreachable';
    world.ask({ amount: '100.00', number: 'b' });
    await world.pass(119 * SECOND);
    tell('REFUNDED');
    await world.pass(SECOND);
    world.desk('50.00', 0);
    tell('PARTIAL_REFUND', 'desk-1');
    await world.pass(SECOND);
    const shown = await attention();
    world.gateway.trouble = undefined;
    await world.pass(HOUR);
    expect([shown, goneBack()]).toEqual(['refund-elsewhere', 100]);
  });

  // Lag: five seconds. The look waits for the copy; the refund does not.
  test('promise 7: a first refund is not sent on top of one of the desk that a copy five seconds behind does not show', async () => {
    await open({ plans: [DONE], lag_ms: 5 * SECOND });
    world.gateway.trouble = 'refunds unreachable';
    world.ask({ amount: '150.00', number: 'a' });
    await world.pass(MINUTE);
    world.desk('100.00', 0);
    tell('PARTIAL_REFUND', 'desk-1');
    await world.pass(SECOND);
    const shown = await attention();
    world.gateway.trouble = undefined;
    await world.pass(HOUR);
    expect([shown, goneBack()]).toEqual(['refund-elsewhere', 100]);
  });
});

describe('the bank’s word is remembered for ten minutes', () => {
  test('promise 7: also by the next after-sale, where a person has settled the word and the one before it has ended', async () => {
    await open({ plans: [LONG], lag_ms: 10 * MINUTE });
    world.gateway.move('DISPUTE');
    tell('DISPUTE');
    while ((await attention()) !== 'unconfirmed-notification') await world.pass(SECOND);
    world.settle();
    await world.pass(2 * SECOND);
    world.ask({ amount: '150.00', number: 'a' });
    await world.pass(HOUR);
    expect(world.gateway.requests.map(({ status }) => status)).toEqual([]);
  });
});

describe('a request that is sent again under its number is a second try, too', () => {
  // Lag: three minutes.
  test('promise 7: a late word that the first request was revoked does not free the amount for another refund', async () => {
    await open({
      ...{ plans: [REVOKED, LONG, LONG], mishaps: ['answer lost'] },
      ...{ lag_ms: 3 * MINUTE, revokedFor_ms: 2 * SECOND },
    });
    world.ask({ amount: '150.00', number: 'a' });
    await untilSentAgain();
    tell('REFUND_REVOKE', 'a');
    await world.pass(80 * SECOND);
    world.settle();
    await world.pass(SECOND);
    world.ask({ amount: '150.00', number: 'b' });
    await world.pass(MINUTE);
    expect(goneBack()).toBe(150);
  });
});

describe('a person is not asked about the same for ever', () => {
  test('promise 8: where one part of three came back, and a person has said which', async () => {
    await open({ plans: [DONE, DONE, DONE], watchWindow: '3d' });
    await parts('a', 'b', 'c');
    world.gateway.giveUp('us', false);
    tell('REFUND_REVOKE');
    await world.pass(HOUR);
    await answer({ a: 'REFUNDED', b: 'REFUNDED', c: 'REFUND_REVOKE' });
    const { attention: asked, refunded_amount } = (await world.state()) ?? {};
    expect([asked, refunded_amount]).toEqual([null, '100.00']);
  });

  test('promise 8: where it was one of the desk that came back, and both of ours were paid', async () => {
    await open({ plans: [DONE, DONE], watchWindow: '3d' });
    await parts('a', 'b');
    world.desk('50.00', 0, 'revoked');
    tell('REFUND_REVOKE');
    await world.pass(HOUR);
    await answer({ a: 'REFUNDED', b: 'REFUNDED' });
    const { attention: asked, refunded_amount } = (await world.state()) ?? {};
    expect([asked, refunded_amount]).toEqual([null, '100.00']);
  });
});

describe('a plain story needs nobody', () => {
  test('promise 7: the second part is revoked by its number, and the trade shows the first one again', async () => {
    await open({ plans: [SLOW, SLOWLY_REVOKED], tells_ms: SECOND });
    await parts('a', 'b');
    await world.pass(HOUR);
    const { attention: asked, ledger_complete } = (await world.state()) ?? {};
    expect([asked, ledger_complete]).toEqual([null, true]);
  });

  test('promise 7: a third part that waits behind a revoked one is not refused as beside a refund that we did not make', async () => {
    await open({ plans: [SLOW, SLOWLY_REVOKED, SLOW], tells_ms: SECOND });
    for (const number of ['a', 'b', 'c']) world.ask({ amount: '50.00', number });
    await world.pass(HOUR);
    expect([await outcomeOf('c'), await attention()]).toEqual(['REFUNDED', null]);
  });

  test('promise 4: the first one is revoked, its notifications come two minutes later, and another one waits', async () => {
    await open({ plans: [SLOWLY_REVOKED, SLOW], tells_ms: 2 * MINUTE });
    for (const number of ['a', 'b']) world.ask({ amount: '50.00', number });
    await world.pass(HOUR);
    expect([await outcomeOf('b'), await attention()]).toEqual(['REFUNDED', null]);
  });

  // Notifications one minute late.
  test('promise 4: one is done, and its notification comes while the next one is under way', async () => {
    await open({ plans: [DONE, LONG], tells_ms: MINUTE });
    for (const number of ['a', 'b']) world.ask({ amount: '50.00', number });
    await world.pass(DAY);
    expect(await attention()).toBeNull();
  });
});

describe('two states can look alike after another refund', () => {
  test('promise 7: a second refund that never arrived is not called REFUNDED without a person', async () => {
    await open({ plans: [DONE], mishaps: ['none', 'lost before it arrived'] });
    world.ask({ amount: '100.00', number: 'a' });
    await world.pass(10 * MINUTE);
    world.ask({ amount: '50.00', number: 'b' });
    await world.pass(20 * SECOND);
    world.desk('50.00', 0);
    await world.pass(DAY);
    expect([await outcomeOf('b'), await attention()]).not.toEqual(['REFUNDED', null]);
  });
});

describe('a person can say what is so', () => {
  test('promise 8: where a part of a full refund came back between two looks', async () => {
    await open({ plans: [DONE, DONE, DONE], watchWindow: '3d' });
    await parts('a', 'b', 'c');
    world.gateway.giveUp('us', false);
    await world.pass(2 * HOUR);
    await answer({ a: 'REFUNDED', b: 'REFUNDED', c: 'REFUND_REVOKE' });
    expect((await world.state())?.refunded_amount).toBe('100.00');
  });
});

describe('nothing stays open for ever in silence', () => {
  test('promise 8: a refund that does not reach the gateway for ten days is before a person', async () => {
    await open({ plans: [DONE] });
    world.gateway.trouble = 'refunds unreachable';
    world.ask({ amount: '150.00', number: 'a' });
    await world.pass(10 * DAY);
    expect(await attention()).not.toBeNull();
  });
});
