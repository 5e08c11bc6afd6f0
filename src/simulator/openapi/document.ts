import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type GatewayOperation, operationsOf } from '../operations/table';
import { refundFields } from '../rules/refund';
import type { JsonSchema } from '../rules/rule';
import type { Settings } from '../settings';
import { controlPaths, controlSchemas, jsonBody, ref, schemaOf } from './control';
import { examplesOf, version } from './examples';
import { requestBodySchema } from './request';
import { answerSchema, notificationBodySchema, refusalSchema } from './shapes';

const ABOUT = `A payment gateway for tests: no money moves. Use it as the base address of your integration. Act as buyer and bank on
its pages, at the operator's desk (\`/simulator/desk\`) or by the control API, and see what your integration does.

Leave a field out rather than send it empty or null. The service ignores fields that it does not know. Amounts are exact:
read numbers as decimals, not as doubles. What a schema cannot express is in the descriptions. With faults that a test
sets, the answers are other than this document says.`;

/** The groups of operations, by the first section of each. */
const operationTags = [
  { name: 'payments', from: '4.1', description: 'Orders and refunds: sections 4.1 to 4.4 of the interface.' },
  { name: 'lookups', from: '4.5', description: 'Banks, installments, the wallet’s client token: sections 4.5 to 4.7.' },
  { name: 'virtual accounts', from: '4.8', description: 'CLABEs that buyers pay into (SPEI): section 4.8.' },
];
const controlTag = {
  name: 'control',
  description:
    'What a test does in place of buyers, banks, time and failures. Answers this machine only. `no` is a `trade_no` or an `out_trade_no`; of a refund its `refund_id`, its `out_request_no` or its trade’s number; of an account its `account_id` or its number.',
};
const serverTag = { name: 'server', description: 'About the simulator itself.' };

/** Serves the OpenAPI document. It has nothing secret, so viewers on other sites may read it. */
export function openApiRoutes(server: FastifyInstance, gateway: { readonly settings: Settings }): void {
  server.get('/openapi.json', async (_request, reply) =>
    reply.header('access-control-allow-origin', '*').send(openApiDocument(gateway.settings)),
  );
}

/**
 * The OpenAPI 3.1 document of a simulator with these settings: the operations of the interface, its notifications as a
 * webhook, and the control API. The same settings make the same document.
 */
function openApiDocument(settings: Settings): object {
  const operations = operationsOf(settings);
  const description = 'Base64 of `app_id:secret_key`. The body has the same `app_id`.';
  return {
    openapi: '3.1.0',
    info: {
      title: 'Simulated payment gateway',
      version,
      description: ABOUT,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This simulator.' }],
    tags: [...operationTags.map(({ from: _from, ...tag }) => tag), controlTag, serverTag],
    security: [{ credentials: [] }],
    paths: {
      ...Object.fromEntries(operations.map((one) => [one.path, { post: operationObject(one, settings) }])),
      '/healthz': serverPath('health', 'Answers while the simulator runs', z.object({ status: z.literal('ok') })),
      '/openapi.json': serverPath('openapi', 'This document, by the settings in force', z.looseObject({})),
      ...controlPaths(),
    },
    webhooks: { notification: { post: notificationWebhook(settings) } },
    components: {
      securitySchemes: { credentials: { type: 'http', scheme: 'basic', description } },
      schemas: {
        ...Object.fromEntries(operations.flatMap((one) => operationSchemas(one, settings))),
        refusal: schemaOf(refusalSchema, 'input'),
        notification: schemaOf(notificationBodySchema(settings), 'input'),
        ...controlSchemas(),
      },
    },
  };
}

function operationSchemas({ name, fields }: GatewayOperation, settings: Settings): [string, JsonSchema][] {
  // The table has the fields of a refund that are checked before its trade is known.
  const table = name === 'refund' ? refundFields : fields;
  return [
    [`${name}-request`, requestBodySchema(table(settings))],
    // Later versions may add fields, so the answer is described as the input of its reader.
    [`${name}-answer`, schemaOf(answerSchema(name, settings), 'input')],
  ];
}

function operationObject({ name, section, does, sub_codes }: GatewayOperation, settings: Settings): object {
  return {
    operationId: name,
    tags: [operationTags.findLast(({ from }) => from <= section)?.name],
    summary: does,
    description: `Section ${section} of the interface. Faults and tags call it \`${name}\`.`,
    requestBody: { required: true, content: jsonBody(ref(`${name}-request`), { examples: examplesOf(name) }) },
    responses: responsesOf(`${name}-answer`, sub_codes, settings),
  };
}

/** The answers by HTTP status. The settings can give a refusal the status of a success. */
function responsesOf(answer: string, own: readonly string[], { refusalStatus, credentialsStatus }: Settings): object {
  const codes = ['app-not-match', ...own].map((code) => `\`${code}\``).join(', ');
  const cases = [
    { status: 200, schema: answer, says: 'Done.' },
    { status: refusalStatus, schema: 'refusal', says: `Refused: \`sub_code\` is a field’s name, or ${codes}.` },
    { status: credentialsStatus, schema: 'refusal', says: '`sub_code` `invalid-signature`: wrong credentials.' },
  ];
  const responses = cases.map(({ status }) => {
    const same = cases.filter((one) => one.status === status);
    const schemas = [...new Set(same.map(({ schema }) => schema))].map(ref);
    const content = jsonBody(schemas.length > 1 ? { anyOf: schemas } : { ...schemas[0] });
    return [status, { description: same.map(({ says }) => says).join(' '), content }];
  });
  return Object.fromEntries(responses);
}

function notificationWebhook({ signatureHeader, signatureScheme }: Settings): object {
  const isHex = signatureScheme === 'hex';
  const signature = 'Lowercase hexadecimal HMAC-SHA256 of the bytes of the body, keyed with the app’s `secret_key`.';
  const header = {
    name: signatureHeader,
    in: 'header',
    required: true,
    description: isHex ? signature : `\`t=<unix seconds>,v2=<signature>\`. ${signature}`,
    schema: { type: 'string', pattern: isHex ? '^[0-9a-f]{64}$' : '^t=[0-9]+,v2=[0-9a-f]{64}$' },
  };
  const success = z.literal('success');
  const acknowledgements = {
    'text/plain': { schema: schemaOf(success) },
    ...jsonBody(schemaOf(z.object({ result: success }), 'input')),
  };
  return {
    operationId: 'notification',
    tags: ['payments'],
    summary: 'The service tells a merchant the state of an order',
    description:
      'Posted to the order’s `notify_url` (section 6 of the interface): at once, and again 10, 30, 60, 120, 360 and 840 minutes after the first attempt until it is acknowledged. Retries have the same bytes. Verify the signature before you read the body, and query the order before you believe it.',
    // The signature takes the place of credentials.
    security: [],
    parameters: [header],
    requestBody: { required: true, content: jsonBody(ref('notification')) },
    responses: { '200': { description: 'Acknowledged. Any other answer counts as none.', content: acknowledgements } },
  };
}

function serverPath(operationId: string, summary: string, answer: z.ZodType): object {
  const responses = { '200': { description: summary, content: jsonBody(schemaOf(answer)) } };
  return { get: { operationId, tags: ['server'], summary, security: [], responses } };
}
