import { executeChild } from '@temporalio/workflow';
import { type NewPayment, type payment, paymentWorkflowId } from 'temporal-payment-gateway/workflows';

export * from 'temporal-payment-gateway/workflows';

export async function sellTickets(order: NewPayment): Promise<'delivered' | 'not paid'> {
  const { outcome } = await executeChild<typeof payment>('payment', {
    workflowId: paymentWorkflowId(order.app_id, order.request.out_trade_no),
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    parentClosePolicy: 'ABANDON', // the payment goes on if somebody ends this workflow
    args: [order],
  });
  return outcome === 'SUCCESS' ? 'delivered' : 'not paid'; // deliver by an activity of yours
}
