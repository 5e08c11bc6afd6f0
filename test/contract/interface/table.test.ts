/**
 * Every row of sections 4 and 8, driven through the client and the simulator, which share no code: at the limit both
 * accept, one past it both refuse and name the same field. What the client refuses is not sent.
 */
import { type GatewayClient, readNotification } from '../../../src/gateway';
import { loadConfig } from '../../../src/process/settings';
import type { Simulator } from '../../../src/simulator';
import { operation } from '../../gateway/operations';
import { ANSWER_FIELDS, LIMITS, NOTIFICATION_FIELDS, names, REQUEST_FIELDS } from './names';
import { METHODS, NOTIFICATION, orderIn, PAYMENT_DATA, ROWS, type Row } from './rows';
import {
  type App,
  CLIENT_APP,
  callOf,
  clientOf,
  edited,
  GLOBAL_CLIENT_APP,
  GLOBAL_HAND_APP,
  HAND_APP,
  type Json,
  NOON,
  PATHS,
  type Path,
  post,
  saysTheAnswer,
  saysTheClient,
  start,
  type Verdict,
  wireTo,
} from './support';

const HTTPS_ONLY = 'Secure';
let simulator: Simulator;
const clients = new Map<App, GatewayClient>();
async function begin(): Promise<void> {
  // Fixed, because `1c` depends on the time of day.
  jest.spyOn(Date, 'now').mockReturnValue(NOON);
  simulator = await start({ httpsChannels: [HTTPS_ONLY] });
  for (const app of [CLIENT_APP, GLOBAL_CLIENT_APP]) {
    clients.set(app, clientOf(app, simulator.url, { https_channels: [HTTPS_ONLY] }));
  }
}
async function end(): Promise<void> {
  for (const client of clients.values()) await client.close();
  await simulator.close();
  jest.restoreAllMocks();
}
beforeAll(begin);
afterAll(end);

let count = 0;
const unique = () => `o-${++count}`;
const byHand = async (path: string, request: Json, app: App): Promise<Json> => {
  const answer = await post(simulator.url, path, request, app);
  if (answer.code !== '10000') throw new Error(`${path} was refused: ${JSON.stringify(answer)}`);
  return answer;
};

/** Creates what a request is about (a paid trade, an account) and returns its ids. */
async function ids({ path, trade, order }: Pick<Row, 'path' | 'trade' | 'order'>, app: App): Promise<Json> {
  const out_trade_no = unique();
  const region = app.global ? { region: 'BRA' } : {};
  if (path === '/trade/pay' || path === '/trade/create') return { out_trade_no };
  if (path === '/trade/query' || path === '/trade/refund') {
    const { refund_amount = '12.10', refund_currency = 'BRL' } = order;
    const { method = 'PIX', ...terms } = trade ?? { order_currency: refund_currency, order_amount: refund_amount };
    const made = orderIn(method, String(terms.order_currency), { out_trade_no, ...terms, ...region });
    const { trade_no } = await byHand('/trade/pay', made, app);
    await simulator.pay(String(trade_no));
    return { out_trade_no, trade_no };
  }
  if (path === '/virtual-account/spei/cancel' || path === '/virtual-account/spei/query') {
    const opened = await byHand('/virtual-account/spei/create', operation('/virtual-account/spei/create').request, app);
    return { account_id: opened.account_id };
  }
  return {};
}

/** Sends a row with one of its changes, by the client and by hand, each for its own app. */
async function drive(row: Row, path: Path, changes: Json) {
  const [own, other] = row.global ? [GLOBAL_CLIENT_APP, GLOBAL_HAND_APP] : [CLIENT_APP, HAND_APP];
  const request = async (app: App) => edited({ ...row.order, ...(await ids(row, app)) }, changes);
  const client = clients.get(own);
  if (!client) throw new Error('There is no client');
  const trade = row.trade ?? { method: 'PIX', order_amount: row.order.refund_amount };
  const asked = await request(own);
  const before = simulator.requests({ app_id: own.app_id }).length;
  const said = await saysTheClient(callOf(client, path, asked, trade));
  const arrived = simulator.requests({ app_id: own.app_id }).length - before;
  const answer = await post(simulator.url, path, await request(other), other);
  return { client: { ...said, arrived }, simulator: saysTheAnswer(answer) };
}

