import { z } from 'zod';

/** The state of a trade, refund or account does not allow an action. The message is a sentence for a person. */
export class IllegalAction extends Error {
  override name = 'IllegalAction';
}

/** No trade, refund or account has the given number, or several have it. The message is a sentence for a person. */
export class UnknownRecord extends Error {
  override name = 'UnknownRecord';
}

export interface ControlProblem {
  status: number;
  sentence: string;
}

/** What the control API and the pages answer to an error. */
export function problemOf(error: unknown): ControlProblem {
  if (error instanceof z.ZodError) return { status: 400, sentence: z.prettifyError(error) };
  if (!(error instanceof Error)) return { status: 500, sentence: 'Something unknown went wrong.' };
  return { status: statusOf(error), sentence: error.message };
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

function statusOf(error: Error): number {
  if (error instanceof UnknownRecord) return 404;
  if (error instanceof IllegalAction) return 409;
  if (error instanceof RangeError || error instanceof SyntaxError) return 400;
  return 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500;
}
