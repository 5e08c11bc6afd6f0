/** Failures name the fields of an update. A person has typed options, so a command says those. */
import { FAILURE } from '../contract';
import { updateFailure } from '../temporal/closing';

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
export const isWrongInput = (error: unknown): boolean => updateFailure(error)?.type === FAILURE.invalidRequest;
