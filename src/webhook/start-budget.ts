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

interface PossibleStart<Sent> {
  app_id: string;
  /** Sends to Temporal. Resolves to true if a workflow was started. */
  send(): Promise<Sent>;
  /** Whether the workflow runs, so that nothing will be started. Default: it does not. */
  isRunning?(): Promise<boolean>;
}

export class StartBudget {
  private readonly starts = new MinuteCounts();

  constructor(private readonly startsPerMinute: number) {}

  /** Sends if the budget has room or the workflow runs already; only a start is charged. Throws StartBudgetExceededError. */
  async within<Sent>({ app_id, send, isRunning = async () => false }: PossibleStart<Sent>): Promise<Sent> {
    if (this.starts.add(app_id) > this.startsPerMinute && !(await isRunning()))
      throw new StartBudgetExceededError(this.starts.seconds);
    let sent: Sent | undefined;
    try {
      sent = await send();
      return sent;
    } finally {
      if (sent !== true) this.starts.takeBack(app_id);
    }
  }
}
