/**
 * A gateway of virtual accounts that protects nobody, at the boundary of HTTP: it makes an account as often as it is asked,
 * and denies deposits that it has. It keeps the ledger of what truly happened, which the oracle reads. Times are ms since the
 * epoch.
 */
import { ExchangeError, type HttpResponse } from '../../../../src/gateway/transport';

export type CreationMishap = 'none' | 'lost before it arrived' | 'answer lost' | 'unreachable' | 'refused';

/** `no such order`: it answers, and denies every deposit. */
export type Trouble = 'unreachable' | 'resets' | '503' | 'no such order';

export interface GatewayTraits {
  /** How far queries are behind what truly is. */
  lag_ms: number;
  /** What becomes of creations, in their order; the others succeed. */
  creations: readonly CreationMishap[];
  /** Whether a deposit can be found by its own number alone. */
  findsBy: 'both ids' | 'trade_no alone';
}

/** An account as it truly is. */
export interface TrueAccount {
  readonly account_id: string;
  readonly buyer_id: string;
  status: 'ACTIVE' | 'CANCELED';
}

/** A deposit as it truly is. */
export interface TrueDeposit {
  readonly account_id: string;
  readonly out_trade_no: string;
  readonly trade_no: string;
  readonly amount: string;
  readonly states: { readonly status: string; readonly at: number }[];
}

/** The statuses in which the merchant has the money. */
export const WITH_MONEY: readonly string[] = ['SUCCESS', 'REFUND_REFUSED', 'CHARGEBACK_REVERSED'];

const LEFT = 100;

const json = (status: number, body: Readonly<Record<string, unknown>>): HttpResponse => ({
  status,
  body: new TextEncoder().encode(JSON.stringify(body)),
});
const success = (body: Readonly<Record<string, unknown>>) => json(200, { code: '10000', msg: 'Success', ...body });
const refusal = (code: string, sub_code: string) =>
  json(200, { code, msg: 'Business Failed', sub_code, sub_msg: `because of ${sub_code}` });

export class HostileAccounts {
  readonly accounts: TrueAccount[] = [];
  readonly deposits: TrueDeposit[] = [];
  trouble: Trouble | undefined;
  private readonly creations: CreationMishap[];

  constructor(
    private readonly clock: { readonly now: () => number },
    private readonly traits: GatewayTraits,
  ) {
    this.creations = [...traits.creations];
    // The account that most deposits go to was made elsewhere.
    this.make('elsewhere');
  }

  // — What truly is —

  make(buyer_id: string): TrueAccount {
    const account: TrueAccount = { account_id: `A${this.accounts.length + 1}`, buyer_id, status: 'ACTIVE' };
    this.accounts.push(account);
    return account;
  }

  deposit(
    account_id: string,
    amount: string,
    status = 'SUCCESS',
    out_trade_no = `D${this.deposits.length + 1}`,
  ): TrueDeposit {
    const trade_no = `T${this.deposits.length + 1}`;
    const deposit = { account_id, out_trade_no, trade_no, amount, states: [] };
    this.deposits.push(deposit);
    this.move(deposit, status);
    return deposit;
  }

  move({ states }: TrueDeposit, status: string): void {
    states.push({ status, at: this.clock.now() });
  }

  // — What others ask of it: the client's transport —

  async post(path: string, _headers: Record<string, string>, text: string): Promise<HttpResponse> {
    const body: Readonly<Record<string, unknown>> = JSON.parse(text);
    const isCreation = path === '/virtual-account/spei/create';
    if (this.trouble === 'unreachable') throw new ExchangeError(false, 'ECONNREFUSED');
    // What is lost on its way may have arrived.
    if (this.trouble === 'resets') return this.lose(isCreation, body);
    if (this.trouble === '503') return json(503, { code: '50300', msg: 'Service Unavailable' });
    switch (path) {
      case '/trade/query':
        return this.queryDeposit(body);
      case '/virtual-account/spei/create':
        return this.create(body);
      case '/virtual-account/spei/query':
        return this.queryAccount(body);
      case '/virtual-account/spei/cancel':
        return this.cancel(body);
      case '/virtual-account/spei/quantity':
        return success({ available_quantity: LEFT - this.accounts.length });
      default:
        throw new Error(`Not simulated: ${path}`);
    }
  }

  async close(): Promise<void> {}

  private lose(isCreation: boolean, body: Readonly<Record<string, unknown>>): never {
    if (isCreation) this.make(buyerOf(body));
    throw new ExchangeError(true, 'ECONNRESET');
  }

  private queryDeposit({ out_trade_no, trade_no }: Readonly<Record<string, unknown>>): HttpResponse {
    const found = this.deposits.find(
      (one) => one.trade_no === trade_no || (this.traits.findsBy === 'both ids' && one.out_trade_no === out_trade_no),
    );
    const seen = this.clock.now() - this.traits.lag_ms;
    const status = found?.states.findLast(({ at }) => at <= seen)?.status;
    if (!found || status === undefined || this.trouble === 'no such order') return refusal('40004', 'trade-not-exist');
    const { amount: order_amount } = found;
    const ids = { out_trade_no: found.out_trade_no, trade_no: found.trade_no };
    return success({ ...ids, trade_status: status, order_amount, order_currency: 'MXN', method: 'SPEI' });
  }

  private create(body: Readonly<Record<string, unknown>>): HttpResponse {
    const mishap = this.creations.shift() ?? 'none';
    if (mishap === 'unreachable') throw new ExchangeError(false, 'ECONNREFUSED');
    if (mishap === 'lost before it arrived') throw new ExchangeError(true, 'UND_ERR_SOCKET');
    if (mishap === 'refused') return refusal('40002', 'no-account-left');
    const account = this.make(buyerOf(body));
    if (mishap === 'answer lost') throw new ExchangeError(true, 'UND_ERR_SOCKET');
    return success(wireOf(account));
  }

  private queryAccount({ account_id }: Readonly<Record<string, unknown>>): HttpResponse {
    const account = this.accounts.find((one) => one.account_id === account_id);
    return account ? success(wireOf(account)) : refusal('40004', 'account-not-exist');
  }

  private cancel({ account_id }: Readonly<Record<string, unknown>>): HttpResponse {
    const account = this.accounts.find((one) => one.account_id === account_id);
    if (!account) return refusal('40004', 'account-not-exist');
    account.status = 'CANCELED';
    return success(wireOf(account));
  }
}

/** As section 4.8 lists it: without the buyer. */
const wireOf = ({ account_id, status }: TrueAccount) => ({
  ...{ account_id, account_number: '646180157000000004', provider: 'STP', status },
});

function buyerOf({ customer }: Readonly<Record<string, unknown>>): string {
  if (typeof customer !== 'object' || customer === null || !('buyer_id' in customer)) return '';
  return String(customer.buyer_id);
}
