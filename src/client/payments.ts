/** Payments and refunds for a merchant's backend. Other languages do the same by the contract (see contract/). */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { JWK } from 'jose';
import {
  type AfterSaleState,
  afterSaleWorkflowId,
  type Bank,
  type BankListRequest,
  emptyLedger,
  endedFromOutside,
  type InstallmentPlan,
  type InstallmentsRequest,
  type OrderRequest,
  type PaymentState,
  type PaymentWorkflow,
  paymentAfterEnd,
  paymentWorkflowId,
  type RefundOrder,
  refundOrderOf,
  UPDATE,
  type WalletTokenRequest,
} from '../contract';
// By their files, not by the room: its index loads undici, and a merchant's backend calls no gateway.
import type { Checkout, CurrencyOf, DirectPayment, RefundOptions, RuleSettings, Spelt, SpeltMethod } from '../gateway';
import { parseCheckout } from '../gateway/checkout';
import { InvalidRequestError } from '../gateway/errors';
import { parseDirectPayment } from '../gateway/pay';
import { SECRET_FIELDS, seal } from '../gateway/sealing';
import { askUntilReached, isEndedBeforeItBegan, updateFailure } from '../temporal/call-errors';
import { requestRefund } from '../temporal/refund-update';
import { latestState, resultOf } from '../temporal/runs';
import { requireOneSdk } from '../temporal/sdk';
import { AccountsClient } from './accounts';
import type { CallOptions } from './client-error';
import {
  InvalidOrderError,
  NotCreatedError,
  PaymentError,
  PaymentNotCanceledError,
  PaymentNotFoundError,
  PaymentPendingError,
} from './errors';
import { refundErrorOf } from './failures';
import { Lookups } from './lookups';
import {
  type CheckoutCreated,
  dataOfCheckout,
  dataOfMethod,
  dataOfRefund,
  type PaymentDataOf,
  type Refunded,
} from './payment-data';
import { PaymentStarter } from './payment-starter';

/** Longer than the update `created` waits in the workflow, so that its answer comes first if a worker runs. */
const ANSWER_TIMEOUT_MS = 45_000;

/** A running worker answers a query in moments, or within seconds if it reads a long history first. */
const QUERY_TIMEOUT_MS = 15_000;

export interface PaymentsClientOptions {
  /** A Temporal client that the caller connects and closes. */
  client: Client;
  app_id: string;
  /** Default `payments`. */
  taskQueue?: string;
  /** The worker's public sealing key (`PAYMENTS_SEALING_PUBLIC_JWK`). Orders with a token or a PIN need it. */
  sealingKey?: JWK | undefined;
  /** How orders are checked before they are sent. Give it if the worker's settings differ from the defaults. */
  rules?: Partial<RuleSettings>;
  /** How long a call waits before it throws PaymentPendingError, in ms. Default 45 000, and 75 000 for refunds. */
  answerTimeoutMs?: number;
}

/** The payments of one app. */
export class PaymentsClient {
  /** Virtual accounts (SPEI). */
  readonly accounts: AccountsClient;
  private readonly lookups: Lookups;
  private readonly starter: PaymentStarter;
  private readonly call: CallOptions;
  private readonly rules: Partial<RuleSettings>;

  /** Throws TemporalSdkError if Temporal's SDK is there in two versions. */
  constructor(private readonly options: PaymentsClientOptions) {
    requireOneSdk();
    const { client, app_id, taskQueue, answerTimeoutMs = ANSWER_TIMEOUT_MS, rules = {} } = options;
    this.call = { client, app_id, taskQueue: taskQueue ?? 'payments', answerTimeoutMs };
    this.rules = rules;
    this.starter = new PaymentStarter(this.call);
    this.lookups = new Lookups(this.call);
    this.accounts = new AccountsClient({ ...this.call, rules });
  }

