/** The commands for money that is to be sent back: the refund, and how to report money that went back another way. */
import { commandOf, isEndUnpaid, operatorActions, type RefundState } from '../contract';
import { refundNeedsAccount } from '../gateway/pure/by-method';

/**
 * If the money goes to a bank account, which no order names, the refund needs a file with the account. If a refund `before` was refused or came
 * back, it needs a new number: without one it would be that refund again.
 */
export function refundCommand(workflowId: string, method: string | null, before: readonly RefundState[] = []): string {
  const number = before.some(({ outcome }) => isEndUnpaid(outcome)) ? ['--number NEW'] : [];
  const account = refundNeedsAccount(method) === undefined ? [] : ['--with FILE'];
  return commandOf('refund', workflowId, [...number, ...account].join(' '));
}

/** `workflowId` is the after-sale's. */
export function elsewhereCommand(workflowId: string): string {
  const actions = operatorActions(workflowId, { attention: 'refund-elsewhere' });
  return actions.find(({ update }) => update === 'resolve')?.command ?? '';
}
