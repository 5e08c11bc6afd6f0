/** A typed client of the gateway for one app. The request and response of each operation are in a file of its own. */

import { BANK_LIST, type Bank, type BankListRequest } from './banks';
import { type CheckOptions, checkRequest } from './check';
import { CHECKOUT } from './checkout';
import { OtherAnswerError, otherThanAsked } from './echo';
import { GatewayError, type GatewayErrorFields } from './errors';
import { fieldPaths } from './fields';
import { INSTALLMENTS, type InstallmentPlan, type InstallmentsRequest } from './installments';
import { decimalLiteral, stringifyExact } from './json';
import type { Operation } from './operation';
import { DIRECT_PAYMENT } from './pay';
import { PATH } from './pure/paths';
import { wireTimestamp } from './pure/timestamps';
import { TRADE_QUERY, type Trade, type TradeId } from './query';
import { REFUND, type Refund } from './refund';
import { isBusy, REFUND_REFUSALS, refusalOf } from './refusals';
import { type GatewayResponse, readResponse, textField } from './response';
import type { RefundedTrade, RuleSettings } from './rules';
import { shownCode } from './shown';
import {
  type Exchange,
  ExchangeError,
  type HttpResponse,
  TRANSPORT_DEFAULTS,
  Transport,
  type TransportSettings,
} from './transport';
import {
  ACCOUNT_QUANTITY,
  CANCEL_ACCOUNT,
  CREATE_ACCOUNT,
  QUERY_ACCOUNT,
  type SpeiAccount,
  type SpeiAccountQuantity,
} from './virtual-accounts';
import { type WalletTokenRequest, walletTokenOperation } from './wallet-token';

/** One app: its credentials and the gateway's address. */
export interface GatewayApp {
  app_id: string;
  secret_key: string;
  /** Earlier keys, which still verify notifications while keys are rotated. */
  previous_secret_keys?: readonly string[] | undefined;
  base_url: string;
  /** Whether the app is Global: its orders must name a region (section 4.1). */
  global?: boolean | undefined;
  /** IANA time zone of `timestamp`. Default: UTC, because the interface names none. */
  time_zone?: string | undefined;
}

/** Settings of a client; each has a default. */
export interface GatewaySettings
  extends Partial<Omit<TransportSettings, 'base_url'>>,
    Partial<RuleSettings>,
    Pick<CheckOptions, 'warn'> {
  /** The path of the wallet client token operation (section 4.7). */
  wallet_token_path?: string;
  /** Codes of refusals that mean something here, such as those for "no such order": errors show them unmasked. */
  known_words?: readonly string[];
  /** Codes of a refund's refusal (`sub_code`, or a `code` without one) that mean that there is no refund. Default {@link REFUND_REFUSALS}. */
  refund_refusals?: readonly string[];
  /** Called for each request, to measure it. */
  on_call?: CallListener | undefined;
  /** Wraps each exchange, to trace it. */
  around?: ((app: GatewayApp, exchange: Exchange) => Exchange) | undefined;
}

/**
 * Called once a request has passed all checks, just before its first byte may leave. If it throws, nothing is sent, and the
 * call fails with the thrown error.
 */
export type BeforeSending = () => Promise<void>;

/** How a request to the gateway ended. `busy`: the gateway is unavailable. `not_sent`: certainly no byte of the request left. */
export type CallResult = 'done' | 'refused' | 'busy' | 'unanswered' | 'not_sent';

/** Called when a request has ended; `seconds`: how long it took. A request that our own checks refuse does not count. */
export type CallListener = (app_id: string, operation: string, result: CallResult, seconds: number) => void;

/** Request fields that are sent as JSON numbers with all their digits. */
const DECIMALS = new Set(['order_amount', 'refund_amount', 'amount']);

/**
 * A typed client of one app. Methods check the request before they send it (InvalidRequestError names every wrong field),
 * and throw GatewayError for everything but a success. The client never repeats a call. Amounts are decimal strings in
 * currency units. Methods return the response without `code` and `msg`: known fields as text, the others as they came.
 *
 * The `outcome` of a failed creation (pay, createCheckout, refund, createSpeiAccount) tells whether it may have happened.
 * All other operations are safe to repeat: their failures are `unknown` or `not-sent`, and `retryable` tells whether to.
 */
export class GatewayClient {
  // Private to the language, so that no log of a client shows its keys.
  readonly #app: GatewayApp;
  readonly #credentials: string;
  readonly #transport: Exchange;
  readonly #checks: CheckOptions;
  readonly #words: readonly string[];
  readonly #refundRefusals: readonly string[];
  readonly #walletToken: Operation<WalletTokenRequest, string>;
  readonly #onCall: CallListener | undefined;

