import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import * as fc from 'fast-check';
import type { Simulator, SimulatorOptions } from '../../src/simulator';
import { operationNames } from '../../src/simulator/faults/faults';
import { digit, digitPattern, emoji, emojiPattern } from '../../src/simulator/rules/text';
import { ROWS, type Row } from '../contract/interface/rows';
import { anyCharacter } from '../harness/characters';
import {
  accountOf,
  app,
  call,
  control,
  edited,
  type Json,
  json,
  Merchant,
  order,
  publishedOrders,
  refundOf,
  start,
} from './support';

/** Every route that the server says it serves, in the document's way of writing them. */
const mockServed: { method: string; path: string }[] = [];

jest.mock('fastify', () => {
  const actual = jest.requireActual('fastify');
  return (options: object) => {
    const server = actual(options);
    server.addHook('onRoute', ({ method, url }: { method: string | string[]; url: string }) => {
      for (const one of [method].flat()) mockServed.push({ method: one, path: url.replace(/:(\w+)/g, '{$1}') });
    });
    return server;
  };
});

interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  security?: object[];
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Content };
  responses: Record<string, { description: string; content: Content }>;
}
interface Content {
  'application/json': { schema: Json; examples?: Record<string, { value: Json }> };
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { schemas: Record<string, Json> };
}

const simulators: Simulator[] = [];
afterEach(async () => {
  for (const simulator of simulators.splice(0)) await simulator.close();
});

async function started(options: Partial<SimulatorOptions> = {}): Promise<Simulator> {
  mockServed.length = 0;
  const simulator = await start(options);
  simulators.push(simulator);
  return simulator;
}

const textOf = async ({ url }: { url: string }) => (await fetch(`${url}/openapi.json`)).text();
const documentOf = async (simulator: Simulator): Promise<Document> => JSON.parse(await textOf(simulator));

const formats = { uri: (text: string) => URL.canParse(text), 'date-time': (text: string) => !!Date.parse(text) };

/** A validator that knows a document; its schemas refer to each other. */
function validatorOf({ components }: Document): Ajv2020 {
  // Unions are how decimals come; a condition may ask for what is described elsewhere.
  const options = { strict: true, allowUnionTypes: true, strictTypes: false, strictRequired: false };
  const ajv = new Ajv2020({ ...options, formats });
  ajv.addVocabulary(['components']);
  ajv.addSchema({ $id: 'document', components });
  return ajv;
}

/** A document with its validator, and a check of each of its schemas by its name. */
interface Described {
  document: Document;
  ajv: Ajv2020;
  schema: (name: string) => ValidateFunction;
  /** The checks of answers that were made for it, by the text of their schemas. */
  checks: Map<string, ValidateFunction>;
}

/** By the document's text, since to compile its schemas takes longer than anything else here. */
const describedBy = new Map<string, Described>();

async function describedIn(simulator: Simulator): Promise<Described> {
  const text = await textOf(simulator);
  const known = describedBy.get(text) ?? describedOf(JSON.parse(text));
  describedBy.set(text, known);
  return known;
}

function describedOf(document: Document): Described {
  const ajv = validatorOf(document);
  const schema = (name: string) => {
    const check = ajv.getSchema(`document#/components/schemas/${name}`);
    if (!check) throw new Error(`The document has no schema ${name}`);
    return check;
  };
  return { document, ajv, schema, checks: new Map() };
}

let plain: Promise<Described> | undefined;

/** The document as it comes, which is the same each time, with its schemas. */
const asItComes = () => {
  plain ??= started().then(describedIn);
  return plain;
};

const filled = (request: Json): Json => ({
  app_id: app.app_id,
  timestamp: '2026-03-02 12:00:00',
  notify_url: 'https://shop.example.com/ipn',
  ...request,
});

