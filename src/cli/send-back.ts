/** The commands for money that is to be sent back: the refund, and what is said once the money went back another way. */
import { commandOf, operatorActions, type RefundState } from '../contract';
import { refundNeedsAccount } from '../gateway/pure/refund-goes-to';

/**
 * Where the money goes to a bank account, which no order has, the refund needs a file with it; and a number of its own where one `before` was
 * refused or has come back: without a number it would be that one again.
 */
export function refundCommand(workflowId: string, method: string | null, before: readonly RefundState[] = []): string {
  const isSpent = before.some(({ outcome }) => outcome === 'REFUND_REFUSED' || outcome === 'REFUND_REVOKE');
  const account = refundNeedsAccount(method) === undefined ? [] : ['--with FILE'];
  return commandOf('refund', workflowId, [...(isSpent ? ['--number NEW'] : []), ...account].join(' '));
}

/** `workflowId` is the after-sale's. */
export function elsewhereCommand(workflowId: string): string {
  const actions = operatorActions(workflowId, { attention: 'refund-elsewhere' });
  return actions.find(({ update }) => update === 'resolve')?.command ?? '';
}
