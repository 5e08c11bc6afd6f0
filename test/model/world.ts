/** The world that a model test plays in: one gateway with one trade, and everything that was ever asked of it or said. */
import { randomUUID } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { GatewayError, type Trade } from '../../src/gateway';
import { endedRun } from '../../src/runs';
import { type PaymentInput, type PaymentState, type PaymentWorkflow, paymentWorkflowId } from '../../src/workflows';
import { letPass } from '../harness/temporal';

/** How the gateway treats the next creation, in the order of the tries. */
export type Mishap = 'lost-before' | 'lost-after' | 'unreachable' | 'unavailable' | 'final-refusal' | 'created-refused';

export const AMOUNT = '150.00';

type Call =
  | { is: 'create'; answered: 'order' | 'nothing' | 'refusal'; at: number }
  | { is: 'query'; answered: 'order' | 'no such order' | 'nothing'; at: number };

/** One payment and its gateway. Times are the server's, in ms since the epoch. */
export class World {
  readonly out_trade_no = `m-${randomUUID()}`;
  /** Every state that the trade truly had. */
  readonly truth: { status: string; at: number; amount: string }[] = [];
  readonly calls: Call[] = [];
  charges = 0;
  isDown = false;
  mishaps: Mishap[] = [];
  /** Queries that come too early to find the order. */
  blindQueries = 0;

  constructor(
    readonly app_id: string,
    readonly env: TestWorkflowEnvironment,
    readonly taskQueue: string,
  ) {}

  get client(): Client {
    return this.env.client;
  }

  get workflowId(): string {
    return paymentWorkflowId(this.app_id, this.out_trade_no);
  }

  get handle(): WorkflowHandle<PaymentWorkflow> {
    return this.client.workflow.getHandle<PaymentWorkflow>(this.workflowId);
  }

  get now(): Promise<number> {
    return this.env.currentTimeMs();
  }

  get status(): string | undefined {
    return this.truth.at(-1)?.status;
  }

  get input(): PaymentInput {
    return {
      kind: 'direct',
      app_id: this.app_id,
      request: {
        out_trade_no: this.out_trade_no,
        method: 'PIX',
        order_currency: 'BRL',
        order_amount: AMOUNT,
        subject: 'Order',
        buyer_id: 'buyer',
        timeout_express: '90m',
        customer: { name: 'Mariana Souza Lima' },
      },
    };
  }

  /** Lets the server's time pass, in ms. */
  pass(ms: number): Promise<void> {
    return letPass(this.env, ms, this.handle);
  }

  async start(): Promise<void> {
    const { workflowId, taskQueue } = this;
    await this.client.workflow.start<PaymentWorkflow>('payment', { workflowId, taskQueue, args: [this.input] });
  }

  async state(): Promise<PaymentState> {
    return this.handle.query<PaymentState>('state');
  }

  /** Whether the payment's latest run has ended. */
  async isOver(): Promise<boolean> {
    return (await this.handle.describe()).status.name !== 'RUNNING';
  }

  // — What happens at the gateway —

  async move(status: string, amount = AMOUNT): Promise<void> {
    this.truth.push({ status, amount, at: await this.now });
  }

  /**
   * The webhook's part: a verified notification that says so. Done here by a plain signal, and by a start where the
   * payment is over: on this server a signal-with-start stops the clock. The webhook's own way has its tests on the real one.
   */
  async notify(status: string): Promise<void> {
    const { app_id, out_trade_no, workflowId, taskQueue } = this;
    const news = { app_id, out_trade_no, trade_no: 'T1', trade_status: status, amount: AMOUNT, currency: 'BRL' };
    if (await this.isOver()) {
      const ended = await this.handle.describe();
      if (ended.status.name === 'COMPLETED' && (await this.handle.result()).trade_status === status) return;
      const previous = await endedRun(this.client, workflowId, ended.runId);
      const adopted: PaymentInput = { kind: 'adopt', app_id, out_trade_no, trade_no: 'T1', previous };
      await this.client.workflow.start<PaymentWorkflow>('payment', { workflowId, taskQueue, args: [adopted] });
    }
    await this.handle.signal('notification', news);
  }

  // — The gateway's operations —

  async create(): Promise<Record<string, unknown>> {
    const at = await this.now;
    const said = (answered: 'order' | 'nothing' | 'refusal') => this.calls.push({ is: 'create', answered, at });
    const mishap = this.isDown ? 'unreachable' : this.mishaps.shift();
    if (mishap === 'unreachable') throw error('not-sent');
    if (mishap === 'lost-before') {
      said('nothing');
      throw error('unknown');
    }
    if (mishap === 'unavailable' || mishap === 'final-refusal') {
      said('refusal');
      throw error('not-created', mishap === 'unavailable' ? ['20000', undefined] : ['40002', 'no-method-supported']);
    }
    if (this.truth.length > 0) {
      said('refusal');
      throw error('unknown', ['40002', 'duplicate-out_trade_no']);
    }
    this.charges += 1;
    await this.move(mishap === 'created-refused' ? 'REFUSED' : 'PROCESSING');
    said(mishap === 'lost-after' ? 'nothing' : 'order');
    if (mishap === 'lost-after') throw error('unknown');
    if (mishap === 'created-refused') throw error('created-refused', ['70001', '10001']);
    return { out_trade_no: this.out_trade_no, trade_no: 'T1', trade_status: 'PROCESSING', qr_code: '000201' };
  }

  async query(): Promise<Trade> {
    const at = await this.now;
    const said = (answered: 'order' | 'no such order' | 'nothing') => this.calls.push({ is: 'query', answered, at });
    if (this.isDown) {
      said('nothing');
      throw error('unknown');
    }
    const truth = this.truth.at(-1);
    if (!truth || this.blindQueries > 0) {
      this.blindQueries = Math.max(0, this.blindQueries - 1);
      said('no such order');
      throw error('unknown', ['40002', 'trade-not-exist']);
    }
    said('order');
    const { out_trade_no } = this;
    const { status: trade_status, amount: order_amount } = truth;
    return { out_trade_no, trade_no: 'T1', trade_status, order_amount, order_currency: 'BRL', method: 'PIX' };
  }
}

function error(
  outcome: 'not-sent' | 'unknown' | 'not-created' | 'created-refused',
  [code, sub_code]: readonly [code?: string, sub_code?: string | undefined] = [],
): GatewayError {
  const retryable = code === undefined || code === '20000';
  return new GatewayError(`${outcome} (${sub_code ?? code ?? 'no answer'})`, {
    outcome,
    retryable,
    operation: '/trade/pay',
    code,
    sub_code,
  });
}
