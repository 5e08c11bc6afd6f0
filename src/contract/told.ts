/**
 * The answer of an activity that only looks, in an envelope of ours. A person who completes the activity by hand, in Temporal
 * UI or by its command, gives no envelope: so no workflow takes `null`, or nonsense, for an answer.
 */

export interface Told<T> {
  is: 'told';
  told: T;
}

/** The activity with its answers in the envelope. */
export function telling<Input extends unknown[], T>(look: (...input: Input) => T | Promise<T>) {
  return async (...input: Input): Promise<Told<T>> => ({ is: 'told', told: await look(...input) });
}
