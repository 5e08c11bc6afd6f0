/** Attacks on promises 4, 7 and 8: what the after-sale, its refund, or an earlier run of either has learned, all of them know. */
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { PLAIN, type Traits, World } from './world';

let world: World;
const open = async (traits: Partial<Traits> = {}) => {
  world = await World.create({ ...PLAIN, pick: () => 0, ...traits });
};
afterEach(() => world?.close());

const DONE = { takes_ms: 0, ends: 'done' } as const;
const REFUSED = { takes_ms: 0, ends: 'refused' } as const;
const REVOKED = { takes_ms: 0, ends: 'revoked' } as const;
const LONG = { takes_ms: 5 * HOUR, ends: 'done' } as const;

const goneBack = () => Number(world.gateway.gone().toFixed(2));
const refundOf = async (number: string) =>
  (await world.state())?.refunds.find(({ out_request_no }) => out_request_no === number);
const tell = (status: string, number?: string) => world.deliver({ at: world.now, status, number });
/** A person says what the dashboard shows of each refund that waits for one, and a day passes. Returns what nobody is asked about. */
async function answerAll() {
  for (let i = 0; i < 3; i += 1) {
    await world.readDashboard();
    world.resolveRefund();
    await world.pass(MINUTE);
  }
  await world.pass(DAY);
  const state = await world.state();
  return [state?.attention, state?.refunded_amount];
}

describe('what stands in the way of a refund is told to it also while it tries', () => {
  test('promise 7: a refund whose tries do not reach the gateway is not sent beside one of the desk that is before a person', async () => {
    await open({ plans: [DONE, DONE] });
    world.ask({ amount: '50.00', number: 'a' });
    await world.pass(10 * MINUTE);
    world.gateway.trouble = 'refunds unreachable';
    world.ask({ amount: '100.00', number: 'b' });
    await world.pass(MINUTE);
    world.desk('50.00', 0);
    tell('PARTIAL_REFUND', 'desk-1');
    await world.pass(HOUR);
    const before = await world.state();
    world.gateway.trouble = undefined;
    await world.pass(HOUR);
    expect([before?.attention, goneBack()]).toEqual(['refund-elsewhere', 100]);
  });

  test('promise 7: a refund whose tries do not reach the gateway is not sent where a person has named what went back, and too little is left', async () => {
    await open({ plans: [DONE, DONE] });
    world.ask({ amount: '50.00', number: 'a' });
    await world.pass(10 * MINUTE);
    world.gateway.trouble = 'refunds unreachable';
    world.ask({ amount: '100.00', number: 'b' });
    await world.pass(MINUTE);
    world.desk('50.00', 0);
    tell('PARTIAL_REFUND', 'desk-1');
    await world.pass(HOUR);
    world.nameElsewhere();
    await world.pass(HOUR);
    world.gateway.trouble = undefined;
    await world.pass(HOUR);
    expect([(await world.state())?.refunded_elsewhere, goneBack()]).toEqual(['50.00', 100]);
  });

  test('promise 7: a first refund whose tries do not reach the gateway is not sent beside one of the desk, although a copy is four minutes behind', async () => {
    await open({ plans: [DONE], lag_ms: 4 * MINUTE });
    world.gateway.trouble = 'refunds unreachable';
    world.ask({ amount: '150.00', number: 'a' });
    await world.pass(MINUTE);
    world.desk('100.00', 0);
    tell('PARTIAL_REFUND', 'desk-1');
    await world.pass(2 * MINUTE);
    world.gateway.trouble = undefined;
    await world.pass(30 * MINUTE);
    expect(goneBack()).toBe(100);
  });
});

