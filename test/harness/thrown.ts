/** What a call throws; an error of the test where it succeeds. */
export const thrownBy = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    (answer) => new Error(`The call succeeded: ${JSON.stringify(answer)}`),
    (error: unknown) => error,
  );
