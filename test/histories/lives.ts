/** Lives whose histories are kept and replayed: one for each way through the workflows. */
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { OnEvent } from '../../src/activities';
import {
  type AfterSaleWorkflow,
  afterSaleWorkflowId,
  appAttentionWorkflowId,
  EVENT_HANDLER,
  eventDeliveryWorkflowId,
  strayNotificationWorkflowId,
  WORKFLOW,
} from '../../src/contract';
import { type RefundOptions, signatureHeader } from '../../src/gateway';
import type { Stack } from '../../src/testing/stack';
import { APP } from '../../src/testing/stack';
import { waitsForAPerson } from '../harness/sold';
import { ACCOUNT_LIVES, type Life, SUGGESTED_AT } from './account-lives';
import { handler, refused } from './handler';
import { DELIVERIES, LOOKUPS, NOBODY_LISTENS } from './merchant-lives';
import { OPERATIONS } from './operator-lives';

/** Has a server suggest continue-as-new after so many events. */
const suggestedAt = (events: number) => ['--dynamic-config-value', `limit.historyCount.suggestContinueAsNew=${events}`];

/** What the lives after a sale are recorded with: settings, and a server on which they go on as new runs soon. */
export const SETTINGS = { PAYMENTS_LATE: 'refund' };
export const LONG_SOON = suggestedAt(60);

const ORDER = {
  method: 'PIX',
  order_currency: 'BRL',
  order_amount: '150.00',
  subject: 'Order 1',
  buyer_id: 'buyer-1',
  timeout_express: '90m',
  customer: { name: 'Mariana Souza Lima' },
};

// — After the sale —

const IDENTITY = { number: '11144477735', type: 'CPF' };

const REFUND: RefundOptions = {
  user_info: { name: 'Mariana Souza Lima', email: 'mariana@example.com', identify: { number: '50284414727' } },
  bank_info: { bank_id: '341', number: '123456-7' },
};

const sold = async ({ payments, simulator }: Stack, out_trade_no: string) => {
  simulator.configure({ refundTakes: '1s', standsAgainAfter: '1s' });
  await payments.pay({ ...ORDER, out_trade_no });
  await simulator.pay(out_trade_no);
  await payments.outcome(out_trade_no);
};

/** The after-sale, once nothing is under way. */
const afterSale = async ({ client }: Stack, out_trade_no: string) => {
  const workflowId = afterSaleWorkflowId(APP.app_id, out_trade_no);
  await client.workflow.getHandle<AfterSaleWorkflow>(workflowId).result();
  return workflowId;
};

