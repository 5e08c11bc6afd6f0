/** Reads what a merchant's workflow was started with: a client in any language may have sent it, and types do not hold there. Pure. */
import { type AppOrder, FAILURE, type NewPayment, typedFailure } from '../contract';

/** The payment of a flat order. Throws ApplicationFailure (`InvalidRequest`), so that the workflow fails and is not retried. */
export function paymentOf(order: AppOrder): NewPayment {
  assertTexts(order, ['app_id', 'out_trade_no', 'order_amount', 'order_currency']);
  const { app_id, ...request } = order;
  return { kind: 'trade_type' in request ? 'checkout' : 'direct', app_id, request };
}

/** Throws ApplicationFailure (`InvalidRequest`) unless each of these fields is a text. */
export function assertTexts<Order extends object>(
  order: Order | undefined,
  fields: readonly (keyof Order & string)[],
): void {
  const issues = fields.filter((field) => !isText(order?.[field])).map((field) => ({ field, rule: REQUIRED }));
  if (issues.length === 0) return;
  const list = issues.map(({ field, rule }) => `${field}: ${rule}`).join('; ');
  throw typedFailure(FAILURE.invalidRequest, `Nothing was started or sent. ${list}. ${AS_CLIENT}`, { issues });
}

const REQUIRED = 'required, as text';
const AS_CLIENT = 'The order is flat: app_id beside the fields that the client’s `pay` takes.';

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
