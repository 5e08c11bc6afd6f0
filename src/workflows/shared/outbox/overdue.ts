/** Tells once about each wait for a person that takes too long. */
import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow';

export class OverdueWait {
  /** Since when the watched wait lasts; ISO 8601. */
  private since: string | null = null;
  private watch: CancellationScope | undefined;

  constructor(
    readonly overdue_ms: number,
    private readonly tell: (since: string) => void,
    /** Whether the wait that began then, and was due at this time in ms since the epoch, is told already. */
    private readonly isTold: (since: string, due: number) => boolean,
  ) {}

  /** `since`: when the wait for a person began; null if there is none. */
  show(since: string | null): void {
    if (since === this.since) return;
    this.since = since;
    this.watch?.cancel();
    if (since === null) return;
    const due = Date.parse(since) + this.overdue_ms;
    if (this.isTold(since, due)) return;
    void CancellationScope.nonCancellable(() => this.tellAt(due, since));
  }

  close(): void {
    this.watch?.cancel();
  }

  private async tellAt(due: number, since: string): Promise<void> {
    const watch = new CancellationScope();
    this.watch = watch;
    try {
      await watch.run(() => sleep(Math.max(due - Date.now(), 1), { summary: 'until a wait for a person is overdue' }));
    } catch (error) {
      if (isCancellation(error)) return;
      throw error;
    }
    this.tell(since);
  }
}
