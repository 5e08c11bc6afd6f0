/** One after-sale on the simulated Temporal, with a gateway that refunds: months take moments. */
import { randomUUID } from 'node:crypto';
import { type Client, WorkflowFailedError } from '@temporalio/client';
import type { OnEvent } from '../../../src/activities';
import {
  type AfterSaleState,
  type AfterSaleWorkflow,
  afterSaleWorkflowId,
  type RefundAnswer,
  type RefundOrder,
} from '../../../src/contract';
import { FakeGateway } from '../../../src/testing/fake-gateway/fake-gateway';
import type { FakeTrade } from '../../../src/testing/fake-gateway/fake-trade';
import { SimulatedEnvironment } from '../../../src/testing/simulated-temporal/environment';
import { APP } from '../../../src/testing/stack';
import { fakeWorkerActivities } from '../../../src/testing/worker-activities';

export interface SaleOptions {
  settings?: Record<string, string>;
  onEvent?: OnEvent;
  /** See SimulatedEnvironmentOptions. */
  cachesWorkflows?: boolean;
  suggestsContinueAsNewAfter?: number;
}

export class Sale {
  readonly out_trade_no = `sale-${randomUUID()}`;

  constructor(
    readonly env: SimulatedEnvironment,
    readonly gateway: FakeGateway,
  ) {}

  /** The trade at the gateway: 150.00 BRL by card, paid. */
  get trade(): FakeTrade {
    const trade = this.gateway.trades.get(this.out_trade_no);
    if (!trade) throw new Error('The gateway has no such trade');
    return trade;
  }

  get client(): Client {
    return this.env.client;
  }

  get workflowId(): string {
    return afterSaleWorkflowId(APP.app_id, this.out_trade_no);
  }

  get handle() {
    return this.client.workflow.getHandle<AfterSaleWorkflow>(this.workflowId);
  }

  /** Opens it where it does not run, as a client's update-with-start does. */
  async open(): Promise<void> {
    await this.client.workflow.start<AfterSaleWorkflow>('afterSale', {
      workflowId: this.workflowId,
      taskQueue: 'simulated',
      args: [{ app_id: APP.app_id, out_trade_no: this.out_trade_no }],
      workflowIdConflictPolicy: 'USE_EXISTING',
    });
  }

  async isRunning(): Promise<boolean> {
    return (await this.handle.describe()).status.name === 'RUNNING';
  }

  /** Asks for a refund, without an amount for all that is left; the answer comes as time passes. */
  async ask(refund_amount?: string, more: RefundOrder = {}): Promise<{ answer: Promise<RefundAnswer | Error> }> {
    await this.open();
    const part = refund_amount === undefined ? {} : { refund_amount };
    const order: RefundOrder = { ...part, user_info: { email: 'a@example.com' }, ...more };
    const update = await this.handle
      .startUpdate<RefundAnswer, [RefundOrder]>('refund', { args: [order], waitForStage: 'ACCEPTED' })
      .catch(asError);
    if (update instanceof Error) return { answer: Promise.resolve(update) };
    return { answer: update.result().catch(asError) };
  }

  /** The gateway notifies the trade so, and the webhook has taken it. */
  notify(said: { trade_status: string; out_request_no?: string }): Promise<void> {
    const ids = { app_id: APP.app_id, out_trade_no: this.out_trade_no, trade_no: this.trade.trade_no };
    return this.handle.signal('notification', { ...ids, ...said });
  }

  pass(ms: number): Promise<void> {
    return this.env.sleep(ms);
  }

  state(): Promise<AfterSaleState> {
    return this.handle.query<AfterSaleState>('state');
  }
}

const open = new Set<SimulatedEnvironment>();
afterEach(async () => {
  for (const env of open) await env.teardown();
  open.clear();
});

/** A sale in a simulation that lasts until the end of the test. */
export async function newSale({
  settings = {},
  onEvent,
  cachesWorkflows = true,
  ...simulated
}: SaleOptions = {}): Promise<Sale> {
  const env = await SimulatedEnvironment.create({ cachesWorkflows, ...simulated });
  open.add(env);
  const gateway = new FakeGateway(() => env.currentTimeMs());
  const sale = new Sale(env, gateway);
  await gateway.addTrade(sale.out_trade_no, { method: 'CreditCard' });
  env.work(fakeWorkerActivities({ app_id: APP.app_id, gateway, env: settings, onEvent }));
  return sale;
}

function asError(error: unknown): Error {
  if (error instanceof WorkflowFailedError) return error;
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error ? cause : error instanceof Error ? error : new Error(String(error));
}
