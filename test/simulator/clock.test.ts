import fc from 'fast-check';
import { SimulatorClock } from '../../src/simulator';
import { Heap, type HeapItem } from '../../src/simulator/heap';
import { noon } from './support';

const still = () => new SimulatorClock({ start: noon, speed: 0 });

test('a clock of speed 0 stands still until it is moved', async () => {
  const clock = still();
  expect(clock.now()).toBe(noon);
  await clock.advance(1500);
  expect(clock.now()).toBe(noon + 1500);
});

test('a clock runs at its speed', async () => {
  // A minute of simulated time is over after a few real milliseconds, and not without any.
  const clock = new SimulatorClock({ start: noon, speed: 60_000 });
  const began = performance.now();
  await new Promise<void>((resolve) => clock.at(noon + 600_000, resolve));
  const real = performance.now() - began;
  expect(real).toBeGreaterThanOrEqual(9);
  expect(clock.now() - noon).toBeGreaterThanOrEqual(600_000);
  expect(clock.now() - noon).toBeLessThanOrEqual((performance.now() - began) * 60_000);
});

test('starting a clock that stood still wakes what waits', async () => {
  const clock = still();
  const rung = new Promise<void>((resolve) => clock.at(noon + 60_000, resolve));
  clock.speed = 60_000;
  await rung;
});

test('work sees the time at which it was due, and may make more work', async () => {
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

test('work that fails is told, and stops nothing', async () => {
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

test('a clock neither runs nor moves backwards', async () => {
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

test('time passed while a process was down, at its speed', () => {
  const clock = still();
  clock.resume({ now: noon + 1000, real: Date.now() - 60_000, speed: 60 });
  expect(clock.now() - noon).toBeGreaterThanOrEqual(1000 + 3_600_000);
  expect(clock.now() - noon).toBeLessThan(1000 + 3_700_000);
});

test('a heap gives its items in order, whatever was taken out in between', () => {
  const dues = fc.array(fc.nat(1000), { minLength: 20, maxLength: 80 });
  fc.assert(
    fc.property(dues, fc.infiniteStream(fc.nat(1000)), (list, picks) => {
      const heap = new Heap<HeapItem>();
      const left = list.map((due, order) => ({ due, order, position: -1 }));
      for (const item of left) heap.add(item);
      // Some from anywhere, some from the top, until none is left.
      for (const pick of picks) {
        const first = [...left].sort((a, b) => a.due - b.due || a.order - b.order)[0];
        expect(heap.first()).toBe(first);
        expect(heap.size).toBe(left.length);
        const taken = pick % 2 === 0 ? first : left[pick % left.length];
        if (taken === undefined) return;
        heap.remove(taken);
        left.splice(left.indexOf(taken), 1);
      }
    }),
  );
});
