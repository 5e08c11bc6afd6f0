/** One after-sale on a server whose time is skipped, with a gateway of its own. */
import { randomUUID } from 'node:crypto';
import { type Client, WorkflowFailedError } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { eventActivity, gatewayActivities, type OnEvent, policyActivity } from '../../src/activities';
import { withRefunds } from '../../src/activities/memory';
import { loadConfig } from '../../src/config';
import type { AfterSaleState, AfterSaleWorkflow, RefundAnswer, RefundOrder } from '../../src/workflows';
import { workflowBundle } from '../harness/stack';
import { letPass, timeSkippingServer } from '../harness/temporal';
import { RefundingGateway } from './world';

const APP = 'app';

export interface SaleOptions {
  settings?: Record<string, string>;
  onEvent?: OnEvent;
}

export class Sale {
  readonly out_trade_no = `sale-${randomUUID()}`;
  readonly gateway: RefundingGateway;
  /** What the run before knew last. */
  former: AfterSaleState | null = null;
  private run = '';

  constructor(
    readonly env: TestWorkflowEnvironment,
    private readonly taskQueue: string,
  ) {
    this.gateway = new RefundingGateway(() => env.currentTimeMs());
  }

  get client(): Client {
    return this.env.client;
  }

  get workflowId(): string {
    return `after-sale:${APP}:${this.out_trade_no}`;
  }

  get handle() {
    return this.client.workflow.getHandle<AfterSaleWorkflow>(this.workflowId);
  }

  /** Opens it where it does not run, as a client's update-with-start does. */
  async open(): Promise<void> {
    if (this.run !== '' && (await this.isRunning())) return;
    if (this.run !== '') this.former = await this.handle.result().catch(() => this.former);
    const { workflowId, taskQueue, out_trade_no } = this;
    const started = await this.client.workflow.start<AfterSaleWorkflow>('afterSale', {
      workflowId,
      taskQueue,
      args: [{ app_id: APP, out_trade_no }],
    });
    this.run = started.firstExecutionRunId;
  }

  async isRunning(): Promise<boolean> {
    return (await this.handle.describe()).status.name === 'RUNNING';
  }

  /** Asks for a refund; the answer comes as the server's time passes. */
  async ask(
    refund_amount: string,
    more: Partial<RefundOrder> = {},
  ): Promise<{ answer: Promise<RefundAnswer | Error> }> {
    await this.open();
    const order: RefundOrder = {
      refund_amount,
      refund_currency: 'BRL',
      user_info: { email: 'a@example.com' },
      ...more,
    };
    const update = await this.handle
      .startUpdate<RefundAnswer, [RefundOrder]>('refund', { args: [order], waitForStage: 'ACCEPTED' })
      .catch(asError);
    if (update instanceof Error) return { answer: Promise.resolve(update) };
    return { answer: update.result().catch(asError) };
  }

  async terminate(): Promise<void> {
    this.former = await this.state();
    await this.handle.terminate('a test');
  }

  pass(ms: number): Promise<void> {
    return letPass(this.env, ms, this.handle);
  }

  state(): Promise<AfterSaleState> {
    return this.handle.query<AfterSaleState>('state');
  }
}

export async function withSale<T>(
  live: (sale: Sale) => Promise<T>,
  { settings = {}, onEvent }: SaleOptions = {},
): Promise<T> {
  const env = await timeSkippingServer();
  try {
    const taskQueue = `sales-${randomUUID()}`;
    const sale = new Sale(env, taskQueue);
    const { gateway } = sale;
    const none = () => Promise.reject(new Error('no orders here'));
    const fake = {
      pay: none,
      createCheckout: none,
      query: () => gateway.query(),
      refund: (r: unknown) => gateway.refund(r),
    };
    const worker = await Worker.create({
      connection: env.nativeConnection,
      taskQueue,
      workflowBundle: await workflowBundle(),
      activities: {
        ...gatewayActivities({ gateways: new Map([[APP, fake]]), sealingKeys: () => [], notifyUrl: undefined }),
        ...policyActivity(loadConfig(settings), onEvent !== undefined),
        ...(onEvent ? eventActivity(onEvent) : {}),
        // This server keeps no lists: the run before is told by the test.
        'payments.knownBefore': async () => ({
          method: 'CreditCard',
          previous: sale.former && (await withRefunds(env.client, sale.former, APP)),
        }),
      },
    });
    return await worker.runUntil(live(sale));
  } finally {
    await env.teardown();
  }
}

function asError(error: unknown): Error {
  if (error instanceof WorkflowFailedError) return error;
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error ? cause : error instanceof Error ? error : new Error(String(error));
}
