/**
 * A gateway that protects nobody, at the boundary of HTTP: what reaches it are requests, and what leaves it are bytes or
 * nothing. It makes orders and accounts and gives money back as often as it is asked, beyond what came and in whatever state
 * the trade is, and answers queries from replicas that are behind. It keeps the ledger of what truly happened, which the oracles
 * read. Each world draws the traits that its stories are about. Times are ms since the epoch.
 */
import Big from 'big.js';
import { MINUTE } from '../../../src/gateway/pure/durations';
import { ExchangeError, type HttpResponse } from '../../../src/gateway/transport';

/** What a trade became, and the refund that brought it there. */
export interface State {
  readonly status: string;
  readonly at: number;
  readonly number?: string | undefined;
}

/** What truly happened to a trade. */
export interface Trade {
  readonly trade_no: string;
  readonly out_trade_no: string;
  readonly amount: string;
  /** The amount that it was made over: buyers may pay another one. */
  readonly made_over: string;
  readonly currency: string;
  readonly method: string;
  readonly made_by: 'us' | 'another system' | 'a buyer';
  /** The operation that made it; or it is money that came to an account. */
  readonly kind: OrderKind | 'deposit';
  readonly account_id?: string;
  readonly states: State[];
}

export type OrderKind = 'direct' | 'checkout';

export type RefundEnd = 'done' | 'refused' | 'revoked';

/** What becomes of a refund that the gateway has taken. */
export interface RefundPlan {
  /** It is taken at once, and the trade shows nothing of it for so long. */
  readonly startsAfter_ms?: number;
  readonly takes_ms: number;
  readonly ends: RefundEnd;
}

/** A refund as it truly is. */
export interface TrueRefund {
  readonly trade_no: string;
  readonly number: string;
  readonly amount: string;
  readonly by: 'us' | 'the desk';
  readonly at: number;
  readonly endsAt: number;
  readonly ends: RefundEnd;
  /** It was done, and came back at `endsAt`. */
  readonly cameBack?: boolean;
}

/** An account as it truly is. */
export interface TrueAccount {
  readonly account_id: string;
  readonly buyer_id: string;
  status: 'ACTIVE' | 'CANCELED';
}

/** `nothing`: no answer that says anything; whether it was carried out is not known. `not sent`: it never left. */
type Answered =
  | 'trade'
  | 'no such order'
  | 'refusal'
  | 'created refused'
  | 'duplicate'
  | 'temporary'
  | 'nothing'
  | 'not sent';

/** One creation or query of a trade, and what its sender came to know. */
export interface Exchange {
  readonly at: number;
  readonly is: 'creation' | 'query';
  readonly asked: { out_trade_no?: string; trade_no?: string };
  answered: Answered;
  /** What the answer showed of a trade. */
  shown?: { readonly trade_no: string; readonly status: string } | undefined;
}

/** A refund of ours that the gateway was asked for, whatever became of it. */
interface RefundRequest {
  readonly at: number;
  readonly number: string | undefined;
  readonly amount: string;
  /** What the trade truly was, and all that a query could show, at that moment. */
  readonly status: string;
  readonly shown: readonly string[];
}

/** What becomes of one request that changes something. */
export type Mishap =
  | 'none'
  | 'lost before it arrived'
  | 'answer lost'
  | 'carried out late'
  | 'unreachable'
  | 'temporary'
  | 'overloaded'
  | 'refused for good'
  | 'credentials'
  | 'its worker dies'
  // Of creations alone.
  | 'created and refused'
  // Of refunds alone.
  | 'refused in other words'
  | 'refused in other words, and made'
  | 'answers of another trade'
  | 'answers of another amount';

/** How a gateway treats requests while it is in trouble. */
export type Trouble =
  | 'unreachable'
  | 'refunds unreachable'
  | 'resets'
  | '429'
  | '500'
  | '503'
  | 'html'
  | 'credentials'
  | 'no such order';

