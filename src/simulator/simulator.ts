import type { DepositOptions } from './accounts/accounts';
import type { SimulatorClock } from './clock';
import type { Fault, FaultOrder } from './faults/faults';
import { type AccountLedger, depositsOf, type LedgerEntry, ledgerOf } from './ledger';
import { accountNamed, fitting, refundNamed, tradeNamed } from './lookup';
import type { DeliveryResult, RefundRecord, TradeRecord, TradeState, VirtualAccount } from './records';
import { refundPageAddress } from './refunds/refunds';
import { type Settings, type SettingsChange, withChange } from './settings';
import type { SimulatedGateway } from './simulated-gateway';
import { duration } from './time';
import { checkoutAddress } from './trades/payment-data';
import type { RefundAction, TradeAction } from './trades/steps';
import * as views from './views';

/**
 * A running payment gateway. Its methods do what the control API under `/simulator/` does. A trade is named by its
 * `trade_no` or `out_trade_no`, a refund by its `refund_id`, its `out_request_no` or its trade (the latest refund), an
 * account by its `account_id` or `account_number`. Methods reject with {@link UnknownRecord} if there is none, and with
 * {@link IllegalAction} if its state does not allow the action.
 */
export class Simulator {
  #closed: Promise<void> | undefined;

  /** Use `startSimulator`. `stop` ends everything that runs. */
  constructor(
    private readonly gateway: SimulatedGateway,
    private readonly stop: () => Promise<void>,
  ) {}

  /** The gateway's time. */
  get clock(): SimulatorClock {
    return this.gateway.clock;
  }

  /** The gateway's base address: the `base_url` of a client. */
  get url(): string {
    return this.gateway.url;
  }

  /** The address that buyers' browsers reach. */
  get publicUrl(): string {
    return this.gateway.publicUrl;
  }

  /** The address of the operator's desk, a page. */
  get deskUrl(): string {
    return `${this.publicUrl}/simulator/desk`;
  }

  /** The address of the OpenAPI document. */
  get openApiUrl(): string {
    return `${this.publicUrl}/openapi.json`;
  }

  /** The ids of the applications that may call. */
  get apps(): string[] {
    return this.gateway.apps.map(({ app_id }) => app_id);
  }

  /** Stops timers and sockets, and writes the data file. */
  close(): Promise<void> {
    this.#closed ??= this.stop();
    return this.#closed;
  }

