import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { controls } from '../control/table';
import type { OperationName } from '../faults/faults';
import { type Route, routesOf } from '../operations/routes';
import type { Settings } from '../options';
import { answerSchema, record, refusalSchema } from './answers';
import { controlPaths, controlSchemas } from './control';
import { COMMON, orderExamples } from './examples';
import { json, ref } from './media';
import { acknowledgements, notificationSchema } from './notification';
import { described } from './operations';
import { requestSchema } from './request';

const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(join(__dirname, '../../../package.json'), 'utf8')));

const ABOUT = `A payment gateway for tests: no money moves. Point your integration at it as its base address, act as buyer and bank on
its pages, at its desk (\`/simulator/desk\`) or by the control API, and see what your integration makes of it.

A request leaves a field out rather than sending it empty or null, and fields that the service does not know are ignored.
Amounts are exact: read numbers as decimals, not as doubles. What a schema cannot tell is in the descriptions. Faults that
a test sets make it answer otherwise than this document says.`;

const tags = [
  { name: 'payments', description: 'Orders and refunds: sections 4.1 to 4.4 of the interface.' },
  { name: 'lookups', description: 'Banks, installments and the wallet’s client token: sections 4.5 to 4.7.' },
  { name: 'virtual accounts', description: 'CLABEs that buyers pay into (SPEI): section 4.8.' },
  {
    name: 'control',
    description:
      'What a test does in the place of buyers, banks, time and trouble. Answers this machine only. `no` is a `trade_no` or an `out_trade_no`; of a refund its `refund_id`, its `out_request_no` or its trade’s number; of an account its `account_id` or its number.',
  },
  { name: 'server', description: 'About the simulator itself.' },
];

/**
 * The OpenAPI 3.1 document of a simulator with these settings: the interface's operations, its notifications as a webhook,
 * and the control API. The same settings make the same document. Amounts in it are exact literals: write it by `writeJson`.
 */
export function openApiDocument(settings: Settings): object {
  const routes = routesOf(settings);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Simulated payment gateway',
      version,
      description: ABOUT,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This simulator.' }],
    tags,
    security: [{ credentials: [] }],
    paths: {
      ...Object.fromEntries(routes.map((route) => [route.path, { post: operation(route, settings) }])),
      ...serverPaths,
      ...controlPaths(controls),
    },
    webhooks: { notification: { post: notification(settings) } },
    components: {
      securitySchemes: {
        credentials: {
          type: 'http',
          scheme: 'basic',
          description: 'Base64 of `app_id:secret_key`. The body carries the same `app_id`.',
        },
      },
      schemas: {
        ...Object.fromEntries(
          routes.flatMap(({ name }) => [
            [`${name}-request`, requestSchema(described[name].fields, settings)],
            [`${name}-answer`, answerSchema(described[name].answer, settings)],
          ]),
        ),
        refusal: refusalSchema,
        notification: notificationSchema(settings),
        'control-problem': record({ error: { type: 'string', description: 'A sentence.' } }),
        ...controlSchemas(),
      },
    },
  };
}

function operation({ name }: Route, settings: Settings): object {
  const { tag, section, summary, sub_codes } = described[name];
  return {
    operationId: name,
    tags: [tag],
    summary,
    description: `Section ${section} of the interface. Faults and tags call it \`${name}\`.`,
    requestBody: { required: true, content: json(ref(`${name}-request`), { examples: examplesOf(name) }) },
    responses: responses(`${name}-answer`, sub_codes(settings), settings),
  };
}

function examplesOf(name: OperationName): object {
  const { example } = described[name];
  if (example) return { [name]: { value: { ...COMMON, ...example } } };
  return orderExamples(name === 'create' ? 'checkout' : 'direct');
}

/** What is answered with which HTTP status: by the settings, a refusal may have that of a success. */
function responses(answer: string, own: readonly string[], { refusalStatus, credentialsStatus }: Settings): object {
  const credentials = '`sub_code` `invalid-signature`: the credentials are wrong.';
  const codes = ['app-not-match', ...own].map((code) => `\`${code}\``).join(', ');
  const cases = [
    { status: 200, schema: answer, description: 'Done.' },
    { status: refusalStatus, schema: 'refusal', description: `Refused: \`sub_code\` is a field’s name, or ${codes}.` },
    { status: credentialsStatus, schema: 'refusal', description: credentials },
  ];
  const statuses = [...new Set(cases.map(({ status }) => status))];
  return Object.fromEntries(
    statuses.map((status) => {
      const same = cases.filter((one) => one.status === status);
      const [schema = '', ...others] = [...new Set(same.map((one) => one.schema))];
      const content = json(others.length > 0 ? { anyOf: [schema, ...others].map(ref) } : ref(schema));
      return [status, { description: same.map((one) => one.description).join(' '), content }];
    }),
  );
}

function notification({ signatureHeader, signatureScheme }: Settings): object {
  const signature = 'Lowercase hexadecimal HMAC-SHA256 of the body’s very bytes, keyed with the app’s `secret_key`';
  return {
    operationId: 'notification',
    tags: ['payments'],
    summary: 'The service tells a merchant of an order’s state',
    description:
      'Posted to the order’s `notify_url` (section 6 of the interface): at once, and again 10, 30, 60, 120, 360 and 840 minutes after the first attempt until it is acknowledged. Retries carry the same bytes. Verify the signature before reading the body, and query the order before believing it.',
    // The signature stands in for credentials.
    security: [],
    parameters: [
      {
        name: signatureHeader,
        in: 'header',
        required: true,
        description: signatureScheme === 'hex' ? `${signature}.` : `\`t=<unix seconds>,v2=<signature>\`. ${signature}.`,
        schema: {
          type: 'string',
          pattern: signatureScheme === 'hex' ? '^[0-9a-f]{64}$' : '^t=[0-9]+,v2=[0-9a-f]{64}$',
        },
      },
    ],
    requestBody: { required: true, content: json(ref('notification')) },
    responses: { '200': { description: 'Acknowledged. Any other answer counts as none.', content: acknowledgements } },
  };
}

const serverPaths = {
  '/healthz': {
    get: {
      operationId: 'health',
      tags: ['server'],
      summary: 'Answers while the simulator runs',
      security: [],
      responses: {
        '200': { description: 'It runs.', content: json(record({ status: { type: 'string', const: 'ok' } })) },
      },
    },
  },
  '/openapi.json': {
    get: {
      operationId: 'openapi',
      tags: ['server'],
      summary: 'This document, by the settings in force',
      security: [],
      responses: { '200': { description: 'This document.', content: json({ type: 'object' }) } },
    },
  },
};