export interface GatewayTraits {
  /** Makes a second trade under a number that it has. */
  takesNumbersTwice: boolean;
  /** Queries read from a replica that is this far behind. */
  lag_ms: number;
  /** Whether each query is answered by that replica which is behind, or by whichever of several. */
  copies: 'one' | 'several';
  findsBy: 'both ids' | 'trade_no alone' | 'out_trade_no alone';
  /** Which of two trades under one number a query by that number shows. */
  shows: 'the first' | 'the latest';
  /** Trades are unknown to queries once they are this old; 0: never. */
  forgetsAfter_ms: number;
  noSuchOrder: 'trade-not-exist' | 'order-not-found' | 'out_trade_no';
  /** The answer to a creation does not name the trade. */
  hidesTradeNo: boolean;
  /** How buyers pay who choose it on the checkout's page. */
  method: 'PIX' | 'Wallet';
  /** What becomes of creations, and of requests for refunds, in their order; what follows is `none`. */
  creations: readonly Mishap[];
  mishaps: readonly Mishap[];
  /** How late a request is carried out that is carried out late. */
  late_ms: number;
  /** What the gateway does with a number of a refund that it has: makes it once more, refuses it, or repeats its answer. */
  numbers: 'twice' | 'refused' | 'repeated';
  /** Numbers that other orders of the app have used; the gateway knows numbers by app. */
  usedInApp: boolean;
  partialStatus: 'PARTIAL_REFUND' | 'REFUNDED';
  /** Where a revoked refund leaves the trade: as it was before, or always SUCCESS. */
  returnsTo: 'as before' | 'SUCCESS';
  /** How long it shows that a refund was revoked, before it returns. */
  revokedFor_ms: number;
  /** What becomes of refunds of ours, in their order; what follows is `plan`. */
  plans: readonly RefundPlan[];
  plan: RefundPlan;
  /** The answer says how the refund stands. */
  answersStatus: boolean;
  /** What the bank does at an awkward moment: so many ms after the first request, or after the end of a refund. */
  race:
    | { readonly after: 'request' | 'end'; readonly ms: number; readonly status: 'DISPUTE' | 'CHARGEBACK' }
    | undefined;
}

/** A gateway that hides nothing and loses nothing, but would make everything twice. */
export const PLAIN_GATEWAY: GatewayTraits = {
  ...{
    takesNumbersTwice: true,
    lag_ms: 0,
    copies: 'one',
    findsBy: 'both ids',
    shows: 'the latest',
    forgetsAfter_ms: 0,
  },
  ...{
    noSuchOrder: 'trade-not-exist',
    hidesTradeNo: false,
    method: 'PIX',
    creations: [],
    mishaps: [],
    late_ms: 20_000,
  },
  ...{ numbers: 'twice', usedInApp: false, partialStatus: 'PARTIAL_REFUND', returnsTo: 'as before' },
  ...{ revokedFor_ms: MINUTE, plans: [], plan: { takes_ms: 0, ends: 'done' }, answersStatus: true, race: undefined },
};

/** The clock of the world, its chance, and what of it the gateway's moves and a worker's death touch. */
export interface Surroundings {
  readonly now: () => number;
  readonly in: (ms: number, act: () => void) => void;
  /** A whole number from 0 to n - 1. */
  readonly pick: (n: number) => number;
  readonly onMove: (trade: Trade, status: string) => void;
  readonly killWorker: () => void;
}

/** An order as the gateway reads it. */
type Order = Pick<Trade, 'out_trade_no' | 'amount' | 'currency' | 'method' | 'kind' | 'account_id'>;
/** What an order has that does not say otherwise. */
const ORDER = { currency: 'BRL', method: 'PIX', kind: 'direct' } as const;

/** A merchant's number of a refund that another order of the app has used. */
export const USED_IN_APP = 'd';

/** A refund does not come back while the bank takes the money. */
const OF_THE_BANK = ['DISPUTE', 'CHARGEBACK', 'CHARGEBACK_REVERSED'];

/** How many accounts may be made. */
const ACCOUNTS = 100;

/** What a trade was at a moment; undefined before it was made. */
export const statusAt = ({ states }: Trade, at: number) => states.findLast((one) => one.at <= at)?.status;
export const statusOf = ({ states }: Trade): string => states.at(-1)?.status ?? '';

