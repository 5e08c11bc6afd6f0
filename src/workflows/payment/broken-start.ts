/** A start with an invalid input: its rules, and how it is refused without losing what came to it. */
import { allHandlersFinished, condition, continueAsNew, setHandler, workflowInfo } from '@temporalio/workflow';
import {
  type AdoptedPayment,
  type Attention,
  FAILURE,
  hasSeenTrade,
  knownIds,
  type NewPayment,
  type NotificationSignal,
  namedByWorkflowId,
  type PaymentInput,
  type PaymentWorkflow,
  paymentWorkflowId,
  typedFailure,
  whyForeign,
} from '../../contract';
import { idIssues, isFilled } from '../shared/broken-start';
import { invalidRequest, type RequestIssue } from '../shared/request-rules';
import { Visibility } from '../shared/visibility';
import { readEarlierRuns } from './earlier-runs';
import type { NewPaymentFact } from './facts';
import { foldPayment } from './fold';
import { knownOfTrade } from './known-before';
import { carriedOf, paymentState, startedWith } from './known-payment';
import {
  cancelUpdate,
  createdUpdate,
  notificationSignal,
  paymentCarriedQuery,
  recheckUpdate,
  resolveUpdate,
  stateQuery,
  takeUpdate,
} from './messages';
import { paymentAttributes, paymentDetails } from './visibility';

/** The rules that a start breaks. The run then fails, instead of repeating its workflow task for ever. */
export function issuesOf(input: PaymentInput | undefined): RequestIssue[] {
  const { app_id, kind } = input ?? {};
  const why = whyForeign(input);
  if (why !== undefined) return [{ field: 'input', rule: why }];
  return [
    ...(kind === 'direct' || kind === 'checkout' || kind === 'adopt'
      ? []
      : [{ field: 'kind', rule: 'direct, checkout or adopt' }]),
    ...(isFilled(app_id) ? [] : [{ field: 'app_id', rule: 'required' }]),
    ...(input && input.kind !== 'adopt' ? orderIssues(input) : []),
    ...(input?.kind === 'adopt' ? adoptionIssues(input) : []),
  ];
}

/** Anyone who asks this run is told why. A notification that came to it is genuine, and its trade is taken on. */
export async function refuse(issues: RequestIssue[], app_id: unknown): Promise<never> {
  const refusal = () => {
    throw invalidRequest(issues, 'No payment was started.');
  };
  for (const update of [recheckUpdate, cancelUpdate, resolveUpdate, takeUpdate]) setHandler(update, refusal);
  setHandler(createdUpdate, (order?: PaymentInput) => {
    if (issuesOf(order).length > 0) refusal();
    throw typedFailure(FAILURE.closing, 'A start without an order runs under this number. It ends soon: ask again.');
  });
  const { app_id: its_app = '' } = namedByWorkflowId(workflowInfo().workflowId) ?? {};
  const of_app = typeof app_id === 'string' ? app_id : its_app;
  let known = startedWith({ kind: 'adopt', app_id: of_app });
  setHandler(stateQuery, () => paymentState(known));
  setHandler(paymentCarriedQuery, () => carriedOf(known, workflowInfo().runId, undefined));
  const pending_notifications: (NotificationSignal & { app_id: string })[] = [];
  setHandler(notificationSignal, (signal?: NotificationSignal) => {
    const of = signal?.app_id;
    if (typeof of === 'string' && signal?.trade_no) pending_notifications.push({ ...signal, app_id: of });
  });
  const visibility = new Visibility();
  const learn = (...facts: readonly NewPaymentFact[]) => {
    for (const fact of facts) known = foldPayment(known, { ...fact, at: Date.now() }, { late_payments: 'attention' });
    const details = paymentDetails(known, 'the list of workflows: this start is broken');
    if (facts.some(({ is }) => is === 'raised')) visibility.show(paymentAttributes(known), details, 'now');
  };
  const raise = (attention: Attention) => learn({ is: 'raised', attention });
  const before = knownOfTrade(await readEarlierRuns({ known, learn, raise }));
  visibility.withdraw();
  await condition(allHandlersFinished);
  const [first] = pending_notifications;
  // There may be an order of ours, or the gateway, or a person, has told of a trade.
  if (before && (before.made === 'order' || hasSeenTrade(before))) {
    const { app_id, order } = before;
    const out_trade_no = before.out_trade_no ?? order?.request.out_trade_no ?? null;
    const ids = knownIds({ out_trade_no, trade_no: before.trade_no });
    return continueAsNew<PaymentWorkflow>({ kind: 'adopt', app_id, ...ids, pending_notifications });
  }
  if (first === undefined) return refusal();
  const { out_trade_no, trade_no } = first;
  const adopted = { kind: 'adopt', app_id: first.app_id, out_trade_no, trade_no, pending_notifications } as const;
  return continueAsNew<PaymentWorkflow>(adopted);
}

function orderIssues({ app_id, request }: Partial<NewPayment>): RequestIssue[] {
  const text = (field: 'out_trade_no' | 'order_amount' | 'order_currency' | 'method') =>
    isFilled(request?.[field]) ? [] : [{ field: `request.${field}`, rule: 'required, as text' }];
  const missing = [...text('out_trade_no'), ...text('order_amount'), ...text('order_currency')];
  if (request?.method !== undefined) missing.push(...text('method'));
  if (missing.length > 0) return missing;
  const own = paymentWorkflowId(app_id ?? '', request?.out_trade_no ?? '');
  return idIssues(own, 'it is what keeps an order from being created twice');
}

function adoptionIssues({ app_id, out_trade_no, trade_no }: AdoptedPayment): RequestIssue[] {
  if (isFilled(out_trade_no) && answersAnotherOrder(app_id, [out_trade_no]))
    return [{ field: 'workflow id', rule: `must not be that of another order than ${out_trade_no}` }];
  if (isFilled(out_trade_no)) return [];
  return isFilled(trade_no) ? [] : [{ field: 'out_trade_no', rule: 'required where there is no trade_no' }];
}

/** Whether this workflow has the id of an order's payment, and none of these numbers is that order's. */
export function answersAnotherOrder(app_id: string, numbers: readonly (string | undefined)[]): boolean {
  const { workflowId } = workflowInfo();
  if (!workflowId.startsWith(paymentWorkflowId(app_id, ''))) return false;
  return !numbers.some((one) => one !== undefined && workflowId === paymentWorkflowId(app_id, one));
}
