/** How something comes before a person for each reason, and what that person does about it as the page says. */
import { randomUUID } from 'node:crypto';
import { PaymentPendingError } from '../../../src/client';
import {
  ATTENTIONS,
  type Attention,
  afterSaleWorkflowId,
  paymentWorkflowId,
  STUCK_SWEEP_WORKFLOW_ID,
  WORKFLOW,
} from '../../../src/contract';
import { signatureHeader } from '../../../src/gateway';
import { endpointOf } from '../../../src/process/settings';
import { signTestNotification, type TestNotificationFields } from '../../../src/testing/signed-notification';
import { APP } from '../../../src/testing/stack';
import { publishedOrder } from '../../harness/orders';
import { until } from '../../harness/runs';
import { part, sold, USER } from '../../harness/sold';
import type { Desk } from './desk';

export interface Scene {
  /** One sentence on what is brought about. */
  tells: string;
  /** The order's number, or the workflow's id, with which the command of the page names it. */
  of: string;
  /** The beginning of the id of the workflow that waits. */
  waits: string | ((desk: Desk) => string);
  bring(desk: Desk): Promise<unknown>;
  /** What a person does outside before the command. */
  outside?(desk: Desk): void;
  /** Which command of the page it is; by default the first `resolve`. */
  command?: RegExp;
  /** What the person writes for capitals in the command. */
  writes?: Record<string, string>;
}

const payment = (of: string) => ({ of, waits: paymentWorkflowId(APP.app_id, of) });
const afterSale = (of: string) => ({ of, waits: `after-sale:${APP.app_id}:${of}` });

/** A payment by PIX that waits for its buyer. A busy machine may answer late: then it is asked again. */
async function waiting({ stack }: Desk, out_trade_no: string) {
  for (;;) {
    const data = await stack.payments.pay(pix(out_trade_no)).catch((error: unknown) => {
      if (!(error instanceof PaymentPendingError)) throw error;
    });
    if (data) return data;
  }
}

const pix = (out_trade_no: string) => publishedOrder('pix', { out_trade_no });

/** Begins a payment whose creation gets no answer: nobody waits for it. */
const begun = ({ stack }: Desk, out_trade_no: string): void =>
  void stack.payments.pay(pix(out_trade_no)).catch(() => undefined);

type BankAct = 'dispute' | 'chargeback' | 'reverse-chargeback' | 'force-refund';

/** A sale by card of which a bank, or the dashboard, says something. */
const sale = (of: string, tells: string, ...acts: BankAct[]): Scene => ({
  ...afterSale(of),
  tells,
  async bring({ stack }) {
    await sold(stack, 'credit-card', { out_trade_no: of });
    for (const act of acts) await stack.simulator.act(of, act);
  },
});

/** A payment that waits for its buyer, until a query answers this. */
const answered = (of: string, tells: string, says: object): Scene => ({
  ...payment(of),
  tells,
  async bring(desk) {
    await waiting(desk, of);
    queryAnswers(desk, of, says);
  },
});

/** What a query answers from now on. */
function queryAnswers(desk: Desk, out_trade_no: string, says: object): void {
  const { trade_no, order_amount, order_currency, trade_status } = desk.stack.simulator.trade(out_trade_no);
  const trade = { out_trade_no, trade_no, order_amount, order_currency, trade_status };
  desk.fault(out_trade_no, {
    on: 'query',
    fault: 'answer-before',
    body: { code: '10000', msg: 'Success', ...trade, ...says },
  });
}

/** A genuinely signed notification. */
async function notify({ stack }: Desk, fields: TestNotificationFields): Promise<void> {
  const { body, headers } = signTestNotification(APP, fields);
  const { status } = await fetch(`${stack.webhookUrl}/ipn/${APP.app_id}`, { method: 'POST', body, headers });
  expect(status).toBe(200);
}

