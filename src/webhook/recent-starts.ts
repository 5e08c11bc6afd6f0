/** Which runs this process has started lately, and by which notifications. */
import { MINUTE } from '../gateway/pure/durations';

/**
 * For so long the same bytes are one notification. Later it is somebody who presses the callback button, because a deposit was
 * set aside; or a second dispute, of which a gateway that sends no `timestamp` says the same.
 */
export const REPEATS_FOR_MS = 10 * MINUTE;
/** So many starts are remembered: twice what the default of WEBHOOK_LIMIT_ADOPTIONS allows in that time. */
const MAX_KNOWN = 12_000;

interface Started {
  workflowId: string;
  requestId: string;
}

/** Temporal knows of the last run which notifications it got. Of the runs before it, only who started them knows. */
export class RecentStarts {
  private readonly runs = new Map<string, { runId: string; at: number }>();

  note(started: Started, runId: string): void {
    const [oldest] = this.runs.keys();
    if (oldest !== undefined && this.runs.size >= MAX_KNOWN) this.runs.delete(oldest);
    this.runs.set(keyOf(started), { runId, at: Date.now() });
  }

  /** The run that was started so within the last ten minutes. */
  runOf(started: Started): string | undefined {
    const { runId, at = 0 } = this.runs.get(keyOf(started)) ?? {};
    return Date.now() - at < REPEATS_FOR_MS ? runId : undefined;
  }
}

const keyOf = ({ workflowId, requestId }: Started) => `${workflowId} ${requestId}`;
