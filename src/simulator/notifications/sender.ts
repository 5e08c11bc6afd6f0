import { createHmac } from 'node:crypto';
import { type Dispatcher, request } from 'undici';
import { parseLooseObject } from '../json';
import type { DeliveryResult } from '../records';

/**
 * The value of the signature header: lowercase hexadecimal HMAC-SHA256 of the bytes sent, with the app's secret as the
 * key. The time of `t-v2` (from `now`, ms since 1970) is not signed, as in the field.
 */
export function signatureValue(scheme: 'hex' | 't-v2', bytes: Uint8Array, secretKey: string, now: number): string {
  const signature = createHmac('sha256', secretKey).update(bytes).digest('hex');
  return scheme === 'hex' ? signature : `t=${Math.floor(now / 1000)},v2=${signature}`;
}

// An acknowledgement is one word. Do not read a whole web site if a merchant answers with one.
const LONGEST_ANSWER = 64 * 1024;

/** Posts a notification and reads the answer. Never throws. */
export async function postNotification(
  url: string,
  body: Uint8Array,
  headers: Record<string, string>,
  options: { dispatcher: Dispatcher; signal: AbortSignal },
): Promise<DeliveryResult> {
  try {
    const sent = { 'content-type': 'application/json', ...headers };
    const response = await request(url, { method: 'POST', headers: sent, body, ...options });
    const answer = await firstBytes(response.body);
    const acknowledged = response.statusCode === 200 && isAcknowledgement(answer);
    return { http_status: response.statusCode, acknowledged, error: null };
  } catch (error) {
    return { http_status: null, acknowledged: false, error: reasonOf(error) };
  }
}

/** Whether an answer is the word `success`, or a JSON object whose `result` is that word. */
export function isAcknowledgement(answer: string): boolean {
  return answer === 'success' || parseLooseObject(Buffer.from(answer))?.result === 'success';
}

async function firstBytes(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    // Leaving the loop also ends the connection.
    if (length > LONGEST_ANSWER) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

// A system error has a code, a time-out has only a name.
function reasonOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'name' in error && typeof error.name === 'string' ? error.name : 'unknown';
}
