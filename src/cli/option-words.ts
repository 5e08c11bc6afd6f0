/** Failures name the fields of an update, but a person has typed options, so commands name the options. */
import { FAILURE } from '../contract';
import { updateFailure } from '../temporal/call-errors';

/** The option that says each field of an update. */
type OptionFields = readonly (readonly [option: string, field: string])[];

/** Why something was refused, with options in place of fields. */
export function withOptions(fields: OptionFields, refusal: string): string {
  return fields.reduce(
    (text, [option, field]) =>
      text.replace(new RegExp(`(^|[.;:] )${field}: `), `$1--${option}: `).replaceAll(`\`${field}\``, `\`--${option}\``),
    refusal,
  );
}

/** Whether the typed input was refused: then nothing was changed or sent. */
export const isWrongInput = (error: unknown): boolean => updateFailure(error)?.type === FAILURE.invalidRequest;
