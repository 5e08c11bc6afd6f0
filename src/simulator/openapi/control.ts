import { z } from 'zod';
import type { Control } from '../control/table';
import { accountViewSchema, notificationViewSchema, refundViewSchema, tradeViewSchema } from '../control/views';
import { faultViewSchema } from '../faults/faults';
import { settingsSchema } from '../options';
import type { JsonSchema, JsonSchemaObject } from '../rules/schema';
import { json, ref } from './media';

/** The answers that many requests share, by the name that they have among the document's schemas. */
const shared = new Map<unknown, string>([
  [tradeViewSchema, 'control-trade'],
  [refundViewSchema, 'control-refund'],
  [accountViewSchema, 'control-account'],
  [notificationViewSchema, 'control-notification'],
  [faultViewSchema, 'control-fault'],
  [settingsSchema, 'control-settings'],
]);

/** The document's schemas for the control API. */
export function controlSchemas(): Record<string, JsonSchema> {
  return Object.fromEntries(
    [...shared].map(([schema, name]) => [name, schema instanceof z.ZodType ? jsonSchema(schema, 'output') : true]),
  );
}

/** The paths of the control API as the document has them. */
export function controlPaths(controls: readonly Control[]): Record<string, Record<string, object>> {
  const paths: Record<string, Record<string, object>> = {};
  for (const control of controls) {
    const path = `/simulator${control.path.replace(/:(\w+)/g, '{$1}')}`;
    paths[path] = { ...paths[path], [control.method.toLowerCase()]: operation(control) };
  }
  return paths;
}

function operation({ method, path, does, query, body, answer }: Control): object {
  const parameters = [
    ...(path.includes(':no') ? [{ name: 'no', in: 'path', required: true, schema: { type: 'string' } }] : []),
    ...Object.entries(query.shape).map(([name, schema]) => ({
      name,
      in: 'query',
      schema: schema instanceof z.ZodType ? jsonSchema(schema, 'input') : true,
    })),
  ];
  const asked = jsonSchema(body, 'input');
  const isAsked = Object.keys(Object(asked.properties)).length > 0;
  return {
    operationId: `control-${method.toLowerCase()}${path.replace(/\/:?/g, '-')}`,
    tags: ['control'],
    summary: does,
    // Whoever reaches it needs no credentials: it answers this machine only.
    security: [],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(isAsked ? { requestBody: { required: 'required' in asked, content: json(asked) } } : {}),
    responses: {
      '200': { description: 'Done.', content: json(answerSchema(answer)) },
      ...problem(400, 'The request makes no sense.'),
      ...problem(403, 'It does not come from this machine.'),
      ...(path.includes(':no') ? problem(404, 'Nothing has this number.') : {}),
      ...(path.includes(':no') && method === 'POST' ? problem(409, 'The state does not allow it now.') : {}),
    },
  };
}

function problem(status: number, description: string): object {
  return { [status]: { description, content: json(ref('control-problem')) } };
}

function answerSchema(answer: z.ZodType): JsonSchemaObject {
  const name = shared.get(answer);
  if (name !== undefined) return ref(name);
  const item = answer instanceof z.ZodArray ? shared.get(answer.element) : undefined;
  return item === undefined ? jsonSchema(answer, 'output') : { type: 'array', items: ref(item) };
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchemaObject {
  const { $schema: _draft, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema: made }) => {
      // What a number or a time is by itself needs no bounds and no pattern.
      if (made.minimum === Number.MIN_SAFE_INTEGER) delete made.minimum;
      if (made.maximum === Number.MAX_SAFE_INTEGER) delete made.maximum;
      if (made.format === 'date-time') delete made.pattern;
    },
  });
  return rest;
}
