/** Events as a merchant's backend receives them: signed POSTs of the worker (docs/events.md). */
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import type { MerchantEvent } from '../contract';
import { withDevSettings } from '../process/dev-settings';
import { ConfigError, eventSecrets, settingOrFile } from '../process/settings';

const SETTING = 'PAYMENTS_EVENTS_SECRETS';

/** A request that is not an event of ours: its signature does not hold, or it is too old. Answer it with 401. */
export class EventError extends Error {
  override readonly name = 'EventError';
  readonly type = 'EventError';
}

/** What our secret has signed is ours, so only the fields that every event has are checked. */
const signedEvent = z.custom<MerchantEvent>(
  (event) => z.looseObject({ id: z.string(), type: z.string() }).safeParse(event).success,
);

/**
 * Reads the requests that the worker posts to `PAYMENTS_EVENTS_URL`. An event may come again: take each `id` once.
 *
 * @example
 * const event = new EventReader().read(body, request.headers);
 */
export class EventReader {
  private readonly webhooks: readonly Webhook[];

  /** `secrets`: by default the setting `PAYMENTS_EVENTS_SECRETS`, or its file. Throws ConfigError if there is none, or it is wrong. */
  constructor(secrets: string | undefined = settingOrFile(withDevSettings(process.env).env, SETTING)) {
    if (!secrets) {
      throw new ConfigError(
        `${SETTING} is not set. It signs the events, and the worker has it; with npm start it stands in .payments/dev.env.`,
      );
    }
    const { success, data = [] } = eventSecrets.safeParse(secrets);
    if (!success) throw new ConfigError(`${SETTING} must be whsec_ and base64, several separated by commas.`);
    this.webhooks = data.map((secret) => new Webhook(secret));
  }

  /** The event, after its signature and its time are checked. `body` is the request's, byte by byte. Throws EventError. */
  read(
    body: string | Buffer,
    headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  ): MerchantEvent {
    const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value ?? '')]));
    for (const webhook of this.webhooks) {
      try {
        return signedEvent.parse(webhook.verify(body, texts));
      } catch {}
    }
    throw new EventError('This request is no event of ours: its signature does not hold, or it is too old.');
  }
}
