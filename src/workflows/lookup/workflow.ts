/** The workflows `bankList`, `installments` and `walletToken`: one question to the gateway each, for any language. */
import { ActivityFailure, ApplicationFailure, proxyActivities } from '@temporalio/workflow';
import {
  activityWords,
  type BankListAnswer,
  type BankListInput,
  detailsOf,
  FAILURE,
  type InstallmentsAnswer,
  type InstallmentsInput,
  LOOKUP_TIMEOUT_MS,
  type LookupActivities,
  typedFailure,
  type WalletTokenAnswer,
  type WalletTokenInput,
} from '../../contract';
import { QUERYING } from '../shared/activities';

const asking = <Name extends keyof LookupActivities>(name: Name): LookupActivities[Name] =>
  proxyActivities<LookupActivities>({
    ...QUERYING,
    // A caller waits for the answer: later it is of no use.
    startToCloseTimeout: LOOKUP_TIMEOUT_MS,
    scheduleToCloseTimeout: LOOKUP_TIMEOUT_MS,
    summary: activityWords(name),
  })[name];

/** The banks of a method (section 4.5). Fails with `InvalidRequest` or `NotAnswered`. */
export const bankList = (input: BankListInput): Promise<BankListAnswer> => answer(asking('gateway.banks')(input));

/** The ways to pay an amount in installments (section 4.6). Fails as above. */
export const installments = (input: InstallmentsInput): Promise<InstallmentsAnswer> =>
  answer(asking('gateway.installments')(input));

/** A client token for a wallet's component in the buyer's browser (section 4.7), sealed to the asker. Fails as above. */
export const walletToken = (input: WalletTokenInput): Promise<WalletTokenAnswer> =>
  answer(asking('gateway.wallet-token')(input));

/** The answer; a failure of the activity becomes the workflow's own, so that it is encoded once. */
async function answer<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    const { cause } = error;
    if (!(cause instanceof ApplicationFailure)) throw noAnswer();
    const type = cause.type === FAILURE.invalidRequest ? FAILURE.invalidRequest : FAILURE.notAnswered;
    throw typedFailure(type, cause.message, detailsOf(cause));
  }
}

const noAnswer = () =>
  typedFailure(FAILURE.notAnswered, `The gateway has not answered within ${LOOKUP_TIMEOUT_MS / 1_000} s. Ask again.`);
