/**
 * Verifies a notification: bytes in, decision out. The path names the app, so the app's key is known and the signature is
 * checked over the exact bytes before they are parsed (section 6.4).
 */
import { createHash, randomBytes } from 'node:crypto';
import { isSignedBy, type Notification, readNotification, type SignatureScheme } from '../gateway';

export interface IncomingNotification {
  /** From the path. */
  app_id: string;
  /** Every value of the signature header. More than one is refused. */
  signatures: readonly string[];
  body: Uint8Array;
}

export interface WebhookApp {
  app_id: string;
  secret_key: string;
  /** Keys that are still valid while keys are rotated. */
  previous_secret_keys?: readonly string[] | undefined;
}

export interface SignatureSettings {
  header: string;
  scheme: SignatureScheme;
}

export type Decision =
  /** `why` is for our own log only. The sender never sees it. */
  | { is: 'refused'; why: 'unknown app' | 'bad signature' | 'other app' }
  | { is: 'notification'; notification: Notification; digest: string }
  | { is: 'unreadable'; digest: string };

/** Every app costs the same number of HMACs, filled up with this random key, so that the time shows no app and no rotation. */
const DUMMY_KEY = randomBytes(32).toString('hex');
const UNKNOWN_APP: WebhookApp = { app_id: '', secret_key: DUMMY_KEY };
const keysOf = (app: WebhookApp) => [app.secret_key, ...(app.previous_secret_keys ?? [])];

/** The keys of an app, filled up to the number of keys of the app that has most. An unknown app gets the same number. */
export function keysFor(app_id: string, apps: readonly WebhookApp[]): string[] {
  const keys = keysOf(apps.find((each) => each.app_id === app_id) ?? UNKNOWN_APP);
  const rounds = Math.max(1, ...apps.map((each) => keysOf(each).length));
  return Array.from({ length: rounds }, (_, i) => keys[i] ?? DUMMY_KEY);
}

/** What to do with a notification. Pure; never throws. */
export function verifyNotification(
  incoming: IncomingNotification,
  apps: readonly WebhookApp[],
  scheme: SignatureScheme,
): Decision {
  const app = apps.find(({ app_id }) => app_id === incoming.app_id) ?? UNKNOWN_APP;
  const [signature, ...more] = incoming.signatures;
  const keys = keysFor(incoming.app_id, apps);
  const signed = isSignedBy(incoming.body, more.length > 0 ? undefined : signature, keys, scheme);
  if (app === UNKNOWN_APP) return { is: 'refused', why: 'unknown app' };
  if (!signed) return { is: 'refused', why: 'bad signature' };
  const digest = createHash('sha256').update(app.app_id).update('\n').update(incoming.body).digest('hex');
  const notification = readNotification(incoming.body);
  if (!notification) return { is: 'unreadable', digest };
  // Signed with this app's key, but the body names another app: its payments must not see it.
  if (notification.app_id !== app.app_id) return { is: 'refused', why: 'other app' };
  return { is: 'notification', notification, digest };
}