type Body = Readonly<Record<string, unknown>>;
/** An answer in bytes. */
export const said = (status: number, body: object | string): HttpResponse => ({
  status,
  body: new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)),
});
const success = (body: Body) => said(200, { code: '10000', msg: 'Success', ...body });
export const refusal = (sub_code: string, code = '40002') =>
  said(200, { code, msg: 'Business Failed', sub_code, sub_msg: `because of ${sub_code}` });

const textOf = (body: Body, field: string): string | undefined => {
  const value = body[field];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
};

type Note = (answered: Answered, shown?: Exchange['shown']) => void;
/** What was carried out, and what its sender is to know of it. */
interface Done {
  readonly response: HttpResponse;
  readonly answered: Answered;
  readonly shown?: Exchange['shown'];
}

export class HostileGateway {
  readonly trades: Trade[] = [];
  readonly refunds: TrueRefund[] = [];
  readonly accounts: TrueAccount[] = [];
  readonly exchanges: Exchange[] = [];
  readonly requests: RefundRequest[] = [];
  /** When it answered no query, from and until; a trouble that goes on has no end yet. */
  readonly silences: { readonly from: number; until: number }[] = [];
  private troubled: Trouble | undefined;
  private readonly creations: Mishap[];
  private readonly mishaps: Mishap[];
  private readonly plans: RefundPlan[];
  private count = 0;
  private hasRaced = false;

  constructor(
    private readonly clock: Surroundings,
    private readonly traits: GatewayTraits,
  ) {
    this.creations = [...traits.creations];
    this.mishaps = [...traits.mishaps];
    this.plans = [...traits.plans];
  }

  get trouble(): Trouble | undefined {
    return this.troubled;
  }

  set trouble(kind: Trouble | undefined) {
    const last = this.silences.at(-1);
    if (last?.until === Number.POSITIVE_INFINITY) last.until = this.clock.now();
    this.troubled = kind;
    const isSilent = kind !== undefined && kind !== 'refunds unreachable';
    if (isSilent) this.silences.push({ from: this.clock.now(), until: Number.POSITIVE_INFINITY });
  }

  // — Trades, as they truly are —

  make(order: Order | Pick<Order, 'out_trade_no' | 'amount'>, made_by: Trade['made_by'], status = 'PROCESSING'): Trade {
    this.count += 1;
    const trade_no = `T${this.count}`;
    const trade: Trade = { ...ORDER, ...order, made_over: order.amount, trade_no, made_by, states: [] };
    this.trades.push(trade);
    this.move(trade, status);
    return trade;
  }

  move(trade: Trade, status: string, number?: string): void {
    trade.states.push({ status, at: this.clock.now(), number });
    this.clock.onMove(trade, status);
  }

  /** What the bank does. Only what it has begun goes back to SUCCESS. */
  onBank(trade: Trade, status: string): void {
    if (status !== 'SUCCESS' || OF_THE_BANK.includes(statusOf(trade))) this.move(trade, status);
  }

  /** The bank takes part once, at the moment that was drawn. */
  private race(trade: Trade, at: 'request' | 'end'): void {
    const { race } = this.traits;
    if (race?.after !== at || this.hasRaced) return;
    this.hasRaced = true;
    this.clock.in(race.ms, () => this.move(trade, race.status));
  }

  // — Refunds, as they truly are —

  /** Money goes back. */
  giveBack(trade: Trade, number: string, amount: string, by: TrueRefund['by'], plan: RefundPlan): void {
    const at = this.clock.now();
    const { trade_no } = trade;
    const { startsAfter_ms = 0, takes_ms, ends } = plan;
    this.refunds.push({ trade_no, number, amount, by, at, endsAt: at + startsAfter_ms + takes_ms, ends });
    this.after(startsAfter_ms, () => {
      const before = statusOf(trade);
      if (takes_ms > 0) this.move(trade, 'REFUND_PROCESSING', number);
      this.after(takes_ms, () => this.end(trade, number, ends, before));
    });
  }

  private after(ms: number, act: () => void): void {
    if (ms > 0) this.clock.in(ms, act);
    else act();
  }

