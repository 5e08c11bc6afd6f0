/**
 * A gateway that protects nobody, at the boundary of HTTP: what reaches it are requests, and what leaves it are bytes or
 * nothing. It keeps the ledger of what truly happened, which the oracle reads. Times are ms since the epoch.
 */
import { HOUR } from '../../../../src/gateway/pure/durations';
import { ExchangeError, type HttpResponse } from '../../../../src/gateway/transport';

/** What truly happened to a trade. */
export interface LedgerTrade {
  readonly trade_no: string;
  readonly out_trade_no: string;
  readonly amount: string;
  /** The amount that it was made over: buyers may pay another one. */
  readonly made_over: string;
  readonly currency: string;
  /** Undefined where the buyer chooses it on the checkout's page, and has not yet. */
  readonly method: string | undefined;
  readonly made_by: 'us' | 'another system';
  /** The operation that made it. */
  readonly kind: OrderKind;
  readonly states: { status: string; at: number }[];
}

export type OrderKind = 'direct' | 'checkout';

/** Money that truly went back. */
export interface GivenBack {
  readonly at: number;
  readonly trade_no: string;
  readonly amount: string;
  readonly out_request_no: string | undefined;
}

/** One request that was made of the gateway, and what its sender came to know. */
export interface Exchange {
  readonly at: number;
  readonly is: 'creation' | 'query';
  readonly asked: { out_trade_no?: string; trade_no?: string };
  /** `nothing`: no answer that says anything; whether it was carried out is not known. `not sent`: it never left. */
  answered:
    | 'trade'
    | 'no such order'
    | 'refusal'
    | 'created refused'
    | 'duplicate'
    | 'temporary'
    | 'nothing'
    | 'not sent';
  /** What the answer showed of a trade. */
  shown?: { readonly trade_no: string; readonly status: string } | undefined;
}

/** What becomes of one creation. */
export type CreationMishap =
  | 'none'
  | 'lost before it arrived'
  | 'answer lost'
  | 'carried out late'
  | 'unreachable'
  | 'temporary'
  | 'overloaded'
  | 'refused for good'
  | 'credentials'
  | 'created and refused';

/** What becomes of one refund. */
export type RefundMishap =
  | 'none'
  | 'lost before it arrived'
  | 'answer lost'
  | 'unreachable'
  | 'refused'
  | 'takes an hour';

/** How a gateway treats queries while it is in trouble. */
export type Trouble = 'unreachable' | 'resets' | '429' | '500' | '503' | 'html' | 'credentials' | 'no such order';

export interface GatewayTraits {
  /** Makes a second trade under a number that it has. */
  takesNumbersTwice: boolean;
  /** Queries read from a copy that is this far behind. */
  lag_ms: number;
  findsBy: 'both ids' | 'trade_no alone' | 'out_trade_no alone';
  /** Which of two trades under one number a query by that number shows. */
  shows: 'the first' | 'the latest';
  /** Trades are unknown to queries once they are this old; 0: never. */
  forgetsAfter_ms: number;
  /** In the order of the creations; what follows is `none`. */
  creations: readonly CreationMishap[];
  /** How late a creation is carried out that is carried out late. */
  late_ms: number;
  noSuchOrder: 'trade-not-exist' | 'order-not-found' | 'out_trade_no';
  /** The answer to a creation does not name the trade. */
  hidesTradeNo: boolean;
  /** In the order of the refunds; what follows is `none`. */
  refunds: readonly RefundMishap[];
}

/** An order as the gateway reads it. */
interface Order {
  readonly out_trade_no: string;
  readonly amount: string;
  readonly currency: string;
  readonly method: string | undefined;
  readonly kind: OrderKind;
}

/** What an order has that does not say otherwise. */
const ORDER = { currency: 'BRL', method: 'PIX', kind: 'direct' } as const;

const json = (status: number, body: Readonly<Record<string, unknown>>): HttpResponse => ({
  status,
  body: new TextEncoder().encode(JSON.stringify(body)),
});
const success = (body: Readonly<Record<string, unknown>>) => json(200, { code: '10000', msg: 'Success', ...body });
const refusal = (sub_code: string, code = '40002', status = 200) =>
  json(status, { code, msg: 'Business Failed', sub_code, sub_msg: `because of ${sub_code}` });

const textOf = (body: Readonly<Record<string, unknown>>, field: string): string | undefined => {
  const value = body[field];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
};

export class HostileGateway {
  readonly trades: LedgerTrade[] = [];
  readonly exchanges: Exchange[] = [];
  readonly givenBack: GivenBack[] = [];
  trouble: Trouble | undefined;
  private readonly creations: CreationMishap[];
  private readonly refunds: RefundMishap[];
  private count = 0;

  constructor(
    private readonly clock: { readonly now: () => number; readonly in: (ms: number, act: () => void) => void },
    private readonly traits: GatewayTraits,
    private readonly onState: (trade: LedgerTrade, status: string) => void,
  ) {
    this.creations = [...traits.creations];
    this.refunds = [...traits.refunds];
  }

  // — What happens at the gateway by itself —

