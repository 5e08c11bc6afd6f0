/** What operators see of a virtual account, its creation, and the number of accounts left. No personal data. */
import { setCurrentDetails } from '@temporalio/workflow';
import {
  type AccountAttention,
  SEARCH_ATTRIBUTE,
  type SpeiAccountCreation,
  type SpeiAccountQuantityState,
  type SpeiAccountState,
} from '../../contract';
import { ShownAttributes } from '../shared/visibility';

const INSTRUCTIONS: Record<AccountAttention, string> = {
  'account-mismatch':
    'A deposit was notified with another number, buyer or provider than the account’s. It is counted here, as the gateway confirmed it. Compare the two, then send the update `resolve`.',
  'amount-mismatch':
    'A deposit was notified with another amount than the gateway confirms. The confirmed amount is counted. Compare the two, then send `resolve`.',
  'unconfirmed-deposit':
    'A deposit was notified as paid, but its payment did not end as paid. It is not counted (`set_aside`). Look at the order in the gateway’s dashboard; its callback button makes us confirm it again. Then send `resolve`.',
  'old-deposit':
    'A deposit was notified that may be counted already: it is older than the deposits that this account remembers, or does not say when it was sent, or another account or a terminated run has confirmed it. It is not counted (`set_aside`). Compare it with your books, then send `resolve`.',
  'returned-deposit':
    'A deposit was confirmed whose money had gone back, or was on its way back, before we saw it for the first time. It is not counted (`set_aside`). Look at the order in the gateway’s dashboard, then send `resolve`.',
  'overdue-deposit':
    'A deposit was notified, and the gateway has not confirmed it for ten minutes or more. We go on asking, and count it once it is confirmed. Look at the payments of this account that still run, then send `resolve`.',
  'clabe-check-digit':
    'The check digit of the account’s number, or of the one that a deposit names, is wrong. Banks may refuse it. Ask the gateway, then send `resolve`.',
  'unknown-account':
    'The gateway says that it has no such account. We still confirm and count its deposits. Look for the account in the gateway’s dashboard, then send `recheck` or `resolve`.',
  'unknown-status':
    'The gateway reports a status of the account that we do not know. Look at its dashboard, then send `resolve`.',
  'unexpected-signal': 'A signal arrived that this workflow does not know. See the history, then send `resolve`.',
};

/** What the details show of an account. */
type ShownAccount = Pick<SpeiAccountState, 'account_id' | 'status' | 'attention'> & {
  deposits: Pick<SpeiAccountState['deposits'], 'count' | 'total' | 'pending'>;
};

const note = (attention: string | null, what: string) => (attention ? [`⚠️ **${attention}**: ${what}`] : []);
const show = (lines: string[]) => setCurrentDetails(lines.join('\n\n'));

export function accountDetails({ account_id, status, attention, deposits }: ShownAccount): void {
  const sums = Object.entries(deposits.total).map(([currency, total]) => `${total} ${currency}`);
  show([
    `**${status ?? 'not known yet'}** · account ${account_id}`,
    `${deposits.count} deposits, ${sums.join(' and ') || 'nothing yet'}; ${deposits.pending} being confirmed`,
    ...(attention ? note(attention, INSTRUCTIONS[attention]) : []),
  ]);
}

export function creationDetails({ account, attention, unknown_tries }: SpeiAccountCreation): void {
  const tries = unknown_tries.map(
    ({ time, message, quantity_before, quantity_after }) =>
      `${time}: ${message} Accounts left: ${quantity_before ?? '?'} before, ${quantity_after ?? '?'} after.`,
  );
  const what =
    attention === 'credentials'
      ? 'The gateway does not accept our credentials or account. No account was created. Correct the worker’s settings.'
      : 'We do not know whether the gateway created the account, and a second creation would waste one. Look in its dashboard, then send the update `resolve` with `by`, `reason` and the `account_id` that was created; without `account_id` we create it again.';
  show([account ? `Account ${account.account_id}` : 'Creating', ...tries, ...note(attention, what)]);
}

export function quantityDetails({ available_quantity, low, checked_at, attention }: SpeiAccountQuantityState): void {
  show([
    `**${available_quantity ?? '?'}** virtual accounts left, as of ${checked_at ?? 'never'}`,
    ...note(attention, `Fewer than ${low}. Ask the gateway for more, or cancel accounts that nobody uses.`),
  ]);
}

/** The search attributes of an account: its status, and why it needs a person. */
export class AccountAttributes {
  private readonly attributes = new ShownAttributes();

  update(status: string | null, attention: string | null): void {
    this.attributes.update([
      { key: SEARCH_ATTRIBUTE.status, value: status },
      { key: SEARCH_ATTRIBUTE.attention, value: attention },
    ]);
  }
}
