/** The activities of virtual accounts, with their retry options. */
import { ActivityFailure, type ActivityOptions, proxyActivities } from '@temporalio/workflow';
import {
  type AccountActivities,
  type AccountId,
  type AccountPolicy,
  activityWords,
  type CreateAccountInput,
  type Silence,
  type Told,
} from '../../contract';
import { DAY, MINUTE } from '../../gateway/pure/durations';
import { CREATING, QUERYING, WATCHING } from '../shared/activities';
import { hasRunOut, silenceAfter } from '../shared/activity-failure';
import { isTold, untilTold } from '../shared/ended-by-hand';

type InputOf<Name extends keyof AccountActivities> = Parameters<AccountActivities[Name]>[0];

/** The activity with a line for Temporal UI, by default without details of its input. A line holds nothing personal. */
const asking = <Name extends keyof AccountActivities>(
  name: Name,
  options: ActivityOptions,
  summary = activityWords(name),
): AccountActivities[Name] => proxyActivities<AccountActivities>({ ...options, summary })[name];

/** A creation that the server gives up after its time, also if no worker can run it. An attempt at the last moment may still end. */
const creatingUntil = (send_before: number) => {
  const left_ms = Math.max(send_before - Date.now(), 1_000);
  return { ...CREATING, scheduleToStartTimeout: left_ms, scheduleToCloseTimeout: left_ms + 2 * MINUTE };
};

// Before and after a creation the quantity is only evidence, so it must not delay the creation.
const BRIEFLY: ActivityOptions = {
  startToCloseTimeout: QUERYING.startToCloseTimeout,
  scheduleToCloseTimeout: '20 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumAttempts: 3 },
};

// Lists of workflows are a moment behind, and a new account's first deposit waits for this read.
const READING = { ...QUERYING, retry: { ...QUERYING.retry, initialInterval: '200 milliseconds' } } as const;

const named = ({ account_id }: AccountId) => `virtual account ${account_id}`;

/** The gateway's operations on virtual accounts. Each question ends after `within_ms`. */
export const accountGateway = {
  create: (input: CreateAccountInput) => asking('gateway.create-account', creatingUntil(input.send_before))(input),
  find: (id: InputOf<'gateway.find-account'>, within_ms: number) => {
    const options = { ...QUERYING, scheduleToCloseTimeout: within_ms };
    return untilTold(asking('gateway.find-account', options, `asks the gateway for ${named(id)}`))(id);
  },
  watch: (id: InputOf<'gateway.watch-account'>) => {
    const summary = `asks now and then for ${named(id)}, whether its status has changed; last answer ${id.seen ?? 'none'}`;
    return untilTold(asking('gateway.watch-account', WATCHING, summary))(id);
  },
  /** `next`: called for each request, as one that a person has ended may have canceled the account. */
  cancel: (next: () => InputOf<'gateway.cancel-account'>, within_ms: number) => {
    // It makes two exchanges with the gateway: the request and a look.
    const options = { ...QUERYING, startToCloseTimeout: '2 minutes', scheduleToCloseTimeout: within_ms } as const;
    const cancel = (input: InputOf<'gateway.cancel-account'>) =>
      asking('gateway.cancel-account', options, `cancels ${named(input)} at the gateway`)(input);
    return untilTold(() => cancel(next()))();
  },
  quantity: (app: { app_id: string }, within_ms: number) =>
    untilTold(asking('gateway.account-quantity', { ...QUERYING, scheduleToCloseTimeout: within_ms }))(app),
  quantityBriefly: briefly(asking('gateway.account-quantity', BRIEFLY)),
  watchQuantity: (known: InputOf<'gateway.watch-account-quantity'>) => {
    const summary = `asks now and then how many virtual accounts are left; last answer ${known.seen}`;
    return untilTold(asking('gateway.watch-account-quantity', WATCHING, summary))(known);
  },
};

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
  accountOfCreation: (asked: InputOf<'payments.account-of-creation'>, within_ms: number) =>
    untilTold(asking('payments.account-of-creation', { ...READING, scheduleToCloseTimeout: within_ms }))(asked),
  accountHolder: untilTold(asking('payments.account-holder', READING)),
  accountBefore: untilTold(asking('payments.account-before', READING)),
  endedPayment: untilTold(asking('payments.ended-payment', QUERYING)),
  tellOrder: untilTold(asking('payments.tell-order', READING)),
  depositOwner: untilTold(asking('payments.deposit-owner', READING)),
};

/**
 * Asks the same again until it is answered, in one activity after another: the first ends after `patience_ms`, later ones after a
 * day. `onSilence` gets the reason of each silence: a person is told of it after the same time as for a payment.
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
    asking('gateway.account-policy', { ...QUERYING, startToCloseTimeout: '10 seconds', scheduleToCloseTimeout }),
  )();

/** How long workers may lack the activity before a person is told, in ms. A constant: the settings are what cannot be read. */
const POLICY_PATIENCE_MS = 10 * MINUTE;

/** The settings, as soon as a worker tells them. `onSilence` gets the reason while none does. */
export const accountPolicy = (onSilence: (why: Silence) => void): Promise<AccountPolicy> =>
  untilGatewayAnswers(POLICY_PATIENCE_MS, policyWithin, onSilence);