const driven = new Set<Row>();
let rowsOfSimulator = 0;
const asRefusal = (verdict: Verdict) => (verdict === 'accepted' ? { refused: [] } : verdict);

describe.each(PATHS)('%s', (path) => {
  const rows = ROWS.filter((row) => row.path === path).map((row) => [row.section, row.field, row.says, row] as const);

  // To count what arrived, a simulator reads every request that it has had; and to start one takes longer than a row.
  beforeEach(async () => {
    rowsOfSimulator += 1;
    if (rowsOfSimulator <= 20) return;
    rowsOfSimulator = 1;
    await end();
    await begin();
  });

  test.each(rows)('%s: %s %s', async (_section, field, _says, row) => {
    for (const changes of row.takes) {
      const verdict = row.but === undefined ? 'accepted' : { refused: [row.but] };
      expect({ changes, ...(await drive(row, path, changes)) }).toEqual({
        changes,
        client: { verdict, sent: true, arrived: 1 },
        simulator: verdict,
      });
    }
    const named = [field, ...(row.orBy ?? [])].map((name) => ({ refused: [name] }));
    for (const changes of row.refuses) {
      const { client, simulator: answered } = await drive(row, path, changes);
      expect({ changes, sent: client.sent, arrived: client.arrived }).toEqual({ changes, sent: false, arrived: 0 });
      for (const verdict of [client.verdict, answered]) {
        // `changes` is here only so that a failure shows it.
        expect(named.map((expected) => ({ changes, ...expected }))).toContainEqual({ changes, ...asRefusal(verdict) });
      }
    }
    driven.add(row);
  });
});

describe('every request (2.1)', () => {
  const id = (length: number) => 'a'.repeat(length);
  const env = (app_id: string) => ({
    GATEWAY_APP_ID: app_id,
    GATEWAY_SECRET_KEY: CLIENT_APP.secret_key,
    GATEWAY_BASE_URL: 'https://gateway.example.com',
  });

  test('an app_id of more than 32 characters is refused by our settings and by the simulator', async () => {
    expect(loadConfig(env(id(32))).apps).toMatchObject([{ app_id: id(32) }]);
    expect(() => loadConfig(env(id(33)))).toThrow('GATEWAY_APP_ID');

    const apps = [32, 33].map((length) => ({ app_id: id(length), secret_key: CLIENT_APP.secret_key }));
    const gateway = await start({ apps });
    const [longest, tooLong] = apps.map((app) =>
      post(gateway.url, '/virtual-account/spei/quantity', {}, app).then(saysTheAnswer),
    );
    await expect(longest).resolves.toBe('accepted');
    await expect(tooLong).resolves.toEqual({ refused: ['app_id'] });
    await gateway.close();
  });

  test('a timestamp has 19 characters: the client writes it, the simulator requires it', async () => {
    const wire = await wireTo(simulator.url);
    const client = clientOf(CLIENT_APP, wire.base_url);
    await client.speiAccountQuantity();
    await client.close();
    await wire.close();
    expect(wire.bodies.map((body) => JSON.parse(body))).toEqual([
      { app_id: CLIENT_APP.app_id, timestamp: '2026-03-02 12:00:00' },
    ]);

    for (const timestamp of ['2026-03-02 12:00', '2026-03-02 12:00:000', '2026-02-30 12:00:00', '', undefined]) {
      const answer = await post(simulator.url, '/virtual-account/spei/quantity', { timestamp }, HAND_APP);
      expect(saysTheAnswer(answer)).toEqual({ refused: ['timestamp'] });
    }
  });
});

