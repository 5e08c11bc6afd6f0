/**
 * How a request is held against the interface: its shape by zod, then tables of what is required when and of what one
 * field demands of another. Every wrong field is named at once, so that a merchant corrects an order in one go.
 */
import type { z } from 'zod';
import { AMOUNT_LIMITS } from './amount-limits';
import { CARD_NUMBERS } from './card-numbers';
import { type FieldIssue, InvalidRequestError } from './errors';
import { FORMATS } from './formats';

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
type Words = string | ((context: RuleContext) => string);

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

/** What is said of a request that was accepted all the same. Holds nothing of the request but the order's id. */
export interface Warning {
  operation: string;
  out_trade_no: string | undefined;
  issues: readonly FieldIssue[];
}

export interface CheckOptions extends Partial<RuleSettings> {
  global?: boolean | undefined;
  sending?: boolean;
  now?: number;
  trade?: RefundedTrade;
  /** Is told of each request that is accepted with warnings. */
  warn?: ((warning: Warning) => void) | undefined;
}

/**
 * Reads `input` as a request of `rules.operation`.
 * Throws InvalidRequestError naming each wrong field with its rule.
 */
export function checkRequest<T>(rules: RequestRules<T>, input: unknown, options: CheckOptions = {}): T {
  const context = contextOf(input, options);
  const parsed = rules.shape.safeParse(input);
  const issues = new Map<string, string>();
  const add = (field: string, rule: string) => issues.has(field) || issues.set(field, rule);
  for (const row of rules.required) {
    if (!context.has(row.field) && row.when(context)) add(row.field, inWords(row.rule, context));
  }
  for (const issue of parsed.error?.issues ?? []) {
    for (const [field, rule] of named(issue, input)) add(field, rule);
  }
  const refusing = context.settings.formats === 'refuse' ? [...rules.cross, ...FORMATS] : rules.cross;
  for (const { field, rule } of brokenBy(refusing, context)) add(field, rule);
  const out_trade_no = context.text('out_trade_no');
  if (!parsed.success || issues.size > 0) {
    const list: FieldIssue[] = [...issues].map(([field, rule]) => ({ field, rule }));
    throw new InvalidRequestError(rules.operation, list, out_trade_no);
  }
  const warnings = options.warn ? warningsFor(input, options) : [];
  if (warnings.length > 0) options.warn?.({ operation: rules.operation, out_trade_no, issues: warnings });
  return parsed.data;
}

/**
 * What may be wrong with a request although the interface does not say so: numbers that break their country's format,
 * amounts beyond what is usual, and card numbers in texts. Of any operation; a rule of ours that is out of date must not cost a sale.
 */
export function warningsFor(request: unknown, options: CheckOptions = {}): FieldIssue[] {
  return brokenBy([...FORMATS, ...AMOUNT_LIMITS, ...CARD_NUMBERS], contextOf(request, options));
}

function brokenBy(rules: readonly CrossRule[], context: RuleContext): FieldIssue[] {
  return rules.filter((row) => row.broken(context)).map(({ field, rule }) => ({ field, rule: inWords(rule, context) }));
}

function inWords(rule: Words, context: RuleContext): string {
  return typeof rule === 'string' ? rule : rule(context);
}

function contextOf(input: unknown, options: CheckOptions): RuleContext {
  const text = (path: string) => {
    const value = valueAt(input, path);
    return typeof value === 'string' ? value : undefined;
  };
  const trade = options.trade ?? {};
  return {
    text,
    has: (path) => !isAbsent(valueAt(input, path)),
    method: text('method') ?? trade.method,
    currency: (text('order_currency') ?? text('refund_currency'))?.toUpperCase(),
    global: options.global ?? false,
    sending: options.sending ?? false,
    now: options.now ?? Date.now(),
    trade,
    settings: {
      bank_list_methods: options.bank_list_methods ?? RULE_DEFAULTS.bank_list_methods,
      voucher_methods: options.voucher_methods ?? RULE_DEFAULTS.voucher_methods,
      https_channels: options.https_channels ?? RULE_DEFAULTS.https_channels,
      formats: options.formats ?? RULE_DEFAULTS.formats,
    },
  };
}

/** A zod issue as (field, rule) pairs in the interface's own words. */
function named(issue: z.core.$ZodIssue, input: unknown): [string, string][] {
  const path = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => [path ? `${path}.${key}` : key, 'unknown field']);
  }
  if (issue.code === 'invalid_union') {
    // Of a secret's two forms, the one that the value resembles says what is wrong with it.
    const branch = issue.errors[typeof valueAt(input, path) === 'object' ? 1 : 0] ?? [];
    return branch.flatMap((inner) => named({ ...inner, path: [...issue.path, ...inner.path] }, input));
  }
  const absent = issue.code === 'invalid_type' && valueAt(input, path) === undefined;
  return [[path || '(request)', absent ? 'required' : issue.message]];
}

function valueAt(input: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (at, key) => (typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? Reflect.get(at, key) : undefined),
      input,
    );
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
