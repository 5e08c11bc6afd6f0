/**
 * What rules of the interface are made of. A request is held against its shape, by zod, and against tables of what is
 * required when and of what one field demands of another (check.ts).
 */
import type { z } from 'zod';

/** What deployments decide for themselves, because the interface masks it or leaves it open. */
export interface RuleSettings {
  /** The names of the bank-list-driven method, and those of the voucher-style one (section 4.1). */
  bank_list_methods: readonly string[];
  voucher_methods: readonly string[];
  /** Channels, or methods, that take an HTTPS `return_url` only. */
  https_channels: readonly string[];
  /** Whether a number that breaks its country's format goes out with a warning, or is refused. */
  formats: 'warn' | 'refuse';
}

export const RULE_DEFAULTS: RuleSettings = {
  bank_list_methods: ['Khipu'],
  voucher_methods: ['Pago46'],
  https_channels: [],
  formats: 'warn',
};

/** What is known of a trade that is to be refunded; the refund's own body does not say it. */
export interface RefundedTrade {
  method?: string | undefined;
  /** A decimal string in currency units. */
  order_amount?: string | undefined;
}

/** What a rule may look at: the request's leaves by dotted path, and what is known of the app and the moment. */
export interface RuleContext {
  /** The text at a dotted path, undefined where it is absent or not text. */
  text(path: string): string | undefined;
  /** Whether anything at all stands at a dotted path. */
  has(path: string): boolean;
  /** The method of the order, or of the trade that is to be refunded. */
  method: string | undefined;
  /** The currency of the order or refund, in capitals. */
  currency: string | undefined;
  /** Whether the app is Global (section 4: `region` and `regions`). */
  global: boolean;
  /** Whether the request goes out as it is, so that nothing is left to a default or to be opened. */
  sending: boolean;
  /** Milliseconds since the epoch, UTC. */
  now: number;
  trade: RefundedTrade;
  settings: RuleSettings;
}

export type Condition = (context: RuleContext) => boolean;

/** The words for the one who broke a rule; never with what the field holds. */
export type Words = string | ((context: RuleContext) => string);

/** A field that must be there under a condition. */
export interface Requirement {
  field: string;
  when: Condition;
  rule: Words;
}

/** A demand that one field alone cannot show. */
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
