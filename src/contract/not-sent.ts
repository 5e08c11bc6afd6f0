/** A creation whose time was over before anything was sent. The worker says so, or the workflow, where no worker took it. */
import type { Silence } from './attention';
import type { GatewayErrorFields } from './gateway';
import type { NewPayment } from './payment';

/** Nothing was made before `send_before`; `why`, for the person who is asked, and `message`, for the merchant. */
export interface NotSent {
  is: 'not-sent';
  error: GatewayErrorFields;
  message: string;
  why: Silence;
}

/** The gateway's operation that creates the order. */
export const creationOf = ({ kind }: Pick<NewPayment, 'kind'>) => (kind === 'direct' ? '/trade/pay' : '/trade/create');

const NEVER_LEFT = { outcome: 'not-sent', retryable: false } as const;

export function orderNotSent(payment: NewPayment, reason: string, why: Silence): NotSent {
  const { out_trade_no } = payment.request;
  const message = `Order ${out_trade_no} was not sent in its time. ${reason}`;
  return { is: 'not-sent', message, why, error: { ...NEVER_LEFT, operation: creationOf(payment), out_trade_no } };
}

export function accountNotSent(reason: string, why: Silence): NotSent {
  const message = `The virtual account was not created in its time, and none was made. ${reason}`;
  return { is: 'not-sent', message, why, error: { ...NEVER_LEFT, operation: '/virtual-account/spei/create' } };
}
