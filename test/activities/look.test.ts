/** A look for a trade by several ids: which of them counts, and what each of them has to say before nothing is found. */
import { MockActivityEnvironment } from '@temporalio/testing';
import { gatewayActivities } from '../../src/activities';
import type { LookInput } from '../../src/contract';
import { HOUR, MINUTE } from '../../src/gateway/pure/durations';
import { FakeGateway } from '../../src/testing/fake-gateway/fake-gateway';
import { APP } from '../../src/testing/stack';

const { app_id } = APP;
const OURS = { out_trade_no: 'order-1' };
const NAMED = { trade_no: 'T1' };
const SURE_FIRST = { app_id, ids: [OURS, NAMED], settling_ms: 30_000, patience_ms: HOUR };

/** `of`: the order of the trade T1. */
async function gatewayWith(of: string): Promise<FakeGateway> {
  const gateway = new FakeGateway(async () => 0);
  await gateway.addTrade(of, { statusAt: () => 'SUCCESS' });
  return gateway;
}

/** The gateway is silent about what is asked by these ids, and answers any other. */
function silentAbout(gateway: FakeGateway, isSilent: (id: { out_trade_no?: string | undefined }) => boolean): void {
  const answers = gateway.query.bind(gateway);
  gateway.query = async (id) => {
    if (!isSilent(id)) return answers(id);
    gateway.isDown = true;
    return answers(id).finally(() => Object.assign(gateway, { isDown: false }));
  };
}

/** One attempt, so long after the look began, after denials for so long; its result, or that another attempt follows. */
function attempt(gateway: FakeGateway, look: LookInput, { age_ms = 0, denied_ms = 0, attempt = 1 } = {}) {
  const gateways = new Map([[app_id, gateway]]);
  const activities = gatewayActivities({ gateways, sealingKeys: () => [], notifyUrl: undefined });
  const scheduledTimestampMs = Date.now();
  const info = { attempt, scheduledTimestampMs, currentAttemptScheduledTimestampMs: scheduledTimestampMs + age_ms };
  const environment = new MockActivityEnvironment({ ...info, heartbeatDetails: denied_ms });
  return environment.run(async () => activities['gateway.look'](look)).catch(() => 'later');
}

test('a trade that its surest id finds is found by that, and by no other', async () => {
  const gateway = await gatewayWith('order-1');
  expect(await attempt(gateway, SURE_FIRST)).toMatchObject({ is: 'found', by: OURS });
  expect(gateway.queries).toBe(1);
});

test('a trade that only a less sure id finds is found by that, where the surer ones are denied', async () => {
  const gateway = await gatewayWith('another');
  expect(await attempt(gateway, SURE_FIRST)).toMatchObject({ is: 'found', by: NAMED, trade: NAMED });
});

test('the trade of another order is not found: it is told, and "no such order" counts once each id has said so', async () => {
  const gateway = await gatewayWith('another');
  const look = { ...SURE_FIRST, ...OURS };
  expect(await attempt(gateway, look)).toBe('later');
  expect(await attempt(gateway, look, { denied_ms: 30_000 })).toMatchObject({
    is: 'no-such-order',
    foreign: ['T1'],
  });
});

test('a look has no answer where the gateway is silent about the surest id, whatever it has under another one', async () => {
  const gateway = await gatewayWith('order-1');
  silentAbout(gateway, ({ out_trade_no }) => out_trade_no !== undefined);
  expect(await attempt(gateway, SURE_FIRST, { age_ms: MINUTE })).toBe('later');
  expect(await attempt(gateway, SURE_FIRST, { age_ms: HOUR })).toMatchObject({ is: 'no-answer' });
});

test('"no such order" of one id does not count where the gateway is silent about another', async () => {
  const gateway = await gatewayWith('another');
  silentAbout(gateway, ({ out_trade_no }) => out_trade_no === undefined);
  expect(await attempt(gateway, SURE_FIRST, { denied_ms: MINUTE })).toBe('later');
  expect(await attempt(gateway, SURE_FIRST, { age_ms: HOUR, denied_ms: MINUTE })).toMatchObject({ is: 'no-answer' });
});

test('a look by every id brings what each of them finds', async () => {
  const gateway = await gatewayWith('order-1');
  await gateway.addTrade('another', { statusAt: () => 'REFUSED' });
  const ids = [OURS, { trade_no: 'T2' }];
  expect(await attempt(gateway, { ...SURE_FIRST, ids, every: true })).toMatchObject({
    is: 'found',
    trade: NAMED,
    more: [{ trade_no: 'T2', trade_status: 'REFUSED' }],
  });
});

test('a search asks by one id an attempt, each in its turn', async () => {
  const gateway = await gatewayWith('another');
  const { patience_ms: _none, ...search } = SURE_FIRST;
  expect(await attempt(gateway, search, { age_ms: HOUR })).toBe('later');
  expect(gateway.queries).toBe(1);
  expect(await attempt(gateway, search, { age_ms: HOUR, attempt: 2 })).toMatchObject({ is: 'found', by: NAMED });
});

test('a search in which one id was denied for long enough asks by each, and ends once all are denied', async () => {
  const gateway = await gatewayWith('another');
  const { patience_ms: _none, ...search } = { ...SURE_FIRST, ids: [OURS, { trade_no: 'T9' }] };
  expect(await attempt(gateway, search, { denied_ms: MINUTE })).toMatchObject({ is: 'no-such-order' });
  expect(gateway.queries).toBe(2);
});
