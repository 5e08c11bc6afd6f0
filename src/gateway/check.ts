/**
 * Checks a request against the interface's rules. It names all wrong fields at once, so that a merchant can correct them
 * in one go.
 */
import type { z } from 'zod';
import { CARD_NUMBERS } from './card-numbers';
import { type FieldIssue, InvalidRequestError } from './errors';
import { meantMethod } from './methods';
import {
  type CrossRule,
  type RefundedTrade,
  type RequestRules,
  RULE_DEFAULTS,
  type RuleContext,
  type RuleSettings,
  type Words,
} from './rules';
import { AMOUNT_LIMITS, FORMATS } from './unstated-rules';

/** Doubts about a request that was accepted. It holds no values of the request but the order's id. */
export interface Warning {
  operation: string;
  out_trade_no: string | undefined;
  issues: readonly FieldIssue[];
}

/** Facts that rules depend on; see {@link RuleContext} for their meaning and `contextOf` for their defaults. */
export interface CheckOptions extends Partial<RuleSettings> {
  global?: boolean | undefined;
  sending?: boolean;
  /** In ms since the epoch. Default: now. */
  now?: number;
  trade?: RefundedTrade;
  /** Called for each request that is accepted with warnings. */
  warn?: ((warning: Warning) => void) | undefined;
}

/**
 * Returns `input` as a request of `rules.operation`. Throws InvalidRequestError, which names every wrong field with the
 * first rule that it breaks.
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
    const list = [...issues].map(([field, rule]) => ({ field, rule })).sort(methodFirst);
    throw new InvalidRequestError(rules.operation, list, out_trade_no);
  }
  const warnings = options.warn ? warningsFor(input, options) : [];
  if (warnings.length > 0) options.warn?.({ operation: rules.operation, out_trade_no, issues: warnings });
  return parsed.data;
}

/**
 * Doubts about a request of any operation, by rules that the interface does not state: formats of identity numbers, usual
 * amounts, card numbers in text. They are no errors, because an outdated rule must not cost a sale.
 */
export function warningsFor(request: unknown, options: CheckOptions = {}): FieldIssue[] {
  return brokenBy([...FORMATS, ...AMOUNT_LIMITS, ...CARD_NUMBERS], contextOf(request, options));
}

/** A wrong method comes first, because other faults may follow from it. */
const methodFirst = (one: FieldIssue, other: FieldIssue) =>
  Number(other.field === 'method') - Number(one.field === 'method');

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
  const settings = {
    bank_list_methods: options.bank_list_methods ?? RULE_DEFAULTS.bank_list_methods,
    voucher_methods: options.voucher_methods ?? RULE_DEFAULTS.voucher_methods,
    https_channels: options.https_channels ?? RULE_DEFAULTS.https_channels,
    method_currencies: options.method_currencies ?? RULE_DEFAULTS.method_currencies,
    formats: options.formats ?? RULE_DEFAULTS.formats,
  };
  return {
    text,
    has: (path) => !isAbsent(valueAt(input, path)),
    method: meantMethod(text('method'), settings) ?? trade.method,
    currency: (text('order_currency') ?? text('refund_currency'))?.toUpperCase(),
    global: options.global ?? false,
    sending: options.sending ?? false,
    now: options.now ?? Date.now(),
    trade,
    settings,
  };
}

function named(issue: z.core.$ZodIssue, input: unknown): [string, string][] {
  const path = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => [path ? `${path}.${key}` : key, 'unknown field']);
  }
  if (issue.code === 'invalid_union') {
    // A secret is text or a sealed object: report the issue of the form that the value looks like.
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
