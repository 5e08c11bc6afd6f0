/** What the tests of the interface share: a client, a simulator, the wire between them, and requests written by hand. */
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { LosslessNumber, stringify } from 'lossless-json';
import { GatewayClient, GatewayError, type GatewaySettings, InvalidRequestError } from '../../../src/gateway';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../../src/simulator';
import { edited, type Json } from '../../gateway/support';
import { localServer } from '../../harness/local-server';

export { edited, type Json };

/** A Monday noon. */
export const NOON = Date.UTC(2026, 2, 2, 12);

const CREDENTIALS = { secret_key: 'secret:of an app' };
/** Each request is sent twice, for two separate apps: once by the client and once by hand. */
export const CLIENT_APP = { app_id: 'by-client', ...CREDENTIALS };
export const HAND_APP = { app_id: 'by-hand', ...CREDENTIALS };
export const GLOBAL_CLIENT_APP = { app_id: 'by-client-global', ...CREDENTIALS, global: true };
export const GLOBAL_HAND_APP = { app_id: 'by-hand-global', ...CREDENTIALS, global: true };

export type App = typeof CLIENT_APP & { global?: boolean };

/** A simulator whose clock stands still and that has no magic values, unless `options` say otherwise. */
export function start(options: Partial<SimulatorOptions> = {}): Promise<Simulator> {
  const apps = [CLIENT_APP, HAND_APP, GLOBAL_CLIENT_APP, GLOBAL_HAND_APP];
  return startSimulator({
    apps,
    clock: { start: NOON, speed: 0 },
    magicValues: false,
    notifications: false,
    ...options,
  });
}

export const clientOf = (app: App, base_url: string, settings?: GatewaySettings) =>
  new GatewayClient({ ...app, base_url }, settings);

const DECIMALS = ['order_amount', 'refund_amount', 'amount'];
const isLiteral = (value: unknown): value is string => typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value);

/** Posts a request without the client: amounts as number literals, nothing checked. */
export async function post(url: string, path: string, request: Json, app: App): Promise<Json> {
  const body = Object.entries({ app_id: app.app_id, timestamp: '2026-03-02 12:00:00', ...request }).map(
    ([key, value]) => [key, DECIMALS.includes(key) && isLiteral(value) ? new LosslessNumber(value) : value],
  );
  const response = await fetch(url + path, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${app.app_id}:${app.secret_key}`).toString('base64')}`,
      'content-type': 'application/json',
    },
    body: stringify(Object.fromEntries(body)) ?? '',
  });
  const answer: unknown = await response.json();
  if (typeof answer !== 'object' || answer === null) throw new Error(`${path} answered no object`);
  return { ...answer };
}

/** The result of a request in words that both sides have: `accepted`, or the fields or the sub_code of the refusal. */
export type Verdict = 'accepted' | { refused: string[] };

/** The client's result, and whether it sent the request. */
export async function saysTheClient(call: Promise<unknown>): Promise<{ verdict: Verdict; sent: boolean }> {
  try {
    await call;
    return { verdict: 'accepted', sent: true };
  } catch (error) {
    if (error instanceof InvalidRequestError) {
      // The client names the item of a list; the simulator names the list.
      const fields = error.issues.map(({ field }) => field.replace(/\.\d+$/, ''));
      return { verdict: { refused: fields }, sent: false };
    }
    if (!(error instanceof GatewayError) || error.sub_code === undefined) throw error;
    return { verdict: { refused: [error.sub_code] }, sent: true };
  }
}

/** The result of a request that was sent by hand. */
export const saysTheAnswer = ({ code, sub_code }: Json): Verdict =>
  code === '10000' ? 'accepted' : { refused: [String(sub_code)] };

/** A proxy between a client and a gateway that records the exact bytes of every request. */
export interface Wire {
  base_url: string;
  bodies: string[];
  close(): Promise<void>;
}

export async function wireTo(url: string): Promise<Wire> {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    bodies.push(body.toString('utf8'));
    const passed = await fetch(url + request.url, {
      method: 'POST',
      headers: { authorization: request.headers.authorization ?? '', 'content-type': 'application/json' },
      body: new Uint8Array(body),
    });
    response.writeHead(passed.status, { 'content-type': passed.headers.get('content-type') ?? '' });
    response.end(Buffer.from(await passed.arrayBuffer()));
  });
  const { origin, close } = await localServer(server);
  return { base_url: origin, bodies, close };
}

/** The client's method for each operation. */
const METHODS = {
  '/trade/pay': 'pay',
  '/trade/create': 'createCheckout',
  '/trade/refund': 'refund',
  '/trade/query': 'query',
  '/trade/bank-list': 'banks',
  '/trade/installments': 'installments',
  '/trade/get-wallet-client-token': 'walletToken',
  '/virtual-account/spei/create': 'createSpeiAccount',
  '/virtual-account/spei/cancel': 'cancelSpeiAccount',
  '/virtual-account/spei/query': 'querySpeiAccount',
  '/virtual-account/spei/quantity': 'speiAccountQuantity',
} as const;

export type Path = keyof typeof METHODS;
export const PATHS = Object.keys(METHODS).filter((path): path is Path => path in METHODS);

/** Calls an operation by its path with untyped input. `trade` is what is known about the trade of a refund. */
export async function callOf(client: GatewayClient, path: Path, request: Json, trade: Json = {}): Promise<unknown> {
  const isAccount = path === '/virtual-account/spei/cancel' || path === '/virtual-account/spei/query';
  const known = path === '/trade/refund' ? [trade] : [];
  return Reflect.apply(client[METHODS[path]], client, isAccount ? [request.account_id] : [request, ...known]);
}
