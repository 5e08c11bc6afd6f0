/** Failures whose messages and stacks travel as a payload, which is encrypted like every other. Loaded by its path. */
import { DefaultFailureConverter } from '@temporalio/common';

export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
