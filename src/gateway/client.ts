/** The gateway's operations for one app. Other operations of the interface join the two groups at the end of the class. */
import { type Answer, readAnswer, withoutEnvelope } from './answers';
import { CHECKOUT_FIELDS, CREATE, parseCheckout } from './checkout';
import { GatewayError } from './errors';
import { decimalLiteral, stringifyExact } from './json';
import { DIRECT_PAYMENT_FIELDS, PAY, parseDirectPayment } from './pay';
import { parseTradeId, QUERY, readTrade, type Trade, type TradeId } from './query';
import { redact } from './redact';
import { isListed, refusalOf } from './refusals';
import { wireTimestamp } from './timestamps';
import { ExchangeError, type HttpAnswer, TRANSPORT_DEFAULTS, Transport, type TransportSettings } from './transport';

/** One app at the gateway: its credentials and its address. */
export interface GatewayApp {
  app_id: string;
  secret_key: string;
  /** Keys that signed notifications until lately; accepted beside `secret_key` during a rotation. */
  previous_secret_keys?: readonly string[] | undefined;
  base_url: string;
  /** Whether the app is Global, so that orders name a region (section 4.1). */
  global?: boolean | undefined;
  /** IANA time zone of `timestamp`; the interface leaves it open, UTC is the default. */
  time_zone?: string | undefined;
}

interface Operation {
  path: string;
  /** Fields that only a success of this operation carries. */
  ownFields: readonly string[];
  /** Fields that a refusal may name as its `sub_code`. */
  requestFields: readonly string[];
}

const OPERATIONS = {
  pay: { path: PAY, ownFields: ['trade_no', 'trade_status'], requestFields: DIRECT_PAYMENT_FIELDS },
  create: { path: CREATE, ownFields: ['trade_no', 'web_url'], requestFields: CHECKOUT_FIELDS },
  query: { path: QUERY, ownFields: ['trade_status'], requestFields: ['trade_no', 'out_trade_no'] },
} as const satisfies Record<string, Operation>;

/** The request's fields that go out as JSON numbers with all their digits. */
const DECIMALS = new Set(['order_amount']);

/**
 * A typed client of one app. Methods validate before they send (InvalidRequestError names each wrong field) and throw
 * GatewayError for everything that is not a success; nothing is ever repeated here.
 */
export class GatewayClient {
  private readonly transport: Transport;
  private readonly credentials: string;

  constructor(
    private readonly app: GatewayApp,
    settings: Partial<Omit<TransportSettings, 'base_url'>> = {},
  ) {
    this.credentials = Buffer.from(`${app.app_id}:${app.secret_key}`, 'utf8').toString('base64');
    this.transport = new Transport({ ...TRANSPORT_DEFAULTS, ...settings, base_url: app.base_url });
  }

  /** `/trade/pay` (4.1): the answer without `code` and `msg`. Secrets must be bare here, opened by the caller. */
  pay(order: unknown): Promise<Answer> {
    return this.create(OPERATIONS.pay, parseDirectPayment(order, { global: this.app.global ?? false }));
  }

  /** `/trade/create` (4.2): the answer without `code` and `msg`. */
  createCheckout(order: unknown): Promise<Answer> {
    return this.create(OPERATIONS.create, parseCheckout(order));
  }

  /** `/trade/query` (4.4). A query that fails says nothing of the trade: its outcome is always `unknown` or `not-sent`. */
  async query(id: TradeId): Promise<Trade> {
    const request = parseTradeId(id);
    const answer = await this.call(OPERATIONS.query, request);
    const trade = readTrade(answer);
    if (trade) return trade;
    throw new GatewayError(`The gateway's answer about ${nameOf(request)} has no trade_status; it is asked again.`, {
      outcome: 'unknown',
      retryable: true,
      operation: QUERY,
      out_trade_no: request.out_trade_no,
    });
  }

  // The other operations of the interface: refund (4.3), bank list (4.5), installments (4.6), wallet client token (4.7)
  // and virtual accounts (4.8), a file a resource, each with its schema and a method here.

  close(): Promise<void> {
    return this.transport.close();
  }

  private async create(operation: Operation, order: { out_trade_no: string }): Promise<Answer> {
    return withoutEnvelope(await this.call(operation, order));
  }

  private async call(operation: Operation, request: { out_trade_no?: string | undefined }): Promise<Answer> {
    const answer = await this.exchange(operation, request);
    const reading = readAnswer(answer.body, operation.ownFields);
    if (reading.is === 'success') return reading.answer;
    const known = { operation: operation.path, out_trade_no: request.out_trade_no, http_status: answer.status };
    if (reading.is === 'unreadable') {
      throw new GatewayError(
        `The gateway answered ${operation.path} for ${nameOf(request)} with HTTP ${answer.status}, but ${reading.why}: whether it was carried out is unknown.`,
        { ...known, outcome: 'unknown', retryable: true },
      );
    }
    const means = refusalOf(reading.code, reading.sub_code, operation.requestFields);
    const code = this.told(reading.code, operation, request);
    const sub_code = reading.sub_code && this.told(reading.sub_code, operation, request);
    const said = this.told(reading.sub_msg ?? '', operation, request);
    throw new GatewayError(
      `The gateway refused ${operation.path} for ${nameOf(request)}: code ${code}${sub_code ? `, sub_code ${sub_code}` : ''}${said ? ` (${said})` : ''}.`,
      {
        ...known,
        code,
        sub_code,
        outcome: operation.path === QUERY ? 'unknown' : means.outcome,
        retryable: means.retryable,
      },
    );
  }

  /** What an error may tell of the gateway's words: they can quote the request, or the credentials that came with it. */
  private told(words: string, operation: Operation, request: object): string {
    if (isListed(words) || operation.requestFields.includes(words)) return words;
    const { secret_key, previous_secret_keys } = this.app;
    return redact(words, { ...request, secrets: [secret_key, previous_secret_keys, this.credentials] });
  }

  private async exchange(operation: Operation, request: object): Promise<HttpAnswer> {
    const { app_id, time_zone = 'UTC' } = this.app;
    const body = { ...wire(request), app_id, timestamp: wireTimestamp(Date.now(), time_zone) };
    const headers = {
      authorization: `Basic ${this.credentials}`,
      'content-type': 'application/json',
      accept: 'application/json',
      'user-agent': 'temporal-payment-gateway',
    };
    try {
      return await this.transport.post(operation.path, headers, stringifyExact(body));
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error;
      throw new GatewayError(
        error.sent
          ? `The gateway's answer to ${operation.path} for ${nameOf(request)} did not arrive (${error.reason}): whether it was carried out is unknown.`
          : `The gateway could not be reached for ${operation.path} for ${nameOf(request)} (${error.reason}): nothing was sent.`,
        {
          outcome: error.sent ? 'unknown' : 'not-sent',
          retryable: true,
          operation: operation.path,
          out_trade_no: Reflect.get(request, 'out_trade_no'),
        },
      );
    }
  }
}

function wire(request: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(request).map(([key, value]) => [
      key,
      DECIMALS.has(key) && typeof value === 'string' ? decimalLiteral(value) : value,
    ]),
  );
}

function nameOf(request: { out_trade_no?: string | undefined; trade_no?: string | undefined }): string {
  return request.out_trade_no ? `order ${request.out_trade_no}` : `trade ${request.trade_no}`;
}