/** What a schema has against a value; empty where it has nothing. */
function objections(check: ValidateFunction, value: unknown): string[] {
  return check(value) ? [] : (check.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
}

/** The fields of a schema, in objects and lists too, that have neither a description nor only one value. */
function fieldsWithoutMeaning(schema: unknown, path: string): string[] {
  const { description, const: only, type, properties = {}, items, anyOf = [] } = Object(schema);
  const lacks = ['string', 'number', 'integer'].includes(type) && only === undefined && !description;
  return [
    ...(lacks ? [path] : []),
    ...Object.entries(properties).flatMap(([name, one]) => fieldsWithoutMeaning(one, `${path}.${name}`)),
    ...(items ? fieldsWithoutMeaning({ description, ...items }, path) : []),
    ...[anyOf].flat().flatMap((one) => fieldsWithoutMeaning(one, path)),
  ];
}

/** Settings under which the document is another: those that it comes with, and each of them otherwise. */
const variants: [string, Partial<SimulatorOptions>][] = [
  ['as it comes', {}],
  [
    'with every setting otherwise',
    {
      ...{ pixIdentify: 'required', refundUserInfo: 'all', directStatus: 'interface', httpsChannels: ['URL', 'SPEI'] },
      ...{ queryAmount: 'string', bankListData: 'object', transferTimestamp: 'string' },
      ...{ accountAnswers: 'bare', accountIdentify: 'optional', transferBuyerId: 'absent' },
      ...{ refusalStatus: 200, credentialsStatus: 401, signatureScheme: 't-v2', signatureHeader: 'Acme-Signature' },
      walletTokenPath: '/trade/get-acme-client-token',
    },
  ],
];

/** Says of each file whether it is a valid document. The validator is an ES module, which Jest does not load. */
const VALIDATE = `import { Validator } from '@seriousme/openapi-schema-validator';
const verdicts = [];
for (const file of process.argv.slice(1)) verdicts.push(await new Validator().validate(file));
console.log(JSON.stringify(verdicts));`;

/** What the validator says of each variant, by its name. One process judges them all: most of its time is its start. */
async function verdictsOfValidator(): Promise<Map<string, unknown>> {
  const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
  try {
    const files = variants.map((_, i) => join(folder, `${i}.json`));
    for (const [i, [, options]] of variants.entries())
      writeFileSync(files[i] ?? '', await textOf(await started(options)));
    const args = ['--input-type=module', '--eval', VALIDATE, ...files];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: __dirname });
    const verdicts: unknown[] = JSON.parse(stdout);
    return new Map(variants.map(([name], i) => [name, verdicts[i]]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the document', () => {
  let verdicts: Map<string, unknown>;
  beforeAll(async () => {
    verdicts = await verdictsOfValidator();
  });

  test.each(variants)('is a valid OpenAPI 3.1 document, %s', (name) => {
    expect(verdicts.get(name)).toEqual({ valid: true });
  });

  test('is the same each time, on each port, and changes with the settings', async () => {
    const [one, other] = [await started(), await started()];
    const text = await textOf(one);
    expect(await textOf(one)).toBe(text);
    expect(await textOf(other)).toBe(text);
    one.configure({ pixIdentify: 'required' });
    expect(await textOf(one)).not.toBe(text);
    one.configure({ pixIdentify: 'optional' });
    expect(await textOf(one)).toBe(text);
  });

  test('can be read by viewers on other sites, and holds no key', async () => {
    const { url } = await started();
    const response = await fetch(`${url}/openapi.json`);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const text = await response.text();
    expect(text).not.toContain(app.secret_key);
    expect(text).not.toContain(app.app_id);
  });

  test('names each operation once, with a summary, and each field with its meaning', async () => {
    const { paths, components } = await documentOf(await started());
    const operations = Object.values(paths).flatMap((path) => Object.values(path));
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining([...operationNames]));
    for (const { summary } of operations) expect(summary).toMatch(/\w{3}/);
    const schemas = Object.entries(components.schemas).filter(([name]) =>
      /-request$|-answer$|^notification$/.test(name),
    );
    expect(schemas).toHaveLength(2 * operationNames.length + 1);
    const unexplained = schemas.flatMap(([name, schema]) => fieldsWithoutMeaning(schema, name));
    expect(unexplained).toEqual([]);
  });

  test('asks for credentials at the operations, and nowhere else', async () => {
    const { paths, webhooks } = await documentOf(await started());
    for (const { operationId, security } of Object.values(paths).flatMap((path) => Object.values(path))) {
      const isOperation = operationNames.some((name) => name === operationId);
      expect([operationId, security]).toEqual([operationId, isOperation ? undefined : []]);
    }
    expect(webhooks.notification?.post.security).toEqual([]);
  });

  test('has regular expressions that an engine without Unicode properties and look-around reads', async () => {
    const text = await textOf(await started());
    for (const [, pattern = ''] of text.matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)) {
      expect(JSON.parse(pattern)).not.toMatch(/\\[pP]|\(\?[=!<]/);
    }
  });
});

