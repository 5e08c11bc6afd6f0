/** The codes of refusals, each with its `msg`. */
export const refusalCodes = {
  '20000': 'Service Currently Unavailable',
  '40001': 'Missing Required Arguments',
  '40002': 'Business Failed',
  '40004': 'Business Failed',
  '40005': 'MediaType not supported',
  '70001': 'Reject by high risk',
  '90001': 'Bank Request Fail',
} as const;

export type RefusalCode = keyof typeof refusalCodes;

/** Why the gateway refuses a request. */
export interface RequestRefusal {
  code: RefusalCode;
  /** The name of a field, or a code for what is wrong. */
  sub_code: string;
  sub_msg: string;
}

/** The refusal of a request that lacks a required field. */
export function missingField(field: string): RequestRefusal {
  return { code: '40001', sub_code: field, sub_msg: `${field} is required.` };
}

/** The refusal of a field whose value breaks a rule. `says` is the end of a sentence that begins with the field's name. */
export function invalidField(field: string, says: string): RequestRefusal {
  return { code: '40002', sub_code: field, sub_msg: `${field} ${says}.` };
}

/** A refusal that is about more than one field, with its own code. */
export function businessRefusal(sub_code: string, sub_msg: string): RequestRefusal {
  return { code: '40002', sub_code, sub_msg };
}
