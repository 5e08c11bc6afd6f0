/** The kinds of field that the interface's tables are made of, each with the words in which a wrong one is refused. */
import { z } from 'zod';
import { cancellationProblem, timeoutProblem } from './durations';
import { amountProblem } from './money';

/** Text of at most `max` characters (code points, as a person counts them), not empty. */
export function text(max?: number) {
  const any = z.string('must be text').min(1, 'must not be empty');
  return max === undefined ? any : any.refine((s) => [...s].length <= max, `at most ${max} characters`);
}

/** Text that a function finds wrong in words, or not. */
export function checked(problem: (text: string) => string | undefined) {
  return z.string('must be text').superRefine((value, ctx) => {
    const message = problem(value);
    if (message !== undefined) ctx.addIssue({ code: 'custom', message });
  });
}

export const digits = (min: number, max = min) =>
  z
    .string('must be text')
    .regex(new RegExp(`^[0-9]{${min},${max}}$`), min === max ? `${min} digits` : `${min} to ${max} digits`);

/** An amount as a decimal string, of at most `max` currency units. */
export const amountUpTo = (max?: string) =>
  z.string('must be a decimal as text, such as "150.00": a JSON number would lose digits').superRefine((value, ctx) => {
    const message = amountProblem(value, max);
    if (message !== undefined) ctx.addIssue({ code: 'custom', message });
  });

export const amount = amountUpTo();

export const currency = z.string('must be text').regex(/^[A-Za-z]{3}$/, '3 letters');
export const timeoutExpress = checked(timeoutProblem);
export const cancellationExpress = checked(cancellationProblem);

export const httpUrl = text(255).refine((s) => /^https?:$/.test(protocolOf(s)), 'must be an http or https address');
export const url = text(255).refine((s) => protocolOf(s) !== '', 'must be an absolute address');

/** An email address; one of a customer must not contain `+` (sections 4.1 and 4.8), one of a refund may. */
export const emailAddress = (max?: number) =>
  text(max).refine((s) => /^[^\s@]+@[^\s@]+$/.test(s), 'must be an email address');
export const email = emailAddress().refine((s) => !s.includes('+'), 'must not contain +');

/**
 * Emoji by Unicode property. Keycaps (1️⃣) and flags are made of characters that are no emoji by themselves, so their
 * joining marks count as well: the combining keycap, the emoji variation selector and the regional indicators. ©, ® and ™
 * have the property, but stand in the names of companies as plain text.
 */
const EMOJI = /(?![©®™])\p{Extended_Pictographic}|\p{Emoji_Modifier}|[\u20e3\ufe0f\u{1f1e6}-\u{1f1ff}]/u;

export const hasEmoji = (text: string) => EMOJI.test(text);
export const personName = text().refine((s) => !hasEmoji(s), 'no emoji');

/** A secret as our API takes it: bare where the caller is about to seal it, sealed everywhere else (see sealing.ts). */
export const sealedSecret = z.strictObject({ sealed: text() });
export const secret = <T extends z.ZodType>(bare: T) => z.union([bare, sealedSecret]);

function protocolOf(s: string): string {
  try {
    return new URL(s).protocol;
  } catch {
    return '';
  }
}

/** The dotted paths of every field of a request, as rules and refusals name them. */
export function fieldPaths(shape: z.core.$ZodType, prefix = ''): string[] {
  if (shape instanceof z.ZodOptional) return fieldPaths(shape.unwrap(), prefix);
  if (!(shape instanceof z.ZodObject)) return [];
  return Object.entries<z.core.$ZodType>(shape.shape).flatMap(([key, inner]) => [
    prefix + key,
    ...fieldPaths(inner, `${prefix}${key}.`),
  ]);
}