  private end(trade: Trade, number: string, ends: RefundEnd, before: string): void {
    const ended = { done: this.afterRefunds(trade), refused: 'REFUND_REFUSED', revoked: 'REFUND_REVOKE' };
    this.move(trade, ended[ends], number);
    this.race(trade, 'end');
    if (ends !== 'revoked') return;
    const isPassing = before === 'REFUND_PROCESSING' || before === 'REFUND_REVOKE';
    const after = this.traits.returnsTo === 'SUCCESS' || isPassing ? 'SUCCESS' : before;
    this.clock.in(this.traits.revokedFor_ms, () => this.move(trade, after));
  }

  private afterRefunds({ trade_no, amount }: Trade): string {
    const now = this.clock.now();
    const done = this.refunds.filter((one) => one.trade_no === trade_no && one.ends === 'done' && now >= one.endsAt);
    return this.gone(done).gte(amount) ? 'REFUNDED' : this.traits.partialStatus;
  }

  /** Money that has gone back or is on its way. */
  gone(of: readonly TrueRefund[] = this.refunds): Big {
    const now = this.clock.now();
    const counted = of.filter(({ ends, endsAt }) => ends === 'done' || now < endsAt);
    return counted.reduce((sum, { amount }) => sum.plus(amount), new Big(0));
  }

  /** How a refund stands, as the dashboard shows it. */
  standing(number: string): 'none' | 'pending' | RefundEnd {
    const found = this.refunds.findLast((one) => one.number === number);
    if (!found) return 'none';
    return this.clock.now() < found.endsAt ? 'pending' : found.ends;
  }

  /** The latest refund that was done comes back: the buyer's account is closed. Its notification may lack the number. */
  giveUp(trade: Trade, by: TrueRefund['by'], isNamed: boolean): void {
    const now = this.clock.now();
    const isDone = ({ ends, endsAt }: TrueRefund) => ends === 'done' && endsAt <= now;
    const one = this.refunds.findLast((its) => its.by === by && isDone(its));
    if (!one || OF_THE_BANK.includes(statusOf(trade))) return;
    this.takeBack(trade, one, 'REFUND_REVOKE', isNamed ? one.number : undefined);
    this.clock.in(this.traits.revokedFor_ms, () => {
      if (statusOf(trade) !== 'REFUND_REVOKE') return;
      const isUnderWay = this.refunds.some(({ endsAt }) => endsAt > this.clock.now());
      const stands = this.traits.returnsTo === 'SUCCESS' || !this.refunds.some(isDone);
      this.move(trade, isUnderWay ? 'REFUND_PROCESSING' : stands ? 'SUCCESS' : this.traits.partialStatus);
    });
  }

  /** A refund that was done comes back, and the trade shows it; no notification names it. */
  comesBack(trade: Trade, number: string, status = 'REFUND_REVOKE'): void {
    const one = this.refunds.find((its) => its.number === number);
    if (!one) throw new Error(`no ${number}`);
    this.takeBack(trade, one, status, undefined);
  }

  private takeBack(trade: Trade, one: TrueRefund, status: string, named: string | undefined): void {
    const endsAt = this.clock.now();
    this.refunds.splice(this.refunds.indexOf(one), 1, { ...one, ends: 'revoked', endsAt, cameBack: true });
    this.move(trade, status, named);
  }

  // — Accounts and deposits, as they truly are —

  makeAccount(buyer_id: string): TrueAccount {
    const account: TrueAccount = { account_id: `A${this.accounts.length + 1}`, buyer_id, status: 'ACTIVE' };
    this.accounts.push(account);
    return account;
  }

  /** Money comes to an account. */
  deposit(account_id: string, amount: string, status = 'SUCCESS', out_trade_no = `D${this.count + 1}`): Trade {
    const order = { out_trade_no, amount, currency: 'MXN', method: 'SPEI', kind: 'deposit', account_id } as const;
    return this.make(order, 'a buyer', status);
  }

  // — What others ask of it: the client's transport —

  async post(path: string, _headers: Record<string, string>, text: string): Promise<HttpResponse> {
    const answerTo = this.operations[path];
    if (!answerTo) throw new Error(`Not simulated: ${path}`);
    return answerTo(JSON.parse(text));
  }

  async close(): Promise<void> {}

