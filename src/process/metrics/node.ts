/** What Node.js itself needs: its heap, and how late its event loop is. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Recorder } from '../../contract';

const EVERY_MS = 10_000;
const NS_PER_S = 1e9;

/** Records it at once and every 10 seconds, until `close`. */
export function measureNode(record: Recorder): { close(): void } {
  const delay = monitorEventLoopDelay();
  const measure = () => {
    record('heap', process.memoryUsage().heapUsed, {});
    const late = delay.percentile(99);
    record('eventLoop', Number.isFinite(late) ? late / NS_PER_S : 0, {});
    delay.reset();
  };
  delay.enable();
  measure();
  const timer = setInterval(measure, EVERY_MS).unref();
  return {
    close: () => {
      clearInterval(timer);
      delay.disable();
    },
  };
}
