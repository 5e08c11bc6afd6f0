/**
 * Checks an app with one query: whether the gateway answers and takes its credentials, and whether this machine's clock is right. A
 * worker checks at its start and logs what is wrong; `payment-gateway check` shows all of it.
 */
import { randomUUID } from 'node:crypto';
import { type GatewayApp, GatewayClient, GatewayError } from '../gateway';
import { isCredentialsRefusal } from '../gateway/refusals';
import { type Exchange, TRANSPORT_DEFAULTS, Transport } from '../gateway/transport';
import type { Config } from './settings';

/** A clock that is off by more than this, in ms, is reported. Networks and proxies take only seconds. */
const CLOCK_OFF_MS = 5 * 60_000;

/** Where the sentences for people go, each with the app that it is about. */
type CheckLog = Record<GatewayTrouble['level'], (about: { readonly app_id: string }, sentence: string) => void>;

type LookSettings = Pick<Config, 'GATEWAY_CONNECT_TIMEOUT' | 'GATEWAY_ANSWER_TIMEOUT'>;

/** Checks each app, and logs what is wrong. Never fails. */
export async function checkGateways(
  config: LookSettings & { apps: readonly GatewayApp[] },
  log: CheckLog,
): Promise<void> {
  await Promise.all(
    config.apps.map(async (app) => {
      for (const { level, text } of troublesIn(app, await lookAtGateway(app, config)))
        log[level]({ app_id: app.app_id }, text);
    }),
  );
}

/** The result of one query to the gateway. */
export interface GatewayLook {
  /** The query's error: an order that cannot exist is never found. */
  error: unknown;
  /** When the answer came, by our clock and, if it has a date, by the gateway's; ms since the epoch. */
  own_time: number;
  gateway_time: number | undefined;
}

/** Asks for an order that cannot exist, which changes nothing. Never throws. */
export async function lookAtGateway(app: GatewayApp, config: LookSettings): Promise<GatewayLook> {
  const transport = new Transport({
    ...TRANSPORT_DEFAULTS,
    base_url: app.base_url,
    connect_timeout_ms: config.GATEWAY_CONNECT_TIMEOUT,
    answer_timeout_ms: config.GATEWAY_ANSWER_TIMEOUT,
  });
  let [own_time, gateway_time] = [0, Number.NaN];
  const exchange: Exchange = {
    async post(...request) {
      const response = await transport.post(...request);
      own_time = Date.now();
      gateway_time = Date.parse(response.date ?? '');
      return response;
    },
    close: () => transport.close(),
  };
  const gateway = new GatewayClient(app, {}, exchange);
  const error = await gateway.query({ out_trade_no: `start-check-${randomUUID()}` }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  await gateway.close();
  return { error, own_time, gateway_time: Number.isNaN(gateway_time) ? undefined : gateway_time };
}

/** What is wrong with an app, and how to correct it. */
export interface GatewayTrouble {
  about: 'answer' | 'credentials' | 'clock';
  level: 'error' | 'warn';
  text: string;
}

/** What is wrong, by the result of a query. Pure. */
export function troublesIn(
  { app_id }: Pick<GatewayApp, 'app_id'>,
  { error, own_time, gateway_time }: GatewayLook,
): GatewayTrouble[] {
  const troubles: GatewayTrouble[] = [];
  if (error instanceof GatewayError && isCredentialsRefusal(error.fields()))
    troubles.push({
      about: 'credentials',
      level: 'error',
      text: `${error.message} Every order of app ${app_id} will fail: correct its secret_key in the file that GATEWAY_APPS_FILE names (or GATEWAY_APP_ID and GATEWAY_SECRET_KEY), or its account at the gateway, and restart the worker.`,
    });
  else if (error instanceof GatewayError && error.code === undefined)
    troubles.push({
      about: 'answer',
      level: 'warn',
      text: `${error.message} Orders of app ${app_id} wait until the gateway answers. Check the app's base_url, or GATEWAY_BASE_URL.`,
    });
  if (gateway_time !== undefined && Math.abs(gateway_time - own_time) > CLOCK_OFF_MS)
    troubles.push({
      about: 'clock',
      level: 'warn',
      text: `This machine's clock says ${isoTime(own_time)}, and the gateway of app ${app_id} says ${isoTime(gateway_time)}. The gateway may refuse requests for their timestamp: set the clock right.`,
    });
  return troubles;
}

const isoTime = (ms: number): string => new Date(ms).toISOString();
