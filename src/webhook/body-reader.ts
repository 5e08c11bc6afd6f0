/** Reads the bodies of requests into memory, within limits: nothing is known of the sender yet. */
import { ANSWER, type Answer, unavailable } from './answers';

/** The largest body. A notification is well under 4 KiB. */
const MAX_BODY_BYTES = 65_536;
/** The memory that all unfinished bodies may use together. */
const MAX_UNFINISHED_BYTES = 64 * 1_048_576;

export class BodyReader {
  private unfinishedBytes = 0;

  /**
   * The whole body; or the answer if the body is too long, breaks off, or does not fit into the memory for unfinished bodies.
   * `statedLength` is the value of the header `content-length`.
   */
  async read(body: AsyncIterable<Uint8Array>, statedLength: string | undefined): Promise<Buffer | Answer> {
    if (Number(statedLength ?? 0) > MAX_BODY_BYTES) return ANSWER.tooLong;
    const chunks: Uint8Array[] = [];
    let length = 0;
    try {
      for await (const chunk of body) {
        length += chunk.length;
        this.unfinishedBytes += chunk.length;
        if (length > MAX_BODY_BYTES) return ANSWER.tooLong;
        if (this.unfinishedBytes > MAX_UNFINISHED_BYTES) return { ...unavailable(), close: true };
        chunks.push(chunk);
      }
    } catch {
      // The sender closed the connection in the middle of the body.
      return ANSWER.broken;
    } finally {
      this.unfinishedBytes -= length;
    }
    return Buffer.concat(chunks, length);
  }
}
