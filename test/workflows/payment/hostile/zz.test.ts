import { HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { SECOND, story } from './schedule';
import { timelineOf } from './timeline';
import { World } from './world';

test('zz', async () => {
  const world = await World.create({
    ...story([], { creations: ['answer lost'], lag_ms: 10 * SECOND }).traits,
    pick: () => 0,
  });
  world.pay();
  await world.pass(8 * SECOND);
  await world.resolve('CANCEL');
  await world.pass(5 * MINUTE);
  const t = world.gateway.trades[0];
  if (t) world.gateway.move(t, 'SUCCESS');
  await world.pass(2 * HOUR);
  console.log(timelineOf(world));
  for (const run of world.runs)
    console.log(
      run.runId,
      run.status,
      run.start.type,
      run.start.workflowId,
      run.hasBegun,
      run.hasBegun ? JSON.stringify(await world.temporal.query(run, 'state').catch((e: unknown) => String(e))) : '',
    );
  await world.close();
});
