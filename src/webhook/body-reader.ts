/** Reads the bodies of requests into memory, within limits: nothing is known of the sender yet. */
import { ANSWER, type Answer, unavailable } from './answers';
import type { WebhookRequest } from './request';

/**
 * The largest body. The interface limits no name: a buyer with a name of 100 kB must not keep a deposit from being counted, because only its
 * notification reports it. JSON may write each byte as three.
 */
const MAX_BODY_BYTES = 524_288;
/** A notification is well under this size. Larger bodies are read too, but get less memory. */
export const SMALL_BODY_BYTES = 4_096;
/** The memory that all unfinished bodies may use together. */
const MAX_UNFINISHED_BYTES = 64 * 1_048_576;
/** How much of it large bodies may use, so that small ones always find some. */
const MAX_LARGE_BYTES = 48 * 1_048_576;
/** How much the large bodies of one address may use. */
const MAX_LARGE_BYTES_PER_ADDRESS = 4 * 1_048_576;

/**
 * The most pieces that a body may come in. Each piece costs the same however small it is: a long body in pieces of one byte would take as long
 * as hundreds of ordinary bodies, which need under 400 pieces even at full length.
 */
const MAX_PIECES = 1_024;

interface Sender {
  /** Whose large bodies are counted together: an address, or its network; empty if the mount cannot know it. */
  address: string;
  /** Whether it is on the allow-list: then its large bodies may use as much as all others together. */
  isAllowed: boolean;
}

export class BodyReader {
  private readonly large = new Map<string, number>();
  private largeBytes = 0;
  private unfinishedBytes = 0;

  /**
   * The whole body; or the answer if the body is too long, breaks off, or does not fit into the memory for unfinished bodies.
   * `statedLength` is the value of the header `content-length`.
   */
  async read(
    body: NonNullable<WebhookRequest['body']>,
    statedLength: string | undefined,
    sender: Sender,
  ): Promise<Buffer | Answer> {
    const stated = /^\d{1,15}$/.test(statedLength ?? '') ? Number(statedLength) : 0;
    if (stated > MAX_BODY_BYTES) return ANSWER.tooLong;
    // One buffer whose size is what is charged: a list of chunks would cost far more memory than its bytes.
    let buffer = Buffer.alloc(0);
    let length = 0;
    let pieces = 0;
    try {
      for await (const chunk of body) {
        pieces += 1;
        if (pieces > MAX_PIECES) return ANSWER.broken;
        if (length + chunk.length > MAX_BODY_BYTES) return ANSWER.tooLong;
        if (length + chunk.length > buffer.length) {
          const size = Math.max(stated, length + chunk.length, Math.min(2 * buffer.length, MAX_BODY_BYTES), 512);
          if (!this.resize(buffer.length, size, sender)) return { ...unavailable(), close: true };
          const larger = Buffer.allocUnsafeSlow(size);
          buffer.copy(larger, 0, 0, length);
          buffer = larger;
        }
        buffer.set(chunk, length);
        length += chunk.length;
      }
    } catch {
      // The sender closed the connection in the middle of the body.
      return ANSWER.broken;
    } finally {
      this.resize(buffer.length, 0, sender);
    }
    return buffer.subarray(0, length);
  }

  /** Counts a body's buffer that becomes larger, or is given back. Returns false, and counts nothing, if there is no room. */
  private resize(from: number, to: number, { address, isAllowed }: Sender): boolean {
    const isLarge = (size: number) => size > SMALL_BODY_BYTES;
    const more = (isLarge(to) ? to : 0) - (isLarge(from) ? from : 0);
    const ofAddress = (this.large.get(address) ?? 0) + more;
    const isTooMuch =
      this.unfinishedBytes + to - from > MAX_UNFINISHED_BYTES ||
      this.largeBytes + more > MAX_LARGE_BYTES ||
      (!isAllowed && ofAddress > MAX_LARGE_BYTES_PER_ADDRESS);
    if (to > from && isTooMuch) return false;
    this.unfinishedBytes += to - from;
    this.largeBytes += more;
    if (ofAddress === 0) this.large.delete(address);
    else this.large.set(address, ofAddress);
    return true;
  }
}
