/**
 * What the clients share: how they call, the form of their errors, and how these read the details of a workflow's failure, which may lack
 * anything.
 */
import type { Client } from '@temporalio/client';
import type { FieldIssue } from '../gateway';

/** Whose payments, and where. */
export interface CallOptions {
  client: Client;
  app_id: string;
  taskQueue: string;
  /** How long a call waits for its answer, in ms. */
  answerTimeoutMs: number;
}

/** What a failure says besides its type and message: see `details[0]` in docs/contract.md. */
export type Details = Readonly<Record<string, unknown>>;

/** An error of a client, in the form that all of them share. */
export abstract class ClientError extends Error {
  /** The failure's type, the same in every language. */
  abstract readonly type: string;
  /** Whether the same call may give another answer later. Repeating it is always safe. */
  readonly retryable: boolean = false;

  constructor(
    message: string,
    readonly details: Details,
  ) {
    super(message);
  }

  /** For logs of programs. It holds no personal data and no secret. */
  toJSON(): object {
    const { type, message, retryable, details } = this;
    return { type, message, retryable, ...details };
  }

  protected text(name: string): string | undefined {
    const value = this.details[name];
    return typeof value === 'string' ? value : undefined;
  }

  protected number(name: string): number | undefined {
    const value = this.details[name];
    return typeof value === 'number' ? value : undefined;
  }

  protected flag(name: string): boolean | undefined {
    const value = this.details[name];
    return typeof value === 'boolean' ? value : undefined;
  }
}

export function decisionIn(value: unknown): { by: string; reason: string } | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return { by: String(Reflect.get(value, 'by')), reason: String(Reflect.get(value, 'reason')) };
}

/** Issues come from a workflow's failure, so their form is not certain. */
export function issuesIn(issues: unknown): FieldIssue[] {
  return Array.isArray(issues)
    ? issues.map((issue) => ({ field: String(issue?.field), rule: String(issue?.rule) }))
    : [];
}

export const textsOf = (texts: unknown): string[] => (Array.isArray(texts) ? texts.map(String) : []);
