import fc from 'fast-check';
import { SimulatorClock } from '../../src/simulator';
import { noon } from './support';

const still = () => new SimulatorClock({ start: noon, speed: 0 });

test('a clock of speed 0 stops until it is moved', async () => {
  const clock = still();
  expect(clock.now()).toBe(noon);
  await clock.advance(1500);
  expect(clock.now()).toBe(noon + 1500);
});

test('a clock runs at its speed', async () => {
  // A minute of simulated time is over after a few real milliseconds, and not without any.
  const began = performance.now();
  const clock = new SimulatorClock({ start: noon, speed: 60_000 });
  await new Promise<void>((resolve) => clock.at(noon + 600_000, resolve));
  const real = performance.now() - began;
  expect(real).toBeGreaterThanOrEqual(9);
  expect(clock.now() - noon).toBeGreaterThanOrEqual(600_000);
  expect(clock.now() - noon).toBeLessThanOrEqual((performance.now() - began) * 60_000);
});

test('starting a stopped clock starts the work that waits', async () => {
  const clock = still();
  const rung = new Promise<void>((resolve) => clock.at(noon + 60_000, resolve));
  clock.speed = 60_000;
  await rung;
});

test('work sees the time at which it was due, and can schedule more work', async () => {
  const clock = still();
  const seen: number[] = [];
  clock.at(noon + 20, () => void seen.push(clock.now() - noon));
  clock.at(noon + 10, async () => {
    await Promise.resolve();
    seen.push(clock.now() - noon);
    clock.at(noon + 15, () => void seen.push(clock.now() - noon));
  });
  await clock.advance(100);
  expect(seen).toEqual([10, 15, 20]);
  expect(clock.now()).toBe(noon + 100);
});

test('two moves at once follow each other', async () => {
  const clock = still();
  await Promise.all([clock.advance(10), clock.advance(10)]);
  expect(clock.now()).toBe(noon + 20);
});

test('cancelled work is not done', async () => {
  const clock = still();
  const cancel = clock.at(noon + 10, () => {
    throw new Error('It was done');
  });
  cancel();
  cancel();
  await clock.advance(100);
});

test('work that fails makes a warning and stops nothing', async () => {
  const clock = still();
  const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  let done = false;
  clock.at(noon + 1, () => {
    throw new Error('out of order');
  });
  clock.at(noon + 2, () => {
    done = true;
  });
  await clock.advance(10);
  expect(done).toBe(true);
  expect(warn).toHaveBeenCalledWith(expect.stringContaining('out of order'));
  warn.mockRestore();
});

test('a clock does not go backwards', async () => {
  const clock = still();
  await expect(clock.advance(-1)).rejects.toThrow(RangeError);
  await expect(clock.advance(Number.NaN)).rejects.toThrow(RangeError);
  expect(() => {
    clock.speed = -1;
  }).toThrow(RangeError);
  expect(() => new SimulatorClock({ start: new Date('soon') })).toThrow(RangeError);
  clock.resume({ now: noon - 5000, real: Date.now(), speed: 0 });
  expect(clock.now()).toBe(noon);
});

test('time passes at the clock’s speed while a process is down', () => {
  const clock = still();
  clock.resume({ now: noon + 1000, real: Date.now() - 60_000, speed: 60 });
  expect(clock.now() - noon).toBeGreaterThanOrEqual(1000 + 3_600_000);
  expect(clock.now() - noon).toBeLessThan(1000 + 3_700_000);
});

test('alarms ring in the order of their times, whichever were cancelled', async () => {
  const dues = fc.array(fc.record({ due: fc.nat(50), isCancelled: fc.boolean() }), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(dues, async (alarms) => {
      const clock = still();
      const rung: number[] = [];
      const cancels = alarms.map(({ due }, index) => clock.at(noon + due, () => void rung.push(index)));
      for (const [index, { isCancelled }] of alarms.entries()) if (isCancelled) cancels[index]?.();
      await clock.advance(100);
      const left = alarms.map((alarm, index) => ({ ...alarm, index })).filter(({ isCancelled }) => !isCancelled);
      expect(rung).toEqual(left.sort((a, b) => a.due - b.due || a.index - b.index).map(({ index }) => index));
    }),
  );
});