const OF_PAYMENTS = {
  'amount-mismatch': answered('desk-1001', 'The gateway says that 120.00 were paid, of 150.00.', {
    trade_status: 'SUCCESS',
    order_amount: 120,
  }),
  'late-payment': {
    ...afterSale('desk-1002'),
    tells: 'The buyer paid after the payment had been ended as CANCEL.',
    async bring(desk) {
      await waiting(desk, this.of);
      await desk.run('resolve', this.of, '--outcome', 'CANCEL', '--by', 'ben', '--reason', 'the buyer called');
      await desk.stack.payments.outcome(this.of);
      await desk.stack.simulator.pay(this.of);
    },
  },
  'unconfirmed-notification': {
    ...payment('desk-1003'),
    tells: 'A notification says SUCCESS, and the gateway’s query goes on saying PROCESSING.',
    async bring(desk) {
      const { trade_no = '' } = await waiting(desk, this.of);
      await notify(desk, { out_trade_no: this.of, trade_no });
    },
  },
  'second-trade': {
    ...payment('desk-1004'),
    tells: 'A notification names another trade under the order’s number.',
    async bring(desk) {
      await waiting(desk, this.of);
      await notify(desk, { out_trade_no: this.of, trade_no: '20260302120000000099' });
    },
  },
  'unproven-trade': {
    ...payment('desk-1005'),
    tells: 'The payment was reset before the gateway had answered: no answer names the trade that its number shows.',
    async bring(desk) {
      const { simulator, client } = desk.stack;
      simulator.addFault({ on: 'pay', fault: 'delay', ms: 20_000, out_trade_no: this.of });
      begun(desk, this.of);
      await until(async () => simulator.trades({ out_trade_no: this.of }).length > 0, Boolean);
      const { events } = await client.workflow.getHandle(paymentWorkflowId(APP.app_id, this.of)).fetchHistory();
      await client.workflowService.resetWorkflowExecution({
        namespace: client.options.namespace,
        workflowExecution: { workflowId: paymentWorkflowId(APP.app_id, this.of) },
        reason: 'by mistake',
        requestId: randomUUID(),
        workflowTaskFinishEventId: events?.find((event) => event.workflowTaskCompletedEventAttributes)?.eventId ?? null,
      });
    },
  },
  'no-answer': {
    ...payment('desk-1006'),
    tells: 'Every query ends with a proxy’s error page.',
    async bring(desk) {
      await waiting(desk, this.of);
      desk.fault(this.of, { on: 'query', fault: '5xx-before' });
      const { client } = desk.stack;
      await client.workflow
        .getHandle(paymentWorkflowId(APP.app_id, this.of))
        .startUpdate('recheck', { waitForStage: 'ACCEPTED' });
    },
    outside: (desk) => desk.mend('desk-1006'),
    command: /^recheck /,
  },
  'unknown-outcome': {
    ...payment('desk-1007'),
    tells: 'Neither try at the creation was answered, and the gateway does not show the order.',
    async bring(desk) {
      desk.fault(this.of, { on: 'pay', fault: '5xx-before' });
      begun(desk, this.of);
    },
  },
  'never-ended': {
    ...afterSale('desk-1008'),
    tells: 'The order’s minute, and the time after it, are over, and the gateway still says PROCESSING.',
    async bring(desk) {
      await desk.stack.payments.pay(publishedOrder('pix', { out_trade_no: this.of, timeout_express: '1m' }));
      queryAnswers(desk, this.of, {});
    },
  },
  'unknown-trade': {
    ...payment('desk-1009'),
    tells: 'A notification names an order that the gateway does not know.',
    bring(desk) {
      return notify(desk, { out_trade_no: this.of, trade_no: '20260302120000000098' });
    },
  },
  'unlisted-transition': {
    ...afterSale('desk-1010'),
    tells: 'The gateway calls an order that was sold CANCEL.',
    async bring(desk) {
      await sold(desk.stack, 'pix', { out_trade_no: this.of });
      queryAnswers(desk, this.of, { trade_status: 'CANCEL' });
      await desk.run('recheck', this.of);
    },
  },
  'unknown-status': answered('desk-1011', 'The gateway calls the trade ON_HOLD, a word that nobody here knows.', {
    trade_status: 'ON_HOLD',
  }),
  credentials: {
    of: `app-attention:${APP.app_id}:credentials`,
    waits: `app-attention:${APP.app_id}:credentials`,
    tells: 'The gateway refuses the signature of an order.',
    async bring(desk) {
      desk.fault('desk-1012', { on: 'pay', fault: 'refuse', code: '40002', sub_code: 'invalid-signature' });
      begun(desk, 'desk-1012');
    },
    outside: (desk) => desk.mend('desk-1012'),
  },
  'bare-secret': {
    ...afterSale('desk-1013'),
    tells: 'An order had a card’s token that its sender had not sealed.',
    bring({ stack: { client, taskQueue } }) {
      const request = { ...publishedOrder('credit-card', { out_trade_no: this.of }), token: 'tok_not_sealed' };
      const args = [{ kind: 'direct', app_id: APP.app_id, request }];
      return client.workflow.start(WORKFLOW.payment, {
        workflowId: paymentWorkflowId(APP.app_id, this.of),
        taskQueue,
        args,
      });
    },
  },
  'unexpected-signal': {
    ...payment('desk-1014'),
    tells: 'A program sent a signal under a name that payments do not have.',
    async bring(desk) {
      await waiting(desk, this.of);
      await desk.stack.client.workflow.getHandle(paymentWorkflowId(APP.app_id, this.of)).signal('paid');
    },
  },
} satisfies Partial<Record<Attention, Scene>>;

