/** The ledger that the oracle reads, tried: what stands in it is what truly happened. */
import { MINUTE } from '../../../../src/gateway/pure/durations';
import { begin, end, pay, world } from './attack-world';
import { safety } from './oracle';
import { seenIn } from './stories';

afterEach(end);

/** When the first try of a reset run has said that it sends nothing, and that is under way to the server, in ms. */
const FIRST_TRY_MS = 150;

test('a refusal that was told stays answered where a worker dies after a reset, in a try that sent nothing', async () => {
  await begin({ creations: ['created and refused'] }, (n) => n - 1);
  await pay(MINUTE);
  world.reset();
  await world.pass(FIRST_TRY_MS);
  await world.killWorker();
  expect(world.creationsCutOff).toHaveLength(1);
  await world.pass(MINUTE);
  const creations = world.gateway.exchanges.filter(({ is }) => is === 'creation');
  expect(creations.map(({ answered }) => answered)).toEqual(['created refused']);
  expect(safety(world, await seenIn(world))).toEqual([]);
});

test('an answer to a creation is lost with the worker that had it', async () => {
  await begin({}, (n) => n - 1);
  world.pay();
  for (let i = 0; world.gateway.exchanges.length === 0 && i < 1_000; i += 1) await world.pass(1);
  await world.killWorker();
  expect(world.gateway.exchanges).toMatchObject([{ is: 'creation', answered: 'nothing' }]);
  expect(world.gateway.exchanges[0]?.shown).toBe(undefined);
});
