import Fastify, { type FastifyInstance } from 'fastify';
import { SimulatorClock } from './clock';
import { controlRoutes } from './control/routes';
import {
  type NotificationView,
  notificationView,
  type RequestView,
  requestView,
  type TradeView,
  tradeView,
} from './control/views';
import { type Fault, type FaultOrder, Faults } from './faults/faults';
import { Courier } from './notifications/courier';
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
import { Store } from './store';
import { duration } from './time';
import { UnknownTrade } from './trades/errors';
import { Lifecycle } from './trades/lifecycle';
import { pageAddress } from './trades/payment-data';
import type { BuyerAction, TradeStatus } from './trades/states';
import type { Trade } from './trades/trade';

/** Which trades, notifications or requests to show; what is left out does not matter. */
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
    this.#courier = new Courier({ store, clock, faults: this.#faults, apps, settings: () => this.#settings, log });
    this.#lifecycle = new Lifecycle({
      store,
      clock,
      publicUrl,
      log,
      announce: (trade) => this.#courier.announce(trade),
    });
    this.#server = newServer();
    gatewayRoutes(this.#server, {
      apps,
      faults: this.#faults,
      requests: this.#requests,
      closing: this.#closing.signal,
      gateway: () => ({
        store,
        clock,
        lifecycle: this.#lifecycle,
        settings: this.#settings,
        publicUrl: this.publicUrl,
      }),
    });
    pageRoutes(this.#server, { store, lifecycle: this.#lifecycle });
    this.#server.register(controlRoutes, {
      prefix: '/simulator',
      simulator: this,
      allowRemote: options.allowRemoteControl ?? false,
    });
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
    await this.#courier.close();
    await this.#server.close();
    await this.#store.save();
  }

  #view(trade: Trade): TradeView {
    return tradeView(trade, pageAddress(this.publicUrl, trade.trade_no));
  }

  #find(no: string): Trade {
    const trade = this.#store.trade(no);
    if (trade) return trade;
    const [found, another] = this.#apps.flatMap(({ app_id }) => this.#store.tradeOfMerchant(app_id, no) ?? []);
    if (!found) throw new UnknownTrade(`There is no trade ${no}.`);
    if (another) throw new UnknownTrade(`Several apps have an order ${no}: name it by its trade_no.`);
    return found;
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

function fits(record: object, filter: object): boolean {
  const fields = new Map<string, unknown>(Object.entries(record));
  return Object.entries(filter).every(([name, value]) => value === undefined || fields.get(name) === value);
}
