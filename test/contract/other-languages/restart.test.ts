/** What a merchant in every language has who waits for the outcome of a payment while Temporal restarts: the outcome. */
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { PaymentsClient } from '../../../src/client';
import { connectOnceAsked } from '../../../src/temporal/closed-connection';
import { busyTemporal } from '../../harness/busy-temporal';
import { goPrograms } from '../../harness/go';
import { javaPrograms } from '../../harness/java';
import { pythonWith } from '../../harness/python';
import { ROOT } from '../../harness/terminal';
import { residentMerchant } from './merchants';

const PYTHON = join(ROOT, 'clients/python');
const go = goPrograms();
const java = javaPrograms();

const END = { app_id: 'shop', out_trade_no: 'order-1', outcome: 'SUCCESS', attention: null, trade_status: 'SUCCESS' };

if ('missing' in go) test.skip(`Go is left out: ${go.missing}`, () => undefined);
if ('missing' in java) test.skip(`Java is left out: ${java.missing}`, () => undefined);

/** How each language's program is started. */
const PROGRAMS: Record<string, () => Promise<[string, ...string[]]>> = {
  Python: async () => [await pythonWith(join(PYTHON, 'requirements.txt')), join(PYTHON, 'tests/cases.py')],
  ...('folder' in go ? { Go: async () => [join(go.folder, 'cases')] } : {}),
  ...('options' in java ? { Java: async () => ['java', ...java.options, 'payments.Cases'] } : {}),
};

// The SDKs of these languages try again by themselves for a while, but not after this code.
test.each(Object.entries(PROGRAMS))(
  'a merchant in %s waits on when Temporal breaks off the call',
  async (_, program) => {
    const temporal = await busyTemporal('CANCELLED', END);
    const { merchant, close } = residentMerchant(
      {
        PATH: process.env.PATH ?? '',
        HOME: process.env.HOME ?? '',
        PYTHONPATH: PYTHON,
        PYTHONDONTWRITEBYTECODE: '1',
        TEMPORAL_ADDRESS: temporal.address,
        GATEWAY_APP_ID: 'shop',
        GATEWAY_BASE_URL: 'http://127.0.0.1:9',
        PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true',
      },
      ...(await program()),
    );
    try {
      const { answer, error } = await merchant({ call: 'outcome', number: 'order-1' });
      expect(error).toBeUndefined();
      expect(answer).toMatchObject({ outcome: 'SUCCESS' });
      expect(temporal.resultsAsked()).toBe(2);
    } finally {
      await close();
      temporal.close();
    }
  },
);

describe('a merchant in TypeScript', () => {
  async function merchantAt(temporal: { address: string; close(): void }) {
    const connection = connectOnceAsked({ address: temporal.address });
    const client = new Client({ connection });
    const close = async () => {
      await connection.close();
      temporal.close();
    };
    return { client, payments: new PaymentsClient({ client, app_id: 'shop' }), close };
  }

  // Temporal's SDK tries again by itself for 20 s, but not after this code.
  test('waits on when Temporal breaks off the call', async () => {
    const temporal = await busyTemporal('INTERNAL', END);
    const { payments, close } = await merchantAt(temporal);
    try {
      expect(await payments.outcome('order-1')).toMatchObject({ outcome: 'SUCCESS' });
      expect(temporal.resultsAsked()).toBe(2);
    } finally {
      await close();
    }
  });

  test.each([
    ['deadline', (client: Client, call: () => Promise<unknown>) => client.withDeadline(Date.now() + 1_200, call)],
    [
      'abort',
      (client: Client, call: () => Promise<unknown>) => client.withAbortSignal(AbortSignal.timeout(1_200), call),
    ],
  ])('waits no longer than its %s says, and asks with pauses', async (_, limited) => {
    const temporal = await busyTemporal('INTERNAL');
    const { client, payments, close } = await merchantAt(temporal);
    const began = Date.now();
    try {
      const outcome = limited(client, () => payments.outcome('order-1'));
      await expect(outcome).rejects.toMatchObject({ type: 'PaymentPending', retryable: true });
      expect(Date.now() - began).toBeGreaterThan(1_100);
      // The pause after the second call would be 2 s.
      expect(Date.now() - began).toBeLessThan(2_500);
      expect(temporal.resultsAsked()).toBe(2);
    } finally {
      await close();
    }
  });

  test('waits no longer than its connection is open', async () => {
    const temporal = await busyTemporal('INTERNAL');
    const { client, payments, close } = await merchantAt(temporal);
    await client.connection.ensureConnected();
    const outcome = expect(payments.outcome('order-1')).rejects.toMatchObject({ type: 'PaymentPending' });
    await client.connection.close();
    await outcome;
    await close();
  });
});
