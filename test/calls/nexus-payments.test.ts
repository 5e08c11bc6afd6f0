/** What a workflow of another namespace is told over Nexus. On a real server: test/real-server/nexus.test.ts. */
import { nexusPayments } from '../../src/calls';
import { NotCreatedError } from '../../src/client';
import type { PaymentState } from '../../src/contract';
import { MINUTE } from '../../src/gateway/pure/durations';
import { begin, happens, pay, world } from '../workflows/payment/hostile/acts';

/** How often a workflow that waits may ask. A server ends it with 51,200 events. */
const ENOUGH = 500;
let asked = 0;

// What a merchant's workflow calls is what src/nexus/index.ts does with the client.
jest.mock('@temporalio/workflow', () => ({
  ...jest.requireActual('@temporalio/workflow'),
  createNexusServiceClient: () => ({
    executeOperation: (operation: 'state' | 'outcome', { out_trade_no }: { out_trade_no: string }) =>
      answerOf(operation, out_trade_no),
  }),
  sleep: (ms: number): Promise<void> => pause(ms),
}));

const answerOf = (operation: 'state' | 'outcome', out_trade_no: string): Promise<PaymentState> =>
  world.within(() => world.payments[operation](out_trade_no));

async function pause(ms: number): Promise<void> {
  asked += 1;
  if (asked > ENOUGH) throw new Error(`asked ${ENOUGH} times, and there is no end`);
  await world.pass(ms);
}

test.each([
  ['withdrawn', ['unreachable', 'unreachable', 'unreachable'] as const, (): void => world.withdraw()],
  ['refused for good', ['refused for good'] as const, (): void => undefined],
])('promise 5: the outcome of an order that was %s is told as the client tells it', async (_was, creations, act) => {
  asked = 0;
  await begin({ creations });
  await happens(pay, 100);
  act();
  await world.pass(10 * MINUTE);
  const ofClient = await world.payments.outcome(world.out_trade_no).catch((error: unknown) => error);
  expect(ofClient).toBeInstanceOf(NotCreatedError);
  const ofNexus = await nexusPayments({ endpoint: 'payments', app_id: 'hostile' })
    .outcome(world.out_trade_no)
    .catch((error: unknown) => error);
  expect(ofNexus).toMatchObject({ type: 'NotCreated' });
});
