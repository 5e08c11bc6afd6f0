/** How many workflows the notifications of one app may start in a minute (WEBHOOK_LIMIT_ADOPTIONS). */
import { MinuteCounts } from './minute-counts';

/** The app's notifications have started as many workflows as they may. `seconds`: until one may start again. */
export class StartBudgetExceededError extends Error {
  override readonly name = 'StartBudgetExceededError';

  constructor(readonly seconds: number) {
    super(
      'Notifications start more payments than WEBHOOK_LIMIT_ADOPTIONS allows. The gateway is to send it again later.',
    );
  }
}

export interface PossibleStart {
  app_id: string;
  /** Sends to Temporal. Resolves to whether a workflow was started. */
  send(): Promise<boolean>;
  /** Whether the workflow runs, so that nothing will be started. Default: it does not. */
  isRunning?(): Promise<boolean>;
}

export class StartBudget {
  private readonly starts = new MinuteCounts();

  constructor(private readonly startsPerMinute: number) {}

  /** Sends if the budget has room or the workflow runs already; only a start is charged. Throws StartBudgetExceededError. */
  async within({ app_id, send, isRunning = async () => false }: PossibleStart): Promise<void> {
    if (this.starts.add(app_id) > this.startsPerMinute && !(await isRunning()))
      throw new StartBudgetExceededError(this.starts.seconds);
    let started = false;
    try {
      started = await send();
    } finally {
      if (!started) this.starts.takeBack(app_id);
    }
  }
}