  /** `transport` replaces HTTP in tests. */
  constructor(app: GatewayApp, settings: GatewaySettings = {}, transport?: Exchange) {
    const { connect_timeout_ms, answer_timeout_ms, max_answer_bytes, wallet_token_path, ...rest } = settings;
    const { known_words = [], refund_refusals = REFUND_REFUSALS, on_call, around, ...checks } = rest;
    this.#onCall = on_call;
    this.#app = app;
    this.#credentials = Buffer.from(`${app.app_id}:${app.secret_key}`, 'utf8').toString('base64');
    const exchange =
      transport ??
      new Transport({
        base_url: app.base_url,
        connect_timeout_ms: connect_timeout_ms ?? TRANSPORT_DEFAULTS.connect_timeout_ms,
        answer_timeout_ms: answer_timeout_ms ?? TRANSPORT_DEFAULTS.answer_timeout_ms,
        max_answer_bytes: max_answer_bytes ?? TRANSPORT_DEFAULTS.max_answer_bytes,
      });
    this.#transport = around?.(app, exchange) ?? exchange;
    this.#checks = { ...checks, global: app.global, sending: true };
    this.#words = [...known_words, ...refund_refusals];
    this.#refundRefusals = refund_refusals;
    this.#walletToken = walletTokenOperation(wallet_token_path ?? PATH.walletToken);
  }

  /** `/trade/pay` (4.1). The caller opens sealed secrets first; `notify_url` is required. */
  pay(order: unknown, beforeSending?: BeforeSending): Promise<GatewayResponse> {
    return this.#call(DIRECT_PAYMENT, order, { beforeSending });
  }

  /** `/trade/create` (4.2). The buyer pays at `web_url`. `notify_url` is required. */
  createCheckout(order: unknown, beforeSending?: BeforeSending): Promise<GatewayResponse> {
    return this.#call(CHECKOUT, order, { beforeSending });
  }

  /**
   * `/trade/refund` (4.3), with one of the trade's ids or both. `trade` is what is known about the trade: it decides which
   * user info is required and whether the refund is partial.
   */
  refund(refund: unknown, trade: RefundedTrade = {}, beforeSending?: BeforeSending): Promise<Refund> {
    return this.#call(REFUND, refund, { trade, beforeSending });
  }

  /** `/trade/query` (4.4). */
  query(id: TradeId): Promise<Trade> {
    return this.#call(TRADE_QUERY, id);
  }

  /** `/trade/bank-list` (4.5). The `bank_id` of a bank goes into the `bank` of an order. */
  banks(request: BankListRequest): Promise<Bank[]> {
    return this.#call(BANK_LIST, request);
  }

  /** `/trade/installments` (4.6): the ways to pay an amount in installments. */
  installments(request: InstallmentsRequest): Promise<InstallmentPlan[]> {
    return this.#call(INSTALLMENTS, request);
  }

  /** `/trade/get-wallet-client-token` (4.7), or the path in the settings: a token for the wallet's client component. */
  walletToken(request: WalletTokenRequest = {}): Promise<string> {
    return this.#call(this.#walletToken, request);
  }

  /** `/virtual-account/spei/create` (4.8). `notify_url` is required. Do not repeat one whose outcome is unknown. */
  createSpeiAccount(account: unknown, beforeSending?: BeforeSending): Promise<SpeiAccount> {
    return this.#call(CREATE_ACCOUNT, account, { beforeSending });
  }

  /** `/virtual-account/spei/cancel` (4.8). Safe to repeat. */
  cancelSpeiAccount(account_id: string, beforeSending?: BeforeSending): Promise<SpeiAccount> {
    return this.#call(CANCEL_ACCOUNT, { account_id }, { beforeSending });
  }

  /** `/virtual-account/spei/query` (4.8). */
  querySpeiAccount(account_id: string): Promise<SpeiAccount & { status: string }> {
    return this.#call(QUERY_ACCOUNT, { account_id });
  }

  /** `/virtual-account/spei/quantity` (4.8): how many accounts are left to create. */
  speiAccountQuantity(): Promise<SpeiAccountQuantity> {
    return this.#call(ACCOUNT_QUANTITY, {});
  }

  /** Closes the connections after open requests have been answered. */
  close(): Promise<void> {
    return this.#transport.close();
  }

