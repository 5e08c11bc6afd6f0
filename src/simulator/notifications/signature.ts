import { createHmac } from 'node:crypto';

/** Lowercase hexadecimal HMAC-SHA256 of the bytes sent, keyed with the app's secret. */
export function sign(bytes: Uint8Array, secretKey: string): string {
  return createHmac('sha256', Buffer.from(secretKey, 'utf8')).update(bytes).digest('hex');
}

/** The signature header's value in a scheme. The time of `t-v2` is not signed, in the field either. */
export function signatureHeader(scheme: 'hex' | 't-v2', bytes: Uint8Array, secretKey: string, now: number): string {
  const signature = sign(bytes, secretKey);
  return scheme === 'hex' ? signature : `t=${Math.floor(now / 1000)},v2=${signature}`;
}
