/** Which runs this process has started recently, and by which notifications. */
import { MINUTE } from '../gateway/pure/durations';

/**
 * For this long, in ms, the same bytes count as one notification. Later, somebody may have pressed the callback button because a deposit was
 * set aside; or it is a second dispute, for which a gateway without a `timestamp` sends the same bytes.
 */
export const REPEATS_FOR_MS = 10 * MINUTE;
/** The most starts that are remembered: twice what the default of WEBHOOK_LIMIT_ADOPTIONS allows in that time. */
const MAX_KNOWN = 12_000;

interface Started {
  workflowId: string;
  requestId: string;
}

/** Temporal knows which notifications the last run got. For earlier runs, only the process that started them knows. */
export class RecentStarts {
  private readonly runs = new Map<string, { runId: string; at: number }>();

  note(started: Started, runId: string): void {
    const [oldest] = this.runs.keys();
    if (oldest !== undefined && this.runs.size >= MAX_KNOWN) this.runs.delete(oldest);
    this.runs.set(keyOf(started), { runId, at: Date.now() });
  }

  /** The run that this notification started within the last ten minutes. */
  runOf(started: Started): string | undefined {
    const { runId, at = 0 } = this.runs.get(keyOf(started)) ?? {};
    return Date.now() - at < REPEATS_FOR_MS ? runId : undefined;
  }
}

const keyOf = ({ workflowId, requestId }: Started) => `${workflowId} ${requestId}`;