describe('the response of a direct creation (4.1)', () => {
  const creations = METHODS.flatMap(({ method, currency }) =>
    method === 'Wallet'
      ? ['QR', 'URL', 'CardNumber', 'Token'].map((channel) => ({
          name: `Wallet ${channel}`,
          order: orderIn(method, currency, { channel }),
        }))
      : [{ name: method, order: orderIn(method, currency) }],
  );
  const answered = new Map<string, { client: Json; simulator: Json }>();
  beforeAll(async () => {
    for (const { name, order } of creations) {
      const client = await clients.get(CLIENT_APP)?.pay({ ...order, out_trade_no: unique() });
      const hand = await byHand('/trade/pay', { ...order, out_trade_no: unique() }, HAND_APP);
      answered.set(name, { client: { ...client }, simulator: hand });
    }
  });

  test.each(Object.entries(PAYMENT_DATA))('has %s for %j and for no other method', (field, listed) => {
    const having = (side: 'client' | 'simulator') =>
      creations.map(({ name }) => name).filter((name) => answered.get(name)?.[side][field] !== undefined);
    expect(having('simulator').sort()).toEqual([...listed].sort());
    expect(having('client').sort()).toEqual([...listed].sort());
  });

  test('keeps a field that only a sample has', async () => {
    const out_trade_no = unique();
    const order = orderIn('PIX', 'BRL', { out_trade_no });
    const body = {
      code: '10000',
      msg: 'Success',
      trade_no: 't',
      trade_status: 'INITIAL',
      service_url: 'https://pay.example',
    };
    simulator.addFault({ on: 'pay', fault: 'answer-after', body, out_trade_no });
    expect(await clients.get(CLIENT_APP)?.pay(order)).toMatchObject({ service_url: 'https://pay.example' });
  });
});

describe.each(PATHS)('the response of %s', (path) => {
  const expected = names(ANSWER_FIELDS[path] ?? '').filter(
    (field) => !(path === '/trade/pay' && field in PAYMENT_DATA),
  );
  const ENVELOPE = ['code', 'msg'];
  const ONLY_IN_ERRORS = ['sub_code', 'sub_msg'];
  const row = ROWS.find((one) => one.path === path && !one.global);
  if (!row) throw new Error(`There is no row of ${path}`);

  test(`has ${expected.join(', ')}`, async () => {
    const fields = expected.filter((field) => !ONLY_IN_ERRORS.includes(field));
    const byService = await byHand(path, { ...row.order, ...(await ids(row, HAND_APP)) }, HAND_APP);
    expect(fields.filter((field) => innerOf(byService, field) === undefined)).toEqual([]);
    expect(ONLY_IN_ERRORS.filter((field) => field in byService)).toEqual([]);

    const client = clientOf(CLIENT_APP, simulator.url);
    const read = await callOf(client, path, { ...row.order, ...(await ids(row, CLIENT_APP)) }, { method: 'PIX' });
    await client.close();
    // The client returns a list, or a single value, without its name in the response.
    const part = new Map<string, string>([
      ['/trade/bank-list', 'data'],
      ['/trade/installments', 'fee'],
      ['/trade/get-wallet-client-token', 'token'],
    ]).get(path);
    const named = part ? { [part]: read } : read;
    const lacking = fields.filter((field) => !ENVELOPE.includes(field) && innerOf(named, field) === undefined);
    expect(lacking).toEqual([]);
  });

  test('has sub_code and sub_msg if it is a refusal', async () => {
    const refused = await post(simulator.url, path, { timestamp: undefined }, HAND_APP);
    expect(refused).toEqual({
      code: '40001',
      msg: 'Missing Required Arguments',
      sub_code: 'timestamp',
      sub_msg: expect.stringContaining('timestamp'),
    });
  });
});

/** The value at a dotted path; of a list, the first item counts. */
function innerOf(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((at, key) => {
    const one: unknown = Array.isArray(at) ? at[0] : at;
    return typeof one === 'object' && one !== null ? Reflect.get(one, key) : undefined;
  }, value);
}

