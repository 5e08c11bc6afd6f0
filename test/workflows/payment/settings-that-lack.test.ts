/** A worker whose settings lack the app, or that lacks an activity: as long bounded as a gateway that does not answer, and told as what it is. */

import { gatewayActivities } from '../../../src/activities';
import { DAY, HOUR, MINUTE } from '../../../src/gateway/pure/durations';
import {
  attentions,
  begin,
  creations,
  happens,
  move,
  notify,
  open,
  outcomeNow,
  pay,
  recheck,
  reset,
  startWith,
  stateNow,
  tell,
  trouble,
  works,
  world,
} from './hostile/acts';
import { SECOND } from './hostile/schedule';

/** The settings lose the app. Returns what gives it back. */
function loseApp(): () => void {
  const { functions } = world.temporal.activities;
  const before = { ...functions };
  Object.assign(
    functions,
    gatewayActivities({ gateways: new Map(), sealingKeys: () => [], notifyUrl: () => 'https://shop.example/ipn' }),
  );
  return () => void Object.assign(functions, before);
}

/** The gateway refuses our credentials. Returns what ends that. */
function refuseCredentials(): () => void {
  world.gateway.trouble = 'credentials';
  return works;
}

/** The worker gets the credentials of another environment: the gateway takes them, and denies every trade. */
const otherEnvironment = trouble('no such order');

/** The worker loses its activities of the gateway. Returns what gives them back. */
function loseActivities(): () => void {
  const { functions } = world.temporal.activities;
  const before = { ...functions };
  const lost = ['create', 'look', 'find', 'watch', 'refund'].map((name) => [`gateway.${name}`, undefined]);
  // A local activity that is lacking is no answer, too: it is tried once.
  Object.assign(functions, Object.fromEntries(lost), { 'gateway.glance': async () => null });
  return () => void Object.assign(functions, before);
}

const LOSSES = [
  ['settings without the app', 'settings', loseApp, /no such app.*GATEWAY_APPS_FILE/],
  ['a worker without the activities', 'missing-activity', loseActivities, /gateway\.create/],
] as const;

describe.each(LOSSES)('%s', (_name, reason, lose, says) => {
  test('an order is before a person after ten minutes, and has failed once its time is over, with the true reason', async () => {
    await begin();
    lose();
    await happens(pay, 15 * MINUTE);
    expect(open()).toEqual([reason]);
    world.awaitOutcome();
    await world.pass(2 * HOUR);
    expect(open()).toEqual([]);
    const told = world.told.flatMap((one) => (one.is === 'failure' ? [one] : [])).at(-1);
    expect(told).toMatchObject({ type: 'NotCreatedError', outcome: 'not-sent', message: expect.stringMatching(says) });
    expect(told?.message).not.toContain('could not be reached');
    expect(told?.message).toContain('Nothing was charged');
    expect(world.gateway.exchanges).toEqual([]);
  });

  test('an order is sent once by a worker that has what the first one lacks', async () => {
    await begin();
    const mend = lose();
    await happens(pay, 15 * MINUTE, mend, 5 * MINUTE);
    expect((await stateNow()).trade_status).toBe('PROCESSING');
    expect(world.gateway.trades).toHaveLength(1);
    expect(open()).toEqual([]);
  });

  test('a payment whose SUCCESS is notified is before a person within half an hour, and ends as paid after it is mended', async () => {
    await begin();
    await happens(pay, MINUTE);
    const mend = lose();
    await happens(tell('T1', 'SUCCESS'), 30 * MINUTE);
    expect(open()).toEqual([reason]);
    await world.pass(DAY);
    expect(attentions()).toEqual([reason]);
    await happens(mend, 2 * HOUR);
    expect(await outcomeNow()).toBe('SUCCESS');
    expect(open()).toEqual([]);
  });
});

test.each([['the app'], ['credentials']])(
  'promise 8: settings that lose %s again two days later are before a person again',
  async (what) => {
    await begin();
    const lose = what === 'the app' ? loseApp : refuseCredentials;
    const request = { ...world.input.request, timeout_express: '10d' };
    await happens(startWith([{ ...world.input, request }]), HOUR);
    const mend = lose();
    await happens(2 * HOUR);
    const first = open();
    await happens(mend, 2 * DAY);
    const between = open();
    lose();
    await happens(3 * HOUR);
    expect([first, between, open()]).toEqual([[expect.any(String)], [], first]);
  },
);

