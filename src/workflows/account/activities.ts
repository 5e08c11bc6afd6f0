/** The activities of virtual accounts, with their retry options. */

import { proxyActivities } from '@temporalio/workflow';
import { type AccountActivities, type AccountId, type AccountPolicyActivities, activityWords } from '../../contract';
import { summed } from '../shared/activities';
import { CREATING, QUERYING, WATCHING } from '../shared/activity-options';

const creating = proxyActivities<AccountActivities>(CREATING);
const querying = proxyActivities<AccountActivities>(QUERYING);
const watching = proxyActivities<AccountActivities>(WATCHING);

// A cancellation makes two exchanges with the gateway.
const canceling = proxyActivities<AccountActivities>({ ...QUERYING, startToCloseTimeout: '2 minutes' });

// Before and after a creation the quantity is only evidence, so it must not delay the creation.
const queryingBriefly = proxyActivities<AccountActivities>({
  startToCloseTimeout: QUERYING.startToCloseTimeout,
  scheduleToCloseTimeout: '20 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumAttempts: 3 },
});

// Lists of workflows are a moment behind, and a new account's first deposit waits for this one.
const readingBefore = proxyActivities<AccountActivities>({
  ...QUERYING,
  retry: { ...QUERYING.retry, initialInterval: '200 milliseconds' },
});

const named = ({ account_id }: AccountId) => `virtual account ${account_id}`;
/** A summary without details of the input. */
const words = (activity: string) => () => activityWords(activity);

/** The gateway's operations on virtual accounts, each with a line for Temporal UI. */
export const accountGateway = {
  create: summed(creating['gateway.create-account'], words('gateway.create-account')),
  find: summed(querying['gateway.find-account'], (id) => `asks the gateway for ${named(id)}`),
  watch: summed(
    watching['gateway.watch-account'],
    (id) => `asks now and then for ${named(id)}, whether its status has changed; last answer ${id.seen ?? 'none'}`,
  ),
  cancel: summed(canceling['gateway.cancel-account'], (id) => `cancels ${named(id)} at the gateway`),
  quantity: summed(querying['gateway.account-quantity'], words('gateway.account-quantity')),
  quantityBriefly: summed(queryingBriefly['gateway.account-quantity'], words('gateway.account-quantity')),
  watchQuantity: summed(
    watching['gateway.watch-account-quantity'],
    ({ seen }) => `asks now and then how many virtual accounts are left; last answer ${seen}`,
  ),
};

/** What Temporal knows of earlier workflows. */
export const earlierWorkflows = {
  accountOfCreation: summed(readingBefore['payments.account-of-creation'], words('payments.account-of-creation')),
  accountBefore: summed(readingBefore['payments.account-before'], words('payments.account-before')),
  endedPayment: summed(querying['payments.ended-payment'], words('payments.ended-payment')),
  isOfOrder: summed(readingBefore['payments.is-of-order'], words('payments.is-of-order')),
  depositOwner: summed(readingBefore['payments.deposit-owner'], words('payments.deposit-owner')),
};

/**
 * Not a local activity: on a busy worker the result of one can come after deposits that a replay sees before it, and an
 * account must never stop on that.
 */
export const { 'gateway.account-policy': accountPolicy } = proxyActivities<AccountPolicyActivities>({
  ...QUERYING,
  startToCloseTimeout: '10 seconds',
  summary: activityWords('gateway.account-policy'),
});
