/**
 * How a worker treats a foreign payload: a person typed it, "Start Workflow Like This One" copied it masked, or it is in clear
 * text although keys are set. A run that was started with it ends at once: an error would fail its tasks for ever, and block the
 * order's id. An update with it is refused.
 */
import { ApplicationFailure } from '@temporalio/common';
import { FAILURE, isOwnFailureType } from './failures';

/** What such a run gets instead of its input. */
export interface ForeignInput {
  /** Why it was refused. It quotes nothing of the payload. */
  foreign_input: string;
}

/** The metadata field with which the worker's codec marks a foreign payload for the sandbox. The data is a {@link ForeignInput} in JSON. */
export const FOREIGN_PAYLOAD = 'refused-for-good';

/** A payload is not authentic: clear text, unknown key, another owner, or changed bytes. The message never shows its content. */
export class PayloadDecryptionError extends Error {
  override readonly name = 'PayloadDecryptionError';

  /**
   * `isForeign`: no worker will ever read it here, because it is in clear text, or because it is authentic but was made for another
   * place in this namespace. False if other keys, or another namespace, may read it: then it may be genuine.
   */
  constructor(
    message: string,
    readonly isForeign = false,
  ) {
    super(message);
  }
}

/** Why the input of a run was refused; undefined if it was read. */
export function whyForeign(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !('foreign_input' in input)) return undefined;
  return typeof input.foreign_input === 'string' ? input.foreign_input : undefined;
}

/** A failure whose message leaves the worker in clear text, for readers without a key. Its details, if any, are encrypted. */
export class ReadableByAll extends ApplicationFailure {}

/** The encoding for a payload that the worker's codec refused. No converter knows it, so the SDK's error has `why`, which quotes nothing of it. */
export const refusedEncoding = (why: string, isForeign = false) => `${isForeign ? FOREIGN_PAYLOAD : REFUSED} (${why})`;

const REFUSED = 'refused';
const REFUSED_ENCODING = new RegExp(`^Unknown encoding: (${FOREIGN_PAYLOAD}|${REFUSED}) \\((.*)\\)$`, 's');

/** What {@link refusedEncoding} was made of, read from the SDK's error; empty for any other error. */
function refusalIn(error: unknown): { mark?: string | undefined; why?: string | undefined } {
  const said = typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : '';
  const [, mark, why] = REFUSED_ENCODING.exec(said) ?? [];
  return { mark, why };
}

/** Our failure for the SDK's error about a refused payload: readers without a key must see which key is missing. Else undefined. */
export function refusedPayload(error: unknown): ReadableByAll | undefined {
  const { why } = refusalIn(error);
  return why === undefined ? undefined : new ReadableByAll(why, 'ValueError');
}

/** Whether the SDK's error is about a foreign payload: no worker will ever read it here. */
export const isForeignPayload = (error: unknown): boolean => refusalIn(error).mark === FOREIGN_PAYLOAD;

/** Makes our refusal of a person's update readable without a key: its words quote nothing of an order. */
export const readableByAll = (error: unknown): unknown =>
  error instanceof ApplicationFailure && isOwnFailureType(error.type ?? undefined)
    ? new ReadableByAll(error.message, error.type, true, error.details)
    : error;

/** The failure of an update with a foreign argument. `why` quotes nothing of it. */
export const foreignUpdateFailure = (name: string, why: string): ApplicationFailure =>
  new ReadableByAll(`Nothing was done for the update ${name}. ${why}`, FAILURE.invalidRequest, true);
