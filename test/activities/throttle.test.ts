/** The throttle limits the rate of calls and stops them while the gateway is down, and its errors say why. */
import { setTimeout as delay } from 'node:timers/promises';
import { type CallLimits, type PaymentGateway, throttle, throttledPayments } from '../../src/activities';
import { GatewayError } from '../../src/gateway';

const LIMITS: CallLimits = { calls_per_second: 1_000, circuit_failures: 3, circuit_pause_ms: 100 };
const TRADE = { trade_no: 'T1', trade_status: 'PROCESSING' };

const down = () => new GatewayError('no answer', { outcome: 'unknown', retryable: true, operation: '/trade/query' });
const refusal = () =>
  new GatewayError('refused', { outcome: 'unknown', retryable: false, operation: '/trade/query', code: '40002' });

function gatewayThat(limits: Partial<CallLimits> = {}) {
  const calls: number[] = [];
  const told: string[] = [];
  let answer: () => Promise<typeof TRADE> = async () => TRADE;
  const call = () => {
    calls.push(Date.now());
    return answer();
  };
  const bare: PaymentGateway = { pay: call, createCheckout: call, query: call, refund: call };
  const gateway = throttledPayments(
    throttle('app', { ...LIMITS, ...limits }, (app_id, state) => told.push(`${app_id} ${state}`)),
    bare,
  );
  return {
    calls,
    told,
    query: () => gateway.query({ trade_no: 'T1' }),
    pay: () => gateway.pay({}),
    answers(next: () => Promise<typeof TRADE>) {
      answer = next;
    },
  };
}

const failing = async () => {
  throw down();
};

describe('the circuit', () => {
  test('opens after so many failures in a row and then makes no call', async () => {
    const gateway = gatewayThat();
    gateway.answers(failing);
    for (let i = 0; i < 3; i += 1) await expect(gateway.query()).rejects.toThrow('no answer');
    await expect(gateway.pay()).rejects.toMatchObject({
      outcome: 'not-sent',
      retryable: true,
      retry_after_ms: 100,
      message: expect.stringMatching(/app app failed 3 times in a row/),
    });
    expect(gateway.calls).toHaveLength(3);
    expect(gateway.told).toEqual(['app open']);
  });

  test('lets one call through after its pause, and closes if that succeeds', async () => {
    const gateway = gatewayThat();
    gateway.answers(failing);
    for (let i = 0; i < 4; i += 1) await gateway.query().catch(() => undefined);
    await delay(120);
    let arrive: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    gateway.answers(() => arrived.then(() => TRADE));
    const [tried, held] = [gateway.query(), gateway.query()];
    await expect(held).rejects.toMatchObject({ outcome: 'not-sent' });
    arrive();
    expect(await tried).toEqual(TRADE);
    expect(await gateway.query()).toEqual(TRADE);
    expect(gateway.calls).toHaveLength(5);
    expect(gateway.told).toEqual(['app open', 'app closed']);
  });

  test('stays open if that call fails', async () => {
    const gateway = gatewayThat();
    gateway.answers(failing);
    for (let i = 0; i < 3; i += 1) await gateway.query().catch(() => undefined);
    await delay(120);
    await expect(gateway.query()).rejects.toThrow('no answer');
    await expect(gateway.query()).rejects.toMatchObject({ outcome: 'not-sent' });
    expect(gateway.calls).toHaveLength(4);
  });

  test('does not open after refusals, because a gateway that refuses works', async () => {
    const gateway = gatewayThat();
    gateway.answers(async () => {
      throw refusal();
    });
    for (let i = 0; i < 10; i += 1) await expect(gateway.query()).rejects.toThrow('refused');
    expect(gateway.calls).toHaveLength(10);
  });
});

describe('the rate', () => {
  test('is limited: further calls are not sent, and their error says when to try again', async () => {
    const gateway = gatewayThat({ calls_per_second: 5 });
    const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => gateway.query()));
    expect(gateway.calls).toHaveLength(5);
    const held = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(held).toHaveLength(7);
    for (const error of held) {
      expect(error).toMatchObject({ outcome: 'not-sent', retryable: true });
      expect(error.message).toContain('GATEWAY_CALLS_PER_SECOND');
      expect(error.retry_after_ms).toBeGreaterThan(0);
      expect(error.retry_after_ms).toBeLessThanOrEqual(1_000);
    }
  });
});