  /** The trades that fit a filter, oldest first. */
  trades(filter: views.Filter<'trades'> = {}): views.TradeView[] {
    return fitting(this.gateway.store.trades.values(), filter).map((trade) => this.#trade(trade));
  }

  /** One trade. */
  trade(no: string): views.TradeView {
    return this.#trade(tradeNamed(no, this.gateway));
  }

  /** Carries out an action on a trade. A checkout that left the method to the buyer takes one here. */
  async act(
    no: string,
    action: TradeAction,
    { method }: { method?: string | undefined } = {},
  ): Promise<views.TradeView> {
    const { lifecycle, refunds } = this.gateway;
    const trade = tradeNamed(no, this.gateway);
    if (method !== undefined) lifecycle.chooseMethod(trade, method);
    if (action === 'force-refund') refunds.force(trade);
    else lifecycle.act(trade, action);
    return this.#saved(() => this.#trade(trade));
  }

  /** The buyer pays: the action that most tests need. */
  pay(no: string, choice: { method?: string | undefined } = {}): Promise<views.TradeView> {
    return this.act(no, 'pay', choice);
  }

  /** Switches the notifications of one trade off or on. The callback button still works. */
  async setNotifications(no: string, enabled: boolean): Promise<views.TradeView> {
    const trade = tradeNamed(no, this.gateway);
    trade.notifications = enabled;
    return this.#saved(() => this.#trade(trade));
  }

  /** The refunds that fit a filter, oldest first. */
  refunds(filter: views.Filter<'refunds'> = {}): views.RefundView[] {
    return fitting(this.gateway.store.refunds.values(), filter).map((refund) => this.#refund(refund));
  }

  /** One refund. */
  refund(no: string): views.RefundView {
    return this.#refund(refundNamed(no, this.gateway));
  }

  /** Carries out an action on a refund. */
  async actOnRefund(no: string, action: RefundAction): Promise<views.RefundView> {
    const refund = refundNamed(no, this.gateway);
    this.gateway.refunds.act(refund, action);
    return this.#saved(() => this.#refund(refund));
  }

  /** The virtual accounts that fit a filter, oldest first. */
  accounts(filter: views.Filter<'accounts'> = {}): views.AccountView[] {
    return fitting(this.gateway.store.accounts.values(), filter).map((account) => this.#account(account));
  }

  /** One virtual account. */
  account(no: string): views.AccountView {
    return this.#account(accountNamed(no, this.gateway));
  }

  /** How many virtual accounts an app may still open. */
  availableAccounts(appId: string): number {
    return this.gateway.accounts.available(appId);
  }

  /** Cancels a virtual account without a request of the merchant. */
  async cancelAccount(no: string): Promise<views.AccountView> {
    const account = accountNamed(no, this.gateway);
    this.gateway.accounts.cancel(account);
    return this.#saved(() => this.#account(account));
  }

  /**
   * Money comes into a virtual account: a trade that is SUCCESS, and its notification. The amount is a decimal text.
   * Rejects with a RangeError if it is not.
   */
  async deposit(no: string, deposit: string | DepositOptions): Promise<views.TradeView> {
    const options = typeof deposit === 'string' ? { amount: deposit } : deposit;
    const trade = this.gateway.accounts.deposit(accountNamed(no, this.gateway), options);
    return this.#saved(() => this.#trade(trade));
  }

  /** The deposits of a virtual account. */
  deposits(no: string): AccountLedger {
    return depositsOf(accountNamed(no, this.gateway).account_id, this.gateway.store);
  }

  /** The money of every order: charges and refunds, exact. */
  ledger(filter: views.Filter<'ledger'> = {}): LedgerEntry[] {
    return fitting(ledgerOf(this.gateway.store), filter);
  }

  /** Sends a false state of a trade to the merchant, signed with another key. Resolves with the merchant's answer. */
  async forge(no: string, trade_status: TradeState = 'SUCCESS'): Promise<DeliveryResult> {
    return this.gateway.notifications.forge(tradeNamed(no, this.gateway), trade_status);
  }

  /** The dashboard's callback button: one notification of the present state, now. Resolves when it was attempted. */
  async notify(no: string): Promise<views.NotificationView> {
    return views.notificationView.parse(await this.gateway.notifications.callback(tradeNamed(no, this.gateway)));
  }

  /** The notifications that fit a filter, with all their attempts, oldest first. */
  notifications(filter: views.Filter<'notifications'> = {}): views.NotificationView[] {
    const { store } = this.gateway;
    return fitting(store.notifications.values(), filter).map((one) => views.notificationView.parse(one));
  }

  /** The requests that this process received for the gateway's operations, oldest first. */
  requests(filter: views.Filter<'requests'> = {}): views.RequestView[] {
    return fitting(this.gateway.requests, filter).map((one) => views.requestView.parse(one));
  }

  /** Sets a fault. Throws a ZodError if it makes no sense. */
  addFault(fault: FaultOrder): Fault {
    return this.gateway.faults.add(fault);
  }

  /** The faults that are set, and how often each struck. */
  faults(): Fault[] {
    return this.gateway.faults.list();
  }

  /** Removes all faults. Returns those that are left: none. */
  clearFaults(): Fault[] {
    this.gateway.faults.clear();
    return this.faults();
  }

  /** The settings in force. */
  get settings(): Settings {
    return { ...this.gateway.settings };
  }

  /** Changes settings. Throws a ZodError if a value is wrong. */
  configure(change: SettingsChange): Settings {
    this.gateway.settings = withChange(this.gateway.settings, change);
    return this.settings;
  }

  /** Moves the clock by milliseconds or a text such as `2h`. Resolves when all that became due is done. */
  advance(by: number | string): Promise<void> {
    return this.clock.advance(duration(by));
  }

  /** Resolves when nothing is due or under way: a test need not wait for a notification. */
  settled(): Promise<void> {
    return this.clock.settled();
  }

  async #saved<View>(show: () => View): Promise<View> {
    await this.gateway.store.save();
    return show();
  }

  #trade(trade: TradeRecord): views.TradeView {
    return views.tradeView.parse({ ...trade, page_url: checkoutAddress(this.publicUrl, trade.trade_no) });
  }

  #refund(refund: RefundRecord): views.RefundView {
    return views.refundView.parse({ ...refund, page_url: refundPageAddress(this.publicUrl, refund.refund_id) });
  }

  #account(account: VirtualAccount): views.AccountView {
    return views.accountView.parse({ ...account, deposits: depositsOf(account.account_id, this.gateway.store) });
  }
}
