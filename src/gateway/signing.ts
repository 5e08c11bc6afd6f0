/**
 * The signature of a notification (section 6.4): HMAC-SHA256 over the exact bytes of the body, in lowercase hex. A second
 * scheme, `t-v2`, is seen in the field: `t=<unix seconds>,v2=<hex>`. Its time is not signed, so it proves nothing.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

export const SIGNATURE_SCHEMES = ['hex', 't-v2'] as const;
export type SignatureScheme = (typeof SIGNATURE_SCHEMES)[number];

/** Where each scheme keeps its digest. Buffer's hex decoding is lenient, so the form is checked on the text first. */
const FORMS: Record<SignatureScheme, RegExp> = {
  hex: /^([0-9a-f]{64})$/,
  't-v2': /^t=\d{1,12}, ?v2=([0-9a-f]{64})$/,
};

/** The value of the signature header for `body`. `at` (ms since the epoch) is written by the scheme `t-v2` only. */
export function signatureHeader(body: Uint8Array, secretKey: string, scheme: SignatureScheme, at: number): string {
  const digest = hmac(body, secretKey).toString('hex');
  return scheme === 'hex' ? digest : `t=${Math.floor(at / 1000)},v2=${digest}`;
}

/**
 * Whether `header` signs `body` with one of `secretKeys`. Every key is tried in constant time whatever the ones before it
 * said, so that the answer's time tells nothing about which key, or how much of it, matched.
 */
export function isSignedBy(
  body: Uint8Array,
  header: string | undefined,
  secretKeys: readonly string[],
  scheme: SignatureScheme,
): boolean {
  const claimed = Buffer.from(FORMS[scheme].exec(header ?? '')?.[1] ?? '', 'hex');
  const wellFormed = claimed.length === 32;
  const compared = wellFormed ? claimed : Buffer.alloc(32);
  let matches = false;
  for (const key of secretKeys) matches = timingSafeEqual(hmac(body, key), compared) || matches;
  return wellFormed && matches;
}

/** Whether a header's value has the form of a signature in any scheme. */
export function looksSigned(header: string): boolean {
  return SIGNATURE_SCHEMES.some((scheme) => FORMS[scheme].test(header));
}

function hmac(body: Uint8Array, secretKey: string): Buffer {
  return createHmac('sha256', Buffer.from(secretKey, 'utf8')).update(body).digest();
}
