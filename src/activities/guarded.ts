/**
 * Keeps a worker from drowning its gateway: a bounded number of calls a second for each app, and a circuit that opens
 * where the gateway keeps failing. A call that is held back was certainly not sent, and Temporal makes it again later, so
 * operators read the reason in the pending activity; the circuit's changes are in the worker's log as well.
 */
import { BrokenCircuitError, CircuitState, ConsecutiveBreaker, circuitBreaker, handleWhen } from 'cockatiel';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { GatewayError } from '../gateway';
import { SPEI_ACCOUNT_PATHS } from '../gateway/virtual-accounts';
import type { AccountGateway, Gateway } from './gateways';

export interface Limits {
  calls_per_second: number;
  /** So many failures in a row open the circuit … */
  circuit_failures: number;
  /** … for so many milliseconds, after which a single call tries whether the gateway is back. */
  circuit_pause_ms: number;
}

/** The call was not made; it may be after `retry_after_ms`. */
export class HeldBackError extends GatewayError {
  constructor(
    message: string,
    operation: string,
    readonly retry_after_ms: number,
  ) {
    super(message, { outcome: 'not-sent', retryable: true, operation });
  }
}

/** What a circuit tells the log: `open` or `closed`. */
export type CircuitListener = (app_id: string, state: 'open' | 'closed') => void;

/** Makes a call, or holds it back with a {@link HeldBackError}. */
export type Guard = <T>(operation: string, send: () => Promise<T>) => Promise<T>;

/** What all calls of one app go through. */
export function guard(app_id: string, limits: Limits, tell: CircuitListener): Guard {
  const limiter = new RateLimiterMemory({ points: limits.calls_per_second, duration: 1 });
  const circuit = circuitBreaker(handleWhen(isGatewayDown), {
    breaker: new ConsecutiveBreaker(limits.circuit_failures),
    halfOpenAfter: limits.circuit_pause_ms,
  });
  circuit.onBreak(() => tell(app_id, 'open'));
  circuit.onReset(() => tell(app_id, 'closed'));

  const pausing = (operation: string) =>
    new HeldBackError(
      `The gateway of app ${app_id} failed ${limits.circuit_failures} times in a row; calls pause until one that tries it succeeds.`,
      operation,
      limits.circuit_pause_ms,
    );

  return async (operation, send) => {
    await limiter.consume(app_id).catch((full: unknown) => {
      if (!(full instanceof RateLimiterRes)) throw full;
      const message = `App ${app_id} makes ${limits.calls_per_second} calls a second at most (GATEWAY_CALLS_PER_SECOND); this one waits its turn.`;
      throw new HeldBackError(message, operation, full.msBeforeNext);
    });
    // While one call tries whether the gateway is back, the others would wait for it, and run into their activities' time-outs.
    if (circuit.state === CircuitState.HalfOpen) throw pausing(operation);
    try {
      return await circuit.execute(send);
    } catch (error) {
      throw error instanceof BrokenCircuitError ? pausing(operation) : error;
    }
  };
}

/** The same gateway, with its calls held back where they must be. */
export function guarded(gateway: Gateway, app_id: string, limits: Limits, tell: CircuitListener): Gateway {
  return guardedBy(guard(app_id, limits, tell), gateway);
}

/** A gateway's payments behind a guard. */
export function guardedBy(call: Guard, gateway: Gateway): Gateway {
  return {
    pay: (order) => call('/trade/pay', () => gateway.pay(order)),
    createCheckout: (order) => call('/trade/create', () => gateway.createCheckout(order)),
    refund: (refund, trade) => call('/trade/refund', () => gateway.refund(refund, trade)),
    query: (id) => call('/trade/query', () => gateway.query(id)),
  };
}

/** A gateway's virtual accounts behind a guard; the payments of the same app share it. */
export function guardedAccounts(call: Guard, gateway: AccountGateway): AccountGateway {
  return {
    createSpeiAccount: (account) => call(SPEI_ACCOUNT_PATHS.create, () => gateway.createSpeiAccount(account)),
    cancelSpeiAccount: (account_id) => call(SPEI_ACCOUNT_PATHS.cancel, () => gateway.cancelSpeiAccount(account_id)),
    querySpeiAccount: (account_id) => call(SPEI_ACCOUNT_PATHS.query, () => gateway.querySpeiAccount(account_id)),
    speiAccountQuantity: () => call(SPEI_ACCOUNT_PATHS.quantity, () => gateway.speiAccountQuantity()),
  };
}

/** No answer of the gateway itself, or its word that it is unavailable. A refusal shows that it works. */
function isGatewayDown(error: unknown): boolean {
  return error instanceof GatewayError && (error.code === undefined || error.code === '20000');
}
