/** The types of request fields, as zod schemas, each with the words that tell what is wrong. */
import { z } from 'zod';
import { cancellationProblem, timeoutProblem } from './pure/durations';
import { hasAtMost, hasIdCharacters } from './pure/ids';
import { amountProblem } from './pure/money';

/** Text of 1 to `max` characters. */
export const text = (max: number) =>
  z
    .string('must be text')
    .min(1, 'must not be empty')
    .refine((given) => hasAtMost(max, given), `at most ${max} characters`);

/** An id: notifications have to repeat it, and workflow ids contain it. */
export const id = (max: number) => text(max).refine(hasIdCharacters, 'no line breaks or other control characters');

/** The most characters of fields for which the interface states none. `docs/assumptions.md` lists them. */
export const MOST = {
  name: 255,
  email: 255,
  phone: 64,
  identity_number: 64,
  identity_type: 64,
  /** Of each line of an address. */
  address: 255,
  ip: 64,
  fingerprint: 4_096,
  token: 4_096,
  sealed: 8_192,
  issuer: 64,
  bank: 64,
  language_code: 32,
  region: 32,
  /** Of the list of regions. */
  regions: 250,
  version: 32,
  account_id: 64,
} as const;

/** Text that `problem` checks: it returns what is wrong, or undefined. `form`: what is wrong with anything but text. */
function checked(problem: (text: string) => string | undefined, form = 'must be text') {
  return z.string(form).superRefine((value, ctx) => {
    const message = problem(value);
    if (message !== undefined) ctx.addIssue({ code: 'custom', message });
  });
}

/** Text of `min` to `max` digits. */
export const digits = (min: number, max = min) =>
  z
    .string('must be text')
    .regex(new RegExp(`^[0-9]{${min},${max}}$`), min === max ? `${min} digits` : `${min} to ${max} digits`);

/** An amount as a decimal string in currency units, at most `max`. */
export const amountUpTo = (max?: string) =>
  checked(
    (value) => amountProblem(value, max),
    'must be a decimal as text, such as "150.00": a JSON number would lose digits',
  );

export const amount = amountUpTo();

/** In upper case, as ISO 4217 and gateways write it. */
export const currency = z
  .string('must be text')
  .regex(/^[A-Za-z]{3}$/, '3 letters')
  .transform((code) => code.toUpperCase());
export const timeoutExpress = checked(timeoutProblem);
export const cancellationExpress = checked(cancellationProblem);

export const httpUrl = text(255).refine((s) => /^https?:$/.test(protocolOf(s)), 'must be an http or https address');
export const url = text(255).refine((s) => protocolOf(s) !== '', 'must be an absolute address');

/** An email address, as in refunds. */
export const emailAddress = (max: number) =>
  text(max).refine((s) => /^[^\s@]+@[^\s@]+$/.test(s), 'must be an email address');
/** An email address of a customer, which must not contain `+` (sections 4.1 and 4.8). */
export const email = emailAddress(MOST.email).refine((s) => !s.includes('+'), 'must not contain +');

/**
 * Emoji by Unicode property. Keycaps (1️⃣) and flags consist of characters that are not emoji alone, so their marks count
 * too: the combining keycap, the emoji variation selector and the regional indicators. ©, ® and ™ have the property but are
 * allowed, because names of companies contain them.
 */
const EMOJI = /(?![©®™])\p{Extended_Pictographic}|\p{Emoji_Modifier}|[\u20e3\ufe0f\u{1f1e6}-\u{1f1ff}]/u;

export const hasEmoji = (text: string) => EMOJI.test(text);
export const personName = text(MOST.name).refine((s) => !hasEmoji(s), 'no emoji');

/** The identity of a customer. A refund's is shorter (section 4.3). */
export const identity = z.strictObject({
  number: text(MOST.identity_number).optional(),
  type: text(MOST.identity_type).optional(),
});

/** A sealed secret (see sealing.ts). */
const sealedSecret = z.strictObject({ sealed: text(MOST.sealed) });
/** A secret. It is unsealed only before the client seals it and after the activity has opened it. */
export const secret = <T extends z.ZodType>(bare: T) => z.union([bare, sealedSecret]);

function protocolOf(s: string): string {
  try {
    return new URL(s).protocol;
  } catch {
    return '';
  }
}

/** The dotted paths of all fields of a request, as rules and refusals name them. */
export function fieldPaths(shape: z.core.$ZodType, prefix = ''): string[] {
  if (shape instanceof z.ZodOptional) return fieldPaths(shape.unwrap(), prefix);
  if (!(shape instanceof z.ZodObject)) return [];
  return Object.entries<z.core.$ZodType>(shape.shape).flatMap(([key, inner]) => [
    prefix + key,
    ...fieldPaths(inner, `${prefix}${key}.`),
  ]);
}
