/** Failures name the fields of an update. A person has typed options, so a command says those. */
import { ApplicationFailure } from '@temporalio/common';
import { FAILURE } from '../contract';

/** The option that says each field of an update. */
type OptionFields = readonly (readonly [option: string, field: string])[];

/** Why something was refused, with the option in the place of each field. */
export function withOptions(fields: OptionFields, refusal: string): string {
  return fields.reduce(
    (text, [option, field]) =>
      text.replace(new RegExp(`(^|[.;:] )${field}: `), `$1--${option}: `).replaceAll(`\`${field}\``, `\`--${option}\``),
    refusal,
  );
}

/** Whether what was refused is what somebody has typed: nothing was changed or sent. */
export function isWrongInput(error: unknown): boolean {
  if (error instanceof ApplicationFailure) return error.type === FAILURE.invalidRequest;
  return error instanceof Error && isWrongInput(error.cause);
}
