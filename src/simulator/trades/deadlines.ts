import { type MethodName, usualExpiryOf } from '../rules/methods';
import { DAY, expressEnd, parseExpress } from '../time';

/** When an unfinished trade ends by itself. */
export interface Deadlines {
  /** INITIAL ends in EXPIRED. */
  expires_at: number;
  /** PROCESSING ends in CANCEL. */
  cancels_at: number;
}

/** What an order says about time, and what its method usually allows. */
export interface DeadlineTerms {
  created_at: number;
  timeout_express: string | null;
  cancellation_express: string | null;
  method: MethodName | undefined;
  channel: string | undefined;
}

/**
 * `timeout_express` bounds INITIAL, `cancellation_express` PROCESSING. Where there is no cancellation the timeout bounds
 * both, and where there is no timeout the method's usual expiry does.
 */
export function deadlines({
  created_at,
  timeout_express,
  cancellation_express,
  method,
  channel,
}: DeadlineTerms): Deadlines {
  const usual = method ? endOf(usualExpiryOf(method, channel), created_at) : created_at + DAY;
  const timeout = timeout_express === null ? undefined : endOf(timeout_express, created_at);
  const cancellation = cancellation_express === null ? undefined : endOf(cancellation_express, created_at);
  return {
    expires_at: timeout ?? Math.min(usual, cancellation ?? usual),
    cancels_at: cancellation ?? timeout ?? usual,
  };
}

function endOf(text: string, from: number): number {
  const express = parseExpress(text);
  if (express === undefined) throw new RangeError(`${text} is no express time`);
  return expressEnd(express, from);
}
