/**
 * What a worker makes of a payload that is not the workflow's own, whichever worker reads it: a person typed it, "Start
 * Workflow Like This One" copied it masked, or it is in clear text where keys are set. A run that was started with it ends at
 * once, where an error would fail its tasks for ever and keep the order's id from everybody. An update with it is refused.
 */
import { ApplicationFailure } from '@temporalio/common';
import { FAILURE, isOwnFailureType } from './failures';

/** What such a run gets in the place of its input. */
export interface ForeignInput {
  /** Why it was refused. It quotes nothing of the payload. */
  foreign_input: string;
}

/** The payload's metadata by which the worker's codec tells its sandbox of it. Its data is a {@link ForeignInput} in JSON. */
export const FOREIGN_PAYLOAD = 'refused-for-good';

/** Why the input of a run was refused; undefined for one that was read. */
export function whyForeign(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !('foreign_input' in input)) return undefined;
  return typeof input.foreign_input === 'string' ? input.foreign_input : undefined;
}

/** A failure whose message leaves the worker in clear text: who has no key must be able to read it. Its details, where it has some, do not. */
export class ReadableByAll extends ApplicationFailure {}

/** The encoding of a payload that the worker's codec refused, which no converter knows: so the SDK's error says why. `why` quotes nothing of it. */
export const refusedEncoding = (why: string) => `refused (${why})`;

/** The failure in words of ours, where it is the SDK's of a refused payload: who has no key must be able to read which one is missing. */
export function refusedPayload(error: unknown): ReadableByAll | undefined {
  const said = typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : '';
  const [, why] = /^Unknown encoding: refused \((.*)\)$/s.exec(said) ?? [];
  return why === undefined ? undefined : new ReadableByAll(why, 'ValueError');
}

/** Why an update of a person was refused, in words of ours that quote nothing of an order: who has no key must be able to read them. */
export const readableByAll = (error: unknown): unknown =>
  error instanceof ApplicationFailure && isOwnFailureType(error.type ?? undefined)
    ? new ReadableByAll(error.message, error.type, true, error.details)
    : error;

/** How an update fails whose argument is not its own. `why` quotes nothing of it. */
export const foreignUpdateFailure = (name: string, why: string): ApplicationFailure =>
  new ReadableByAll(`Nothing was done for the update ${name}. ${why}`, FAILURE.invalidRequest, true);
