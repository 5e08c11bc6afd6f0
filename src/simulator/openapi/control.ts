import { z } from 'zod';
import { type Control, controls } from '../control/table';
import { faultViewSchema } from '../faults/faults';
import type { JsonSchema } from '../rules/rule';
import { settingsSchema } from '../settings';
import { accountView, notificationView, refundView, tradeView } from '../views';

/** Answers of many requests. Each has a name among the document's schemas. */
const shared = {
  'control-trade': tradeView,
  'control-refund': refundView,
  'control-account': accountView,
  'control-notification': notificationView,
  'control-fault': faultViewSchema,
  'control-settings': settingsSchema,
};

/** A reference to one of the document's schemas. */
export function ref(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** A JSON body with a schema. */
export function jsonBody(schema: JsonSchema, more: object = {}): object {
  return { 'application/json': { schema, ...more } };
}

type Schemas = Record<string, JsonSchema>;
type Paths = Record<string, Record<string, object>>;

// No setting changes the control API: its part is made when it is asked for first, and is half the work of a document.
let schemas: Schemas | undefined;
let paths: Paths | undefined;

/** The document's schemas for the control API. */
export function controlSchemas(): Schemas {
  schemas ??= newSchemas();
  return schemas;
}

/** The document's paths of the control API. */
export function controlPaths(): Paths {
  paths ??= newPaths();
  return paths;
}

function newSchemas(): Schemas {
  const problem = { 'control-problem': z.object({ error: z.string().describe('A sentence.') }) };
  return Object.fromEntries(Object.entries({ ...shared, ...problem }).map(([name, one]) => [name, schemaOf(one)]));
}

function newPaths(): Paths {
  const all: Paths = {};
  for (const control of controls) {
    const path = `/simulator${control.path.replace(/:(\w+)/g, '{$1}')}`;
    all[path] = { ...all[path], [control.method.toLowerCase()]: controlOperation(control) };
  }
  return all;
}

function controlOperation({ method, path, does, query, body, answer }: Control): object {
  const isNumbered = path.includes(':no');
  const filters = Object.entries(Object(schemaOf(query, 'input').properties));
  const parameters = [
    ...(isNumbered ? [{ name: 'no', in: 'path', required: true, schema: { type: 'string' } }] : []),
    ...filters.map(([name, schema]) => ({ name, in: 'query', schema })),
  ];
  const asked = schemaOf(body, 'input');
  const hasBody = Object.keys(Object(asked.properties)).length > 0;
  return {
    operationId: `control-${method.toLowerCase()}${path.replace(/\/:?/g, '-')}`,
    tags: ['control'],
    summary: does,
    // It needs no credentials: it answers this machine only.
    security: [],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(hasBody ? { requestBody: { required: 'required' in asked, content: jsonBody(asked) } } : {}),
    responses: {
      '200': { description: 'Done.', content: jsonBody(answerRef(answer)) },
      ...problemAnswer(400, 'The request makes no sense.'),
      ...problemAnswer(403, 'It does not come from this machine.'),
      ...(isNumbered ? problemAnswer(404, 'Nothing has this number.') : {}),
      ...(isNumbered && method === 'POST' ? problemAnswer(409, 'The state does not allow it now.') : {}),
    },
  };
}

function problemAnswer(status: number, description: string): object {
  return { [status]: { description, content: jsonBody(ref('control-problem')) } };
}

function answerRef(answer: unknown): JsonSchema {
  const name = Object.entries(shared).find(([, schema]) => schema === answer)?.[0];
  if (name !== undefined) return ref(name);
  if (answer instanceof z.ZodArray) return { type: 'array', items: answerRef(answer.element) };
  return answer instanceof z.ZodType ? schemaOf(answer) : {};
}

/** A zod schema as JSON Schema: of what is answered, or of what is taken. */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output' = 'output'): JsonSchema {
  const { $schema: _draft, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema: made }) => {
      // The bounds of doubles and zod's pattern of a date tell a reader nothing.
      if (made.minimum === Number.MIN_SAFE_INTEGER) delete made.minimum;
      if (made.maximum === Number.MAX_SAFE_INTEGER) delete made.maximum;
      if (made.format === 'date-time') delete made.pattern;
    },
  });
  return rest;
}