describe('SUCCESS does not mean “no refund” where another one may have brought the trade back there', () => {
  test('promise 7: a refund with a lost answer is not paid twice because an earlier part came back meanwhile, by its number', async () => {
    await open({ plans: [DONE, LONG, DONE], mishaps: ['none', 'answer lost'], lag_ms: 45_000, watchWindow: '3d' });
    world.ask({ amount: '50.00', number: 'a' });
    await world.pass(10 * MINUTE);
    await world.chargeBackAndReverse();
    world.ask({ amount: '100.00', number: 'c' });
    await world.pass(MINUTE);
    world.gateway.comesBack('a');
    tell('REFUND_REVOKE', 'a');
    await world.pass(MINUTE);
    world.gateway.move('SUCCESS');
    await world.pass(HOUR);
    expect([goneBack(), world.gateway.refunds.map(({ number }) => number)]).toEqual([100, ['a', 'c']]);
  });

  test('promise 7: a refund with a lost answer is not paid twice because one of the desk was revoked meanwhile, by its number', async () => {
    await open({ plans: [LONG, DONE], mishaps: ['answer lost'], lag_ms: 45_000 });
    world.ask({ amount: '100.00', number: 'a' });
    await world.pass(MINUTE);
    world.gateway.make('desk-1', '40.00', 'the desk', REVOKED);
    tell('REFUND_REVOKE', 'desk-1');
    await world.pass(HOUR);
    expect([goneBack(), world.gateway.refunds.map(({ number }) => number)]).toEqual([100, ['a', 'desk-1']]);
  });

  test('promise 7: a refund that the gateway took in words that are not known is not called NOT_CREATED because of that', async () => {
    await open({ plans: [LONG], mishaps: ['refused in other words, and made'], lag_ms: 45_000 });
    world.ask({ amount: '100.00', number: 'a' });
    await world.pass(MINUTE);
    world.gateway.make('desk-1', '40.00', 'the desk', REVOKED);
    tell('REFUND_REVOKE', 'desk-1');
    await world.pass(HOUR);
    const a = await refundOf('a');
    expect([a?.outcome, goneBack()]).toEqual([null, 100]);
  });
});

describe('what is notified before a new after-sale follows the refund is told to it', () => {
  test('promise 7: a first refund under way is not called refused because one of the desk was, which a notification names to a new after-sale', async () => {
    await open({ plans: [LONG, DONE] });
    world.ask({ amount: '100.00', number: 'a' });
    await world.pass(10 * MINUTE);
    world.terminate();
    await world.pass(1_000);
    world.gateway.make('desk-1', '40.00', 'the desk', REFUSED);
    tell('REFUND_REFUSED', 'desk-1');
    await world.pass(HOUR);
    const a = await refundOf('a');
    world.nameElsewhere();
    await world.pass(MINUTE);
    world.ask({ amount: '150.00', number: 'b' });
    await world.pass(10 * MINUTE);
    expect([a?.outcome, goneBack()]).toEqual([null, 100]);
  });

  test('promise 7: a first refund under way is not called revoked because a chargeback was reversed, of which a new after-sale hears', async () => {
    await open({ plans: [LONG, DONE] });
    world.ask({ amount: '100.00', number: 'a' });
    await world.pass(40 * MINUTE);
    world.terminate();
    await world.pass(1_000);
    for (const status of ['CHARGEBACK', 'CHARGEBACK_REVERSED', 'SUCCESS']) world.gateway.move(status);
    tell('CHARGEBACK_REVERSED');
    await world.pass(HOUR);
    const a = await refundOf('a');
    world.ask({ amount: '150.00', number: 'b' });
    await world.pass(10 * MINUTE);
    expect([a?.outcome, goneBack()]).toEqual([null, 100]);
  });

  test('promise 7: a refund whose tries do not reach the gateway is not sent beside a chargeback that was told to a new after-sale', async () => {
    await open({ plans: [DONE], lag_ms: 4 * MINUTE });
    world.gateway.trouble = 'refunds unreachable';
    world.ask({ amount: '150.00', number: 'a' });
    await world.pass(MINUTE);
    world.terminate();
    await world.pass(1_000);
    world.gateway.move('CHARGEBACK');
    tell('CHARGEBACK');
    await world.pass(2 * MINUTE);
    const before = await world.state();
    world.gateway.trouble = undefined;
    await world.pass(30 * MINUTE);
    expect([before?.attention, goneBack()]).toEqual(['chargeback', 0]);
  });
});