  private readonly operations: Readonly<Record<string, (body: Body) => HttpResponse>> = {
    '/trade/query': (body) => this.query(body),
    '/trade/pay': (body) => this.create(body, 'direct'),
    '/trade/create': (body) => this.create(body, 'checkout'),
    '/trade/refund': (body) => this.refund(body),
    '/virtual-account/spei/create': (body) => this.createAccount(body),
    '/virtual-account/spei/query': (body) => this.ofAccount(body, wireOf),
    '/virtual-account/spei/cancel': (body) =>
      this.ofAccount(body, (account) => wireOf(Object.assign(account, { status: 'CANCELED' }))),
    '/virtual-account/spei/quantity': () =>
      this.inTrouble() ?? success({ available_quantity: ACCOUNTS - this.accounts.length }),
  };

  /** The worker dies before it could report what its attempt at this time brought: the answer was lost, if it sent a creation. */
  loseCreation(sentAt: number): void {
    const lost = this.exchanges.findLast(({ is, at }) => is === 'creation' && at === sentAt);
    if (!lost || lost.answered === 'not sent') return;
    lost.answered = 'nothing';
    lost.shown = undefined;
  }

  private noteOf(is: Exchange['is'], body: Body): Note {
    const [out_trade_no, trade_no] = [textOf(body, 'out_trade_no'), textOf(body, 'trade_no')];
    const asked = { ...(out_trade_no ? { out_trade_no } : {}), ...(trade_no ? { trade_no } : {}) };
    return (answered, shown) =>
      void this.exchanges.push({ at: this.clock.now(), is, asked, answered, ...(shown ? { shown } : {}) });
  }

  /** Lets a request that changes something meet what becomes of it. */
  private meet(mishap: Mishap, carryOut: () => Done, note: Note = () => undefined): HttpResponse {
    const undone = UNDONE[mishap];
    if (undone) {
      note(undone.answered);
      return undone.answer();
    }
    if (mishap === 'carried out late') {
      note('nothing');
      this.clock.in(this.traits.late_ms, carryOut);
      throw new ExchangeError(true, 'UND_ERR_HEADERS_TIMEOUT');
    }
    const { response, answered, shown } = carryOut();
    if (mishap === 'its worker dies') this.clock.killWorker();
    if (mishap === 'answer lost') {
      note('nothing');
      throw new ExchangeError(true, 'UND_ERR_SOCKET');
    }
    note(answered, shown);
    return response;
  }

  /** What becomes of the next of these requests. */
  private next(mishaps: Mishap[], troubled = TROUBLED): Mishap {
    return this.trouble === undefined ? (mishaps.shift() ?? 'none') : troubled[this.trouble];
  }

  private create(body: Body, kind: OrderKind): HttpResponse {
    const mishap = this.next(this.creations);
    const order: Order = {
      out_trade_no: textOf(body, 'out_trade_no') ?? '',
      amount: textOf(body, 'order_amount') ?? '',
      currency: textOf(body, 'order_currency') ?? '',
      method: textOf(body, 'method') ?? this.traits.method,
      kind,
    };
    const isRefused = mishap === 'created and refused';
    return this.meet(mishap, () => this.carryOut(order, isRefused), this.noteOf('creation', body));
  }

  private carryOut(order: Order, isRefused: boolean): Done {
    const { takesNumbersTwice, hidesTradeNo } = this.traits;
    const { out_trade_no } = order;
    if (!takesNumbersTwice && this.trades.some((trade) => trade.out_trade_no === out_trade_no))
      return { answered: 'duplicate', response: refusal('duplicate-out_trade_no') };
    const { trade_no } = this.make(order, 'us', isRefused ? 'REFUSED' : 'PROCESSING');
    if (isRefused) return { answered: 'created refused', response: refusal('10001', '70001') };
    const ids = { out_trade_no, ...(hidesTradeNo ? {} : { trade_no }) };
    const data =
      order.kind === 'checkout'
        ? { web_url: `https://pay.example/${trade_no}` }
        : { trade_status: 'PROCESSING', qr_code: `000201-${trade_no}` };
    const shown = hidesTradeNo ? undefined : { trade_no, status: 'PROCESSING' };
    return { answered: 'trade', response: success({ ...ids, ...data }), shown };
  }

