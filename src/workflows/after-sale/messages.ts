/** What others send an after-sale. */
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import {
  type AfterSaleCarried,
  type AfterSaleResolution,
  type AfterSaleState,
  type FactsOfRun,
  type NotificationSignal,
  QUERY,
  type RefundAnswer,
  type RefundOrder,
  SIGNAL,
  type Taking,
  UPDATE,
} from '../../contract';

export const refundUpdate = defineUpdate<RefundAnswer, [RefundOrder]>(UPDATE.refund);
export const recheckAfterSaleUpdate = defineUpdate<AfterSaleState>(UPDATE.recheck);
export const resolveAfterSaleUpdate = defineUpdate<AfterSaleState, [AfterSaleResolution]>(UPDATE.resolve);
export const afterSaleNotificationSignal = defineSignal<[NotificationSignal]>(SIGNAL.notification);
export const takeAfterSaleUpdate = defineUpdate<AfterSaleState, [Taking]>(UPDATE.take);
/** From a payment that ends while the after-sale runs. Anybody may send it, with anything: see `readHandedOver`. */
export const paymentSignal = defineSignal<[unknown]>(SIGNAL.payment);
export const afterSaleStateQuery = defineQuery<AfterSaleState>(QUERY.state);
export const afterSaleFactsQuery = defineQuery<FactsOfRun>(QUERY.facts);
export const carriedQuery = defineQuery<AfterSaleCarried>(QUERY.carried);
