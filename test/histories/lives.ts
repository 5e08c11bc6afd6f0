/** Lives of payments whose histories are kept and replayed: one for each way through the workflows. */
import type { Stack } from '../harness/stack';
import { APP } from '../harness/stack';
import { ACCOUNT_LIVES, type Recorded } from './account-lives';

const ORDER = {
  method: 'PIX',
  order_currency: 'BRL',
  order_amount: '150.00',
  subject: 'Order 1',
  buyer_id: 'buyer-1',
  timeout_express: '90m',
  customer: { name: 'Mariana Souza Lima' },
};

/** Each lives on a stack whose webhook works, and returns the id of its workflow, or one of its runs. */
export const LIVES: Record<string, (stack: Stack) => Promise<Recorded>> = {
  ...ACCOUNT_LIVES,
  async 'paid-told-by-notification'({ payments, simulator }) {
    await payments.pay({ ...ORDER, out_trade_no: 'h-paid' });
    await simulator.pay('h-paid');
    return ended(payments, 'h-paid');
  },
  async 'paid-found-by-polling'({ payments, simulator }) {
    await payments.pay({ ...ORDER, out_trade_no: 'h-polled' });
    await simulator.setNotifications('h-polled', false);
    await simulator.pay('h-polled');
    return ended(payments, 'h-polled');
  },
  async 'checkout-canceled'({ payments, simulator }) {
    const { customer: _none, method: _any, ...order } = ORDER;
    await payments.createCheckout({ ...order, trade_type: 'WEB', out_trade_no: 'h-checkout' });
    await simulator.cancel('h-checkout');
    return ended(payments, 'h-checkout');
  },
  async 'creation-answer-lost'({ payments, simulator }) {
    simulator.addFault({ on: 'pay', fault: 'reset-after', out_trade_no: 'h-lost' });
    await payments.pay({ ...ORDER, out_trade_no: 'h-lost' });
    await simulator.pay('h-lost');
    return ended(payments, 'h-lost');
  },
  async 'creation-made-again'({ payments, simulator }) {
    simulator.addFault({ on: 'pay', fault: 'reset-before', out_trade_no: 'h-again' });
    await payments.pay({ ...ORDER, out_trade_no: 'h-again' });
    await simulator.pay('h-again');
    return ended(payments, 'h-again');
  },
  async 'asked-again-and-rechecked'({ payments, simulator, temporal }) {
    const order = { ...ORDER, out_trade_no: 'h-again-and-again' };
    await payments.pay(order);
    await payments.pay(order);
    await payments.pay({ ...order, subject: 'Another' }).catch(() => undefined);
    const handle = temporal.client.workflow.getHandle(idOf('h-again-and-again'));
    await handle.executeUpdate('recheck');
    await simulator.refuse('h-again-and-again');
    return ended(payments, 'h-again-and-again');
  },
  async 'resolved-by-a-person'({ payments, temporal }) {
    await payments.pay({ ...ORDER, out_trade_no: 'h-resolved' });
    await temporal.client.workflow
      .getHandle(idOf('h-resolved'))
      .executeUpdate('resolve', { args: [{ outcome: 'CANCEL', reason: 'the buyer called', by: 'ana' }] });
    return ended(payments, 'h-resolved');
  },
  async adopted({ payments, simulator, temporal, taskQueue }) {
    await payments.pay({ ...ORDER, out_trade_no: 'h-elsewhere' });
    const { trade_no } = simulator.trade('h-elsewhere');
    const workflowId = 'payment:adopted';
    const handle = await temporal.client.workflow.start('payment', {
      workflowId,
      taskQueue,
      args: [{ kind: 'adopt', app_id: APP.app_id, trade_no }],
    });
    await simulator.pay('h-elsewhere');
    await handle.result();
    return workflowId;
  },
  async 'refused-by-our-rules'({ temporal, taskQueue }) {
    const workflowId = idOf('h-wrong');
    const request = { ...ORDER, out_trade_no: 'h-wrong', order_amount: '0' };
    const args = [{ kind: 'direct', app_id: APP.app_id, request }];
    await temporal.client.workflow.execute('payment', { workflowId, taskQueue, args }).catch(() => undefined);
    return workflowId;
  },
};

const idOf = (out_trade_no: string) => `payment:${APP.app_id}:${out_trade_no}`;

async function ended(payments: Stack['payments'], out_trade_no: string): Promise<string> {
  await payments.outcome(out_trade_no);
  return idOf(out_trade_no);
}
