/** The updates, signals and queries of a payment. */
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import {
  type FactsOfRun,
  type NotificationSignal,
  type PaymentCarried,
  type PaymentData,
  type PaymentInput,
  type PaymentResolution,
  type PaymentState,
  QUERY,
  SIGNAL,
  type Taking,
  UPDATE,
} from '../../contract';

export const createdUpdate = defineUpdate<PaymentData, [PaymentInput?]>(UPDATE.created);
export const recheckUpdate = defineUpdate<PaymentState>(UPDATE.recheck);
export const cancelUpdate = defineUpdate<PaymentState>(UPDATE.cancel);
export const resolveUpdate = defineUpdate<PaymentState, [PaymentResolution]>(UPDATE.resolve);
export const takeUpdate = defineUpdate<PaymentState, [Taking]>(UPDATE.take);
export const notificationSignal = defineSignal<[NotificationSignal]>(SIGNAL.notification);
export const followedSignal = defineSignal(SIGNAL.followed);
export const stateQuery = defineQuery<PaymentState>(QUERY.state);
export const paymentFactsQuery = defineQuery<FactsOfRun>(QUERY.facts);
export const paymentCarriedQuery = defineQuery<PaymentCarried>(QUERY.carried);