  /**
   * Starts a direct payment (section 4.1) and returns the gateway's payment data, with the fields of the order's method:
   * see {@link PaymentDataOf}. The same order again returns the same data. Throws InvalidOrderError before anything is sent;
   * NotCreatedError and DuplicateOrderError if there is no such order; PaymentPendingError if the gateway has not answered in
   * time: the payment goes on, call again. A method that is new here: `'Yape' as string`.
   *
   * @example
   * const price = { order_currency: 'BRL', order_amount: '150.00' };
   * const buyer = { buyer_id: 'buyer-1', customer: { name: 'Mariana Souza Lima' } };
   * const pix = await payments.pay({ out_trade_no: 'order-1', method: 'PIX', subject: 'Two tickets', ...price, ...buyer });
   * if (pix.complete) show(pix.qr_code);
   */
  async pay<const Method extends string, const Currency extends string>(
    order: Omit<DirectPayment, 'method' | 'order_currency'> & {
      /** Payment method, at most 32 characters. */
      method: Spelt<Method, SpeltMethod>;
      /** Currency of the order: one of the method's. */
      order_currency: Spelt<Currency, CurrencyOf<Method>>;
    },
  ): Promise<PaymentDataOf<Spelt<Method, SpeltMethod>>> {
    const request = validated(() => parseDirectPayment(order, this.rules));
    const payment = { kind: 'direct', app_id: this.call.app_id, request: await this.sealed(request) } as const;
    return dataOfMethod<Spelt<Method, SpeltMethod>>(order.method, await this.starter.start(payment));
  }

  /**
   * Creates a hosted checkout (section 4.2); with `complete`, the buyer pays at `web_url`. Throws as {@link pay} does.
   *
   * @example
   * const price = { order_currency: 'MXN', order_amount: '259.80' };
   * const order = { out_trade_no: 'order-2', subject: 'Cart 101', buyer_id: 'buyer-1', ...price };
   * const checkout = await payments.createCheckout({ ...order, trade_type: 'WEB' });
   * if (checkout.complete) redirect(checkout.web_url);
   */
  async createCheckout<const Method extends string, const Currency extends string>(
    order: Omit<Checkout, 'method' | 'order_currency'> & {
      /** The only method that the page offers, at most 32 characters; without it, the buyer chooses. */
      method?: Spelt<Method, SpeltMethod> | undefined;
      /** Currency of the order: one of the method's. */
      order_currency: Spelt<Currency, CurrencyOf<Method>>;
    },
  ): Promise<CheckoutCreated> {
    const request = validated(() => parseCheckout(order, this.rules));
    return dataOfCheckout(
      await this.starter.start({ kind: 'checkout', app_id: this.call.app_id, request: { ...request } }),
    );
  }

  /**
   * The payment's state now; {@link dataOfMethod} or {@link dataOfCheckout} gives its `payment_data` the types that `pay` and
   * `createCheckout` answer with. Throws PaymentNotFoundError, and PaymentPendingError if no worker answers within 15 s, or can
   * read the workflow.
   *
   * @example
   * const { trade_status, outcome, attention } = await payments.state('order-1');
   */
  async state(out_trade_no: string): Promise<PaymentState> {
    // Temporal forgets a closed payment after its retention; its after-sale may live longer.
    return (await this.afterEnd(out_trade_no)) ?? this.query<PaymentState>(this.id(out_trade_no), out_trade_no);
  }

  /** The payment as it is now, if an after-sale follows it: late money, refunds, disputes. */
  private async afterEnd(out_trade_no: string): Promise<PaymentState | null> {
    try {
      return paymentAfterEnd(await this.afterSale(out_trade_no));
    } catch (error) {
      if (error instanceof PaymentNotFoundError) return null;
      throw error;
    }
  }