  async #call<Request extends object, Result>(
    operation: Operation<Request, Result>,
    input: unknown,
    { beforeSending, ...options }: CheckOptions & { beforeSending?: BeforeSending | undefined } = {},
  ): Promise<Result> {
    const path = operation.rules.operation;
    const request = checkRequest(operation.rules, input, { ...this.#checks, ...options });
    await beforeSending?.();
    const began = performance.now();
    const ended = (result: CallResult) =>
      this.#onCall?.(this.#app.app_id, path, result, (performance.now() - began) / 1_000);
    try {
      const result = await this.#answer(operation, request);
      ended('done');
      return result;
    } catch (error) {
      ended(resultOf(error));
      throw error;
    }
  }

  async #answer<Request extends object, Result>(
    operation: Operation<Request, Result>,
    request: Request,
  ): Promise<Result> {
    const path = operation.rules.operation;
    const about = operation.about(request);
    const known = { operation: path, out_trade_no: textField(wire(request), 'out_trade_no') };
    const http = await this.#exchange(operation, request, about, known);
    const answered = { ...known, http_status: http.status };
    const reading = readResponse(http.body, operation.ownFields, operation.ownParts);
    if (reading.is === 'refusal') throw this.#refused(operation, request, reading, answered);
    if (reading.is === 'success') {
      const differing = otherThanAsked(request, reading.answer);
      if (differing.length > 0) throw new OtherAnswerError(about, differing, answered);
    }
    const result = reading.is === 'success' ? operation.read(reading.answer, request) : undefined;
    if (result !== undefined) return result;
    const why =
      reading.is === 'unreadable'
        ? reading.why
        : `the success lacks ${[...operation.ownFields, ...(operation.ownParts ?? [])].join(' or ')}`;
    throw new GatewayError(
      `The gateway answered ${path} for ${about} with HTTP ${http.status}, but ${why}: ${leftOpenBy(operation)}.`,
      { ...answered, outcome: 'unknown', retryable: true },
    );
  }

  #refused<Request extends object>(
    { rules, creates, about }: Operation<Request, unknown>,
    request: Request,
    refusal: { code: string; sub_code: string | undefined },
    known: Pick<GatewayErrorFields, 'operation' | 'out_trade_no' | 'http_status'>,
  ): GatewayError {
    const requestFields = [...fieldPaths(rules.shape), 'app_id', 'timestamp'];
    const { code: given, sub_code: why } = refusal;
    const { outcome, retryable } = refusalOf(given, why, requestFields, creates, this.#refundRefusals);
    const { secret_key, previous_secret_keys } = this.#app;
    const hidden = [request, { secrets: [secret_key, previous_secret_keys, this.#credentials] }];
    const shown = (word: string) => shownCode(word, { known: [...requestFields, ...this.#words], hidden });
    const code = shown(refusal.code);
    const sub_code = refusal.sub_code && shown(refusal.sub_code);
    return new GatewayError(
      `The gateway refused ${rules.operation} for ${about(request)}: code ${code || 'none'}${sub_code ? `, sub_code ${sub_code}` : ''}.`,
      // If the operation creates nothing, a refusal does not tell what exists.
      { ...known, code, sub_code, outcome: creates ? outcome : 'unknown', retryable },
    );
  }

  async #exchange<Request extends object>(
    operation: Operation<Request, unknown>,
    request: Request,
    about: string,
    known: Pick<GatewayErrorFields, 'operation' | 'out_trade_no'>,
  ): Promise<HttpResponse> {
    const { app_id, time_zone = 'UTC' } = this.#app;
    const path = operation.rules.operation;
    const body = { ...wire(request), app_id, timestamp: wireTimestamp(Date.now(), time_zone) };
    const headers = {
      authorization: `Basic ${this.#credentials}`,
      'content-type': 'application/json',
      accept: 'application/json',
      'user-agent': 'temporal-payment-gateway',
    };
    try {
      return await this.#transport.post(path, headers, stringifyExact(body));
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error;
      throw new GatewayError(
        error.sent
          ? `The gateway's answer to ${path} for ${about} did not arrive (${error.reason}): ${leftOpenBy(operation)}.`
          : `The gateway could not be reached for ${path} for ${about} (${error.reason}): nothing was sent.`,
        { ...known, outcome: error.sent ? 'unknown' : 'not-sent', retryable: true },
      );
    }
  }
}

/** An answer that cannot be read, or is about something else, counts as no answer. */
function resultOf(error: unknown): Exclude<CallResult, 'done'> {
  if (!(error instanceof GatewayError) || error instanceof OtherAnswerError) return 'unanswered';
  if (error.code !== undefined) return isBusy(error.code) ? 'busy' : 'refused';
  return error.outcome === 'not-sent' ? 'not_sent' : 'unanswered';
}

/** What a call without an answer leaves open. A query changes nothing. */
const leftOpenBy = ({ onlyAsks = false }: { onlyAsks?: boolean }) =>
  onlyAsks ? 'it can be asked again' : 'whether it was carried out is unknown';

function wire(request: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(request).map(([key, value]) => [
      key,
      DECIMALS.has(key) && typeof value === 'string' ? decimalLiteral(value) : value,
    ]),
  );
}
