import type { Account } from '../accounts/account';
import { textAt } from '../json';
import type { Settings } from '../options';
import { accountFields, openAccountFields } from '../rules/accounts';
import { check } from '../rules/rule';
import type { Store } from '../store';
import { type Answer, businessFailure, type Refusal, success } from './answers';
import type { Call, Gateway, Operation } from './operation';

/** `/virtual-account/spei/create`: opens a virtual account, while the pool lasts. */
export const openAccount: Operation = ({ app, body }, { settings, clock, accounts }) => {
  const refusal = check(openAccountFields, { body, app, settings, now: clock.now() });
  if (refusal) return { answer: refusal };
  if (accounts.available(app.app_id) === 0) {
    return { answer: businessFailure('account-pool-run-out', 'There is no virtual account left.') };
  }
  const required = (path: string) => textAt(body, path) ?? '';
  const optional = (path: string) => textAt(body, path) ?? null;
  const number = optional('customer.identify.number');
  const account = accounts.open({
    app_id: app.app_id,
    buyer_id: required('customer.buyer_id'),
    notify_url: required('notify_url'),
    user: {
      name: optional('customer.name'),
      email: optional('customer.email'),
      phone: optional('customer.phone'),
      ip: null,
      identify: number === null ? null : { number, type: required('customer.identify.type') },
    },
  });
  return { answer: accountAnswer(account, account.status, settings), account, created: true };
};

/** `/virtual-account/spei/cancel`: ends an account; one that has ended stays so. */
export const cancelAccount: Operation = (call, gateway) => {
  const found = accountOrRefusal(call, gateway);
  if ('code' in found) return { answer: found };
  gateway.accounts.cancel(found);
  return { answer: accountAnswer(found, found.status, gateway.settings), account: found, changed: true };
};

/** `/virtual-account/spei/query`: what has become of an account. */
export const queryAccount: Operation = (call, gateway) => {
  const found = accountOrRefusal(call, gateway);
  if ('code' in found) return { answer: found };
  const { settings } = gateway;
  return {
    answer: accountAnswer(found, found.status, settings),
    // An account has no state before ACTIVE.
    stale: accountAnswer(found, 'ACTIVE', settings),
    account: found,
  };
};

/** `/virtual-account/spei/quantity`: how many accounts can still be opened. */
export const accountQuantity: Operation = ({ app }, { accounts, settings }) => ({
  answer: enveloped({ available_quantity: accounts.available(app.app_id) }, settings),
});

/** How the service says that it has no such account. */
export function unknownAccount({ unknownAccountSubCode }: Settings): Refusal {
  return businessFailure(unknownAccountSubCode, 'The virtual account does not exist.');
}

/** The caller's account that a request names. */
export function accountAsked({ app, body }: Call, store: Store): Account | undefined {
  const account = store.account(textAt(body, 'account_id') ?? '');
  return account?.app_id === app.app_id ? account : undefined;
}

function accountOrRefusal(call: Call, { settings, clock, store }: Gateway): Account | Refusal {
  const refusal = check(accountFields, { ...call, settings, now: clock.now() });
  return refusal ?? accountAsked(call, store) ?? unknownAccount(settings);
}

function accountAnswer(account: Account, status: Account['status'], settings: Settings): Answer {
  const { account_id, account_number, buyer_id, provider, beneficiary_name, notify_url } = account;
  return enveloped({ account_id, account_number, buyer_id, provider, status, beneficiary_name, notify_url }, settings);
}

// Published samples of these answers have neither code nor msg.
function enveloped(fields: Answer['body'], { accountAnswers }: Settings): Answer {
  return accountAnswers === 'code' ? success(fields) : { status: 200, body: fields };
}
