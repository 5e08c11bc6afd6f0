/** Writes to our own log why a notification was refused, and which setting would help. */
import { setImmediate as afterTheAnswer } from 'node:timers/promises';
import { hintFor, type RefusedNotification } from './hints';
import { MinuteCounts } from './minute-counts';
import type { WebhookLog, WebhookOptions } from './options';
import { keysFor } from './verify-notification';

/** Refusals logged a minute. A flood of forgeries must not become a flood of log lines. */
const LOGGED_PER_MINUTE = 600;

/** What to do about a refusal for which no setting is wrong. */
const HINTS: Readonly<Record<string, string>> = {
  'body too long':
    'it was not read, as nobody knows who sent it. If your gateway did, look in its dashboard for a deposit that is not in your account: it is never counted here',
};

export class RefusalLog {
  // Private in the language, so that no log of this object shows the apps' keys.
  readonly #options: Pick<WebhookOptions, 'apps' | 'signature'>;
  private readonly lines = new MinuteCounts();

  constructor(
    options: Pick<WebhookOptions, 'apps' | 'signature'>,
    private readonly log: WebhookLog,
  ) {
    this.#options = options;
  }

  /** Logs after the answer is on its way, so that the answer's time does not show the reason. */
  async write(why: string, refused: RefusedNotification, address: string | undefined): Promise<void> {
    if (this.lines.add() > LOGGED_PER_MINUTE) return;
    await afterTheAnswer();
    const { apps, signature } = this.#options;
    // An unknown app gets the same search, because the next answer's time would show the difference.
    const isUnsigned = why === 'bad signature' || why === 'unknown app';
    const hint = isUnsigned ? hintFor(refused, keysFor(refused.app_id, apps), signature) : HINTS[why];
    // A stranger may name any app: only one of ours is written.
    const app = apps.some(({ app_id }) => app_id === refused.app_id) ? { app_id: refused.app_id } : {};
    this.log.warn({ why, address, ...app, ...(hint ? { hint } : {}) }, 'a notification was refused');
  }
}