describe('what is named of others before a refund begins, or after its end, counts', () => {
  test('promise 7: a refund is not called refused because of one of the desk that was named as refused before it, on a copy four minutes behind', async () => {
    await open({ plans: [LONG, DONE], lag_ms: 4 * MINUTE });
    world.gateway.make('desk-1', '40.00', 'the desk', REFUSED);
    tell('REFUND_REFUSED', 'desk-1');
    await world.pass(2 * MINUTE);
    world.nameElsewhere();
    await world.pass(1_000);
    world.settle();
    await world.pass(1_000);
    world.ask({ amount: '100.00', number: 'a' });
    await world.pass(190_000);
    world.ask({ amount: '150.00', number: 'b' });
    await world.pass(10 * MINUTE);
    const a = await refundOf('a');
    // The copy shows the end of the desk's after a person has named it: it may be one more, so nothing is sent.
    expect([a?.outcome, (await world.state())?.attention, goneBack()]).toEqual(['NOT_CREATED', 'refund-elsewhere', 0]);
  });

  test('promise 7: a refund that was called refused is before a person once a notification names another as refused', async () => {
    await open({ plans: [LONG, DONE] });
    world.ask({ amount: '100.00', number: 'a' });
    await world.pass(2_000);
    world.gateway.make('desk-1', '40.00', 'the desk', REFUSED);
    await world.pass(10 * MINUTE);
    tell('REFUND_REFUSED', 'desk-1');
    await world.pass(10 * MINUTE);
    const a = await refundOf('a');
    world.nameElsewhere();
    await world.pass(MINUTE);
    world.ask({ amount: '150.00', number: 'b' });
    await world.pass(10 * MINUTE);
    expect([a?.attention, goneBack()]).toEqual(['unknown-refund', 100]);
  });

  test('promise 7: a second try under a number is not called refused on the notification of the first, on a copy two minutes behind', async () => {
    await open({ plans: [LONG], mishaps: ['refused for good'], lag_ms: 2 * MINUTE });
    world.ask({ amount: '100.00', number: 'a' });
    await world.pass(2_000);
    world.ask({ amount: '100.00', number: 'a' });
    await world.pass(2_000);
    tell('REFUND_REFUSED', 'a');
    await world.pass(75_000);
    const a = await refundOf('a');
    expect([a?.attempt, a?.outcome, goneBack()]).toEqual([2, null, 100]);
  });

  test('promise 7: nor, on no copy that is behind, because an earlier part came back while it was under way', async () => {
    await open({ plans: [DONE, LONG, DONE], mishaps: ['none', 'refused for good'] });
    world.ask({ amount: '50.00', number: 'a' });
    await world.pass(10 * MINUTE);
    world.ask({ amount: '100.00', number: 'b' });
    await world.pass(2_000);
    world.ask({ amount: '100.00', number: 'b' });
    await world.pass(2_000);
    tell('REFUND_REFUSED', 'b');
    await world.pass(10 * MINUTE);
    world.gateway.comesBack('a');
    await world.pass(HOUR);
    const b = await refundOf('b');
    world.gateway.move('SUCCESS');
    await world.pass(10 * MINUTE);
    world.settle();
    await world.pass(MINUTE);
    world.ask({ amount: '100.00', number: 'd' });
    await world.pass(10 * MINUTE);
    expect([b?.attempt, b?.outcome, goneBack()]).toEqual([2, null, 100]);
  });

  test('promise 7: a refund that never arrived is not called given back because a copy a minute behind shows the one before it as under way', async () => {
    const [slow, lost] = [{ takes_ms: 2 * MINUTE, ends: 'done' }, 'lost before it arrived'] as const;
    await open({ plans: [DONE, slow], mishaps: ['none', 'none', lost], lag_ms: MINUTE, answersStatus: false });
    world.ask({ amount: '50.00', number: 'a' });
    await world.pass(10 * MINUTE);
    world.ask({ amount: '50.00', number: 'b' });
    await world.pass(40_000);
    world.ask({ amount: '50.00', number: 'c' });
    await world.pass(6 * HOUR);
    const c = await refundOf('c');
    const isMade = world.gateway.refunds.some(({ number }) => number === 'c');
    expect([c?.outcome === 'REFUNDED' && c.attention === null, isMade]).toEqual([false, false]);
  });
});

describe('a refund that waits for its turn again remembers what it has seen', () => {
  const openWithOneFreshLook = async () => {
    let from = Number.POSITIVE_INFINITY;
    const pick = (n: number) => (n === 2 && world.gateway.queries === from + 1 ? 1 : 0);
    await open({ plans: [DONE], lag_ms: 2 * MINUTE, copies: 'several', pick });
    world.gateway.trouble = 'refunds unreachable';
    world.ask({ amount: '150.00', number: 'a' });
    await world.pass(MINUTE);
    return () => {
      from = world.gateway.queries;
      world.gateway.trouble = undefined;
    };
  };

  test('promise 7: a refund is not sent on the word of copies that are behind, after its own look has shown a dispute', async () => {
    const goOn = await openWithOneFreshLook();
    world.gateway.move('DISPUTE');
    goOn();
    await world.pass(30 * MINUTE);
    expect(goneBack()).toBe(0);
  });

  test('promise 7: a refund is not sent on the word of copies that are behind, after its own look has shown another refund under way', async () => {
    const goOn = await openWithOneFreshLook();
    world.desk('100.00', HOUR);
    goOn();
    await world.pass(30 * MINUTE);
    expect(goneBack()).toBe(100);
  });
});

