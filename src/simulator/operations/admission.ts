import { createHash, timingSafeEqual } from 'node:crypto';
import type { JsonObject } from '../json';
import type { GatewayApp } from '../options';
import { businessFailure, type Refusal } from './answers';

/** Wrong credentials: the gateway does not say what is wrong with them. */
export const invalidSignature: Refusal = businessFailure('invalid-signature', 'invalid signature');

/** The application whose `app_id:secret_key` an Authorization header carries. */
export function appOf(authorization: string | undefined, apps: readonly GatewayApp[]): GatewayApp | undefined {
  const [, credentials] = /^Basic ([A-Za-z0-9+/]+={0,2})$/i.exec(authorization ?? '') ?? [];
  if (credentials === undefined) return undefined;
  const given = Buffer.from(credentials, 'base64').toString('utf8');
  // A secret may hold a colon, so the two are compared as a whole.
  return apps.find(({ app_id, secret_key }) => areEqual(given, `${app_id}:${secret_key}`));
}

/** Whether the body speaks for the application that the header proves. */
export function appMismatch(body: JsonObject, app: GatewayApp): Refusal | undefined {
  return body.app_id === app.app_id
    ? undefined
    : businessFailure('app-not-match', 'app_id does not match the credentials');
}

function areEqual(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