  private refund(body: Body): HttpResponse {
    const [number = '', amount = ''] = [textOf(body, 'out_request_no'), textOf(body, 'refund_amount')];
    const mishap = this.next(this.mishaps, TROUBLED_REFUND);
    const trade = this.named(body, (one) => !this.isForgotten(one));
    if (trade && mishap !== 'unreachable') {
      const shown = this.views(trade).flatMap((status) => status ?? []);
      const request = { number: number === '' ? undefined : number, amount, status: statusOf(trade), shown };
      this.requests.push({ at: this.clock.now(), ...request });
      this.race(trade, 'request');
    }
    return this.meet(mishap, () => {
      const taken = trade && this.take(trade, number, amount);
      if (!taken) {
        const unknown = trade ? 'duplicate-out_request_no' : this.traits.noSuchOrder;
        return { answered: 'refusal', response: refusal(unknown) };
      }
      const response =
        mishap === 'refused in other words, and made'
          ? refusal('refund-in-process', '40004')
          : success({ ...taken, ...(mishap === 'none' ? {} : ANSWERS[mishap]) });
      return { answered: 'trade', response };
    });
  }

  /** Takes a refund. Undefined where its number is refused. */
  private take(trade: Trade, number: string, amount: string): Body | undefined {
    const { numbers, usedInApp, answersStatus, plan } = this.traits;
    const isOfAnother = usedInApp && number === USED_IN_APP;
    const isKnown = isOfAnother || this.refunds.some((one) => one.number === number);
    if (isKnown && numbers === 'refused') return undefined;
    if (isOfAnother && numbers === 'repeated')
      return { ...ANSWERS['answers of another trade'], refund_amount: amount, refund_status: 'REFUNDED' };
    if (!isKnown || numbers === 'twice') this.giveBack(trade, number, amount, 'us', this.plans.shift() ?? plan);
    const { out_trade_no, trade_no, currency: refund_currency } = trade;
    const refund_status = answersStatus ? statusOf(trade) : undefined;
    return { out_trade_no, trade_no, refund_amount: amount, refund_currency, refund_status };
  }

  private query(body: Body): HttpResponse {
    const note = this.noteOf('query', body);
    const troubled = this.inTrouble(note);
    if (troubled) return troubled;
    const place = this.clock.pick(2) === 0 ? 0 : -1;
    const view = (one: Trade) => (this.isForgotten(one) ? undefined : this.views(one).at(place));
    const trade = this.named(body, (one) => view(one) !== undefined);
    const status = trade && view(trade);
    if (!trade || status === undefined) {
      note('no such order');
      return refusal(this.traits.noSuchOrder);
    }
    const { out_trade_no, trade_no, amount: order_amount, currency: order_currency, kind, method } = trade;
    note('trade', { trade_no, status });
    const shown = { out_trade_no, trade_no, trade_status: status, order_amount, order_currency };
    return success({ ...shown, ...(kind === 'deposit' ? { method } : {}) });
  }

  /** All that a query may show of a trade now: the replica that is furthest behind, and those that are less so. */
  private views(trade: Trade): readonly (string | undefined)[] {
    const now = this.clock.now();
    const behind = now - this.traits.lag_ms;
    const later = trade.states.filter(({ at }) => this.traits.copies === 'several' && at > behind && at <= now);
    return [statusAt(trade, behind), ...later.map(({ status }) => status)];
  }

  private isForgotten({ states }: Trade): boolean {
    const { forgetsAfter_ms } = this.traits;
    return forgetsAfter_ms > 0 && this.clock.now() - (states[0]?.at ?? 0) > forgetsAfter_ms;
  }

  /** The trade that a request names, among those that are known. */
  private named(body: Body, isKnown: (trade: Trade) => boolean): Trade | undefined {
    const [trade_no, out_trade_no] = [textOf(body, 'trade_no'), textOf(body, 'out_trade_no')];
    const known = this.trades.filter(isKnown);
    const { findsBy } = this.traits;
    if (findsBy === (trade_no === undefined ? 'trade_no alone' : 'out_trade_no alone')) return undefined;
    if (trade_no !== undefined) return known.find((trade) => trade.trade_no === trade_no);
    const under = known.filter((trade) => trade.out_trade_no === out_trade_no);
    return this.traits.shows === 'the first' ? under[0] : under.at(-1);
  }

