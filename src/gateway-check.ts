/**
 * What a worker says at its start of its apps: whether the gateway takes their credentials and can be reached, and whether this
 * machine's clock is right. It asks once an app, for an order that cannot exist.
 */
import { randomUUID } from 'node:crypto';
import { type GatewayApp, GatewayClient, GatewayError } from './gateway';
import { isCredentialsRefusal } from './gateway/refusals';
import { type Exchange, type HttpResponse, TRANSPORT_DEFAULTS, Transport } from './gateway/transport';
import type { Config } from './process/settings';

/** A clock that is off by more is told. Networks and proxies take seconds. */
const CLOCK_OFF_MS = 5 * 60_000;

/** Takes a sentence for people, and the app that it is about. */
type Tell = (about: { readonly app_id: string }, sentence: string) => void;

/** Where the sentences go. */
export interface CheckLog {
  readonly error: Tell;
  readonly warn: Tell;
}

type CheckSettings = Pick<
  Config,
  'apps' | 'GATEWAY_CHECK_AT_START' | 'GATEWAY_CONNECT_TIMEOUT' | 'GATEWAY_ANSWER_TIMEOUT'
>;

/** Asks for each app, and logs what is wrong. Never fails. Nothing is asked where GATEWAY_CHECK_AT_START is `false`. */
export async function checkGateways(config: CheckSettings, log: CheckLog): Promise<void> {
  if (!config.GATEWAY_CHECK_AT_START) return;
  await Promise.all(config.apps.map((app) => checkGateway(app, config, log)));
}

async function checkGateway(app: GatewayApp, config: CheckSettings, log: CheckLog): Promise<void> {
  const { app_id, base_url } = app;
  const exchange = new DatedExchange(
    new Transport({
      ...TRANSPORT_DEFAULTS,
      base_url,
      connect_timeout_ms: config.GATEWAY_CONNECT_TIMEOUT,
      answer_timeout_ms: config.GATEWAY_ANSWER_TIMEOUT,
    }),
  );
  const gateway = new GatewayClient(app, {}, exchange);
  const error = await gateway.query({ out_trade_no: `start-check-${randomUUID()}` }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  await gateway.close();
  if (error instanceof GatewayError && isCredentialsRefusal(error.fields()))
    log.error(
      { app_id },
      `${error.message} Every order of app ${app_id} will fail: correct its secret_key in the file that GATEWAY_APPS_FILE names (or GATEWAY_APP_ID and GATEWAY_SECRET_KEY), or its account at the gateway, and restart this worker.`,
    );
  else if (error instanceof GatewayError && error.code === undefined)
    log.warn(
      { app_id },
      `${error.message} Orders of app ${app_id} wait until the gateway answers. Check the app's base_url, or GATEWAY_BASE_URL.`,
    );
  const { gatewayTime, ownTime } = exchange;
  if (gatewayTime !== undefined && Math.abs(gatewayTime - ownTime) > CLOCK_OFF_MS)
    log.warn(
      { app_id },
      `This machine's clock says ${isoTime(ownTime)}, and the gateway of app ${app_id} says ${isoTime(gatewayTime)}. The gateway may refuse requests for their timestamp: set the clock right.`,
    );
}

/** Remembers when the gateway answered, by its clock and by ours; ms since the epoch. */
class DatedExchange implements Exchange {
  gatewayTime: number | undefined;
  ownTime = 0;

  constructor(private readonly exchange: Exchange) {}

  async post(...request: Parameters<Exchange['post']>): Promise<HttpResponse> {
    const response = await this.exchange.post(...request);
    const time = Date.parse(response.date ?? '');
    this.ownTime = Date.now();
    this.gatewayTime = Number.isNaN(time) ? undefined : time;
    return response;
  }

  close(): Promise<void> {
    return this.exchange.close();
  }
}

const isoTime = (ms: number): string => new Date(ms).toISOString();
