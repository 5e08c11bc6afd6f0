/** Payloads as the remote codec protocol writes them: JSON, `{ payloads }`, with bytes in base64. */
import type { Payload } from '@temporalio/common';
import { z } from 'zod';

const base64 = z.base64().transform((text): Uint8Array => Buffer.from(text, 'base64'));
const body = z.object({
  // Temporal’s command sends none where there are none.
  payloads: z
    .array(z.object({ metadata: z.record(z.string(), base64).nullish(), data: base64.nullish() }))
    .nullish()
    .transform((given) => given ?? []),
});

/** The payloads in a request's body. Throws ZodError. */
export function payloadsFrom(requestBody: unknown): Payload[] {
  return body
    .parse(requestBody)
    .payloads.map(({ metadata, data }) => ({ metadata: metadata ?? {}, data: data ?? null }));
}

/** The body of an answer. */
export function payloadsAsJson(payloads: Payload[]) {
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  return {
    payloads: payloads.map(({ metadata, data }) => ({
      metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([name, value]) => [name, text(value)])),
      ...(data ? { data: text(data) } : {}),
    })),
  };
}
