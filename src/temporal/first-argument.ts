/** What a history says that a workflow was given: the first argument, which is the only one that ours take. */
import type { LoadedDataConverter, Payload, SerializationContext } from '@temporalio/common';
import { arrayFromPayloads } from '@temporalio/common';
import { decode } from '@temporalio/common/lib/internal-non-workflow';
import { PayloadDecryptionError } from '../codec/encryption-codec';
import { FOREIGN_PAYLOAD, type ForeignInput } from '../contract';

/**
 * The argument; a ForeignInput in the place of one that is foreign, as the workflow itself has it: whoever reads histories looks
 * past it. Throws PayloadDecryptionError, or the converter's error, for one that other keys might read.
 */
export async function firstArgument(
  { payloadCodecs, payloadConverter }: LoadedDataConverter,
  payloads: Payload[] | null | undefined,
  context: SerializationContext,
): Promise<unknown> {
  if (!payloads) return undefined;
  try {
    const decoded = await decode(payloadCodecs, payloads, context);
    const foreign = decoded.find(({ metadata }) => metadata?.[FOREIGN_PAYLOAD]);
    if (foreign) return JSON.parse(Buffer.from(foreign.data ?? []).toString());
    return arrayFromPayloads(payloadConverter, decoded, context)[0];
  } catch (error) {
    if (!(error instanceof PayloadDecryptionError) || !error.isForeign) throw error;
    const told: ForeignInput = { foreign_input: error.message };
    return told;
  }
}
