/**
 * Why a notification of our own gateway may be refused: what is set wrong on this side. For our own log only. Each hint is
 * given only where the signature then holds, so that nobody without the key can put one there.
 */
import { isSignedBy, SIGNATURE_SCHEMES } from '../gateway';
import type { IncomingNotification, SignatureSettings, WebhookApp } from './receive';

export interface RefusedNotification extends IncomingNotification {
  /** Every header as it came. */
  headers: readonly (readonly [name: string, value: string])[];
}

/** Keys of an app that begin or end with white space, mostly a newline of the file or the page they were copied from. */
export function hasSpaceAround(key: string): boolean {
  return key !== key.trim();
}

/** What to set so that this refused notification would have been taken; undefined where nothing helps. */
export function hintFor(
  refused: RefusedNotification,
  app: WebhookApp,
  { header, scheme }: SignatureSettings,
): string | undefined {
  const { body, signatures, headers } = refused;
  const keys = [app.secret_key, ...(app.previous_secret_keys ?? [])];
  const [signature] = signatures;
  if (signatures.length > 1) return `the header ${header} came ${signatures.length} times; one is taken`;

  if (keys.some(hasSpaceAround) && isSignedBy(body, signature, keys.map(trim), scheme)) {
    return 'the secret key of this app has white space around it; without it the signature holds';
  }
  const other = SIGNATURE_SCHEMES.find((each) => each !== scheme && isSignedBy(body, signature, keys, each));
  if (other) return `it is signed in the scheme ${other}: set GATEWAY_SIGNATURE_SCHEME=${other} in place of ${scheme}`;

  if (signature === undefined) {
    const named = headers.find(([, value]) => SIGNATURE_SCHEMES.some((each) => isSignedBy(body, value, keys, each)));
    if (named) return `the signature is in the header ${named[0]}: set GATEWAY_SIGNATURE_HEADER=${named[0]}`;
  }
  return undefined;
}

const trim = (key: string) => key.trim();