describe('credentials of another environment, with which the gateway denies an order that waits for its buyer for weeks', () => {
  const startForWeeks = () =>
    startWith([{ ...world.input, request: { ...world.input.request, timeout_express: '20d' } }])();

  test('promise 8: are before a person once the denials have lasted, and the payment goes on until the gateway shows it', async () => {
    await begin();
    await happens(startForWeeks, 5 * HOUR, otherEnvironment, 3 * HOUR);
    expect(open()).toEqual(['unknown-trade']);
    await happens(5 * DAY);
    expect([open(), await outcomeNow(), creations().length]).toEqual([['unknown-trade'], undefined, 1]);
    await happens(works, 2 * HOUR);
    expect([open(), (await stateNow()).trade_status]).toEqual([[], 'PROCESSING']);
    await happens(move('T1', 'SUCCESS'), 2 * HOUR);
    expect([open(), await outcomeNow()]).toEqual([[], 'SUCCESS']);
  });

  test('promise 8: are before a person at once where they were to mend credentials that were refused the same day', async () => {
    await begin();
    await happens(startForWeeks, 5 * HOUR, refuseCredentials, 2 * HOUR);
    const refused = open();
    await happens(otherEnvironment, 3 * HOUR);
    expect([refused, open()]).toEqual([['credentials'], ['unknown-trade']]);
  });

  test('promise 8: a notification of the trade ends it as well, once the gateway shows it', async () => {
    await begin();
    await happens(startForWeeks, 5 * HOUR, otherEnvironment, 3 * HOUR);
    const denied = open();
    await happens(works, notify('T1', 'PROCESSING'), MINUTE);
    expect([denied, open()]).toEqual([['unknown-trade'], []]);
  });

  test('promise 8: no person is asked of a denial that is short, or of two between which the trade was shown', async () => {
    await begin();
    await happens(startForWeeks, otherEnvironment, 5 * MINUTE, works, 5 * HOUR);
    // Polls come once an hour now: each second one is denied.
    for (let i = 0; i < 6; i++) await happens(otherEnvironment, HOUR, works, HOUR);
    expect(attentions()).toEqual([]);
  });

  test('promise 8: no person is asked of a poll that was denied while a look found the trade', async () => {
    await begin();
    await happens(startForWeeks, 5 * HOUR, otherEnvironment, HOUR);
    const denied = world.gateway.exchanges.findLast(({ is }) => is === 'query')?.at ?? 0;
    // The next denial ends the poll; a look has begun before it, and ends after it.
    await happens(denied + HOUR - 10 * SECOND - world.now, notify('T1', 'PROCESSING'), 15 * SECOND, works, HOUR);
    expect(world.events.filter(({ type }) => type === 'attention')).toEqual([]);
  });

  test('promise 8: no person is asked of two denials of polls between which looks have found the trade', async () => {
    await begin();
    await happens(startForWeeks, 5 * HOUR);
    const polled = world.gateway.exchanges.findLast(({ is }) => is === 'query')?.at ?? 0;
    const deniedAround = (at: number) => happens(at - MINUTE - world.now, otherEnvironment, 2 * MINUTE, works);
    await deniedAround(polled + HOUR);
    for (let i = 0; i < 5; i++) await happens(9 * MINUTE, recheck, 10 * SECOND);
    await deniedAround(polled + 2 * HOUR);
    await world.pass(3 * HOUR);
    expect(world.events.filter(({ type }) => type === 'attention')).toEqual([]);
  });

  test('promise 8: one of two workers with them asks a person once a day at most', async () => {
    await begin();
    await happens(startForWeeks, 5 * HOUR);
    for (let day = 0; day < 6; day++)
      for (let i = 0; i < 6; i++) await happens(otherEnvironment, 2 * HOUR, works, 2 * HOUR);
    const raised = world.attentions.filter(({ attention }) => attention === 'unknown-trade');
    expect(raised.length).toBeGreaterThan(1);
    expect(raised.length).toBeLessThanOrEqual(6);
  });
});

describe.each(LOSSES)('%s, and a run that was reset', (_name, _reason, lose) => {
  test('an order that the run before has sent is never said to be unsent, and is not sent again', async () => {
    await begin();
    await happens(pay, MINUTE);
    const mend = lose();
    await happens(reset, 5 * HOUR);
    expect(world.told.filter(({ is }) => is === 'failure')).toEqual([]);
    expect(open()).not.toEqual([]);
    await happens(mend, 2 * HOUR);
    expect(world.gateway.trades).toHaveLength(1);
    expect((await stateNow()).trade_no).toBe('T1');
  });
});
