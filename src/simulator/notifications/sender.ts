import { createHmac } from 'node:crypto';
import { Agent, request } from 'undici';
import { isLooseObject } from '../json';
import type { DeliveryResult } from '../records';

/**
 * The value of the signature header: lowercase hexadecimal HMAC-SHA256 of the bytes sent, with the app's secret as the
 * key. The time of `t-v2` (from `now`, ms since 1970) is not signed, as in the field.
 */
export function signatureValue(scheme: 'hex' | 't-v2', bytes: Uint8Array, secretKey: string, now: number): string {
  const signature = createHmac('sha256', Buffer.from(secretKey, 'utf8')).update(bytes).digest('hex');
  return scheme === 'hex' ? signature : `t=${Math.floor(now / 1000)},v2=${signature}`;
}

// An acknowledgement is one word. Do not read a whole web site if a merchant answers with one.
const LONGEST_ANSWER = 64 * 1024;

/** Posts notifications. It has its own connections, which {@link HttpSender.close} ends. */
export class HttpSender {
  readonly #agent = new Agent({ keepAliveTimeout: 4_000, pipelining: 1 });

  /** Posts bytes and reads the answer. `timeoutMs` is real time. Never throws. */
  async post(
    url: string,
    bytes: Uint8Array,
    headers: Record<string, string>,
    timeoutMs: number,
  ): Promise<DeliveryResult> {
    try {
      const response = await request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: bytes,
        dispatcher: this.#agent,
        signal: AbortSignal.timeout(timeoutMs),
      });
      const answer = await firstBytes(response.body);
      const acknowledged = response.statusCode === 200 && isAcknowledgement(answer);
      return { http_status: response.statusCode, acknowledged, error: null };
    } catch (error) {
      return { http_status: null, acknowledged: false, error: reasonOf(error) };
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

/** Whether an answer is the word `success`, or a JSON object whose `result` is that word. */
export function isAcknowledgement(answer: string): boolean {
  if (answer === 'success') return true;
  try {
    const value: unknown = JSON.parse(answer);
    return isLooseObject(value) && value.result === 'success';
  } catch {
    return false;
  }
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
