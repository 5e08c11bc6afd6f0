/** A JSON Schema (draft 2020-12) as OpenAPI 3.1 has them. Regular expressions are such as every language's engine reads. */
export type JsonSchema = boolean | JsonSchemaObject;

/** A JSON Schema that is an object. */
export interface JsonSchemaObject {
  readonly [keyword: string]: unknown;
}

/** A schema of the value at a dotted path: an object in an object, each of them required if the value is. */
export function at(path: string, schema: JsonSchema, required: boolean): JsonSchemaObject {
  const [key = '', ...rest] = path.split('.');
  return {
    type: 'object',
    ...(required ? { required: [key] } : {}),
    properties: { [key]: rest.length === 0 ? schema : at(rest.join('.'), schema, required) },
  };
}

/** One schema that asks for what all of these do. */
export function merged(schemas: readonly JsonSchema[]): JsonSchema {
  return schemas.reduce(mergedPair, true);
}

function mergedPair(one: JsonSchema, other: JsonSchema): JsonSchema {
  if (one === false || other === false) return false;
  if (one === true) return other;
  if (other === true) return one;
  const all: { [keyword: string]: unknown } = { ...one };
  const besides: unknown[] = [];
  for (const [keyword, value] of Object.entries(other)) {
    const before = all[keyword];
    if (before === undefined || JSON.stringify(before) === JSON.stringify(value)) all[keyword] = value;
    else if (keyword === 'properties' && isSchemas(before) && isSchemas(value)) {
      all.properties = mergedProperties(before, value);
    } else if (keyword === 'required' && Array.isArray(before) && Array.isArray(value)) {
      all.required = [...new Set([...before, ...value])];
    } else if (keyword === 'allOf' && Array.isArray(value)) besides.push(...value);
    // Two patterns, say: neither may overrule the other.
    else besides.push({ [keyword]: value });
  }
  if (besides.length > 0) all.allOf = [...(Array.isArray(all.allOf) ? all.allOf : []), ...besides];
  return all;
}

function mergedProperties(one: Schemas, other: Schemas): Schemas {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return Object.fromEntries(names.map((name) => [name, mergedPair(one[name] ?? true, other[name] ?? true)]));
}

interface Schemas {
  readonly [name: string]: JsonSchema;
}

function isSchemas(value: unknown): value is Schemas {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((schema) => typeof schema === 'boolean' || typeof schema === 'object')
  );
}