/** Refunds, and what a bank does: each ends its after-sale. */
export const AFTER_SALES: Record<string, Life> = {
  async 'refunded-wholly'(stack) {
    await sold(stack, 'h-refund');
    await stack.payments.refund('h-refund', REFUND);
    return afterSale(stack, 'h-refund');
  },
  async 'refunded-by-a-buyer-who-names-an-account'(stack) {
    await sold(stack, 'h-account');
    const { bank_info: _none, ...refund } = REFUND;
    await stack.payments.refund('h-account', refund);
    await stack.simulator.actOnRefund('h-account', 'confirm');
    return afterSale(stack, 'h-account');
  },
  async 'refunded-in-parts'(stack) {
    await sold(stack, 'h-parts');
    const part = (out_request_no: string) =>
      stack.payments.refund('h-parts', { ...REFUND, amount: '50.00', out_request_no });
    await Promise.all([part('a'), part('b')]);
    await stack.payments
      .refund('h-parts', { ...REFUND, amount: '150.00', out_request_no: 'too-much' })
      .catch(() => undefined);
    return afterSale(stack, 'h-parts');
  },
  async 'refund-answer-lost'(stack) {
    await sold(stack, 'h-refund-lost');
    stack.simulator.addFault({ on: 'refund', fault: 'reset-after', out_trade_no: 'h-refund-lost' });
    await stack.payments.refund('h-refund-lost', REFUND);
    return afterSale(stack, 'h-refund-lost');
  },
  async 'charged-back-and-reversed'(stack) {
    const { simulator } = stack;
    await sold(stack, 'h-bank');
    await simulator.act('h-bank', 'dispute');
    await simulator.settled();
    await simulator.act('h-bank', 'chargeback');
    await simulator.settled();
    await stack.payments.refund('h-bank', REFUND).catch(() => undefined);
    // Long enough for a poll to see that it was reversed.
    simulator.configure({ standsAgainAfter: '5s' });
    await simulator.act('h-bank', 'reverse-chargeback');
    await simulator.settled();
    await waitsForAPerson(stack, 'h-bank', 'chargeback-reversed');
    const seen = { by: 'ana', reason: 'delivered' };
    const bank = stack.client.workflow.getHandle(afterSaleWorkflowId(APP.app_id, 'h-bank'));
    // A run that goes on in another one refuses it.
    const resolved = () => bank.executeUpdate('resolve', { args: [seen] }).then(Boolean, () => false);
    while (!(await resolved())) await delay(100);
    return afterSale(stack, 'h-bank');
  },
  /** Where the settings say `PAYMENTS_LATE=refund`. */
  async 'late-payment-refunded'(stack) {
    const { payments, simulator, client } = stack;
    simulator.configure({ refundTakes: '1s' });
    const customer = { ...ORDER.customer, email: 'mariana@example.com', phone: '5511987654321', identify: IDENTITY };
    const order = { ...ORDER, method: 'Wallet', channel: 'QR', customer, out_trade_no: 'h-late' };
    await payments.pay(order);
    const resolution = { outcome: 'CANCEL', reason: 'the buyer called', by: 'ana' };
    await client.workflow.getHandle(idOf('h-late')).executeUpdate('resolve', { args: [resolution] });
    await payments.outcome('h-late');
    await simulator.pay('h-late');
    await simulator.settled();
    await payments.outcome('h-late');
    return [idOf('h-late'), await afterSale(stack, 'h-late')];
  },
  /** Every look makes its history longer, until the server suggests an end of it. */
  async 'after-sale-continued-as-new'(stack) {
    await sold(stack, 'h-long');
    const handle = stack.client.workflow.getHandle(afterSaleWorkflowId(APP.app_id, 'h-long'));
    const { bank_info: _none, ...refund } = REFUND;
    await stack.payments.refund('h-long', { ...refund, amount: '50.00', out_request_no: 'a' });
    const { runId } = await handle.describe();
    // A run that is about to go on as another takes no more.
    const recheck = () => handle.executeUpdate('recheck').catch(() => undefined);
    const isSameRun = async () => (await handle.describe()).runId === runId;
    for (let i = 0; i < 12 && (await isSameRun()) && (await recheck()) !== undefined; i += 1);
    await stack.simulator.actOnRefund('h-long', 'confirm');
    while (await isSameRun()) await delay(50);
    await stack.payments.refund('h-long', { ...REFUND, amount: '100.00', out_request_no: 'b' });
    return afterSale(stack, 'h-long');
  },
};

// — Payments —

