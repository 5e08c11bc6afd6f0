/** What operators see of a virtual account: search attributes to find it by, and the details in Temporal UI. */
import { setCurrentDetails } from '@temporalio/workflow';
import type {
  AccountAttention,
  SpeiAccountCreation,
  SpeiAccountQuantityState,
  SpeiAccountState,
} from './account-contract';
import { Attributes, keys } from './visibility';

const WHAT_TO_DO: Record<AccountAttention, string> = {
  'account-mismatch':
    'A deposit was announced with another number, buyer or provider than the account’s. Its money is counted here, as the gateway confirmed it. Compare the two, then send the update `resolve`.',
  'amount-mismatch':
    'A deposit was announced with another amount than the gateway confirms. What it confirms is counted. Compare the two, then `resolve`.',
  'unconfirmed-deposit':
    'A deposit was announced as paid, and its payment did not end so: it is not counted (`set_aside`). Look at the order in the gateway’s dashboard; its callback button has it confirmed once more. Then `resolve`.',
  'old-deposit':
    'A deposit was announced that may be counted already: it is older than what this account remembers or does not say when it was sent, or another account or a terminated run has confirmed it. It is not counted (`set_aside`). Compare it with your books, then `resolve`.',
  'clabe-check-digit':
    'The check digit of the account’s number, or of the one that a deposit names, is wrong. Banks may refuse it. Ask the gateway, then `resolve`.',
  'unknown-account':
    'The gateway says that it has no such account. Deposits are confirmed and counted all the same. Look for it in the gateway’s dashboard, then `recheck` or `resolve`.',
  'unknown-status':
    'The gateway reports a status of the account that we do not know. Look at its dashboard, then `resolve`.',
  'unexpected-signal': 'A signal arrived that nobody here understands. See the history, then `resolve`.',
};

const note = (attention: string | null, what: string) => (attention ? [`⚠️ **${attention}**: ${what}`] : []);
const show = (lines: string[]) => setCurrentDetails(lines.join('\n\n'));

export function accountDetails({ account_id, status, attention, deposits }: SpeiAccountState): void {
  const sums = Object.entries(deposits.total).map(([currency, total]) => `${total} ${currency}`);
  show([
    `**${status ?? 'not known yet'}** · account ${account_id}`,
    `${deposits.count} deposits, ${sums.join(' and ') || 'nothing yet'}; ${deposits.pending} being confirmed`,
    ...(attention ? note(attention, WHAT_TO_DO[attention]) : []),
  ]);
}

export function creationDetails({ account, attention, unknown_tries }: SpeiAccountCreation): void {
  const tries = unknown_tries.map(
    ({ time, message, quantity_before, quantity_after }) =>
      `${time}: ${message} Accounts left: ${quantity_before ?? '?'} before, ${quantity_after ?? '?'} after.`,
  );
  const what =
    attention === 'credentials'
      ? 'The gateway does not accept our credentials or account. No account was created. Mend the worker’s settings.'
      : 'Nobody knows whether the gateway has created the account, and a second one would waste it. Look in its dashboard, then send the update `resolve` with `by`, `reason`, and the `account_id` that was created; without one, it is created again.';
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
  private readonly attributes = new Attributes();

  update(status: string | null, attention: string | null): void {
    this.attributes.update([
      { key: keys.status, value: status },
      { key: keys.attention, value: attention },
    ]);
  }
}
