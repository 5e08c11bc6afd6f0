/** Lives of what serves merchants beside payments: questions to the gateway, and events for an address. */
import {
  type EventDeliveryState,
  eventDeliveryWorkflowId,
  lookupWorkflowId,
  paymentWorkflowId,
  UPDATE,
  WORKFLOW,
} from '../../src/contract';
import { newSealingKeys } from '../../src/gateway';
import { endpointOf } from '../../src/process/settings';
import { APP, type Stack } from '../../src/testing/stack';
import { eventually } from '../harness/eventually';
import { order } from '../harness/orders';
import type { Life } from './account-lives';

const asked = async ({ client, taskQueue }: Stack, type: string, request: object, more: object = {}) => {
  const workflowId = lookupWorkflowId(APP.app_id, type, 'kept');
  const args = [{ app_id: APP.app_id, request, ...more }];
  await client.workflow.execute(type, { workflowId, taskQueue, args }).catch(() => undefined);
  return workflowId;
};

/** Each question, and one that the gateway refuses. */
export const LOOKUPS: Record<string, Life> = {
  'banks-asked': (stack) => asked(stack, WORKFLOW.bankList, { method: 'BankTransfer', type: '1' }),
  'installments-asked': (stack) => asked(stack, WORKFLOW.installments, { currency: 'BRL', amount: '0.00' }),
  'wallet-token-asked': async (stack) =>
    asked(stack, WORKFLOW.walletToken, {}, { seal_to: (await newSealingKeys('kept')).publicJwk }),
};

/** An address where nobody listens. */
const NOBODY = 'http://127.0.0.1:9/';
export const NOBODY_LISTENS = {
  PAYMENTS_EVENTS_URL: NOBODY,
  PAYMENTS_EVENTS_SECRETS: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  PAYMENTS_EVENTS_GIVE_UP: '1s',
};

/** Events that nobody takes: sent again by a person, and then left out one by one. */
export const DELIVERIES: Record<string, Life> = {
  'events-left-out': async ({ client, payments, simulator }) => {
    const { request } = order({ out_trade_no: 'h-events' });
    await payments.pay({ ...request, method: 'PIX', subject: 'Order 1', buyer_id: 'buyer-1' });
    await simulator.pay(request.out_trade_no);
    await payments.outcome(request.out_trade_no);
    const subject = paymentWorkflowId(APP.app_id, request.out_trade_no);
    const delivery = client.workflow.getHandle(eventDeliveryWorkflowId(endpointOf(NOBODY), subject));
    const waits = (events: number) =>
      eventually(
        `${events} wait for a person`,
        async () => {
          const { attention, waiting } = await delivery.query<EventDeliveryState>('state');
          return attention !== null && waiting.length === events;
        },
        100_000,
      );
    await waits(2);
    await delivery.executeUpdate(UPDATE.recheck);
    for (const left of [2, 1]) {
      await waits(left);
      await delivery.executeUpdate(UPDATE.resolve, { args: [{ by: 'ana', reason: 'known already' }] });
    }
    await delivery.result();
    return delivery.workflowId;
  },
};