const PAYMENTS: Record<string, Life> = {
  async 'paid-told-by-notification'({ payments, simulator }) {
    await payments.pay({ ...ORDER, out_trade_no: 'h-paid' });
    await simulator.pay('h-paid');
    return ended(payments, 'h-paid');
  },
  async 'paid-found-by-polling'({ payments, simulator }) {
    await payments.pay({ ...ORDER, out_trade_no: 'h-polled' });
    await simulator.setNotifications('h-polled', false);
    await simulator.pay('h-polled');
    return ended(payments, 'h-polled');
  },
  async 'checkout-canceled'({ payments, simulator }) {
    const { customer: _none, method: _any, ...order } = ORDER;
    await payments.createCheckout({ ...order, trade_type: 'WEB', out_trade_no: 'h-checkout' });
    await simulator.act('h-checkout', 'cancel');
    return ended(payments, 'h-checkout');
  },
  async 'creation-answer-lost'({ payments, simulator }) {
    simulator.addFault({ on: 'pay', fault: 'reset-after', out_trade_no: 'h-lost' });
    await payments.pay({ ...ORDER, out_trade_no: 'h-lost' });
    await simulator.pay('h-lost');
    return ended(payments, 'h-lost');
  },
  async 'creation-made-again'({ payments, simulator }) {
    simulator.addFault({ on: 'pay', fault: 'reset-before', out_trade_no: 'h-again' });
    await payments.pay({ ...ORDER, out_trade_no: 'h-again' });
    await simulator.pay('h-again');
    return ended(payments, 'h-again');
  },
  async 'asked-again-and-rechecked'({ payments, simulator, temporal }) {
    const order = { ...ORDER, out_trade_no: 'h-again-and-again' };
    await payments.pay(order);
    await payments.pay(order);
    await payments.pay({ ...order, subject: 'Another' }).catch(() => undefined);
    const handle = temporal.client.workflow.getHandle(idOf('h-again-and-again'));
    await handle.executeUpdate('recheck');
    await simulator.act('h-again-and-again', 'refuse');
    return ended(payments, 'h-again-and-again');
  },
  async 'resolved-by-a-person'({ payments, temporal }) {
    await payments.pay({ ...ORDER, out_trade_no: 'h-resolved' });
    await temporal.client.workflow
      .getHandle(idOf('h-resolved'))
      .executeUpdate('resolve', { args: [{ outcome: 'CANCEL', reason: 'the buyer called', by: 'ana' }] });
    return ended(payments, 'h-resolved');
  },
  async 'credentials-mended'({ temporal, taskQueue }) {
    const workflowId = appAttentionWorkflowId(APP.app_id, 'credentials');
    const handle = await temporal.client.workflow.start(WORKFLOW.appAttention, {
      workflowId,
      taskQueue,
      args: [{ app_id: APP.app_id, attention: 'credentials' }],
    });
    await handle.executeUpdate('resolve', { args: [{ by: 'ana', reason: 'the key is the new one now' }] });
    await handle.result();
    return workflowId;
  },
  async 'watched-on-and-paid-late'({ payments, simulator, temporal }) {
    await payments.pay({ ...ORDER, out_trade_no: 'h-paid-late' });
    const handle = temporal.client.workflow.getHandle(idOf('h-paid-late'));
    await handle.executeUpdate('resolve', { args: [{ outcome: 'CANCEL', reason: 'the buyer called', by: 'ana' }] });
    await ended(payments, 'h-paid-late');
    const afterSale = temporal.client.workflow.getHandle(afterSaleWorkflowId(APP.app_id, 'h-paid-late'));
    await afterSale.executeUpdate('recheck');
    await simulator.pay('h-paid-late');
    await afterSale.executeUpdate('recheck');
    await afterSale.executeUpdate('resolve', { args: [{ by: 'ana', reason: 'delivered' }] });
    await afterSale.result();
    return [idOf('h-paid-late'), afterSale.workflowId];
  },
  async adopted({ payments, simulator, temporal, taskQueue }) {
    await payments.pay({ ...ORDER, out_trade_no: 'h-elsewhere' });
    const { trade_no } = simulator.trade('h-elsewhere');
    const workflowId = 'payment:adopted';
    const handle = await temporal.client.workflow.start('payment', {
      workflowId,
      taskQueue,
      args: [{ kind: 'adopt', app_id: APP.app_id, trade_no }],
    });
    await simulator.pay('h-elsewhere');
    await handle.result();
    return workflowId;
  },
  async 'refused-by-our-rules'({ temporal, taskQueue }) {
    const workflowId = idOf('h-wrong');
    const request = { ...ORDER, out_trade_no: 'h-wrong', order_amount: '0' };
    const args = [{ kind: 'direct', app_id: APP.app_id, request }];
    await temporal.client.workflow.execute('payment', { workflowId, taskQueue, args }).catch(() => undefined);
    return workflowId;
  },
  async 'refused-for-a-bare-secret'({ temporal, taskQueue }) {
    const workflowId = idOf('h-bare');
    const args = [{ kind: 'direct', app_id: APP.app_id, request: { ...ORDER, out_trade_no: 'h-bare', token: 'tok' } }];
    await temporal.client.workflow.execute('payment', { workflowId, taskQueue, args }).catch(() => undefined);
    return workflowId;
  },
};

