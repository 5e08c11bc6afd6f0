/**
 * The core of the endpoint: bytes in, decision out. The path names the app, so its key is known and the signature is held
 * against the exact bytes before anything of them is parsed.
 */
import { createHash, randomBytes } from 'node:crypto';
import { isSignedBy, type Notification, readNotification, type SignatureScheme } from '../gateway';

export interface IncomingNotification {
  /** From the path. */
  app_id: string;
  /** Every value of the signature header: one that comes twice is refused. */
  signatures: readonly string[];
  body: Uint8Array;
}

export interface WebhookApp {
  app_id: string;
  secret_key: string;
  previous_secret_keys?: readonly string[] | undefined;
}

export interface SignatureSettings {
  header: string;
  scheme: SignatureScheme;
}

export type Decision =
  /** Why is for our own log only: the sender is never told. */
  | { is: 'refused'; why: 'unknown app' | 'bad signature' | 'other app' }
  | { is: 'notification'; notification: Notification; digest: string }
  | { is: 'unreadable'; digest: string };

/** A key that nobody has, to compute with where there is none: the answer's time tells neither apps nor rotations apart. */
const NO_KEY = randomBytes(32).toString('hex');
const NOBODY: WebhookApp = { app_id: '', secret_key: NO_KEY };
const keysOf = (app: WebhookApp) => [app.secret_key, ...(app.previous_secret_keys ?? [])];

/** An app's keys; for every app, and for one that nobody has, as many as the app with the most of them has. */
export function keysFor(app_id: string, apps: readonly WebhookApp[]): string[] {
  const keys = keysOf(apps.find((each) => each.app_id === app_id) ?? NOBODY);
  const rounds = Math.max(1, ...apps.map((each) => keysOf(each).length));
  return Array.from({ length: rounds }, (_, i) => keys[i] ?? NO_KEY);
}

/** What to do with a notification. Pure but for the hashing; never throws. */
export function receive(
  incoming: IncomingNotification,
  apps: readonly WebhookApp[],
  scheme: SignatureScheme,
): Decision {
  const app = apps.find(({ app_id }) => app_id === incoming.app_id) ?? NOBODY;
  const [signature, ...more] = incoming.signatures;
  const keys = keysFor(incoming.app_id, apps);
  const signed = isSignedBy(incoming.body, more.length > 0 ? undefined : signature, keys, scheme);
  if (app === NOBODY) return { is: 'refused', why: 'unknown app' };
  if (!signed) return { is: 'refused', why: 'bad signature' };
  const digest = createHash('sha256').update(app.app_id).update('\n').update(incoming.body).digest('hex');
  const notification = readNotification(incoming.body);
  if (!notification) return { is: 'unreadable', digest };
  // Signed with this app's key, but speaking of another: kept from the other app's payments.
  if (notification.app_id !== app.app_id) return { is: 'refused', why: 'other app' };
  return { is: 'notification', notification, digest };
}
