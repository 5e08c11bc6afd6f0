/**
 * Protects the gateway from its workers: a limit of calls a second for each app, shared by urgency, and a circuit that opens when the
 * gateway keeps failing. A deferred call was certainly not sent. Temporal makes it again later, so the pending activity shows the reason.
 */
import { BrokenCircuitError, CircuitState, ConsecutiveBreaker, circuitBreaker, handleWhen } from 'cockatiel';
import { GatewayError, InvalidRequestError, OtherAnswerError } from '../gateway';
import { isBusy } from '../gateway/refusals';
import { CallDeferredError } from './failures';
import { callingBy, type Gateway } from './gateways';
import type { Urgency } from './urgency';

export interface CallLimits {
  calls_per_second: number;
  /** This many failures in a row open the circuit. */
  circuit_failures: number;
  /** The circuit stays open this long, in ms; then one call tries whether the gateway works again. */
  circuit_pause_ms: number;
}

export interface ThrottleListener {
  circuit(app_id: string, state: 'open' | 'closed'): void;
  /** A call was not made yet. */
  heldBack(app_id: string, urgency: Urgency): void;
}

/**
 * The gateway of an app, whose calls share one throttle: each is made, or throws a {@link CallDeferredError}. `urgencyOfCall` is asked at each
 * call.
 */
export function throttled(
  gateway: Gateway,
  app_id: string,
  limits: CallLimits,
  urgencyOfCall: () => Urgency,
  listener: ThrottleListener,
): Gateway {
  const { calls_per_second, circuit_failures, circuit_pause_ms } = limits;
  const budget = new CallBudget(calls_per_second);
  const circuit = gatewayCircuit(limits, (state) => listener.circuit(app_id, state));
  const deferred = (message: string, operation: string, retry_after_ms: number) => {
    listener.heldBack(app_id, urgencyOfCall());
    return new CallDeferredError(message, operation, retry_after_ms);
  };
  const pausing = (operation: string, left_ms: number) =>
    deferred(
      `The gateway of app ${app_id} failed ${circuit_failures} times in a row; calls pause until one that tries it succeeds.`,
      operation,
      left_ms,
    );

  return callingBy(async (operation, send) => {
    // The circuit comes first: a call that it holds back must not use up the rate.
    const pause_ms = circuit.pauseLeft();
    if (pause_ms > 0) throw pausing(operation, pause_ms);
    const wait_ms = budget.take(urgencyOfCall());
    if (wait_ms > 0) {
      const message = `App ${app_id} makes ${calls_per_second} calls a second at most (GATEWAY_CALLS_PER_SECOND), the most urgent ones first; this one waits its turn.`;
      throw deferred(message, operation, wait_ms);
    }
    try {
      return await circuit.execute(() => send(gateway));
    } catch (error) {
      throw error instanceof BrokenCircuitError ? pausing(operation, circuit_pause_ms) : error;
    }
  });
}

/**
 * The part of the bucket, which holds one second's calls, that calls of each urgency may use. The less urgent a call is, the more it leaves
 * to others: so urgent calls never wait behind a backlog, however long it is, and the backlog has all that they leave.
 */
const SHARE: Readonly<Record<Urgency, number>> = {
  awaited: 1,
  late: 0.8,
  overdue: 0.7,
  background: 0.6,
};

/** The calls that an app may make: a token bucket. */
class CallBudget {
  private tokens: number;
  private filledAt = Date.now();

  constructor(private readonly calls_per_second: number) {
    this.tokens = calls_per_second;
  }

  /** Takes one call and returns 0; or takes none, and returns after how many ms there may be one. */
  take(urgency: Urgency): number {
    const now = Date.now();
    const perMs = this.calls_per_second / 1_000;
    // A clock that was set back adds no calls.
    this.tokens = Math.min(this.calls_per_second, this.tokens + Math.max(0, now - this.filledAt) * perMs);
    this.filledAt = now;
    // At one call a second, every urgency may use it.
    const needed = 1 + (1 - SHARE[urgency]) * (this.calls_per_second - 1);
    if (this.tokens < needed) return Math.ceil((needed - this.tokens) / perMs);
    this.tokens -= 1;
    return 0;
  }
}

/** About how long a trial call takes that finds out whether the gateway works again, in ms. */
const TRIAL_MS = 1_000;

/** The circuit, which also knows how many ms are left until a call may go through it; 0 if it may now. */
function gatewayCircuit(
  { circuit_failures, circuit_pause_ms }: CallLimits,
  onChange: (state: 'open' | 'closed') => void,
) {
  const circuit = circuitBreaker(handleWhen(isGatewayDown), {
    breaker: new ConsecutiveBreaker(circuit_failures),
    halfOpenAfter: circuit_pause_ms,
  });
  let openedAt = 0;
  circuit.onBreak(() => {
    openedAt = Date.now();
    onChange('open');
  });
  circuit.onReset(() => onChange('closed'));
  return {
    execute: <T>(send: () => Promise<T>) => circuit.execute(send),
    pauseLeft: () => {
      // While one call tries the gateway, the others would wait for it until their activities time out.
      if (circuit.state === CircuitState.HalfOpen) return TRIAL_MS;
      return circuit.state === CircuitState.Open ? Math.max(0, openedAt + circuit_pause_ms - Date.now()) : 0;
    },
  };
}

/**
 * The gateway did not answer, or says that it is unavailable. A refusal, or an answer about something else, shows that it works. A request
 * that breaks our rules and a call that was not made say nothing about the gateway.
 */
function isGatewayDown(error: unknown): boolean {
  if (!(error instanceof GatewayError) || error instanceof InvalidRequestError) return false;
  if (error instanceof CallDeferredError || error instanceof OtherAnswerError) return false;
  return error.code === undefined || isBusy(error.code);
}
