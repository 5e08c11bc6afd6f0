/** What `--help` of each command ends with: examples, and the exit codes. */
import { EXIT_CODES } from './exit-codes';

/** `lines` without `payment-gateway`. */
export const examples = (...lines: string[]): string =>
  `\nExamples:\n${lines.map((line) => `  payment-gateway ${line}`).join('\n')}\nExit codes: ${EXIT_CODES}`;
