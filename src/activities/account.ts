/** The activities of virtual accounts (SPEI) of a worker: each is one call of the gateway, or one question to Temporal. */
import { isDeepStrictEqual } from 'node:util';
import { activityInfo, heartbeat } from '@temporalio/activity';
import { z } from 'zod';
import {
  type AccountActivities,
  type AccountPolicy,
  type AnsweredCancellation,
  accountNotSent,
  type CreateAccountInput,
  type CreateAccountResult,
  type NewSettings,
  telling,
} from '../contract';
import { GatewayError, InvalidRequestError, parseNewSpeiAccount, type SpeiAccount } from '../gateway';
import { PATH } from '../gateway/pure/paths';
import { accountBefore } from './account-before';
import { accountHolder, accountOfCreation } from './account-creations';
import { depositOwner, endedPayment, tellOrder } from './account-workflows';
import { inTime, invalidRequestFailure, isDefiniteAnswer, notYet, retryableFailure, retryablePoll } from './failures';
import { type AccountGateway, gatewayOf, type NotifyUrlOf } from './gateways';
import { forRun } from './own-run';
import { recordInActivity } from './recorder';
import { type Sending, sendOnce, storeNote } from './send-once';
import { looksSoFar } from './urgency';

export interface AccountActivitiesOptions {
  gateways: ReadonlyMap<string, AccountGateway>;
  /** Where the gateway posts the deposits of accounts that name no `notify_url`. */
  notifyUrl: NotifyUrlOf | undefined;
  policy: AccountPolicy;
}

export function accountActivities({ gateways, notifyUrl, policy }: AccountActivitiesOptions): AccountActivities {
  const gatewayFor = (app_id: string) => gatewayOf(gateways, app_id);
  return {
    'gateway.create-account': forRun((input) => create(() => gatewayFor(input.app_id), input, notifyUrl)),
    'gateway.find-account': forRun(
      telling(async ({ app_id, account_id }) => queryIfKnown(gatewayFor(app_id), account_id).catch(again)),
    ),
    'gateway.watch-account': forRun(telling(async (input) => watch(gatewayFor(input.app_id), input, policy))),
    'gateway.cancel-account': forRun(telling(async (input) => cancel(gatewayFor(input.app_id), input))),
    'gateway.account-quantity': telling(async ({ app_id }) => queryQuantity(gatewayFor(app_id), app_id).catch(again)),
    'gateway.watch-account-quantity': telling(async (input) => watchQuantity(gatewayFor(input.app_id), input, policy)),
    'payments.account-of-creation': accountOfCreation,
    'payments.account-holder': accountHolder,
    'payments.account-before': accountBefore,
    'payments.ended-payment': endedPayment,
    'payments.tell-order': tellOrder,
    'payments.deposit-owner': depositOwner,
    'gateway.account-policy': telling(() => policy),
  };
}

type CancelAccountInput = Parameters<AccountActivities['gateway.cancel-account']>[0];
type WatchAccountInput = Parameters<AccountActivities['gateway.watch-account']>[0];
type WatchQuantityInput = Parameters<AccountActivities['gateway.watch-account-quantity']>[0];

async function create(
  gatewayOfApp: () => AccountGateway,
  input: CreateAccountInput,
  notifyUrl: NotifyUrlOf | undefined,
): Promise<CreateAccountResult> {
  return sendOnce<CreateAccountResult>(
    { operation: PATH.createSpeiAccount, what: 'The creation of a virtual account' },
    (sending) => tryToCreate(gatewayOfApp(), input, notifyUrl, sending),
    ({ message }) => ({ is: 'unknown', message }),
  );
}

async function tryToCreate(
  gateway: AccountGateway,
  { app_id, request, send_before }: CreateAccountInput,
  notifyUrl: NotifyUrlOf | undefined,
  sending: Sending,
): Promise<CreateAccountResult> {
  const create = async (): Promise<CreateAccountResult> => {
    const account = parseNewSpeiAccount({ notify_url: notifyUrl?.(app_id), ...request });
    return { is: 'created', account: await gateway.createSpeiAccount(account, sending.beforeSending) };
  };
  return inTime(send_before, create, (error) => creationFailed(error, sending), accountNotSent);
}

/**
 * The result of a failed creation. Throws a retryable failure only if the gateway certainly made no account and may be asked
 * again.
 */
function creationFailed(error: unknown, sending: Sending): CreateAccountResult {
  if (error instanceof InvalidRequestError) throw invalidRequestFailure(error.message, error.issues);
  const isCertain = error instanceof GatewayError && (error.outcome === 'not-sent' || error.outcome === 'not-created');
  if (isCertain) return sending.madeNothing(error);
  throw error;
}

