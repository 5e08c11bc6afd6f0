import { createHash, timingSafeEqual } from 'node:crypto';
import type { SimulatorApp } from '../options';
import { businessRefusal, type RequestRefusal } from '../rules/refusal';

/** The refusal of wrong credentials. The gateway does not say what is wrong with them. */
export const invalidSignature: RequestRefusal = businessRefusal('invalid-signature', 'invalid signature');

/** The application whose `app_id:secret_key` an Authorization header has. */
export function appOf(authorization: string | undefined, apps: readonly SimulatorApp[]): SimulatorApp | undefined {
  const [, credentials] = /^Basic ([A-Za-z0-9+/]+={0,2})$/i.exec(authorization ?? '') ?? [];
  if (credentials === undefined) return undefined;
  const given = Buffer.from(credentials, 'base64').toString('utf8');
  // Compare both parts together, because a secret can contain a colon.
  return apps.find(({ app_id, secret_key }) => isSameSecret(given, `${app_id}:${secret_key}`));
}

/** The refusal of a body that is no JSON object. The content type is only recommended, so it matters only here. */
export function unreadableBody(contentType: string | undefined): RequestRefusal {
  const isJson = contentType === undefined || /^application\/json\b/i.test(contentType);
  return isJson
    ? { code: '40001', sub_code: 'body', sub_msg: 'The body is not a JSON object in UTF-8.' }
    : { code: '40005', sub_code: 'content-type', sub_msg: 'The body must be JSON.' };
}

/** Compares two secrets in constant time. */
export function isSameSecret(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
