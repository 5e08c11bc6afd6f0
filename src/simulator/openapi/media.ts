import type { JsonSchemaObject } from '../rules/schema';

/** A JSON body of a schema, with examples or without. */
export function json(schema: JsonSchemaObject, more: object = {}): object {
  return { 'application/json': { schema, ...more } };
}

/** A reference to one of the document's schemas. */
export function ref(name: string): JsonSchemaObject {
  return { $ref: `#/components/schemas/${name}` };
}