describe('a notification (6.5)', () => {
  const body: Json = {
    app_id: 'a',
    trade_no: 't',
    out_trade_no: 'o',
    out_request_no: 'r',
    method: 'SPEI',
    trade_status: 'SUCCESS',
    currency: 'MXN',
    amount: '50.00',
    user: { name: 'n', email: 'e', phone: 'p', identify: { number: '1', type: 'RFC' } },
    card: { card_no: '4***1' },
    transfer_account: {
      account_id: 'i',
      account_number: 'c',
      provider: 'STP',
      buyer_id: 'b',
      transfer_timestamp: '1645516741',
      beneficiary_name: 's',
    },
  };
  const read = (changes: Json) => readNotification(Buffer.from(JSON.stringify(edited(body, changes))));

  test.each(NOTIFICATION)('%s has at most %p characters; one more is %s', (field, max, onePast) => {
    expect(read({})).toBeDefined();
    if (max === undefined) return;
    for (const character of ['x', 'é', '𝒳']) {
      expect(read({ [field]: character.repeat(max) })).toMatchObject({ [field]: character.repeat(max) });
      expect(read({ [field]: character.repeat(max + 1) }) === undefined).toBe(onePast === 'refused');
    }
  });

  test('the simulator sends all fields for a deposit, except those of cards and refunds', async () => {
    const gateway = await start({ notifications: true });
    const account = await post(
      gateway.url,
      '/virtual-account/spei/create',
      operation('/virtual-account/spei/create').request,
      HAND_APP,
    );
    await gateway.deposit(String(account.account_id), '50.00');
    await gateway.settled();
    const [sent] = gateway.notifications();
    await gateway.close();
    const said: unknown = JSON.parse(sent?.body ?? '');
    const lacking = NOTIFICATION.map(([field]) => field).filter((field) => !innerOf(said, field));
    expect(lacking).toEqual(['out_request_no', 'card.card_no']);
    expect(readNotification(Buffer.from(sent?.body ?? ''))).toMatchObject({ amount: '50.00', currency: 'MXN' });
  });
});

describe('every name of the interface has a row', () => {
  const rowsOf = (path: string, field: string) => ROWS.filter((row) => row.path === path && row.field === field);

  test.each(Object.entries(REQUEST_FIELDS).filter(([path]) => path !== 'any'))(
    'in the request of %s',
    (path, fields) => {
      expect(names(fields).filter((field) => rowsOf(path, field).length === 0)).toEqual([]);
      const known = new Set(names(fields));
      expect(ROWS.filter((row) => row.path === path && !known.has(row.field))).toEqual([]);
    },
  );

  test.each(LIMITS)('in section 8: %s, for %j, %s', (limit, paths, fields) => {
    for (const path of paths.filter((one) => one !== 'any')) {
      for (const field of names(fields)) {
        const limits = rowsOf(path, field).map((row) => row.limit);
        expect({ path, field, limits }).toEqual({ path, field, limits: expect.arrayContaining([limit]) });
      }
    }
  });

  test('in the responses and in the notification', () => {
    expect(Object.keys(ANSWER_FIELDS)).toEqual(PATHS);
    const payment = names(ANSWER_FIELDS['/trade/pay'] ?? '');
    expect(Object.keys(PAYMENT_DATA).filter((field) => !payment.includes(field))).toEqual([]);
    expect(NOTIFICATION.map(([field]) => field)).toEqual(names(NOTIFICATION_FIELDS));
  });

  test('every row was driven', () => {
    const changes = ROWS.reduce((sum, row) => sum + row.takes.length + row.refuses.length, 0);
    const fields = Object.values(REQUEST_FIELDS).flatMap(names).length;
    process.stdout.write(
      `Sections 4 and 8: ${ROWS.length} rows of ${fields} request fields in ${PATHS.length} operations driven through client and simulator (${changes} requests each), ${ROWS.length - driven.size} skipped.\n`,
    );
    expect(driven.size).toBe(ROWS.length);
    expect(ROWS.filter((row) => row.takes.length === 0)).toEqual([]);
  });
});