const OF_SALES = {
  dispute: sale('desk-2001', 'The buyer disputes the sale.', 'dispute'),
  chargeback: sale('desk-2002', 'The bank has taken the money back.', 'chargeback'),
  'chargeback-reversed': sale(
    'desk-2003',
    'The bank gave the money back to the merchant.',
    'chargeback',
    'reverse-chargeback',
  ),
  'refund-elsewhere': {
    ...sale('desk-2004', 'Somebody refunded the sale in the gateway’s dashboard.', 'force-refund'),
    command: /--elsewhere AMOUNT/,
    writes: { AMOUNT: '899.70' },
  },
  'unknown-refund': {
    ...afterSale('desk-2005'),
    tells: 'The trade shows that a refund was revoked, and no notification has named it.',
    async bring(desk) {
      const { payments, simulator, client } = desk.stack;
      await sold(desk.stack, 'pix', { out_trade_no: this.of });
      await simulator.setNotifications(this.of, false);
      await payments.refund(this.of, { ...part('20.00', 'part-1'), user_info: USER });
      await simulator.actOnRefund(this.of, 'revoke');
      await client.workflow
        .getHandle(afterSaleWorkflowId(APP.app_id, this.of))
        .startUpdate('recheck', { waitForStage: 'ACCEPTED' });
    },
    command: /--refund part-1/,
    writes: { OUTCOME: 'REFUND_REVOKE' },
  },
} satisfies Partial<Record<Attention, Scene>>;

const OF_SHOPS = {
  'books-differ': {
    of: `reconciliation:${APP.app_id}:desk`,
    waits: `reconciliation:${APP.app_id}:desk`,
    tells: 'The merchant’s list has an order that the gateway does not know.',
    bring({ stack: { client, taskQueue } }) {
      const rows = [{ out_trade_no: 'desk-3001', order_amount: '150.00', status: 'paid' }];
      const period = { since: '2026-03-01T00:00:00.000Z', until: '2026-03-02T00:00:00.000Z' };
      const args = [{ app_id: APP.app_id, ...period, rows }];
      return client.workflow.start(WORKFLOW.reconciliation, { workflowId: this.of, taskQueue, args });
    },
  },
  'stuck-payments': {
    of: STUCK_SWEEP_WORKFLOW_ID,
    waits: STUCK_SWEEP_WORKFLOW_ID,
    tells: 'A payment was started on a task queue that no worker has.',
    async bring({ stack: { client, taskQueue } }) {
      const workflowId = paymentWorkflowId(APP.app_id, 'desk-3002');
      await client.workflow.start(WORKFLOW.payment, { workflowId, taskQueue: 'nobody', args: [] });
      await until(
        () => client.workflow.count(`WorkflowId = '${workflowId}'`),
        ({ count }) => count > 0,
      );
      await client.workflow.start(WORKFLOW.stuckSweep, { workflowId: this.of, taskQueue, args: [{ stuck_ms: 1 }] });
    },
  },
  terminated: {
    ...payment('desk-3005'),
    tells: 'Somebody terminated an open payment, and the sweep took the order on again.',
    async bring(desk) {
      const { client, taskQueue } = desk.stack;
      await waiting(desk, 'desk-3005');
      await client.workflow.getHandle(paymentWorkflowId(APP.app_id, 'desk-3005')).terminate('batch clean-up');
      const listed = `WorkflowType = 'payment' AND ExecutionStatus = 'Terminated'`;
      await until(
        () => client.workflow.count(listed),
        ({ count }) => count > 0,
      );
      const workflowId = `${STUCK_SWEEP_WORKFLOW_ID}-terminated`;
      await client.workflow.start(WORKFLOW.stuckSweep, { workflowId, taskQueue, args: [{ stuck_ms: 3_600_000 }] });
    },
    writes: { OUTCOME: 'CANCEL' },
  },
  'unreadable-notification': {
    of: `stray-notification:${APP.app_id}:`,
    waits: `stray-notification:${APP.app_id}:`,
    tells: 'A genuinely signed notification is no JSON.',
    async bring({ stack: { webhookUrl } }) {
      const body = '{"out_trade_no":';
      const signature = signatureHeader(Buffer.from(body), APP.secret_key, 'hex', Date.now());
      const headers = { 'content-type': 'application/json', 'Service-Signature': signature };
      await fetch(`${webhookUrl}/ipn/${APP.app_id}`, { method: 'POST', body, headers });
    },
  },
  'undelivered-event': {
    of: 'desk-3004',
    waits: ({ receiver }) => `event-delivery:${endpointOf(receiver.url)}:${paymentWorkflowId(APP.app_id, 'desk-3004')}`,
    tells: 'The merchant’s receiver answers HTTP 500.',
    async bring(desk) {
      desk.receiver.refused.add(this.of);
      await waiting(desk, this.of);
    },
    outside: (desk) => desk.receiver.refused.delete('desk-3004'),
    command: /^recheck /,
  },
} satisfies Partial<Record<Attention, Scene>>;

/**
 * Reasons that one worker cannot bring which has all apps, activities and keys, one of another gateway than the simulator, and one that
 * takes a week.
 */
type OfOthers = 'settings' | 'missing-activity' | 'deposit-without-account' | 'waiting-refund';
export type Pictured = Exclude<Attention, OfOthers>;

/** By reason: the list is closed, and so is this. */
export const SCENES: Readonly<Record<Pictured, Scene>> = { ...OF_PAYMENTS, ...OF_SALES, ...OF_SHOPS };

export const PICTURED = ATTENTIONS.filter((reason): reason is Pictured => Object.hasOwn(SCENES, reason));