  /**
   * Waits until the payment has ended, possibly for days, and returns its final state with its `outcome`. It waits on while no
   * worker runs or Temporal cannot be reached, and throws PaymentPendingError at the end of the caller's time (`withDeadline`,
   * `withAbortSignal` of the client): ask again. Throws PaymentNotFoundError, and NotCreatedError or another PaymentError if no
   * order was created.
   *
   * @example
   * const end = await payments.outcome('order-1');
   * if (isSold(end)) deliver();
   */
  async outcome(out_trade_no: string): Promise<PaymentState> {
    const { client } = this.call;
    try {
      const ended = await this.ifExists(out_trade_no, () =>
        askUntilReached(client, () => resultOf<PaymentWorkflow>(client, this.id(out_trade_no))),
      );
      // Money may have come after the end. A caller that has waited for days gets the outcome even if no worker answers.
      return (await this.afterEnd(out_trade_no).catch(() => null)) ?? ended;
    } catch (error) {
      const after = error instanceof PaymentNotFoundError ? await this.afterEnd(out_trade_no) : null;
      if (after === null) throw error;
      return after;
    }
  }

  /**
   * Withdraws an order that was certainly not sent, and returns its state: nothing was charged. Throws
   * PaymentNotCanceledError if the gateway has the order or may have it, or if the payment has ended; the payment goes
   * on as it is. Throws PaymentNotFoundError, and PaymentPendingError if there is no answer in time: ask again.
   *
   * @example
   * await payments.cancel('order-1');
   */
  async cancel(out_trade_no: string): Promise<PaymentState> {
    const { client } = this.call;
    const handle = client.workflow.getHandle(this.id(out_trade_no));
    try {
      return await client.withDeadline(Date.now() + this.call.answerTimeoutMs, () =>
        handle.executeUpdate<PaymentState, []>(UPDATE.cancel),
      );
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return this.cancelEnded(out_trade_no);
      throw this.starter.errorOf(error, out_trade_no);
    }
  }

  /** A payment that has failed by itself fails as it did: a new start may send its order, which a withdrawn one's never does. */
  private async cancelEnded(out_trade_no: string): Promise<PaymentState> {
    try {
      const { outcome, trade_status } = await this.call.client.withDeadline(
        Date.now() + this.call.answerTimeoutMs,
        () => this.outcome(out_trade_no),
      );
      const message = `Order ${out_trade_no} cannot be withdrawn: its payment has ended as ${outcome}.`;
      throw new PaymentNotCanceledError(message, out_trade_no, { outcome, trade_status });
    } catch (error) {
      if (error instanceof NotCreatedError && error.details.withdrawn === true) return this.state(out_trade_no);
      throw error instanceof PaymentError ? error : this.starter.errorOf(error, out_trade_no);
    }
  }

  /**
   * Refunds a paid order (section 4.3): all that is left of it, or a part by its `amount`; returns the gateway's response. The
   * buyer's data may be left out if the payment has it. The same request again returns the same answer, and gives back nothing
   * more: so does a second one for all. A part without a number gets one made from its amount and reason, so give numbers to
   * two parts that are alike.
   *
   * @example
   * await payments.refund('order-1');
   * await payments.refund('order-2', { amount: '30.00', out_request_no: 'r-1', refund_reason: 'One ticket returned' });
   *
   * Throws OverRefundError, NotRefundedError, InvalidOrderError and DuplicateRefundError if there is no such refund;
   * PaymentNotFoundError within seconds if neither Temporal nor the gateway knows the order;
   * PaymentPendingError if it waits for another refund, the gateway or a person: it goes on, ask again.
   * How it ends is in {@link refunds}.
   */
  async refund(out_trade_no: string, refund: RefundOptions = {}): Promise<Refunded> {
    return this.requestRefund(out_trade_no, refundOrderOf(refund));
  }

  /**
   * As {@link refund}, by the request of the contract.
   *
   * @example
   * await payments.requestRefund('order-1', { refund_amount: '30.00' });
   */
  async requestRefund(out_trade_no: string, refund: RefundOrder): Promise<Refunded> {
    const { client, app_id, taskQueue } = this.call;
    const sale = { app_id, out_trade_no, taskQueue };
    try {
      return dataOfRefund(await requestRefund(client, sale, refund, this.options.answerTimeoutMs));
    } catch (error) {
      throw refundErrorOf(updateFailure(error), out_trade_no) ?? this.starter.errorOf(error, out_trade_no);
    }
  }