describe('an earlier refund that came back while a later one is under way is asked about', () => {
  test('promise 4: the trade is SUCCESS after a part was given back, and the next refund is the first to see it', async () => {
    await open({ plans: [DONE, DONE], watchWindow: '3d' });
    world.ask({ amount: '50.00', number: 'a' });
    await world.pass(5 * HOUR);
    world.gateway.comesBack('a');
    await world.pass(MINUTE);
    world.gateway.move('SUCCESS');
    await world.pass(MINUTE);
    world.ask({ amount: '100.00', number: 'c' });
    await world.pass(HOUR);
    expect(await answerAll()).not.toEqual([null, '150.00']);
  });

  test('promise 4: the trade is SUCCESS for hours while the next refund is under way', async () => {
    await open({ plans: [DONE, LONG] });
    world.ask({ amount: '50.00', number: 'a' });
    await world.pass(10 * MINUTE);
    world.ask({ amount: '50.00', number: 'c' });
    await world.pass(10 * MINUTE);
    world.gateway.comesBack('a', 'SUCCESS');
    await world.pass(6 * HOUR);
    expect(await answerAll()).not.toEqual([null, '100.00']);
  });

  // Nor is REFUND_REFUSED of one that a part of the desk, which was named, let end as REFUNDED.
  test('promise 4: a refund that was called REFUNDED because of a part of the desk, and is refused while the next one is under way', async () => {
    await open({ plans: [{ takes_ms: HOUR, ends: 'refused' }, LONG] });
    world.ask({ amount: '50.00', number: 'a' });
    await world.pass(10 * MINUTE);
    world.desk('30.00', 0);
    tell('PARTIAL_REFUND', 'desk-1');
    await world.pass(10 * MINUTE);
    world.resolve({ refunded_elsewhere: '30.00' });
    await world.pass(MINUTE);
    world.ask({ amount: '50.00', number: 'c' });
    await world.pass(7 * HOUR);
    expect(await answerAll()).not.toEqual([null, '100.00']);
  });

  // The same without the desk: 'still a part' counts after 30 s, and the copy is a minute behind.
  test('promise 4: a refund that a copy a minute behind let end as REFUNDED, and is refused while the next one is under way', async () => {
    await open({ plans: [DONE, { takes_ms: 90_000, ends: 'refused' }, LONG], lag_ms: MINUTE, answersStatus: false });
    world.ask({ amount: '50.00', number: 'a' });
    await world.pass(10 * MINUTE);
    world.ask({ amount: '50.00', number: 'b' });
    await world.pass(40_000);
    world.ask({ amount: '50.00', number: 'c' });
    await world.pass(6 * HOUR);
    expect(await answerAll()).not.toEqual([null, '150.00']);
  });

  test('promise 4: a revoke that the after-sale saw while a refund was under way, and which a person decides', async () => {
    await open({ plans: [DONE, { takes_ms: HOUR, ends: 'done' }] });
    world.ask({ amount: '50.00', number: 'a' });
    await world.pass(10 * MINUTE);
    world.ask({ amount: '50.00', number: 'c' });
    await world.pass(10 * MINUTE);
    world.gateway.comesBack('a');
    tell('REFUND_REVOKE');
    await world.untilShown('REFUND_REVOKE');
    world.gateway.move('REFUND_PROCESSING');
    await world.pass(2 * HOUR);
    tell('PARTIAL_REFUND', 'c');
    await world.pass(MINUTE);
    expect(await answerAll()).not.toEqual([null, '100.00']);
  });
});

describe('a refund that stays open is before a person', () => {
  test('promise 8: a refund under way of which the gateway does not answer for a month is before a person', async () => {
    await open({ plans: [LONG] });
    world.ask({ amount: '50.00', number: 'a' });
    await world.pass(10 * MINUTE);
    world.gateway.trouble = 'unreachable';
    await world.pass(30 * DAY);
    const state = await world.state();
    expect([state?.refunds[0]?.outcome, state?.attention]).not.toEqual([null, null]);
  });

  test('promise 8: a refund that waits for a month for a trade that stays REFUND_REVOKE is before a person', async () => {
    await open({ plans: [REVOKED, DONE], revokedFor_ms: 1_000 * DAY });
    world.ask({ amount: '50.00', number: 'a' });
    await world.pass(10 * MINUTE);
    world.ask({ amount: '50.00', number: 'c' });
    await world.pass(30 * DAY);
    const state = await world.state();
    expect([state?.refunds[1]?.outcome, state?.attention]).not.toEqual([null, null]);
  });
});
