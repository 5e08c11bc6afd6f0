/** The activities of virtual accounts, with their retry options. */

import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { AccountActivities, LocalAccountActivities } from '../../contract';
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
  endedPayment: querying['payments.ended-payment'],
};

export const { 'gateway.account-policy': accountPolicy } = proxyLocalActivities<LocalAccountActivities>({
  startToCloseTimeout: '10 seconds',
});
