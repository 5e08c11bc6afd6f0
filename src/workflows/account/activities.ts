/** The activities of virtual accounts, with their retry options. */

import { proxyActivities } from '@temporalio/workflow';
import {
  type AccountActivities,
  type AccountId,
  type AccountPolicyActivities,
  activityWords,
  type CreateSpeiAccountInput,
} from '../../contract';
import { MINUTE } from '../../gateway/pure/durations';
import { summed } from '../shared/activities';
import { CREATING, QUERYING, WATCHING } from '../shared/activity-options';

const querying = proxyActivities<AccountActivities>(QUERYING);
const watching = proxyActivities<AccountActivities>(WATCHING);

/** A query that ends after so many ms. */
const queryingFor = (scheduleToCloseTimeout: number) =>
  proxyActivities<AccountActivities>({ ...QUERYING, scheduleToCloseTimeout });
// A cancellation makes two exchanges with the gateway.
const cancelingFor = (scheduleToCloseTimeout: number) =>
  proxyActivities<AccountActivities>({ ...QUERYING, startToCloseTimeout: '2 minutes', scheduleToCloseTimeout });
/** A creation that the server gives up after its time: one that no worker can run, too. An attempt of the last moment is let end. */
const creatingUntil = (send_before: number) => {
  const left_ms = Math.max(send_before - Date.now(), 1_000);
  const bounds = { scheduleToStartTimeout: left_ms, scheduleToCloseTimeout: left_ms + 2 * MINUTE };
  return proxyActivities<AccountActivities>({ ...CREATING, ...bounds });
};

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
  create: (input: CreateSpeiAccountInput & { read_by: string; send_before: number }) =>
    summed(creatingUntil(input.send_before)['gateway.create-account'], words('gateway.create-account'))(input),
  find: (id: AccountId, within_ms: number) =>
    summed(queryingFor(within_ms)['gateway.find-account'], () => `asks the gateway for ${named(id)}`)(id),
  watch: summed(
    watching['gateway.watch-account'],
    (id) => `asks now and then for ${named(id)}, whether its status has changed; last answer ${id.seen ?? 'none'}`,
  ),
  cancel: (input: AccountId & { may_be_canceled: boolean }, within_ms: number) =>
    summed(cancelingFor(within_ms)['gateway.cancel-account'], () => `cancels ${named(input)} at the gateway`)(input),
  quantity: (app: { app_id: string }, within_ms: number) =>
    summed(queryingFor(within_ms)['gateway.account-quantity'], words('gateway.account-quantity'))(app),
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
