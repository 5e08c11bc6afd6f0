/**
 * The world of virtual accounts, as hostile as the promises allow. The merchant's calls go through the real client, requests
 * through the real gateway client, notifications through the real delivery; only time, Temporal's server and the gateway are
 * simulated.
 */
import { defaultPayloadConverter } from '@temporalio/common';
import {
  accountActivities,
  accountPolicyOf,
  gatewayActivities,
  policyActivity,
  previousRunActivities,
} from '../../../../src/activities';
import { AccountError, PaymentsClient } from '../../../../src/client';
import {
  type AfterSaleResolution,
  afterSaleWorkflowId,
  createSpeiAccountWorkflowId,
  type MerchantEvent,
  paymentWorkflowId,
  type SpeiAccountState,
  speiAccountWorkflowId,
} from '../../../../src/contract';
import { GatewayClient, type Notification } from '../../../../src/gateway';
import { MINUTE } from '../../../../src/gateway/pure/durations';
import { loadConfig } from '../../../../src/process/settings';
import type { Run } from '../../../../src/testing/simulated-temporal/run';
import type { SimulatedTemporal } from '../../../../src/testing/simulated-temporal/simulated-temporal';
import { APP, BaseWorld, inSimulation, simulationOf } from '../../hostile/base-world';
import { type GatewayTraits, HostileAccounts, type TrueDeposit } from './gateway';

/** What somebody was told. */
export type Told = { readonly at: number } & (
  | { readonly is: 'account'; readonly key: string; readonly account_id: string }
  | { readonly is: 'failure'; readonly key: string; readonly type: string; readonly message: string }
  | { readonly is: 'resolved' | 'terminated'; readonly workflowId: string; readonly by?: string }
);

/** A notification of a deposit that the webhook has taken. */
export interface Acknowledged {
  readonly at: number;
  readonly account_id: string;
  readonly out_trade_no: string;
  readonly trade_no: string;
  readonly amount: string;
  readonly status: string;
}

export interface Traits extends GatewayTraits {
  /** A whole number from 0 to n - 1. */
  pick: (n: number) => number;
  continuesAfter: number;
  childEnds_ms: number;
  cachesWorkflows: boolean;
  /** Notifications say when the buyer sent the money. */
  tellsTime: boolean;
}

/** A gateway that hides nothing and loses nothing; and the settings' defaults. */
export const PLAIN: Omit<Traits, 'pick'> = {
  ...{ lag_ms: 0, creations: [], findsBy: 'both ids', continuesAfter: 4_000, childEnds_ms: 0 },
  ...{ cachesWorkflows: true, tellsTime: true },
};

export class World extends BaseWorld {
  readonly gateway: HostileAccounts;
  readonly payments: PaymentsClient;
  readonly told: Told[] = [];
  readonly events: MerchantEvent[] = [];
  /** Acknowledged by the webhook, and so the gateway never sends it again by itself. */
  readonly acknowledged: Acknowledged[] = [];
  /** What people could find under `PaymentAttention is not null` at each look. */
  readonly attentions: { readonly at: number; readonly workflowId: string; readonly attention: string }[] = [];
  /** Whether Temporal has forgotten anything, and whether somebody had an account made again. */
  wasForgotten = false;
  hadMadeAgain = false;
  /** Workflow ids of which nothing was left. */
  private readonly forgotten = new Set<string>();

  static create(traits: Traits): Promise<World> {
    return inSimulation(simulationOf(traits), (temporal) => new World(temporal, traits));
  }

  private constructor(
    temporal: SimulatedTemporal,
    readonly traits: Traits,
  ) {
    super(temporal);
    this.gateway = new HostileAccounts({ now: () => temporal.clock.now }, traits);
    this.payments = new PaymentsClient({ client: temporal.client, app_id: APP, taskQueue: 'simulated' });
  }

