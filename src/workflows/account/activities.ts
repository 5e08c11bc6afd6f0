/** The activities of virtual accounts, with their retry options. */

import { proxyActivities } from '@temporalio/workflow';
import type { AccountActivities, AccountPolicyActivities } from '../../contract';
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

/** The gateway's operations on virtual accounts. */
export const accountGateway = {
  create: creating['gateway.create-account'],
  find: querying['gateway.find-account'],
  watch: watching['gateway.watch-account'],
  cancel: canceling['gateway.cancel-account'],
  quantity: querying['gateway.account-quantity'],
  quantityBriefly: queryingBriefly['gateway.account-quantity'],
  watchQuantity: watching['gateway.watch-account-quantity'],
};

/** What Temporal knows of earlier workflows. */
export const earlierWorkflows = {
  accountOfCreation: querying['payments.account-of-creation'],
  accountBefore: readingBefore['payments.account-before'],
  endedPayment: querying['payments.ended-payment'],
};

/**
 * Not a local activity: on a busy worker the result of one can come after deposits that a replay sees before it, and an
 * account must never stop on that.
 */
export const { 'gateway.account-policy': accountPolicy } = proxyActivities<AccountPolicyActivities>({
  ...QUERYING,
  startToCloseTimeout: '10 seconds',
});
