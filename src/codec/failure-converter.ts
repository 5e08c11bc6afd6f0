/** Puts messages and stacks of failures into a payload, so that they are encrypted too. The SDK loads this file by its path. */
import { DefaultFailureConverter } from '@temporalio/common';

/** Adds the failure's type, by which the codec server decides whether a viewer may see the text. */
class TypedFailureConverter extends DefaultFailureConverter {
  override errorToFailure(
    ...[error, payloadConverter, context]: Parameters<DefaultFailureConverter['errorToFailure']>
  ) {
    const failure = super.errorToFailure(error, payloadConverter, context);
    const type = failure.applicationFailureInfo?.type;
    if (!type || !failure.encodedAttributes) return failure;
    const attributes = payloadConverter.fromPayload<object>(failure.encodedAttributes, context);
    return { ...failure, encodedAttributes: payloadConverter.toPayload({ ...attributes, type }, context) };
  }
}

export const failureConverter = new TypedFailureConverter({ encodeCommonAttributes: true });