  make(
    order: Order | Pick<Order, 'out_trade_no' | 'amount'>,
    made_by: LedgerTrade['made_by'],
    status = 'PROCESSING',
  ): LedgerTrade {
    this.count += 1;
    const trade_no = `T${this.count}`;
    const states = [{ status, at: this.clock.now() }];
    const trade: LedgerTrade = { ...ORDER, ...order, made_over: order.amount, trade_no, made_by, states };
    this.trades.push(trade);
    this.onState(trade, status);
    return trade;
  }

  move(trade: LedgerTrade, status: string): void {
    trade.states.push({ status, at: this.clock.now() });
    this.onState(trade, status);
  }

  // — What others ask of it: the client's transport —

  async post(path: string, _headers: Record<string, string>, text: string): Promise<HttpResponse> {
    const body: Record<string, unknown> = JSON.parse(text);
    if (path === '/trade/query') return this.query(body);
    if (path === '/trade/pay') return this.create(body, 'direct');
    if (path === '/trade/create') return this.create(body, 'checkout');
    if (path === '/trade/refund') return this.refund(body);
    throw new Error(`Not simulated: ${path}`);
  }

  async close(): Promise<void> {}

  /** The worker dies before it could report what its attempt at this time brought: the answer was lost, if it sent a creation. */
  loseCreation(sentAt: number): void {
    const lost = this.exchanges.findLast(({ is, at }) => is === 'creation' && at === sentAt);
    if (!lost || lost.answered === 'not sent') return;
    lost.answered = 'nothing';
    lost.shown = undefined;
  }

  private note(
    is: Exchange['is'],
    body: Readonly<Record<string, unknown>>,
    answered: Exchange['answered'],
    shown?: Exchange['shown'],
  ): void {
    const [out_trade_no, trade_no] = [textOf(body, 'out_trade_no'), textOf(body, 'trade_no')];
    const asked = { ...(out_trade_no ? { out_trade_no } : {}), ...(trade_no ? { trade_no } : {}) };
    this.exchanges.push({ at: this.clock.now(), is, asked, answered, ...(shown ? { shown } : {}) });
  }

  private create(body: Record<string, unknown>, kind: OrderKind): HttpResponse {
    const said = (answered: Exchange['answered']) => this.note('creation', body, answered);
    const mishap = this.trouble === undefined ? (this.creations.shift() ?? 'none') : TROUBLED_CREATION[this.trouble];
    const order = {
      out_trade_no: textOf(body, 'out_trade_no') ?? '',
      amount: textOf(body, 'order_amount') ?? '',
      currency: textOf(body, 'order_currency') ?? '',
      method: textOf(body, 'method'),
      kind,
    };
    switch (mishap) {
      case 'unreachable':
        said('not sent');
        throw new ExchangeError(false, 'ECONNREFUSED');
      case 'lost before it arrived':
        said('nothing');
        throw new ExchangeError(true, 'UND_ERR_SOCKET');
      case 'carried out late':
        said('nothing');
        this.clock.in(this.traits.late_ms, () => {
          if (this.mayMake(order.out_trade_no)) this.make(order, 'us');
        });
        throw new ExchangeError(true, 'UND_ERR_HEADERS_TIMEOUT');
      case 'overloaded':
        said('nothing');
        return json(503, { code: '42900', msg: 'Too Many Requests' });
      case 'temporary':
        said('temporary');
        return json(200, { code: '20000', msg: 'Service Currently Unavailable' });
      case 'refused for good':
        said('refusal');
        return refusal('no-method-supported');
      case 'credentials':
        said('refusal');
        return refusal('invalid-signature');
      case 'none':
      case 'answer lost':
      case 'created and refused':
        return this.carryOut(order, mishap, said);
    }
  }

  private carryOut(
    order: Order,
    mishap: 'none' | 'answer lost' | 'created and refused',
    said: (answered: Exchange['answered']) => void,
  ): HttpResponse {
    if (!this.mayMake(order.out_trade_no)) {
      said(mishap === 'answer lost' ? 'nothing' : 'duplicate');
      if (mishap === 'answer lost') throw new ExchangeError(true, 'UND_ERR_SOCKET');
      return refusal('duplicate-out_trade_no');
    }
    const trade = this.make(order, 'us', mishap === 'created and refused' ? 'REFUSED' : 'PROCESSING');
    if (mishap === 'answer lost') {
      said('nothing');
      throw new ExchangeError(true, 'UND_ERR_SOCKET');
    }
    if (mishap === 'created and refused') {
      said('created refused');
      return refusal('10001', '70001');
    }
    const { out_trade_no, trade_no } = trade;
    const named = this.traits.hidesTradeNo ? undefined : { trade_no, status: 'PROCESSING' };
    this.note('creation', { out_trade_no }, 'trade', named);
    const ids = { out_trade_no, ...(named ? { trade_no } : {}) };
    if (order.kind === 'checkout') return success({ ...ids, web_url: `https://pay.example/${trade_no}` });
    return success({ ...ids, trade_status: 'PROCESSING', qr_code: `000201-${trade_no}` });
  }

