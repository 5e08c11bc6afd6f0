/** The commands for money that is to be sent back: the refund, and how to report money that went back another way. */
import { commandOf, operatorActions } from '../contract';
import { refundNeedsAccount } from '../gateway/pure/refund-goes-to';

/** If the money goes to a bank account, which no order names, the refund needs a file with the account. */
export const refundCommand = (workflowId: string, method: string | null): string =>
  commandOf('refund', workflowId, refundNeedsAccount(method) === undefined ? '' : '--with FILE');

/** `workflowId` is the after-sale's. */
export function elsewhereCommand(workflowId: string): string {
  const actions = operatorActions(workflowId, { attention: 'refund-elsewhere' });
  return actions.find(({ update }) => update === 'resolve')?.command ?? '';
}
