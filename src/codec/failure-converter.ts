/** Puts messages and stacks of failures into a payload, so that they are encrypted too. The SDK loads this file by its path. */
import { DefaultFailureConverter } from '@temporalio/common';
import { encode } from '@temporalio/common/lib/encoding';
import { ReadableByAll, refusedPayload } from '../contract/foreign-input';

/** The metadata with a failure's type, by which the codec server decides whether a viewer may see the text. */
export const FAILURE_TYPE = 'failure-type';

const clearText = new DefaultFailureConverter();

/** The type goes into the payload's metadata: Temporal's Java SDK fails on a third field beside `message` and `stack_trace`. */
class TypedFailureConverter extends DefaultFailureConverter {
  override errorToFailure(
    ...[error, payloadConverter, context]: Parameters<DefaultFailureConverter['errorToFailure']>
  ) {
    const readable = error instanceof ReadableByAll ? error : refusedPayload(error);
    if (readable) return { ...clearText.errorToFailure(readable, payloadConverter, context), stackTrace: '' };
    const failure = super.errorToFailure(error, payloadConverter, context);
    const type = failure.applicationFailureInfo?.type;
    if (!type || !failure.encodedAttributes) return failure;
    const { metadata, data } = failure.encodedAttributes;
    const typed = { ...metadata, [FAILURE_TYPE]: encode(type) };
    return { ...failure, encodedAttributes: { metadata: typed, data: data ?? null } };
  }
}

export const failureConverter = new TypedFailureConverter({ encodeCommonAttributes: true });
