/** What the calls share: they read what a merchant's workflow was started with, from any language, where types do not hold. */
import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { workflowInfo } from '@temporalio/workflow';
import { type AppOrder, FAILURE, type NewPayment, sameFailure, typedFailure } from '../contract';

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

/**
 * Throws ApplicationFailure (`NotAWorkflow`) where somebody has started the function itself by its name: a Worker takes every function of a
 * merchant's bundle for a workflow.
 */
export function assertCalled(name: string): void {
  if (workflowInfo().workflowType !== name) return;
  const message = `${name} is a function for your workflow, and no workflow: do not start it by its name. Nothing was done.`;
  throw typedFailure(FAILURE.notAWorkflow, message);
}

/** Returns the contract’s failure inside an activity failure, as the calling workflow’s own; any other error unchanged. */
export function ownFailure(error: unknown): unknown {
  if (!(error instanceof ActivityFailure && error.cause instanceof ApplicationFailure)) return error;
  return sameFailure(error.cause);
}
