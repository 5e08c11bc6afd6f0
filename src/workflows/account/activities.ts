/** The activities of virtual accounts, with their retry options. */
import { ActivityFailure, proxyActivities } from '@temporalio/workflow';
import {
  type AccountActivities,
  type AccountId,
  type AccountPolicy,
  type AnsweredCancellation,
  activityWords,
  type CreateAccountInput,
  type ForRun,
  type Silence,
  type SpeiAccount,
  type Told,
} from '../../contract';
import { DAY, MINUTE } from '../../gateway/pure/durations';
import { CREATING, QUERYING, summed, WATCHING } from '../shared/activities';
import { hasRunOut, silenceAfter } from '../shared/activity-failure';
import { isTold, untilTold } from '../shared/ended-by-hand';

const querying = proxyActivities<AccountActivities>(QUERYING);
const watching = proxyActivities<AccountActivities>(WATCHING);

const queryingFor = (scheduleToCloseTimeout: number) =>
  proxyActivities<AccountActivities>({ ...QUERYING, scheduleToCloseTimeout });
// A cancellation makes two exchanges with the gateway: the request and a look.
const cancelingFor = (scheduleToCloseTimeout: number) =>
  proxyActivities<AccountActivities>({ ...QUERYING, startToCloseTimeout: '2 minutes', scheduleToCloseTimeout });
/** A creation that the server gives up after its time, also if no worker can run it. An attempt at the last moment may still end. */
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

// Lists of workflows are a moment behind, and a new account's first deposit waits for this read.
const READING = { ...QUERYING, retry: { ...QUERYING.retry, initialInterval: '200 milliseconds' } } as const;
const readingBefore = proxyActivities<AccountActivities>(READING);
const readingFor = (scheduleToCloseTimeout: number) =>
  proxyActivities<AccountActivities>({ ...READING, scheduleToCloseTimeout });

const named = ({ account_id }: AccountId) => `virtual account ${account_id}`;
/** A summary without details of the input. */
const words = (activity: string) => () => activityWords(activity);

/** The gateway's operations on virtual accounts, each with a line for Temporal UI. */
export const accountGateway = {
  create: (input: CreateAccountInput) =>
    summed(creatingUntil(input.send_before)['gateway.create-account'], words('gateway.create-account'))(input),
  find: (id: AccountId & Partial<ForRun>, within_ms: number) =>
    untilTold(summed(queryingFor(within_ms)['gateway.find-account'], () => `asks the gateway for ${named(id)}`))(id),
  watch: untilTold(
    summed(
      watching['gateway.watch-account'],
      (id) => `asks now and then for ${named(id)}, whether its status has changed; last answer ${id.seen ?? 'none'}`,
    ),
  ),
  cancel: cancelAccount,
  quantity: (app: { app_id: string }, within_ms: number) =>
    untilTold(summed(queryingFor(within_ms)['gateway.account-quantity'], words('gateway.account-quantity')))(app),
  quantityBriefly: briefly(summed(queryingBriefly['gateway.account-quantity'], words('gateway.account-quantity'))),
  watchQuantity: untilTold(
    summed(
      watching['gateway.watch-account-quantity'],
      ({ seen }) => `asks now and then how many virtual accounts are left; last answer ${seen}`,
    ),
  ),
};

type CancelAccountInput = Parameters<AccountActivities['gateway.cancel-account']>[0];

/** `next`: called for each request, as one that a person has ended may have canceled the account. */
function cancelAccount(next: () => CancelAccountInput, within_ms: number): Promise<SpeiAccount | AnsweredCancellation> {
  const cancel = summed(
    cancelingFor(within_ms)['gateway.cancel-account'],
    (input) => `cancels ${named(input)} at the gateway`,
  );
  return untilTold(() => cancel(next()))();
}

/** An answer that nobody waits for: null if it does not come soon. */
function briefly<Input, T>(look: (input: Input) => Promise<Told<T>>): (input: Input) => Promise<T | null> {
  return async (input) => {
    try {
      const answer = await look(input);
      return isTold(answer) ? answer.told : null;
    } catch (error) {
      if (error instanceof ActivityFailure) return null;
      throw error;
    }
  };
}

export const earlierWorkflows = {
  accountOfCreation: (asked: { app_id: string; workflow_id: string }, within_ms: number) =>
    untilTold(summed(readingFor(within_ms)['payments.account-of-creation'], words('payments.account-of-creation')))(
      asked,
    ),
  accountHolder: untilTold(summed(readingBefore['payments.account-holder'], words('payments.account-holder'))),
  accountBefore: untilTold(summed(readingBefore['payments.account-before'], words('payments.account-before'))),
  endedPayment: untilTold(summed(querying['payments.ended-payment'], words('payments.ended-payment'))),
  tellOrder: untilTold(summed(readingBefore['payments.tell-order'], words('payments.tell-order'))),
  depositOwner: untilTold(summed(readingBefore['payments.deposit-owner'], words('payments.deposit-owner'))),
};

/**
 * Asks the same again until it is answered, in one activity after another: the first ends after `patience_ms`, later ones after a day. `onSilence` gets the reason of each
 * silence: a person is told of it after the same time as for a payment.
 */
export async function untilGatewayAnswers<T>(
  patience_ms: number,
  ask: (within_ms: number) => Promise<T>,
  onSilence: (why: Silence) => void,
): Promise<T> {
  for (let within_ms = patience_ms; ; within_ms = DAY) {
    try {
      return await ask(within_ms);
    } catch (error) {
      if (!(error instanceof ActivityFailure) || !hasRunOut(error)) throw error;
      onSilence(silenceAfter(error));
    }
  }
}

/**
 * Not a local activity: on a busy worker its result and deposits may come in another order than in a replay, and an account
 * must never stop for that reason.
 */
const policyWithin = (scheduleToCloseTimeout: number) =>
  untilTold(
    proxyActivities<AccountActivities>({
      ...QUERYING,
      startToCloseTimeout: '10 seconds',
      scheduleToCloseTimeout,
      summary: activityWords('gateway.account-policy'),
    })['gateway.account-policy'],
  )();

/** How long workers may lack the activity before a person is told, in ms. A constant: the settings are what cannot be read. */
const POLICY_PATIENCE_MS = 10 * MINUTE;

/** The settings, as soon as a worker tells them. `onSilence` gets the reason while none does. */
export const accountPolicy = (onSilence: (why: Silence) => void): Promise<AccountPolicy> =>
  untilGatewayAnswers(POLICY_PATIENCE_MS, policyWithin, onSilence);