  /**
   * The after-sale of an order: refunds, their sums, disputes; empty if nothing of it was refunded or disputed. Throws as {@link state}.
   *
   * @example
   * const { refunds, refunded_amount, refunding_amount } = await payments.refunds('order-1');
   */
  async refunds(out_trade_no: string): Promise<AfterSaleState> {
    try {
      return await this.afterSale(out_trade_no);
    } catch (error) {
      if (!(error instanceof PaymentNotFoundError)) throw error;
      return emptyLedger(await this.query<PaymentState>(this.id(out_trade_no), out_trade_no));
    }
  }

  private afterSale(out_trade_no: string): Promise<AfterSaleState> {
    return this.query<AfterSaleState>(afterSaleWorkflowId(this.call.app_id, out_trade_no), out_trade_no);
  }

  /**
   * The banks of a method (section 4.5): an order names one by its `bank_id`. Throws a LookupFailure.
   *
   * @example
   * const banks = await payments.banks({ method: 'OpenFinance' });
   */
  banks(request: BankListRequest): Promise<Bank[]> {
    return this.lookups.banks(request);
  }

  /**
   * The ways to pay an amount with a card in installments (section 4.6). Throws a LookupFailure.
   *
   * @example
   * const plans = await payments.installments({ currency: 'BRL', amount: '150.00' });
   */
  installments(request: InstallmentsRequest): Promise<InstallmentPlan[]> {
    return this.lookups.installments(request);
  }

  /**
   * A client token for a wallet's component in the buyer's browser (section 4.7). Throws a LookupFailure.
   *
   * @example
   * const token = await payments.walletToken();
   */
  walletToken(request: WalletTokenRequest = {}): Promise<string> {
    return this.lookups.walletToken(request);
  }

  private query<State>(workflowId: string, out_trade_no: string, notFound?: string): Promise<State> {
    const deadline = Date.now() + Math.min(this.call.answerTimeoutMs, QUERY_TIMEOUT_MS);
    const { client } = this.call;
    const ask = () => client.withDeadline(deadline, () => latestState<State>(client, workflowId));
    return this.ifExists(out_trade_no, ask, notFound);
  }

  private async ifExists<T>(
    out_trade_no: string,
    ask: () => Promise<T>,
    notFound = `Temporal has no payment of order ${out_trade_no}.`,
  ): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) throw new PaymentNotFoundError(notFound, out_trade_no);
      if (isEndedBeforeItBegan(error)) throw new PaymentPendingError(endedFromOutside(out_trade_no), out_trade_no);
      throw this.starter.errorOf(error, out_trade_no);
    }
  }

  /** The request with its secrets sealed. Only the activity that calls the gateway opens them. */
  private async sealed(order: DirectPayment): Promise<OrderRequest> {
    const { out_trade_no } = order;
    const { sealingKey } = this.options;
    const request: Record<string, unknown> & DirectPayment = { ...order };
    for (const field of SECRET_FIELDS) {
      const secret = order[field];
      if (typeof secret !== 'string') continue;
      if (sealingKey === undefined) {
        const rule = 'must be sealed: give the client the worker’s public key (PAYMENTS_SEALING_PUBLIC_JWK)';
        throw new InvalidOrderError(`Order ${out_trade_no} was not sent: ${field}: ${rule}`, out_trade_no, {
          issues: [{ field, rule }],
        });
      }
      request[field] = await seal(secret, sealingKey, { app_id: this.call.app_id, out_trade_no });
    }
    return request;
  }

  private id(out_trade_no: string): string {
    return paymentWorkflowId(this.call.app_id, out_trade_no);
  }
}

function validated<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error;
    throw new InvalidOrderError(error.message, error.out_trade_no ?? '', { issues: error.issues });
  }
}
