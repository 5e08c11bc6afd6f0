/** Several waits that share one time. */
import { condition } from '@temporalio/workflow';

/** Waits until `isMet`. False if the time ended first. */
export type IsInTime = (isMet: () => boolean) => Promise<boolean>;

/** Runs `work`, whose waits have `time_ms` together. They share one timer: each timer costs two events. */
export async function withinOneTime<Result>(
  time_ms: number,
  summary: string,
  work: (isInTime: IsInTime) => Promise<Result>,
): Promise<Result> {
  let isDone = false;
  let isOver = false;
  const time = condition(() => isDone, time_ms, { summary });
  time.then(
    (inTime) => {
      isOver = !inTime;
    },
    () => undefined,
  );
  try {
    return await work(async (isMet) => {
      await condition(() => isOver || isMet());
      return isMet();
    });
  } finally {
    isDone = true;
  }
}
