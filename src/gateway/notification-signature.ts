/**
 * The signature of a notification (section 6.4): HMAC-SHA256 over the exact bytes of the body, in lowercase hex. Some
 * gateways use a second scheme, `t-v2`: `t=<unix seconds>,v2=<hex>`. Its time is not signed, so nothing relies on it.
 * Which keys are valid, and what else is refused: `webhook/verify-notification.ts`.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** The ways to write a signature. */
export const SIGNATURE_SCHEMES = ['hex', 't-v2'] as const;
export type SignatureScheme = (typeof SIGNATURE_SCHEMES)[number];

/** The form of each scheme, with its digest. Checked before decoding, because Buffer accepts wrong hex digits silently. */
const FORMS: Record<SignatureScheme, RegExp> = {
  hex: /^([0-9a-f]{64})$/,
  't-v2': /^t=\d{1,12}, ?v2=([0-9a-f]{64})$/,
};

/** The value of the signature header for `body`. `at` (ms since the epoch) appears in the scheme `t-v2` only. */
export function signatureHeader(body: Uint8Array, secretKey: string, scheme: SignatureScheme, at: number): string {
  const digest = hmac(body, secretKey).toString('hex');
  return scheme === 'hex' ? digest : `t=${Math.floor(at / 1000)},v2=${digest}`;
}

/**
 * Whether `header` is a signature of `body` with one of `secretKeys`. Every key is tried, in constant time, so that the
 * duration does not reveal which key matched or how much of it.
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

/** Whether a header has the form of a signature in any scheme. */
export function looksSigned(header: string): boolean {
  return SIGNATURE_SCHEMES.some((scheme) => FORMS[scheme].test(header));
}

function hmac(body: Uint8Array, secretKey: string): Buffer {
  return createHmac('sha256', Buffer.from(secretKey, 'utf8')).update(body).digest();
}
