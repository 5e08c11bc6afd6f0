/** A worker whose settings lack the app, or that lacks an activity: as long bounded as a gateway that does not answer, and told as what it is. */

import { gatewayActivities } from '../../../src/activities';
import { DAY, HOUR, MINUTE } from '../../../src/gateway/pure/durations';
import {
  attentions,
  begin,
  happens,
  move,
  open,
  outcomeNow,
  pay,
  reset,
  startWith,
  stateNow,
  tell,
  works,
  world,
} from './hostile/acts';

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

test('promise 8: settings that lose the app of an order that waits for its buyer are before a person at its next poll', async () => {
  await begin();
  await happens(pay, MINUTE);
  const mend = loseApp();
  await happens(HOUR);
  expect(open()).toEqual(['settings']);
  await happens(mend, move('T1', 'SUCCESS'), 2 * HOUR);
  expect([open(), await outcomeNow()]).toEqual([[], 'SUCCESS']);
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
