/**
 * Promise 5, over Nexus: who waits for the outcome of an order that was withdrawn, or refused for good, waits without an end. The client's
 * `outcome` throws NotCreatedError; `NexusPayments.outcome` asks for the state of a payment that has failed, which has no outcome, for ever.
 */
import { nexusPayments } from '../../src/calls/nexus-payments';
import { NotCreatedError } from '../../src/client';
import type { PaymentState } from '../../src/contract';
import { MINUTE } from '../../src/gateway/pure/durations';
import { begin, end, pay, world } from './payment/hostile/acts';

afterEach(end);

/** How often a workflow that waits has asked. A server ends it with 51,200 events. */
let asked = 0;
const ENOUGH = 500;

// A merchant's workflow in another namespace: what it calls is what src/nexus/service.ts does with the client.
jest.mock('@temporalio/workflow', () => ({
  ...jest.requireActual('@temporalio/workflow'),
  createNexusServiceClient: () => ({
    executeOperation: (_operation: string, { out_trade_no }: { out_trade_no: string }): Promise<PaymentState> =>
      stateOf(out_trade_no),
  }),
  sleep: (ms: number): Promise<void> => pause(ms),
}));

/** The operation `state` of the service. */
const stateOf = (out_trade_no: string): Promise<PaymentState> => world.within(() => world.payments.state(out_trade_no));

async function pause(ms: number): Promise<void> {
  asked += 1;
  if (asked > ENOUGH) throw new Error(`asked ${ENOUGH} times, and there is no end`);
  await world.pass(ms);
}

test.each([
  ['withdrawn', ['unreachable', 'unreachable', 'unreachable'] as const, (): void => world.withdraw()],
  ['refused for good', ['refused for good'] as const, (): void => undefined],
])(
  'promise 5: the outcome of an order that was %s is told over Nexus, as the client tells it',
  async (_was, creations, act) => {
    asked = 0;
    await begin({ creations });
    await pay(100);
    act();
    await world.pass(10 * MINUTE);
    const ofClient = await world.payments.outcome(world.out_trade_no).catch((error: unknown) => error);
    expect(ofClient).toBeInstanceOf(NotCreatedError);
    const ofNexus = await nexusPayments({ endpoint: 'payments', app_id: 'hostile' })
      .outcome(world.out_trade_no)
      .catch((error: unknown) => error);
    expect(ofNexus).toMatchObject({ type: 'NotCreated' });
  },
);