  activities(): Record<string, unknown> {
    const app = { app_id: APP, secret_key: 'key', base_url: 'http://127.0.0.1:9' };
    const gateways = new Map([[APP, new GatewayClient(app, {}, this.gateway)]]);
    const notifyUrl = () => 'https://shop.example/ipn';
    return {
      ...gatewayActivities({ gateways, sealingKeys: () => [], notifyUrl }),
      ...accountActivities({ gateways, notifyUrl, policy: accountPolicyOf(loadConfig({})) }),
      ...policyActivity(loadConfig({}), true),
      ...previousRunActivities,
      'payments.onEvent': async (event: MerchantEvent) => void this.events.push(event),
    };
  }

  /** Lets time pass, in ms, and looks at what people could see. */
  async pass(ms: number): Promise<void> {
    await this.temporal.clock.pass(ms);
    for (const run of this.temporal.allRuns()) {
      const { PaymentAttention: attention } = this.temporal.attributesOf(run);
      const { workflowId } = run.start;
      if (typeof attention === 'string') this.attentions.push({ at: this.now, workflowId, attention });
    }
  }

  private idOf(account_id: string): string {
    return speiAccountWorkflowId(APP, account_id);
  }

  /** The latest run of an account that can be asked. */
  private run(account_id: string): Run | undefined {
    return this.temporal.runs(this.idOf(account_id)).findLast(({ hasBegun }) => hasBegun);
  }

  /** The account as people read it now; undefined where nobody follows it. */
  async state(account_id: string): Promise<SpeiAccountState | undefined> {
    const run = this.run(account_id);
    return run && this.within(() => this.temporal.query<SpeiAccountState>(run, 'state'));
  }

  // — Merchants —

  /** Asks for the account of a key, and takes note of the answer when it comes. */
  create(key: string): void {
    const identify = { number: 'HESO900101MDFRFF09', type: 'CURP' };
    const request = { customer: { buyer_id: key, email: 'sofia@example.com', identify } };
    this.call(async () => {
      try {
        const { account_id } = await this.payments.accounts.create(request, { key });
        this.told.push({ at: this.now, is: 'account', key, account_id });
      } catch (error) {
        const type = error instanceof AccountError ? error.name : 'another error';
        this.told.push({ at: this.now, is: 'failure', key, type, message: String(error) });
      }
    });
  }

  cancelAccount(account_id: string): void {
    this.call(async () => void (await this.payments.accounts.cancel(account_id).catch((error: unknown) => error)));
  }

  recheck(account_id: string): void {
    this.call(async () => void (await this.payments.accounts.recheck(account_id).catch((error: unknown) => error)));
  }

  // — The gateway's notifications —

  notify(
    deposit: TrueDeposit,
    status = deposit.states.at(-1)?.status ?? '',
    { times = 1, amount = deposit.amount } = {},
  ) {
    const { account_id, out_trade_no, trade_no, states } = deposit;
    const transfer_timestamp = String(Math.floor((states[0]?.at ?? this.now) / 1_000));
    const notification: Notification = {
      ...{ app_id: APP, out_trade_no, trade_no, trade_status: status, amount, currency: 'MXN', method: 'SPEI' },
      ...{ out_request_no: undefined, timestamp: undefined },
      transfer_account: {
        ...{
          account_id,
          account_number: undefined,
          provider: undefined,
          buyer_id: undefined,
          beneficiary_name: undefined,
        },
        transfer_timestamp: this.traits.tellsTime ? transfer_timestamp : undefined,
      },
    };
    const onAcknowledged = () =>
      this.acknowledged.push({ at: this.now, account_id, out_trade_no, trade_no, amount, status });
    this.post(notification, onAcknowledged, times);
  }

  // — Operators —

  /** A person has looked at whatever of the accounts waits for one. */
  async resolve(): Promise<void> {
    for (const run of this.temporal.allRuns()) {
      const { workflowId, type } = run.start;
      const { PaymentAttention: attention } = this.temporal.attributesOf(run);
      if (!run.isRunning || typeof attention !== 'string') continue;
      const said = { reason: 'looked at the dashboard', by: 'ana' };
      if (type === 'createSpeiAccount') await this.decideCreation(workflowId, said);
      else if (type === 'speiAccount') await this.isTaken(workflowId, said);
      else if (type === 'payment') await this.isTaken(workflowId, { ...said, outcome: this.dashboard(workflowId) });
      // Who names what went back elsewhere settles that question, and no other.
      else if (type === 'afterSale' && attention === 'refund-elsewhere')
        await this.isTaken(workflowId, { ...said, ...this.refundedElsewhere(workflowId) });
      else await this.isTaken(workflowId, said);
    }
  }