const idOf = (out_trade_no: string) => `payment:${APP.app_id}:${out_trade_no}`;

async function ended(payments: Stack['payments'], out_trade_no: string): Promise<string> {
  await payments.outcome(out_trade_no);
  return idOf(out_trade_no);
}

// — Notifications and events —

const OTHERS: Record<string, Life> = {
  async 'stray-notification'({ client, webhookUrl }) {
    const { app_id, secret_key } = APP;
    const body = 'signed, but not JSON';
    const signature = signatureHeader(Buffer.from(body), secret_key, 'hex', Date.now());
    const headers = { 'content-type': 'application/json', 'Service-Signature': signature };
    await fetch(`${webhookUrl}/ipn/${app_id}`, { method: 'POST', body, headers });
    const digest = createHash('sha256').update(`${app_id}\n`).update(body).digest('hex');
    const handle = client.workflow.getHandle(strayNotificationWorkflowId(app_id, digest));
    await handle.executeUpdate('resolve', { args: [{ by: 'ana', reason: 'nothing of ours' }] });
    await handle.result();
    return handle.workflowId;
  },
};

/** Lives that need a handler: it refuses events, so the relay delivers them. */
const RELAYED: Record<string, Life> = {
  async 'events-relayed'(stack) {
    const { client } = stack;
    refused.add('h-relay');
    await sold(stack, 'h-relay');
    await stack.payments.refund('h-relay', REFUND);
    const afterSaleId = await afterSale(stack, 'h-relay');
    refused.delete('h-relay');
    const relayId = eventDeliveryWorkflowId(EVENT_HANDLER, idOf('h-relay'));
    await client.workflow.getHandle(relayId).result();
    return [idOf('h-relay'), afterSaleId, relayId];
  },
};

const PAYING = { ...PAYMENTS, ...ACCOUNT_LIVES, ...OTHERS };
const PAYING_SETTINGS = { PAYMENTS_ACCOUNT_CHECK_EVERY: '2s' };

export interface Recording {
  /** The folder under test/histories/kept. */
  folder: string;
  lives: Record<string, Life>;
  env: Record<string, string>;
  temporal: string[];
  onEvent?: OnEvent;
}

/** Where nobody listens, a payment and an after-sale tell no events: lives in which that changes the order of what happens. */
const ofNobody = (lives: Record<string, Life>): Record<string, Life> =>
  Object.fromEntries(Object.entries(lives).filter(([name]) => UNHEARD.includes(name)));
const UNHEARD = [
  ...['paid-told-by-notification', 'paid-found-by-polling', 'checkout-canceled', 'watched-on-and-paid-late'],
  ...['refunded-in-parts', 'late-payment-refunded'],
];

/** All lives, by the stack that each needs. */
export const RECORDINGS: readonly Recording[] = [
  { folder: 'without-handler', lives: ofNobody(AFTER_SALES), env: SETTINGS, temporal: LONG_SOON },
  {
    folder: 'with-handler',
    lives: { ...AFTER_SALES, ...RELAYED },
    env: SETTINGS,
    temporal: LONG_SOON,
    onEvent: handler,
  },
  { folder: 'without-handler', lives: ofNobody(PAYING), env: PAYING_SETTINGS, temporal: suggestedAt(SUGGESTED_AT) },
  {
    folder: 'with-handler',
    lives: PAYING,
    env: PAYING_SETTINGS,
    temporal: suggestedAt(SUGGESTED_AT),
    onEvent: handler,
  },
  { folder: 'merchant', lives: LOOKUPS, env: {}, temporal: [] },
  { folder: 'operator', lives: OPERATIONS, env: {}, temporal: [] },
  { folder: 'merchant', lives: DELIVERIES, env: NOBODY_LISTENS, temporal: [] },
];
