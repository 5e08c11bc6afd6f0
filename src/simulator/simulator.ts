import Fastify, { type FastifyInstance } from 'fastify';
import type { Account } from './accounts/account';
import { Accounts, type Deposit } from './accounts/accounts';
import { SimulatorClock } from './clock';
import { controlRoutes } from './control/routes';
import {
  type AccountView,
  accountView,
  type NotificationView,
  notificationView,
  type RefundView,
  type RequestView,
  refundView,
  requestView,
  type TradeView,
  tradeView,
} from './control/views';
import { deskRoutes } from './desk/routes';
import { type Fault, type FaultOrder, Faults } from './faults/faults';
import { type DepositLedger, depositsOf, type LedgerEntry, ledgerOf } from './ledger';
import { findAccount, findRefund, findTrade, fits } from './lookup';
import { Courier } from './notifications/courier';
import type { Delivery } from './notifications/post';
import { openApiRoutes } from './openapi/routes';
import { RequestLog } from './operations/request-log';
import { gatewayRoutes } from './operations/routes';
import {
  defaultSettings,
  type GatewayApp,
  type Settings,
  type SettingsChange,
  type SimulatorOptions,
  withChange,
} from './options';
import { pageRoutes } from './page/routes';
import { type Refund, type RefundStatus, refundPageAddress } from './refunds/refund';
import { type RefundAction, Refunds } from './refunds/refunds';
import { Store } from './store';
import { duration } from './time';
import { Lifecycle } from './trades/lifecycle';
import { pageAddress } from './trades/payment-data';
import type { BankAction, BuyerAction, TradeStatus } from './trades/states';
import type { Trade } from './trades/trade';

/** Which trades, refunds, notifications or requests to show; what is left out does not matter. */
export interface Filter {
  app_id?: string | undefined;
  out_trade_no?: string | undefined;
  trade_no?: string | undefined;
}

// What a request to the gateway may be long; orders are a few hundred bytes.
const LONGEST_BODY = 256 * 1024;

/**
 * A running payment gateway. Its methods do what the control API under `/simulator/` does; trades are named by
 * `trade_no` or by `out_trade_no`.
 */
export class Simulator {
  /** The gateway's time. Move it with {@link Simulator.advance}. */
  readonly clock: SimulatorClock;
  readonly #server: FastifyInstance;
  readonly #store: Store;
  readonly #lifecycle: Lifecycle;
  readonly #courier: Courier;
  readonly #refunds: Refunds;
  readonly #accounts: Accounts;
  readonly #faults = new Faults();
  readonly #requests = new RequestLog();
  readonly #closing = new AbortController();
  readonly #apps: readonly GatewayApp[];
  readonly #publicUrl: string | undefined;
  #settings: Settings;
  #url = '';
  #closed: Promise<void> | undefined;

