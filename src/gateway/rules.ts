/**
 * The parts of the interface's rules: a shape (zod), a table of fields that are required under a condition, and a table of
 * rules that involve several fields. check.ts applies them.
 */
import type { z } from 'zod';

/** Settings for what the interface masks or leaves open. */
export interface RuleSettings {
  /** The real names of the bank-list-driven methods (section 4.1). */
  bank_list_methods: readonly string[];
  /** The real names of the voucher-style methods (section 4.1). */
  voucher_methods: readonly string[];
  /** Channels or methods that require an HTTPS `return_url`. */
  https_channels: readonly string[];
  /** Currencies that a method takes besides those of the table, as `method:currency`, such as `PIX:USD`. */
  method_currencies: readonly string[];
  /** Whether an identity number of a wrong format causes a warning or is refused. */
  formats: 'warn' | 'refuse';
}

/** The settings of a deployment that sets none. */
export const RULE_DEFAULTS: RuleSettings = {
  bank_list_methods: ['Khipu'],
  voucher_methods: ['Pago46'],
  https_channels: [],
  method_currencies: [],
  formats: 'warn',
};

/** What is known about the trade of a refund; the request does not hold it. */
export interface RefundedTrade {
  method?: string | undefined;
  /** A decimal string in currency units. */
  order_amount?: string | undefined;
}

/** What a rule can look at: the values of the request by dotted path, the app, and the time. */
export interface RuleContext {
  /** The text at a dotted path; undefined if it is absent or not text. */
  text(path: string): string | undefined;
  /** Whether there is a value at a dotted path. Null and empty text count as absent. */
  has(path: string): boolean;
  /** The method that the order means, even if misspelt; or the method of the trade to refund. */
  method: string | undefined;
  /** The currency of the order or refund, in upper case. */
  currency: string | undefined;
  /** Whether the app is Global (section 4: `region` and `regions`). */
  global: boolean;
  /** Whether the request is sent as it is: nothing is filled in or opened any more. */
  sending: boolean;
  /** Milliseconds since the epoch, UTC. */
  now: number;
  trade: RefundedTrade;
  settings: RuleSettings;
}

export type Condition = (context: RuleContext) => boolean;

/** The rule in words, for the person who broke it. Never contains the value of the field. */
export type Words = string | ((context: RuleContext) => string);

export interface Requirement {
  field: string;
  when: Condition;
  rule: Words;
}

/** A rule that involves more than one field, or facts outside the request. */
export interface CrossRule {
  field: string;
  broken: Condition;
  rule: Words;
}

export interface RequestRules<T> {
  operation: string;
  shape: z.ZodType<T>;
  required: readonly Requirement[];
  cross: readonly CrossRule[];
}
