/** A poll that asks for a trade by its own number and by the order's, by turns. */
import { MockActivityEnvironment } from '@temporalio/testing';
import { gatewayActivities } from '../../src/activities';
import { HOUR } from '../../src/gateway/pure/durations';
import { FakeGateway } from '../../src/testing/fake-gateway/fake-gateway';
import { APP } from '../../src/testing/stack';

/** What a turn of the watch finds; null where it has no answer. `out_trade_no`: what the gateway's answer names. */
async function turn(attempt: number, out_trade_no: string) {
  const gateway = new FakeGateway(async () => 0);
  gateway.query = async (by) => ({ ...by, trade_no: 'T1', out_trade_no, trade_status: 'SUCCESS', answer: {} });
  const activities = gatewayActivities({
    gateways: new Map([[APP.app_id, gateway]]),
    sealingKeys: () => [],
    notifyUrl: undefined,
  });
  const environment = new MockActivityEnvironment({ activityType: 'gateway.watch', attempt });
  const read_by = environment.context.info.workflowExecution?.runId ?? '';
  const id = { trade_no: 'T1', out_trade_no: 'order-1' };
  const schedule = { poll_schedule_ms: [], poll_every_ms: HOUR };
  const watch = { app_id: APP.app_id, id, others: [{ out_trade_no: 'order-1' }], known: [], seen: 'PROCESSING' };
  return environment.run(async () => activities['gateway.watch']({ ...watch, schedule, read_by })).catch(() => null);
}

test.each([
  ['its own number', 3],
  ['the order’s', 4],
])('by %s, an answer that names another order is no answer', async (_number, attempt) => {
  expect(await turn(attempt, 'order-1')).toMatchObject({ trade_status: 'SUCCESS' });
  expect(await turn(attempt, 'order-9')).toBeNull();
});
