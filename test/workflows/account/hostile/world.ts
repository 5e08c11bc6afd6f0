/**
 * The world of virtual accounts, as hostile as the promises allow. The merchant's calls go through the real client, requests
 * through the real gateway client, notifications through the real delivery; only time, Temporal's server and the gateway are
 * simulated.
 */
import {
  type AfterSaleResolution,
  afterSaleWorkflowId,
  createSpeiAccountWorkflowId,
  paymentWorkflowId,
  type SpeiAccountState,
  shownOf,
  speiAccountWorkflowId,
} from '../../../../src/contract';
import type { Notification } from '../../../../src/gateway';
import type { SimulatedTemporal } from '../../../../src/testing/simulated-temporal/simulated-temporal';
import type { WorkflowRun } from '../../../../src/testing/simulated-temporal/workflow-run';
import { APP, BaseWorld, inSimulation, PLAIN_WORLD, type WorldTraits } from '../../hostile/base-world';
import type { Trade } from '../../hostile/gateway';

/** What somebody was told. */
export type Told = { readonly at: number } & (
  | { readonly is: 'account'; readonly key: string; readonly account_id: string }
  | { readonly is: 'failure'; readonly key: string; readonly type: string; readonly message: string }
  | { readonly is: 'resolved' | 'terminated'; readonly workflowId: string; readonly by?: string }
);

export interface Traits extends WorldTraits {
  /** Notifications say when the buyer sent the money. */
  tellsTime: boolean;
  /** The workers' settings that are not the defaults. */
  settings: Record<string, string>;
}

/** A gateway that hides nothing and loses nothing; and the settings' defaults. */
const PLAIN: Traits = { ...PLAIN_WORLD, shows: 'the first', tellsTime: true, settings: {} };

export class World extends BaseWorld<Traits, Told> {
  /** Whether Temporal has forgotten anything, and whether somebody had an account made again. */
  wasForgotten = false;
  hadMadeAgain = false;
  /** Workflow ids of which nothing was left. */
  private readonly forgotten = new Set<string>();

  static create(changed: Partial<Traits> = {}): Promise<World> {
    return inSimulation({ ...PLAIN, ...changed }, (temporal, traits) => new World(temporal, traits));
  }

  private constructor(temporal: SimulatedTemporal, traits: Traits) {
    super(temporal, traits);
    // The account that most deposits go to was made elsewhere.
    this.gateway.makeAccount('elsewhere');
  }

  protected override get settings(): Record<string, string> {
    return this.traits.settings;
  }

  private idOf(account_id: string): string {
    return speiAccountWorkflowId(APP, account_id);
  }

  /** The latest run of an account that can be asked. */
  private run(account_id: string): WorkflowRun | undefined {
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
        this.told.push({ ...this.failure(error), key });
      }
    });
  }

  cancelAccount(account_id: string): void {
    this.call(async () => void (await this.payments.accounts.cancel(account_id).catch((error: unknown) => error)));
  }

  recheck(account_id: string): void {
    this.call(async () => void (await this.payments.accounts.recheck(account_id).catch((error: unknown) => error)));
  }

  protected override transferTo({ account_id, states }: Trade): Notification['transfer_account'] {
    const sent = String(Math.floor((states[0]?.at ?? this.now) / 1_000));
    const nothing = undefined;
    return {
      ...{ account_id, account_number: nothing, provider: nothing, buyer_id: nothing, beneficiary_name: nothing },
      transfer_timestamp: this.traits.tellsTime ? sent : nothing,
    };
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
      else if (type === 'speiAccount')
        await this.isTaken(workflowId, { ...said, seen: await this.shownOn(workflowId) });
      else if (type === 'payment') await this.isTaken(workflowId, { ...said, outcome: this.dashboard(workflowId) });
      // Who names what went back elsewhere settles that question, and no other.
      else if (type === 'afterSale' && attention === 'refund-elsewhere')
        await this.isTaken(workflowId, { ...said, ...this.refundedElsewhere(workflowId) });
      else await this.isTaken(workflowId, said);
    }
  }

  /** What the page of an account asks its reader to name. */
  private async shownOn(workflowId: string): Promise<string | undefined> {
    const state = await this.state(workflowId.slice(speiAccountWorkflowId(APP, '').length));
    return shownOf(state?.unseen ?? []);
  }

  /** What the gateway's dashboard says went back of a deposit: none of it by us. */
  private refundedElsewhere(workflowId: string): Pick<AfterSaleResolution, 'refunded_elsewhere'> {
    const deposit = this.gateway.trades.find((one) => afterSaleWorkflowId(APP, one.out_trade_no) === workflowId);
    const isRefunded = deposit?.states.some(({ status }) => status.startsWith('REFUND'));
    return { refunded_elsewhere: deposit && isRefunded ? deposit.amount : '0.00' };
  }

  /** What the gateway's dashboard says of a deposit's payment. */
  private dashboard(workflowId: string): 'SUCCESS' | 'CANCEL' {
    const found = this.gateway.trades.find((one) => paymentWorkflowId(APP, one.out_trade_no) === workflowId);
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

  protected override async isTaken(workflowId: string, resolution: object): Promise<boolean> {
    const isTaken = await super.isTaken(workflowId, resolution);
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
  terminatePayment({ out_trade_no }: Trade): void {
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

  oddSignal(account_id: string, ...args: unknown[]): void {
    this.signal(this.run(account_id), 'deposit', args);
  }
}
