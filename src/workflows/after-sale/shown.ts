/** What queries have shown of a trade after its sale, by its history. Pure. */
import { isBankStatus, isRefundStatus, type Transition } from '../../contract';

const byQuery = (history: readonly Transition[]) => history.filter(({ source }) => source === 'query');

/** All statuses that only refunds bring. */
export const refundStatusesIn = (history: readonly Transition[]) =>
  byQuery(history).flatMap(({ to }) => (isRefundStatus(to) ? [to] : []));

/** The last one, but for what the bank does: that leaves the refunds as they were. Null where there is none. */
export const lastOfRefunds = (history: readonly Transition[]) =>
  byQuery(history).findLast(({ to }) => !isBankStatus(to))?.to ?? null;

/** Whether a query has shown since then (ISO 8601) that a refund was revoked. */
export const wasRevokedSince = (history: readonly Transition[], since: string) =>
  byQuery(history).some(({ to, time }) => to === 'REFUND_REVOKE' && time >= since);

/** Whether a chargeback is reversed, and none was before. */
export const isFirstReversal = (history: readonly Transition[], from: string | null, to: string) =>
  from === 'CHARGEBACK' && to === 'CHARGEBACK_REVERSED' && !byQuery(history).some((one) => one.to === to);
