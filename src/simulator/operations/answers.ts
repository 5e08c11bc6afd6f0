import { type JsonObject, numberLiteral } from '../json';
import type { Settings } from '../options';

/** What the gateway answers: an HTTP status and a JSON body. */
export interface Answer {
  status: number;
  body: JsonObject;
}

/** Why the gateway says no. */
export interface Refusal {
  code: RefusalCode;
  /** The name of the field, or a code of its own. */
  sub_code: string;
  sub_msg: string;
}

/** The codes of refusals and what each is called. */
export const refusals = {
  '20000': 'Service Currently Unavailable',
  '40001': 'Missing Required Arguments',
  '40002': 'Business Failed',
  '40004': 'Business Failed',
  '40005': 'MediaType not supported',
  '70001': 'Reject by high risk',
  '90001': 'Bank Request Fail',
} as const;

/** A code of a refusal. */
export type RefusalCode = keyof typeof refusals;

/** Whether a value is a code that refusals have. */
export function isRefusalCode(code: unknown): code is RefusalCode {
  return typeof code === 'string' && Object.hasOwn(refusals, code);
}

/** A successful answer, with the fields of its operation. */
export function success(fields: JsonObject): Answer {
  return { status: 200, body: { code: '10000', msg: 'Success', ...fields } };
}

/** A refusal as an answer. */
export function refused({ code, sub_code, sub_msg }: Refusal, status: number): Answer {
  return { status, body: { code, msg: refusals[code], sub_code, sub_msg } };
}

/** A required field that is not there at all. */
export function missing(field: string): Refusal {
  return { code: '40001', sub_code: field, sub_msg: `${field} is required.` };
}

/** A field whose value breaks a rule. */
export function invalid(field: string, says: string): Refusal {
  return { code: '40002', sub_code: field, sub_msg: `${field} ${says}.` };
}

/** A refusal that is about more than one field. */
export function businessFailure(sub_code: string, sub_msg: string): Refusal {
  return { code: '40002', sub_code, sub_msg };
}

/** A decimal as answers write it: an exact number literal, or a text. */
export function decimalAs(text: string, { queryAmount }: Settings): unknown {
  return queryAmount === 'number' ? numberLiteral(text) : text;
}
