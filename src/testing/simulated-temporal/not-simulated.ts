/** What the simulation does not do. It says so instead of answering something that a real server would not. */
export class NotSimulatedError extends Error {
  override readonly name = 'NotSimulatedError';
}

export const notSimulated = (what: string) => new NotSimulatedError(`not simulated: ${what}`);
