import { textAt } from '../json';
import type { VirtualAccount } from '../records';
import { businessRefusal, type RequestRefusal } from '../rules/refusal';
import type { Settings } from '../settings';
import type { Store } from '../store';
import { fieldsOf, type OperationCall, type OperationHandler, success, type WireAnswer } from './operation';

/** `/virtual-account/spei/create`: opens a virtual account, if one is available. */
export const openAccount: OperationHandler = ({ app, body }, { settings, accounts }) => {
  if (accounts.available(app.app_id) === 0) {
    return { answer: businessRefusal('account-pool-run-out', 'There is no virtual account left.') };
  }
  const { required, user } = fieldsOf(body);
  const account = accounts.open({
    app_id: app.app_id,
    buyer_id: required('customer.buyer_id'),
    notify_url: required('notify_url'),
    user: { ...user, ip: null },
  });
  return { answer: accountAnswer(account, account.status, settings), account, created: true };
};

/** `/virtual-account/spei/cancel`: cancels an account. A canceled account stays as it is. */
export const cancelAccount: OperationHandler = (call, { store, settings, accounts }) => {
  const account = accountAsked(call, store);
  if (!account) return { answer: unknownAccount(settings) };
  accounts.cancel(account);
  return { answer: accountAnswer(account, account.status, settings), account, changed: true };
};

/** `/virtual-account/spei/query`: the state of an account. */
export const queryAccount: OperationHandler = (call, { store, settings }) => {
  const account = accountAsked(call, store);
  if (!account) return { answer: unknownAccount(settings) };
  const answer = accountAnswer(account, account.status, settings);
  // An account has no state before ACTIVE.
  return { answer, stale: accountAnswer(account, 'ACTIVE', settings), account };
};

/** `/virtual-account/spei/quantity`: how many accounts are still available. */
export const accountQuantity: OperationHandler = ({ app }, { accounts, settings }) => ({
  answer: envelopedAnswer({ available_quantity: accounts.available(app.app_id) }, settings),
});

/** The refusal of a virtual account that does not exist. */
export function unknownAccount({ unknownAccountSubCode }: Settings): RequestRefusal {
  return businessRefusal(unknownAccountSubCode, 'The virtual account does not exist.');
}

/** The caller's own account that a request names. */
export function accountAsked({ app, body }: OperationCall, store: Store): VirtualAccount | undefined {
  const account = store.accounts.get(textAt(body, 'account_id') ?? '');
  return account?.app_id === app.app_id ? account : undefined;
}

function accountAnswer(account: VirtualAccount, status: VirtualAccount['status'], settings: Settings): WireAnswer {
  const { account_id, account_number, provider, beneficiary_name, notify_url } = account;
  const fields = { account_id, account_number, provider, status, beneficiary_name, notify_url };
  return envelopedAnswer(fields, settings);
}

// Published samples of these answers have no code and no msg.
function envelopedAnswer(fields: WireAnswer['body'], { accountAnswers }: Settings): WireAnswer {
  return accountAnswers === 'code' ? success(fields) : { status: 200, body: fields };
}