  /** Gives money back whenever it is asked: twice under one number, and beyond what came. */
  private refund(body: Record<string, unknown>): HttpResponse {
    const trade = this.shown(textOf(body, 'trade_no'), textOf(body, 'out_trade_no'))?.trade;
    const mishap = this.trouble === undefined ? (this.refunds.shift() ?? 'none') : TROUBLED_REFUND[this.trouble];
    if (mishap === 'unreachable') throw new ExchangeError(false, 'ECONNREFUSED');
    if (mishap === 'lost before it arrived') throw new ExchangeError(true, 'UND_ERR_SOCKET');
    if (mishap === 'refused' || !trade) return refusal(trade ? 'no-method-supported' : this.traits.noSuchOrder);
    const { out_trade_no, trade_no } = trade;
    const amount = textOf(body, 'refund_amount') ?? '';
    const out_request_no = textOf(body, 'out_request_no');
    this.givenBack.push({ at: this.clock.now(), trade_no, amount, out_request_no });
    const status = mishap === 'takes an hour' ? 'REFUND_PROCESSING' : 'REFUNDED';
    this.move(trade, status);
    if (status === 'REFUND_PROCESSING') this.clock.in(HOUR, () => this.move(trade, 'REFUNDED'));
    if (mishap === 'answer lost') throw new ExchangeError(true, 'UND_ERR_SOCKET');
    const refund_currency = trade.currency;
    return success({ out_trade_no, trade_no, refund_amount: amount, refund_currency, refund_status: status });
  }

  private mayMake(out_trade_no: string): boolean {
    return this.traits.takesNumbersTwice || !this.trades.some((trade) => trade.out_trade_no === out_trade_no);
  }

  private query(body: Record<string, unknown>): HttpResponse {
    const said = (answered: Exchange['answered']) => this.note('query', body, answered);
    const troubled = this.trouble === undefined ? undefined : this.troubled(this.trouble, said);
    if (troubled) return troubled;
    const shown = this.shown(textOf(body, 'trade_no'), textOf(body, 'out_trade_no'));
    if (!shown) {
      said('no such order');
      return refusal(this.traits.noSuchOrder);
    }
    this.note('query', body, 'trade', { trade_no: shown.trade.trade_no, status: shown.status });
    const { out_trade_no, trade_no, amount: order_amount, currency: order_currency } = shown.trade;
    return success({ out_trade_no, trade_no, trade_status: shown.status, order_amount, order_currency });
  }

  private troubled(trouble: Trouble, said: (answered: Exchange['answered']) => void): HttpResponse {
    const outcome = { unreachable: 'not sent', credentials: 'refusal', 'no such order': 'no such order' } as const;
    said(trouble in outcome ? outcome[trouble as keyof typeof outcome] : 'nothing');
    switch (trouble) {
      case 'unreachable':
        throw new ExchangeError(false, 'ECONNREFUSED');
      case 'resets':
        throw new ExchangeError(true, 'ECONNRESET');
      case '429':
        return json(429, { code: '42900', msg: 'Too Many Requests' });
      case '500':
        return json(500, { code: 500, msg: 'Internal Server Error' });
      case '503':
        return json(503, { code: '50300', msg: 'Service Unavailable', sub_code: 'busy' });
      case 'html':
        return { status: 502, body: new TextEncoder().encode('<html>Bad Gateway</html>') };
      case 'credentials':
        return refusal('invalid-signature');
      case 'no such order':
        return refusal(this.traits.noSuchOrder);
    }
  }

  /** What a copy shows that is behind; nothing where it does not know the trade yet, or no more. */
  private shown(trade_no: string | undefined, out_trade_no: string | undefined) {
    const { lag_ms, findsBy, shows, forgetsAfter_ms } = this.traits;
    const now = this.clock.now();
    const seen = this.trades.flatMap((trade) => {
      const made = trade.states[0]?.at ?? now;
      const state = trade.states.findLast(({ at }) => at <= now - lag_ms);
      const isForgotten = forgetsAfter_ms > 0 && now - made > forgetsAfter_ms;
      return state && !isForgotten ? [{ trade, status: state.status }] : [];
    });
    if (trade_no !== undefined)
      return findsBy === 'out_trade_no alone' ? undefined : seen.find(({ trade }) => trade.trade_no === trade_no);
    if (findsBy === 'trade_no alone') return undefined;
    const under = seen.filter(({ trade }) => trade.out_trade_no === out_trade_no);
    return shows === 'the first' ? under[0] : under.at(-1);
  }
}

const TROUBLED_CREATION: Readonly<Record<Trouble, CreationMishap>> = {
  unreachable: 'unreachable',
  resets: 'lost before it arrived',
  '429': 'overloaded',
  '500': 'overloaded',
  '503': 'overloaded',
  html: 'lost before it arrived',
  credentials: 'credentials',
  'no such order': 'none',
};

const TROUBLED_REFUND: Readonly<Record<Trouble, RefundMishap>> = {
  unreachable: 'unreachable',
  resets: 'lost before it arrived',
  '429': 'lost before it arrived',
  '500': 'lost before it arrived',
  '503': 'lost before it arrived',
  html: 'lost before it arrived',
  credentials: 'refused',
  'no such order': 'none',
};