  /** The answer to what only reads, while the gateway is in trouble. */
  private inTrouble(note: Note = () => undefined): HttpResponse | undefined {
    const { trouble } = this;
    const denies = { answered: 'no such order', answer: () => refusal(this.traits.noSuchOrder) } as const;
    const undone = trouble === 'no such order' ? denies : trouble && UNDONE[trouble];
    if (!undone) return undefined;
    note(undone.answered);
    return undone.answer();
  }

  private createAccount({ customer }: Body): HttpResponse {
    const named = typeof customer === 'object' && customer !== null && 'buyer_id' in customer ? customer.buyer_id : '';
    return this.meet(this.next(this.creations, TROUBLED_ACCOUNT), () => ({
      answered: 'trade',
      response: wireOf(this.makeAccount(String(named))),
    }));
  }

  private ofAccount({ account_id }: Body, answer: (account: TrueAccount) => HttpResponse): HttpResponse {
    const account = this.accounts.find((one) => one.account_id === account_id);
    // What denies deposits has its accounts.
    const troubled = this.trouble === 'no such order' ? undefined : this.inTrouble();
    return troubled ?? (account ? answer(account) : refusal('account-not-exist', '40004'));
  }
}

/** As section 4.8 lists it: without the buyer. */
const wireOf = ({ account_id, status }: TrueAccount) =>
  success({ account_id, account_number: '646180157000000004', provider: 'STP', status });

/** How a connection breaks: whether the request was sent by then, and what Node calls it. */
const breaks = (isSent: boolean, code: string) => (): never => {
  throw new ExchangeError(isSent, code);
};

/** What a request is answered that is not carried out, and what its sender knows then. */
const UNDONE: Readonly<
  Partial<Record<Mishap | Trouble, { readonly answered: Answered; readonly answer: () => HttpResponse }>>
> = {
  unreachable: { answered: 'not sent', answer: breaks(false, 'ECONNREFUSED') },
  'lost before it arrived': { answered: 'nothing', answer: breaks(true, 'UND_ERR_SOCKET') },
  resets: { answered: 'nothing', answer: breaks(true, 'ECONNRESET') },
  overloaded: { answered: 'nothing', answer: () => said(503, { code: '42900', msg: 'Too Many Requests' }) },
  '429': { answered: 'nothing', answer: () => said(429, { code: '42900', msg: 'Too Many Requests' }) },
  '500': { answered: 'nothing', answer: () => said(500, { code: 500, msg: 'Internal Server Error' }) },
  '503': {
    answered: 'nothing',
    answer: () => said(503, { code: '50300', msg: 'Service Unavailable', sub_code: 'busy' }),
  },
  html: { answered: 'nothing', answer: () => said(502, '<html>Bad Gateway</html>') },
  temporary: {
    answered: 'temporary',
    answer: () => said(200, { code: '20000', msg: 'Service Currently Unavailable' }),
  },
  credentials: { answered: 'refusal', answer: () => refusal('invalid-signature') },
  'refused for good': { answered: 'refusal', answer: () => refusal('no-method-supported') },
  'refused in other words': { answered: 'refusal', answer: () => refusal('refund-is-not-possible') },
};

/** What an answer says of a refund that is another one's. */
const ANSWERS: Readonly<Partial<Record<Mishap, Body>>> = {
  'answers of another trade': { trade_no: 'T2', out_trade_no: 'order-2' },
  'answers of another amount': { refund_amount: '1.00' },
};

/** What becomes of a request that changes something while the gateway is in trouble. */
const TROUBLED: Readonly<Record<Trouble, Mishap>> = {
  unreachable: 'unreachable',
  'refunds unreachable': 'none',
  resets: 'lost before it arrived',
  '429': 'overloaded',
  '500': 'overloaded',
  '503': 'overloaded',
  html: 'lost before it arrived',
  credentials: 'credentials',
  'no such order': 'none',
};
const TROUBLED_REFUND: typeof TROUBLED = { ...TROUBLED, 'refunds unreachable': 'unreachable' };
/** What is lost on its way may have arrived. */
const TROUBLED_ACCOUNT: typeof TROUBLED = { ...TROUBLED, resets: 'answer lost' };