describe('every route is in the document, and every path of the document is a route', () => {
  /** Pages and pictures for people, and what only says that there is no such route. */
  const NOT_API = [
    /^\/(checkout|refund|qr|banks\/.*)$/,
    /^\/simulator\/desk(\/.*)?$/,
    /^\/\*$/,
    /^\/simulator\/(trades|refunds)\/\{no\}\/\{action\}$/,
  ];

  test.each(variants)('%s', async (_, options) => {
    const simulator = await started(options);
    const { paths } = await documentOf(simulator);
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const wallet = `POST ${simulator.settings.walletTokenPath}`;
    const served = mockServed
      .filter(({ method, path }) => method !== 'HEAD' && !NOT_API.some((page) => page.test(path)))
      .map(({ method, path }) => `${method} ${path}`);
    expect(documented.sort()).toEqual([...served, wallet].sort());
    expect(documented.length).toBeGreaterThan(40);
  });
});

describe('requests', () => {
  test('the published orders are the examples, and every example is what its schema asks for', async () => {
    const { document, schema } = await asItComes();
    for (const name of operationNames) {
      const path = Object.values(document.paths).find(({ post }) => post?.operationId === name);
      const examples = path?.post?.requestBody?.content['application/json'].examples ?? {};
      expect(Object.keys(examples)).not.toEqual([]);
      for (const [example, { value }] of Object.entries(examples)) {
        expect([example, objections(schema(`${name}-request`), value)]).toEqual([example, []]);
      }
    }
    const { examples } = document.paths['/trade/pay']?.post?.requestBody?.content['application/json'] ?? {};
    const published = publishedOrders().filter(({ kind }) => kind === 'direct');
    expect(Object.keys(examples ?? {})).toEqual(published.map(({ file }) => file.replace('.json', '')).sort());
  });

  /** What a schema cannot know: the trade of a refund, whether the app is Global, and how two fields compare. */
  const isBeyond = ({ path, field, says, global }: Row) =>
    (path === '/trade/refund' &&
      /^(user_info.(identify.number|name)|out_request_no)$/.test(field) &&
      /required/.test(says)) ||
    (global && /^is required where the app is Global/.test(says)) ||
    /is larger than/.test(says);

  // The service judges each row in test/contract/interface/table.test.ts.
  test.each(operationNames)('of %s are judged by their schema as the table of the interface says', async (name) => {
    const simulator = await started({ httpsChannels: ['Secure'] });
    const { document, schema } = await describedIn(simulator);
    const check = schema(`${name}-request`);
    const rows = ROWS.filter(({ path }) => document.paths[path]?.post?.operationId === name);
    const judged = rows.flatMap((row) => {
      const whole = filled({ out_trade_no: 'o', trade_no: 't', account_id: 'a', ...row.order });
      const own = Object.keys(Object(document.components.schemas[`${name}-request`]).properties);
      const request = Object.fromEntries(Object.entries(whole).filter(([field]) => own.includes(field)));
      return [
        ...row.takes.map((changes) => ({ row, changes, request, isGood: row.but !== 'no-method-supported' })),
        ...row.refuses.map((changes) => ({ row, changes, request, isGood: isBeyond(row) })),
      ];
    });
    const wrong = judged.filter(({ changes, request, isGood }) => check(edited(request, changes)) !== isGood);
    expect(wrong.map(({ row: { field, says }, changes }) => ({ field, says, changes }))).toEqual([]);
  });

  test('a rule that is off by the settings is not in the document', async () => {
    const told = async (options: Partial<SimulatorOptions>) => {
      const { components } = await documentOf(await started(options));
      return JSON.stringify(components.schemas['pay-request']).includes('for this channel');
    };
    expect(await told({})).toBe(false);
    expect(await told({ httpsChannels: ['PicPay'] })).toBe(true);
  });

  test('the sets of characters in patterns are those of the rules', () => {
    const [emojiClass, digitClass] = [new RegExp(emojiPattern(), 'u'), new RegExp(digitPattern(), 'u')];
    const texts = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.string({ unit: 'grapheme' }),
      fc
        .array(fc.constantFrom('©', '®', '™', '\u{FE0F}', '\u{20E3}', '1', '#', 'a', '👍', '🏽', '🇧', '٣', '𝟗', 'é'))
        .map((all) => all.join('')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        expect(emojiClass.test(text)).toBe(emoji.test(text));
        expect(digitClass.test(text)).toBe(digit.test(text));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('answers', () => {
  let known: Described;

  async function described(options: Partial<SimulatorOptions> = {}): Promise<Simulator> {
    const simulator = await started(options);
    known = await describedIn(simulator);
    return simulator;
  }

  /** Holds a real answer against what the document says of it: its status, its schema, and no field that it does not name. */
  function agrees(path: string, status: number, body: unknown, method = 'post') {
    const { document, ajv, checks } = known;
    const response = document.paths[path]?.[method]?.responses[String(status)];
    expect([path, status, response?.description]).toEqual([path, status, expect.any(String)]);
    const schema = JSON.stringify(response?.content['application/json'].schema).replaceAll('"#/', '"document#/');
    const check = checks.get(schema) ?? ajv.compile({ ...json(schema), unevaluatedProperties: false });
    checks.set(schema, check);
    expect([path, body, objections(check, body)]).toEqual([path, body, []]);
  }

  test.each(variants)('to every published order, %s', async (_, options) => {
    const simulator = await described(options);
    for (const { kind, request } of publishedOrders()) {
      const path = kind === 'checkout' ? '/trade/create' : '/trade/pay';
      const { status, body } = await call(simulator, path, filled(request));
      agrees(path, status, body);
    }
  });

  test.each(variants)('of all other operations, and refusals, %s', async (_, options) => {
    const simulator = await described(options);
    const asks = async (path: string, request: Json, as = app) => {
      const { status, body } = await call(simulator, path, request, { as });
      agrees(path, status, body);
      return body;
    };
    await asks('/trade/pay', order('credit-card', { out_trade_no: 'card' }));
    await asks('/trade/query', { out_trade_no: 'card' });
    await simulator.pay('card');
    await asks('/trade/query', { out_trade_no: 'card' });
    await asks('/trade/create', order('checkout', { out_trade_no: 'open' }));
    await asks('/trade/query', { out_trade_no: 'open' });
    await asks('/trade/refund', refundOf('card', { out_request_no: 'R-1', refund_amount: '100.00' }));
    await asks('/trade/bank-list', { method: 'Cash' });
    await asks('/trade/bank-list', { method: 'Cash', region: 'CHL' });
    await asks('/trade/installments', { currency: 'BRL', amount: '99999999.99' });
    await asks(simulator.settings.walletTokenPath, {});
    const { account_id } = await asks('/virtual-account/spei/create', accountOf('https://a.example'));
    await asks('/virtual-account/spei/query', { account_id });
    await asks('/virtual-account/spei/cancel', { account_id });
    await asks('/virtual-account/spei/quantity', {});

    await asks('/trade/query', {}, { ...app, secret_key: 'guess' });
    await asks('/trade/query', { app_id: 'another' });
    await asks('/trade/query', { out_trade_no: 'nobody’s' });
    await asks('/trade/pay', {});
    await asks('/virtual-account/spei/query', { account_id: 'none' });
  });

  test.each(variants)('and notifications, of orders, refunds, cards and deposits, %s', async (_, options) => {
    const merchant = await Merchant.start();
    const simulator = await described({ ...options, refundTakes: '0s' });
    const { document, ajv } = known;
    const check = ajv.compile({ $ref: 'document#/components/schemas/notification', unevaluatedProperties: false });
    const notify_url = merchant.url;
    await call(simulator, '/trade/pay', order('credit-card', { out_trade_no: 'card', notify_url }));
    await simulator.pay('card');
    await call(simulator, '/trade/refund', refundOf('card', { refund_amount: '899.70' }));
    await call(simulator, '/trade/create', order('checkout', { out_trade_no: 'open', notify_url }));
    await simulator.act('open', 'cancel');
    const { body } = await call(simulator, '/virtual-account/spei/create', accountOf(notify_url));
    await simulator.deposit(String(body.account_id), '10.00');
    await simulator.settled();
    expect(merchant.received.length).toBeGreaterThanOrEqual(4);
    const [parameter] = document.webhooks.notification?.post.parameters ?? [];
    for (const { body: told, headers } of merchant.received) {
      expect([told, objections(check, told)]).toEqual([told, []]);
      const { schema } = Object({ schema: undefined, ...parameter });
      expect(headers[parameter?.name.toLowerCase() ?? '']).toMatch(new RegExp(schema.pattern));
    }
    await merchant.close();
  });

  test('of the control API', async () => {
    const merchant = await Merchant.start();
    const simulator = await described({ refundTakes: 'manual' });
    const { paths } = known.document;
    const seen = new Set<string>();
    const does = async (method: string, template: string, no = '', body?: Json, query = '') => {
      const { status, value } = await control(simulator, method, template.replace('{no}', no) + query, body);
      agrees(`/simulator/${template}`, status, value, method.toLowerCase());
      if (status === 200) seen.add(`${method} /simulator/${template}`);
      return value;
    };
    const create = (out_trade_no: string, file = 'pix') =>
      call(simulator, '/trade/pay', order(file, { out_trade_no, notify_url: merchant.url }));
    for (const action of ['submit', 'pay', 'refuse', 'cancel']) {
      await create(action, action === 'submit' ? 'credit-card' : 'pix');
      await does('POST', `trades/{no}/${action}`, action, {});
    }
    await create('risk', 'credit-card');
    await does('POST', 'trades/{no}/risk', 'risk');
    await create('forced');
    await simulator.pay('forced');
    await does('POST', 'trades/{no}/force-refund', 'forced');
    for (const action of ['dispute', 'chargeback', 'reverse-chargeback'])
      await does('POST', `trades/{no}/${action}`, 'pay');
    await does('POST', 'trades/{no}/notify', 'pay');
    await does('POST', 'trades/{no}/forge', 'pay', { trade_status: 'SUCCESS' });
    await does('POST', 'trades/{no}/notifications', 'pay', { enabled: true });
    await does('GET', 'trades', '', undefined, '?trade_status=CANCEL');
    await does('GET', 'trades/{no}', 'pay');

    for (const action of ['confirm', 'approve', 'refuse', 'revoke']) {
      const out_trade_no = `to ${action}`;
      await create(out_trade_no);
      await simulator.pay(out_trade_no);
      await call(simulator, '/trade/refund', refundOf(out_trade_no, { bank_info: undefined }));
      await does('POST', `refunds/{no}/${action}`, out_trade_no);
    }
    await does('GET', 'refunds');
    await does('GET', 'refunds/{no}', 'to approve');

    const { body } = await call(simulator, '/virtual-account/spei/create', accountOf(merchant.url));
    const account = String(body.account_id);
    await does('POST', 'accounts/{no}/deposits', account, { amount: '10.00', says: { provider: 'X' } });
    await does('GET', 'accounts/{no}/deposits', account);
    await does('GET', 'accounts');
    await does('GET', 'accounts/{no}', account);
    await does('POST', 'accounts/{no}/cancel', account);
    await simulator.settled();
    await does('POST', 'faults', '', { on: 'query', fault: 'refuse', code: '20000' });
    for (const path of ['ledger', 'notifications', 'requests', 'clock', 'settings', 'faults']) await does('GET', path);
    await does('DELETE', 'faults');
    await does('POST', 'clock', '', { advance: '1s' });
    await does('POST', 'settings', '', { refundTakes: '0s' });

    await does('GET', 'trades/{no}', 'none');
    await does('POST', 'trades/{no}/pay', 'cancel');
    await does('POST', 'settings', '', { colour: 'red' });
    const documented = Object.entries(paths)
      .filter(([path]) => path.startsWith('/simulator/'))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`));
    expect([...seen].sort()).toEqual(documented.sort());
    await merchant.close();
  });

  test('a body that the control API refuses is refused by the document too', async () => {
    const simulator = await started();
    const document = await documentOf(simulator);
    for (const [path, body] of [
      ['faults', { on: 'pay', fault: 'flood' }],
      ['faults', { on: 'pay', fault: 'delay', times: 0 }],
      ['clock', { speed: -1 }],
      ['settings', { directStatus: 'mine' }],
      ['settings', { colour: 'red' }],
    ] as const) {
      const schema = document.paths[`/simulator/${path}`]?.post?.requestBody?.content['application/json'].schema ?? {};
      expect([body, new Ajv2020({ strict: false }).compile(schema)(body)]).toEqual([body, false]);
      expect((await control(simulator, 'POST', path, body)).status).toBe(400);
    }
  });
});
