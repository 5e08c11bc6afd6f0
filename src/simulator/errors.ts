import { z } from 'zod';

/** The state of a trade, refund or account does not allow an action. The message is a sentence for a person. */
export class IllegalAction extends Error {
  override name = 'IllegalAction';
  readonly statusCode = 409;
}

/** No trade, refund or account has the given number, or several have it. The message is a sentence for a person. */
export class UnknownRecord extends Error {
  override name = 'UnknownRecord';
  readonly statusCode = 404;
}

interface ControlProblem {
  status: number;
  sentence: string;
}

/** What the control API and the pages answer to an error. */
export function problemOf(error: unknown): ControlProblem {
  if (error instanceof z.ZodError) return { status: 400, sentence: z.prettifyError(error) };
  if (!(error instanceof Error)) return { status: 500, sentence: 'Something unknown went wrong.' };
  if (error instanceof RangeError || error instanceof SyntaxError) return { status: 400, sentence: error.message };
  const status = 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500;
  return { status, sentence: error.message };
}

/** Presses a button. A person can do something about an error below 500; any other is a defect of the simulator. */
export async function problemWith(press: () => unknown): Promise<ControlProblem | undefined> {
  try {
    await press();
    return undefined;
  } catch (error) {
    const problem = problemOf(error);
    if (problem.status >= 500) throw error;
    return problem;
  }
}
