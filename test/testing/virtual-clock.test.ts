/** Virtual time, for several who wait at once. */
import { VirtualClock } from '../../src/testing/simulated-temporal/virtual-clock';

const clock = () => new VirtualClock(0, () => 0);

test('each waits until what it waits for is so, or its time is over, in the order of time', async () => {
  const time = clock();
  const happened: string[] = [];
  const at = (ms: number) => time.in(ms, () => void happened.push(`item at ${time.now}`));
  for (const ms of [10, 20, 30]) at(ms);
  await Promise.all([
    time.pass(25).then(() => happened.push(`25 over at ${time.now}`)),
    time.until(() => happened.length > 0, 100).then((isSo) => happened.push(`${isSo} at ${time.now}`)),
    time.until(() => false, 15).then((isSo) => happened.push(`${isSo} at ${time.now}`)),
  ]);
  expect(happened).toEqual(['item at 10', 'true at 10', 'false at 15', 'item at 20', '25 over at 25']);
  expect(time.now).toBe(25);
});

test('what a caller does next who waits no more, it does before time goes on', async () => {
  const time = clock();
  const times: number[] = [];
  for (const ms of [10, 20, 30]) time.in(ms, () => {});
  const other = time.pass(40);
  for (const ms of [5, 5, 5]) {
    await time.pass(ms);
    for (let i = 0; i < 20; i += 1) await Promise.resolve();
    times.push(time.now);
  }
  expect(times).toEqual([5, 10, 15]);
  await other;
  expect(time.now).toBe(40);
});

test('what goes wrong is thrown at everybody who waits, and time can go on', async () => {
  const time = clock();
  time.in(10, () => {
    throw new Error('wrong');
  });
  const both = await Promise.allSettled([time.pass(20), time.until(() => false, 30)]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await time.pass(10);
  expect(time.now).toBe(20);
});

test('what happens cannot wait for time, which would stand still for ever', async () => {
  const time = clock();
  time.in(10, () => time.pass(10));
  await expect(time.pass(20)).rejects.toThrow('no time passes');
});

test('nobody waits for what is closed', async () => {
  const time = clock();
  const waiting = time.pass(10);
  time.close();
  await expect(waiting).rejects.toThrow('The simulation is over');
  await expect(time.pass(10)).rejects.toThrow('The simulation is over');
});
