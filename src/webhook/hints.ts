/**
 * Which setting is probably wrong if our own gateway's notifications are refused. Hints go to our own log only. A hint is
 * given only if the signature holds with the other setting, so that nobody without the key can put a hint there.
 */
import { isSignedBy, looksSigned, SIGNATURE_SCHEMES } from '../gateway';
import type { IncomingNotification, SignatureSettings } from './verify-notification';

export interface RefusedNotification extends IncomingNotification {
  /** Every header as it came. */
  headers: readonly (readonly [name: string, value: string])[];
}

/** Whether a key begins or ends with white space: often a newline of the file or page that it was copied from. */
export function hasSpaceAround(key: string): boolean {
  return key !== key.trim();
}

/** A stranger may send thousands of headers, so we try only this many of those that look like a signature. */
const MAX_CANDIDATES = 4;
const candidates = <T>(given: readonly T[], textOf: (one: T) => string): T[] =>
  given.filter((one) => looksSigned(textOf(one))).slice(0, MAX_CANDIDATES);

/**
 * What to set so that this refused notification is taken; undefined if nothing helps. `keys` are the app's keys filled up by
 * keysFor: the time for a hint must not show which apps exist.
 */
export function hintFor(
  { body, signatures, headers }: RefusedNotification,
  keys: readonly string[],
  { header, scheme }: SignatureSettings,
): string | undefined {
  const [signature] = signatures;
  if (signatures.length > 1) {
    const one = candidates(signatures, (value) => value).find((value) => isSignedBy(body, value, keys, scheme));
    return one && `the header ${header} came ${signatures.length} times; it must come once`;
  }
  if (isSignedBy(body, signature, keys.map(trim), scheme)) {
    return 'the secret key of this app has white space around it; without it the signature is right';
  }
  const other = SIGNATURE_SCHEMES.find((each) => each !== scheme && isSignedBy(body, signature, keys, each));
  if (other) return `the signature has the scheme ${other}: set GATEWAY_SIGNATURE_SCHEME=${other} instead of ${scheme}`;

  if (signature === undefined) {
    const named = candidates(headers, ([, value]) => value).find(([, value]) =>
      SIGNATURE_SCHEMES.some((each) => isSignedBy(body, value, keys, each)),
    );
    if (named) return `the signature is in the header ${named[0]}: set GATEWAY_SIGNATURE_HEADER=${named[0]}`;
  }
  return undefined;
}

const trim = (key: string) => key.trim();
