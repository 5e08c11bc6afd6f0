/** The commands for money that is to be sent back: the refund, and what is said once the money went back another way. */
import { commandOf, operatorActions } from '../contract';
import { refundNeedsAccount } from '../gateway/pure/refund-goes-to';

/** Where the money goes to a bank account, which no order has, the refund needs a file with it. */
export const refundCommand = (workflowId: string, method: string | null): string =>
  commandOf('refund', workflowId, refundNeedsAccount(method) === undefined ? '' : '--with FILE');

/** `workflowId` is the after-sale's. */
export function elsewhereCommand(workflowId: string): string {
  const actions = operatorActions(workflowId, { attention: 'refund-elsewhere' });
  return actions.find(({ update }) => update === 'resolve')?.command ?? '';
}
