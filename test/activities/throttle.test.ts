/** The throttle limits the rate of calls, shares it by urgency, and stops calls while the gateway is down; its errors say why. */
import { gatewayOf } from '../../src/activities/gateways';
import { type CallLimits, throttled } from '../../src/activities/throttle';
import type { Urgency } from '../../src/activities/urgency';
import { GatewayError } from '../../src/gateway';

const LIMITS: CallLimits = { calls_per_second: 1_000, circuit_failures: 3, circuit_pause_ms: 100 };
const TRADE = { trade_no: 'T1', trade_status: 'PROCESSING' };

const down = () => new GatewayError('no answer', { outcome: 'unknown', retryable: true, operation: '/trade/query' });
const refusal = () =>
  new GatewayError('refused', { outcome: 'unknown', retryable: false, operation: '/trade/query', code: '40002' });

function gatewayThat(limits: Partial<CallLimits> = {}) {
  const calls: number[] = [];
  const told: string[] = [];
  const heldBack: string[] = [];
  let answer: () => Promise<typeof TRADE> = async () => TRADE;
  let urgency: Urgency = 'awaited';
  const call = () => {
    calls.push(Date.now());
    return answer();
  };
  const bare = { ...gatewayOf(new Map<string, never>(), 'app'), pay: call, query: call };
  const gateway = throttled(bare, 'app', { ...LIMITS, ...limits }, () => urgency, {
    circuit: (app_id, state) => told.push(`${app_id} ${state}`),
    heldBack: (app_id, urgency) => heldBack.push(`${app_id} ${urgency}`),
  });
  return {
    calls,
    told,
    heldBack,
    query: () => gateway.query({ trade_no: 'T1' }),
    pay: () => gateway.pay({}),
    answers(next: () => Promise<typeof TRADE>) {
      answer = next;
    },
    /** Makes so many calls of an urgency; returns how many were sent. */
    async sends(calls: number, as: Urgency) {
      urgency = as;
      const outcomes = await Promise.allSettled(Array.from({ length: calls }, () => gateway.query({ trade_no: 'T1' })));
      return outcomes.filter(({ status }) => status === 'fulfilled').length;
    },
  };
}

const failing = async () => {
  throw down();
};

// The circuit and the budget go by the clock.
beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
});
afterEach(() => {
  jest.useRealTimers();
});

describe('the circuit', () => {
  test('opens after so many failures in a row and then makes no call', async () => {
    const gateway = gatewayThat();
    gateway.answers(failing);
    for (let i = 0; i < 3; i += 1) await expect(gateway.query()).rejects.toThrow('no answer');
    jest.advanceTimersByTime(30);
    await expect(gateway.pay()).rejects.toMatchObject({
      outcome: 'not-sent',
      retryable: true,
      retry_after_ms: 70,
      message: expect.stringMatching(/app app failed 3 times in a row/),
    });
    expect(gateway.calls).toHaveLength(3);
    expect(gateway.told).toEqual(['app open']);
  });

  test('lets one call through after its pause, and closes if that succeeds', async () => {
    const gateway = gatewayThat();
    gateway.answers(failing);
    for (let i = 0; i < 4; i += 1) await gateway.query().catch(() => undefined);
    jest.advanceTimersByTime(120);
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
    jest.advanceTimersByTime(120);
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

  test('is left to urgent calls: polls stop at 60 % of a second, overdue ones at 70 %, creations that waited long at 80 %, new ones use it all', async () => {
    const gateway = gatewayThat({ calls_per_second: 51 });
    expect(await gateway.sends(100, 'background')).toBe(31);
    expect(await gateway.sends(100, 'overdue')).toBe(5);
    expect(await gateway.sends(100, 'late')).toBe(5);
    expect(await gateway.sends(100, 'awaited')).toBe(10);
  });

  test('is not left unused: polls alone make as many calls a second as are allowed', async () => {
    const gateway = gatewayThat({ calls_per_second: 50 });
    await gateway.sends(100, 'background');
    let sent = 0;
    for (let i = 0; i < 100; i += 1) {
      jest.advanceTimersByTime(100);
      sent += await gateway.sends(20, 'background');
    }
    expect(sent).toBe(500);
  });

  test('is given to urgent calls before a backlog of others, however long they keep coming', async () => {
    const gateway = gatewayThat({ calls_per_second: 50 });
    const sent = { background: 0, late: 0, awaited: 0 };
    for (let i = 0; i < 600; i += 1) {
      jest.advanceTimersByTime(100);
      sent.background += await gateway.sends(20, 'background');
      sent.late += await gateway.sends(1, 'late');
      sent.awaited += await gateway.sends(4, 'awaited');
    }
    // Of 3,000 calls in a minute, and those of the full bucket.
    expect(sent.awaited).toBe(2_400);
    expect(sent.late).toBeGreaterThan(500);
    expect(sent.background).toBeLessThan(100);
  });

  test.each(['background', 'late', 'awaited'] as const)(
    'of one call a second lets %s calls through',
    async (urgency) => {
      const gateway = gatewayThat({ calls_per_second: 1 });
      expect(await gateway.sends(3, urgency)).toBe(1);
      jest.advanceTimersByTime(1_000);
      expect(await gateway.sends(3, urgency)).toBe(1);
    },
  );

  test('is not used up by calls that the circuit holds back', async () => {
    const gateway = gatewayThat({ calls_per_second: 5 });
    gateway.answers(failing);
    await gateway.sends(3, 'awaited');
    jest.advanceTimersByTime(50);
    await gateway.sends(100, 'awaited');
    gateway.answers(async () => TRADE);
    jest.advanceTimersByTime(50);
    await gateway.query();
    expect(gateway.told).toEqual(['app open', 'app closed']);
  });
});
