/**
 * How a request is held against the interface: its shape by zod, then tables of what is required when and of what one
 * field demands of another. Every wrong field is named at once, so that a merchant corrects an order in one go.
 */
import type { z } from 'zod';
import { type FieldIssue, InvalidRequestError } from './errors';

/** What a rule may look at: the request's leaves by dotted path, and what is known of the app and the moment. */
export interface RuleContext {
  /** The text at a dotted path, undefined where it is absent or not text. */
  text(path: string): string | undefined;
  /** Whether anything at all stands at a dotted path. */
  has(path: string): boolean;
  /** Whether the app is Global (section 4: `region` and `regions`). */
  global: boolean;
  /** Milliseconds since the epoch, UTC. */
  now: number;
}

export type Condition = (context: RuleContext) => boolean;

/** A field that must be there under a condition; `rule` are the words for the one who left it out. */
export interface Requirement {
  field: string;
  when: Condition;
  rule: string;
}

/** A demand that one field alone cannot show. */
export interface CrossRule {
  field: string;
  broken: Condition;
  rule: string;
}

export interface RequestRules<T> {
  operation: string;
  shape: z.ZodType<T>;
  required: readonly Requirement[];
  cross: readonly CrossRule[];
}

export interface CheckOptions {
  global?: boolean;
  now?: number;
}

/**
 * Reads `input` as a request of `rules.operation`.
 * Throws InvalidRequestError naming each wrong field with its rule.
 */
export function checkRequest<T>(rules: RequestRules<T>, input: unknown, options: CheckOptions = {}): T {
  const context: RuleContext = {
    text: (path) => {
      const value = valueAt(input, path);
      return typeof value === 'string' ? value : undefined;
    },
    has: (path) => !isAbsent(valueAt(input, path)),
    global: options.global ?? false,
    now: options.now ?? Date.now(),
  };
  const parsed = rules.shape.safeParse(input);
  const issues = new Map<string, string>();
  const add = (field: string, rule: string) => issues.has(field) || issues.set(field, rule);
  for (const row of rules.required) if (!context.has(row.field) && row.when(context)) add(row.field, row.rule);
  for (const issue of parsed.error?.issues ?? []) {
    for (const [field, rule] of named(issue, input)) add(field, rule);
  }
  for (const row of rules.cross) if (row.broken(context)) add(row.field, row.rule);
  if (parsed.success && issues.size === 0) return parsed.data;
  const list: FieldIssue[] = [...issues].map(([field, rule]) => ({ field, rule }));
  throw new InvalidRequestError(rules.operation, list, context.text('out_trade_no'));
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