const again = (error: unknown): never => {
  throw retryableFailure(error);
};

/** The account as the gateway reports it now; null if the gateway has no such account. */
async function queryIfKnown(gateway: AccountGateway, account_id: string): Promise<SpeiAccount | null> {
  try {
    return await gateway.querySpeiAccount(account_id);
  } catch (error) {
    if (isDefiniteAnswer(error)) return null;
    throw error;
  }
}

/** Checked at most once in each pause of a poll: while workers with old and new settings run, the workflow is given both in turn. */
const hasOtherSettings = (known: AccountPolicy, policy: AccountPolicy) => !isDeepStrictEqual({ ...known }, policy);

async function watch(
  gateway: AccountGateway,
  input: WatchAccountInput,
  policy: AccountPolicy,
): Promise<SpeiAccount | NewSettings> {
  const { seen, first_ms } = input;
  const every_ms = input.policy.check_every_ms;
  const looks = looksSoFar();
  // The workflow has just queried, so the first attempt only starts the schedule.
  if (looks === 0) throw notYet('watching', first_ms);
  if (hasOtherSettings(input.policy, policy)) return { is: 'settings', policy };
  const found = await queryIfKnown(gateway, input.account_id).catch((error: unknown) => {
    throw retryablePoll(error, { gap_ms: every_ms, waited_ms: looks === 1 ? first_ms : every_ms });
  });
  if (found && found.status !== seen) return found;
  throw notYet(found ? `still ${seen}` : 'the gateway knows no such account', every_ms);
}

/** One look at once, as most gateways show a cancellation then. The workflow looks on. */
async function cancel(
  gateway: AccountGateway,
  { account_id, left_at }: CancelAccountInput,
): Promise<SpeiAccount | AnsweredCancellation> {
  const answer = await askToCancel(gateway, account_id, leftBefore(left_at));
  const found = await queryIfKnown(gateway, account_id).catch(() => null);
  return found?.status === 'CANCELED' ? found : answer;
}

/** Until when a request to cancel may have left that the gateway has not refused, in ms by the server's clock; 0 if none may have. */
const leftNote = z.object({ left_at: z.union([z.number(), z.literal('in its attempt')]) });

function leftBefore(left_at: number): number {
  const { heartbeatDetails, currentAttemptScheduledTimestampMs } = activityInfo();
  const { success, data } = leftNote.safeParse(heartbeatDetails);
  const noted = success ? data.left_at : left_at;
  // An attempt does not know how long it has waited for a worker, but it had ended when this one became due.
  return noted === 'in its attempt' ? currentAttemptScheduledTimestampMs : noted;
}

/** What the gateway answers. Notes for later attempts when a request may have left. */
async function askToCancel(gateway: AccountGateway, account_id: string, before: number): Promise<AnsweredCancellation> {
  const sent = { operation: PATH.cancelSpeiAccount, what: 'The cancellation of a virtual account' };
  try {
    // Stored before it leaves: a worker that dies tells nothing afterwards.
    await gateway.cancelSpeiAccount(account_id, () =>
      storeNote({ left_at: 'in its attempt' } satisfies LeftNote, sent),
    );
    return { is: 'answered', left_at: before, refusal: null };
  } catch (error) {
    if (isDefiniteAnswer(error))
      return { is: 'answered', left_at: before, refusal: { message: error.message, error: error.fields() } };
    if (error instanceof GatewayError && error.outcome === 'not-sent')
      heartbeat({ left_at: before } satisfies LeftNote);
    throw retryableFailure(error);
  }
}

type LeftNote = z.infer<typeof leftNote>;

async function queryQuantity(gateway: AccountGateway, app_id: string): Promise<number> {
  const { available_quantity } = await gateway.speiAccountQuantity();
  recordInActivity('accountsAvailable', available_quantity, { app_id });
  return available_quantity;
}

async function watchQuantity(
  gateway: AccountGateway,
  { app_id, seen, policy: known }: WatchQuantityInput,
  policy: AccountPolicy,
): Promise<number | NewSettings> {
  const every_ms = known.quantity_every_ms;
  if (looksSoFar() === 0) throw notYet('watching', every_ms);
  if (hasOtherSettings(known, policy)) return { is: 'settings', policy };
  const quantity = await queryQuantity(gateway, app_id).catch((error: unknown) => {
    throw retryablePoll(error, { gap_ms: every_ms, waited_ms: every_ms });
  });
  if (quantity !== seen) return quantity;
  throw notYet(`still ${seen}`, every_ms);
}
