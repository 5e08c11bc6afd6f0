/**
 * Why a notification of our own gateway may be refused: what is set wrong on this side. For our own log only. Each hint is
 * given only where the signature then holds, so that nobody without the key can put one there.
 */
import { isSignedBy, looksSigned, SIGNATURE_SCHEMES } from '../gateway';
import type { IncomingNotification, SignatureSettings } from './receive';

export interface RefusedNotification extends IncomingNotification {
  /** Every header as it came. */
  headers: readonly (readonly [name: string, value: string])[];
}

/** Keys of an app that begin or end with white space, mostly a newline of the file or the page they were copied from. */
export function hasSpaceAround(key: string): boolean {
  return key !== key.trim();
}

/** A stranger may send thousands of headers: of those that have a signature's form, so many are looked at. */
const LOOKED_AT = 4;
const likely = <T>(given: readonly T[], textOf: (one: T) => string): T[] =>
  given.filter((one) => looksSigned(textOf(one))).slice(0, LOOKED_AT);

/**
 * What to set so that this refused notification would have been taken; undefined where nothing helps. `keys` are those of
 * the app, as many for every app (see keysFor): the time that a hint takes must not tell which apps there are either.
 */
export function hintFor(
  { body, signatures, headers }: RefusedNotification,
  keys: readonly string[],
  { header, scheme }: SignatureSettings,
): string | undefined {
  const [signature] = signatures;
  if (signatures.length > 1) {
    const one = likely(signatures, (value) => value).find((value) => isSignedBy(body, value, keys, scheme));
    return one && `the header ${header} came ${signatures.length} times; one is taken`;
  }
  if (isSignedBy(body, signature, keys.map(trim), scheme)) {
    return 'the secret key of this app has white space around it; without it the signature holds';
  }
  const other = SIGNATURE_SCHEMES.find((each) => each !== scheme && isSignedBy(body, signature, keys, each));
  if (other) return `it is signed in the scheme ${other}: set GATEWAY_SIGNATURE_SCHEME=${other} in place of ${scheme}`;

  if (signature === undefined) {
    const named = likely(headers, ([, value]) => value).find(([, value]) =>
      SIGNATURE_SCHEMES.some((each) => isSignedBy(body, value, keys, each)),
    );
    if (named) return `the signature is in the header ${named[0]}: set GATEWAY_SIGNATURE_HEADER=${named[0]}`;
  }
  return undefined;
}

const trim = (key: string) => key.trim();
