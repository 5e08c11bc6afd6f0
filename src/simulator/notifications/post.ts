import { Agent, request } from 'undici';
import { isJsonObject } from '../json';
import type { Attempt } from './notification';

/** What came of one HTTP POST of a notification. */
export type Delivery = Omit<Attempt, 'at'>;

// An acknowledgement is a word; nobody has to read a merchant's whole web site for it.
const LONGEST_ANSWER = 64 * 1024;

/** Posts notifications, with connections of its own that {@link Postman.close} ends. */
export class Postman {
  readonly #agent = new Agent({ keepAliveTimeout: 4_000, pipelining: 1 });

  /** Posts bytes and reads the answer; never throws. */
  async post(url: string, bytes: Uint8Array, headers: Record<string, string>, timeoutMs: number): Promise<Delivery> {
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
      return { http_status: null, acknowledged: false, error: reason(error) };
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

/** The word `success`, or a JSON object whose `result` is that word. */
export function isAcknowledgement(answer: string): boolean {
  if (answer === 'success') return true;
  try {
    const value: unknown = JSON.parse(answer);
    return isJsonObject(value) && value.result === 'success';
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
    // Leaving the loop ends the body, and with it the connection.
    if (length > LONGEST_ANSWER) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

// A system error has a code, a time-out only a name.
function reason(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'name' in error && typeof error.name === 'string' ? error.name : 'unknown';
}