  /** What the gateway's dashboard says went back of a deposit: none of it by us. */
  private refundedElsewhere(workflowId: string): Pick<AfterSaleResolution, 'refunded_elsewhere'> {
    const deposit = this.gateway.deposits.find((one) => afterSaleWorkflowId(APP, one.out_trade_no) === workflowId);
    const isRefunded = deposit?.states.some(({ status }) => status.startsWith('REFUND'));
    return { refunded_elsewhere: deposit && isRefunded ? deposit.amount : '0.00' };
  }

  /** What the gateway's dashboard says of a deposit's payment. */
  private dashboard(workflowId: string): 'SUCCESS' | 'CANCEL' {
    const found = this.gateway.deposits.find((one) => paymentWorkflowId(APP, one.out_trade_no) === workflowId);
    return found?.states.some(({ status }) => status === 'SUCCESS') ? 'SUCCESS' : 'CANCEL';
  }

  /** The person finds the account in the dashboard, or has it made again. */
  private async decideCreation(workflowId: string, said: object): Promise<void> {
    const made = this.gateway.accounts.find(
      ({ buyer_id }) => createSpeiAccountWorkflowId(APP, buyer_id) === workflowId,
    );
    const isTaken = await this.isTaken(workflowId, { ...said, ...(made ? { account_id: made.account_id } : {}) });
    if (isTaken && !made) this.hadMadeAgain = true;
  }

  private async isTaken(workflowId: string, resolution: object): Promise<boolean> {
    const asked = this.temporal.update(workflowId, 'resolve', resolution);
    if (!asked) return false;
    const isTaken = await this.temporal.answerTo(asked, 10 * MINUTE).then(
      () => true,
      () => false,
    );
    if (isTaken) this.told.push({ at: this.now, is: 'resolved', workflowId });
    return isTaken;
  }

  cancelFollowing(account_id: string): void {
    if (this.run(account_id)?.isRunning) this.run(account_id)?.requestCancel('the button');
  }

  terminate(account_id: string): void {
    this.end(this.idOf(account_id));
  }

  /** Somebody ends the payment of a deposit. */
  terminatePayment({ out_trade_no }: TrueDeposit): void {
    this.end(paymentWorkflowId(APP, out_trade_no));
  }

  private end(workflowId: string): void {
    const run = this.temporal.latest(workflowId);
    if (!run?.isRunning) return;
    run.terminate();
    this.told.push({ at: this.now, is: 'terminated', workflowId });
  }

  /** The end of the retention of every run that has closed. */
  async forget(): Promise<void> {
    for (const workflowId of new Set(this.temporal.allRuns().map(({ start }) => start.workflowId))) {
      this.wasForgotten ||= this.temporal.runs(workflowId).some(({ isRunning }) => !isRunning);
      if (this.temporal.latest(workflowId)?.isRunning === false) this.forgotten.add(workflowId);
      await this.temporal.forget(workflowId);
    }
  }

  /** Whether nobody followed an account any more, and Temporal has forgotten that anybody ever did. */
  isForgotten(account_id: string): boolean {
    return this.forgotten.has(this.idOf(account_id));
  }

  /** Somebody sends a signal by hand. */
  oddSignal(account_id: string, ...args: unknown[]): void {
    const run = this.run(account_id);
    if (run?.isRunning)
      run.signal(
        'deposit',
        args.map((arg) => defaultPayloadConverter.toPayload(arg)),
      );
  }

  async killWorker(): Promise<void> {
    await this.within(() => this.temporal.killWorker());
  }

  async leaveWithoutWorker(ms: number): Promise<void> {
    this.temporal.leaveWithoutWorker(ms);
    await this.killWorker();
  }
}