  private constructor(options: SimulatorOptions, clock: SimulatorClock, store: Store) {
    const { apps, log = () => undefined } = options;
    this.clock = clock;
    this.#apps = apps;
    this.#store = store;
    this.#settings = withChange(defaultSettings, options);
    this.#publicUrl = options.publicUrl?.replace(/\/+$/, '');
    const publicUrl = () => this.publicUrl;
    const settings = () => this.#settings;
    this.#courier = new Courier({ store, clock, faults: this.#faults, apps, settings, log });
    const announce = this.#courier.announce.bind(this.#courier);
    this.#lifecycle = new Lifecycle({ store, clock, settings, publicUrl, log, announce });
    this.#refunds = new Refunds({ store, clock, settings, lifecycle: this.#lifecycle });
    this.#accounts = new Accounts({ store, clock, settings, lifecycle: this.#lifecycle, log });
    this.#server = newServer();
    gatewayRoutes(this.#server, {
      apps,
      faults: this.#faults,
      requests: this.#requests,
      closing: this.#closing.signal,
      hurry: (trade) => this.#courier.hurry(trade),
      gateway: () => ({
        store,
        clock,
        lifecycle: this.#lifecycle,
        refunds: this.#refunds,
        accounts: this.#accounts,
        settings: this.#settings,
        publicUrl: this.publicUrl,
      }),
    });
    pageRoutes(this.#server, { store, lifecycle: this.#lifecycle, refunds: this.#refunds, publicUrl });
    openApiRoutes(this.#server, settings);
    const allowRemote = options.allowRemoteControl ?? false;
    this.#server.register(controlRoutes, { prefix: '/simulator', simulator: this, allowRemote });
    this.#server.register(deskRoutes, { prefix: '/simulator/desk', simulator: this, allowRemote });
  }

  /** Starts a simulator; {@link startSimulator} is its public name. */
  static async start(options: SimulatorOptions): Promise<Simulator> {
    const clock = options.clock instanceof SimulatorClock ? options.clock : new SimulatorClock(options.clock);
    const store = await Store.open(options.dataFile, clock);
    const simulator = new Simulator(options, clock, store);
    const address = await simulator.#server.listen({ host: options.host ?? '127.0.0.1', port: options.port ?? 0 });
    simulator.#url = address;
    // Only now are there addresses to put into payment data, so only now may time pass.
    simulator.#lifecycle.resume();
    simulator.#refunds.resume();
    simulator.#courier.resume();
    return simulator;
  }

  /** The gateway's base address: what a client takes as `base_url`. */
  get url(): string {
    return this.#url;
  }

  /** The address that buyers' browsers reach. */
  get publicUrl(): string {
    return this.#publicUrl ?? this.#url;
  }

  /** The operator's desk, a page. */
  get deskUrl(): string {
    return `${this.publicUrl}/simulator/desk`;
  }

  /** The OpenAPI document of this simulator. */
  get openApiUrl(): string {
    return `${this.publicUrl}/openapi.json`;
  }

  /** The ids of the applications that may call. */
  get apps(): string[] {
    return this.#apps.map(({ app_id }) => app_id);
  }

  /** Stops everything: no timer, no socket and no unwritten trade is left. */
  close(): Promise<void> {
    this.#closed ??= this.#shutDown();
    return this.#closed;
  }

  /** All trades, oldest first, or those that a filter leaves. */
  trades(filter: Filter & { trade_status?: TradeStatus | undefined } = {}): TradeView[] {
    return [...this.#store.trades()].filter((trade) => fits(trade, filter)).map((trade) => this.#view(trade));
  }

  /** One trade. */
  trade(no: string): TradeView {
    return this.#view(this.#find(no));
  }

  /** The buyer submits: INITIAL becomes PROCESSING. A checkout that left the method open takes one here. */
  submit(no: string, choice: { method?: string | undefined } = {}): Promise<TradeView> {
    return this.act('submit', no, choice);
  }

  /** The buyer pays (and submits before that, where it was not yet). */
  pay(no: string, choice: { method?: string | undefined } = {}): Promise<TradeView> {
    return this.act('pay', no, choice);
  }

  /** The bank refuses the payment. */
  refuse(no: string, choice: { method?: string | undefined } = {}): Promise<TradeView> {
    return this.act('refuse', no, choice);
  }

  /** The buyer gives up. */
  cancel(no: string, choice: { method?: string | undefined } = {}): Promise<TradeView> {
    return this.act('cancel', no, choice);
  }

  /** Risk control takes the payment for a look; cards only. */
  risk(no: string, choice: { method?: string | undefined } = {}): Promise<TradeView> {
    return this.act('risk', no, choice);
  }

  /** Any of the buyer's actions by name. Rejects with a sentence where the trade's state does not allow it. */
  async act(action: BuyerAction, no: string, { method }: { method?: string | undefined } = {}): Promise<TradeView> {
    const trade = this.#find(no);
    if (method !== undefined) this.#lifecycle.chooseMethod(trade, method);
    this.#lifecycle.act(trade, action);
    await this.#store.save();
    return this.#view(trade);
  }

  /** The buyer disputes a paid trade. */
  dispute(no: string): Promise<TradeView> {
    return this.bankAct('dispute', no);
  }

  /** The bank takes the money back. */
  chargeback(no: string): Promise<TradeView> {
    return this.bankAct('chargeback', no);
  }

  /** A chargeback is reversed; soon after, the trade is SUCCESS again and nobody is told. */
  reverseChargeback(no: string): Promise<TradeView> {
    return this.bankAct('reverse-chargeback', no);
  }

  /** The bank gives all that is left back, unasked: REFUNDED at once. */
  forceRefund(no: string): Promise<TradeView> {
    return this.bankAct('force-refund', no);
  }

  /** Any of the bank's actions by name. Rejects with a sentence where the trade's state does not allow it. */
  async bankAct(action: BankAction, no: string): Promise<TradeView> {
    const trade = this.#find(no);
    if (action === 'force-refund') this.#refunds.force(trade);
    else this.#lifecycle.bankAct(trade, action);
    await this.#store.save();
    return this.#view(trade);
  }

  /** Refunds, oldest first, or those that a filter leaves. */
  refunds(
    filter: Filter & { out_request_no?: string | undefined; refund_status?: RefundStatus | undefined } = {},
  ): RefundView[] {
    return [...this.#store.refunds()].filter((one) => fits(one, filter)).map((one) => this.#refundView(one));
  }

  /** One refund: by `refund_id`, by `out_request_no`, or the latest of a trade. So for all that follow. */
  refund(no: string): RefundView {
    return this.#refundView(findRefund(no, this.#store, this.#apps));
  }

  /** The buyer names an account: REFUND_VERIFYING becomes REFUND_PROCESSING. */
  confirmRefund(no: string): Promise<RefundView> {
    return this.refundAct('confirm', no);
  }

  /** The refund is done. */
  approveRefund(no: string): Promise<RefundView> {
    return this.refundAct('approve', no);
  }

  /** The bank refuses the refund. */
  refuseRefund(no: string): Promise<RefundView> {
    return this.refundAct('refuse', no);
  }

  /** The refund is canceled; soon after, the trade is SUCCESS again and nobody is told. */
  revokeRefund(no: string): Promise<RefundView> {
    return this.refundAct('revoke', no);
  }

  /** Any action on a refund by name. Rejects with a sentence where the refund's state does not allow it. */
  async refundAct(action: RefundAction, no: string): Promise<RefundView> {
    const refund = findRefund(no, this.#store, this.#apps);
    this.#refunds.act(refund, action);
    await this.#store.save();
    return this.#refundView(refund);
  }

  /** Virtual accounts, oldest first, or those that a filter leaves. */
  accounts(
    filter: { app_id?: string | undefined; buyer_id?: string | undefined; status?: Account['status'] | undefined } = {},
  ): AccountView[] {
    return [...this.#store.accounts()].filter((one) => fits(one, filter)).map((one) => this.#accountView(one));
  }

  /** One virtual account, by `account_id` or `account_number`. So for all that follow. */
  account(no: string): AccountView {
    return this.#accountView(findAccount(no, this.#store));
  }

  /** How many virtual accounts an app may still open. */
  availableAccounts(appId: string): number {
    return this.#accounts.available(appId);
  }

  /** Cancels a virtual account elsewhere than through the merchant's own request. */
  async cancelAccount(no: string): Promise<AccountView> {
    const account = findAccount(no, this.#store);
    this.#accounts.cancel(account);
    await this.#store.save();
    return this.#accountView(account);
  }

  /** Money comes into a virtual account: a SUCCESS order, and its notification. The amount is an exact decimal text. */
  async deposit(no: string, deposit: string | Deposit): Promise<TradeView> {
    const account = findAccount(no, this.#store);
    const trade = this.#accounts.deposit(account, typeof deposit === 'string' ? { amount: deposit } : deposit);
    await this.#store.save();
    return this.#view(trade);
  }

  /** What came into a virtual account. */
  deposits(no: string): DepositLedger {
    return depositsOf(findAccount(no, this.#store).account_id, this.#store);
  }

  /** What became of every order in money: charges and refunds, exact. */
  ledger(filter: { app_id?: string | undefined; out_trade_no?: string | undefined } = {}): LedgerEntry[] {
    return ledgerOf(this.#store).filter((entry) => fits(entry, filter));
  }

  /** Sends the merchant a lie about a trade's state, signed with another key. Resolves with what the merchant answered. */
  forge(no: string, trade_status: TradeStatus = 'SUCCESS'): Promise<Delivery> {
    return this.#courier.forge(this.#find(no), trade_status);
  }

  /** The dashboard's callback button: notifies the present state once, now. Resolves when the attempt was made. */
  async notify(no: string): Promise<NotificationView> {
    return notificationView(await this.#courier.callback(this.#find(no)));
  }

  /** Switches one trade's own notifications off or on; the callback button still works. */
  async setNotifications(no: string, enabled: boolean): Promise<TradeView> {
    const trade = this.#find(no);
    trade.notifications = enabled;
    await this.#store.save();
    return this.#view(trade);
  }

  /** Notifications with all their attempts, oldest first. */
  notifications(filter: Filter = {}): NotificationView[] {
    return [...this.#store.notifications()].filter((one) => fits(one, filter)).map(notificationView);
  }

  /** Requests that the gateway's operations received, oldest first; of this process only. */
  requests(filter: Filter & { path?: string | undefined } = {}): RequestView[] {
    return this.#requests
      .entries()
      .filter((entry) => fits(entry, filter))
      .map(requestView);
  }

  /** Sets a fault to strike. */
  addFault(fault: FaultOrder): Fault {
    return this.#faults.add(fault);
  }

  /** The faults that were set, and how often each struck. */
  faults(): Fault[] {
    return this.#faults.list();
  }

  /** Takes all faults away. */
  clearFaults(): void {
    this.#faults.clear();
  }

  /** The settings in force. */
  get settings(): Settings {
    return { ...this.#settings };
  }

  /** Changes settings from now on. */
  configure(change: SettingsChange): Settings {
    this.#settings = withChange(this.#settings, change);
    return this.settings;
  }

  /** Moves the clock by milliseconds or `2h`, and resolves when all that came due was done, notifications included. */
  advance(by: number | string): Promise<void> {
    return this.clock.advance(duration(by));
  }

  /** Resolves when nothing is due or under way, so that a test need not wait for a notification. */
  settled(): Promise<void> {
    return this.clock.settled();
  }

  async #shutDown(): Promise<void> {
    this.#closing.abort();
    this.#lifecycle.close();
    this.#refunds.close();
    await this.#courier.close();
    await this.#server.close();
    await this.#store.save();
  }

  #view(trade: Trade): TradeView {
    return tradeView(trade, pageAddress(this.publicUrl, trade.trade_no));
  }

  #refundView(refund: Refund): RefundView {
    return refundView(refund, refundPageAddress(this.publicUrl, refund.refund_id));
  }

  #accountView(account: Account): AccountView {
    return accountView(account, depositsOf(account.account_id, this.#store));
  }

  #find(no: string): Trade {
    return findTrade(no, this.#store, this.#apps);
  }
}

function newServer(): FastifyInstance {
  const server = Fastify({
    bodyLimit: LONGEST_BODY,
    requestTimeout: 30_000,
    // A client's idle connection must not hold up close(), nor jest.
    forceCloseConnections: true,
  });
  // Bodies stay bytes: each room reads its own kind, and the gateway's amounts need more digits than JSON.parse keeps.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  server.get('/healthz', () => ({ status: 'ok' }));
  return server;
}
