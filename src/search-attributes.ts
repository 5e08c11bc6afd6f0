/** The search attributes that payments use must be registered: one that is not blocks every workflow task that sets it. */
import { temporal } from '@temporalio/proto';
import { SEARCH_ATTRIBUTES } from './workflows/contract';

type ValueType = temporal.api.enums.v1.IndexedValueType;

/** The part of a connection that this needs; client and worker connections both have it. */
export interface OperatorConnection {
  operatorService: {
    listSearchAttributes(request: {
      namespace: string;
    }): Promise<{ customAttributes?: { [name: string]: ValueType } | null }>;
    addSearchAttributes(request: {
      namespace: string;
      searchAttributes: { [name: string]: ValueType };
    }): Promise<unknown>;
  };
}

/** A search attribute exists with another type. Temporal would take the registration in silence and keep the old type. */
export class SearchAttributeConflictError extends Error {
  override readonly name = 'SearchAttributeConflictError';
}

const { IndexedValueType } = temporal.api.enums.v1;
const TYPES = {
  KEYWORD: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  DOUBLE: IndexedValueType.INDEXED_VALUE_TYPE_DOUBLE,
  DATETIME: IndexedValueType.INDEXED_VALUE_TYPE_DATETIME,
} as const;

type Name = keyof typeof SEARCH_ATTRIBUTES;
const NAMES = Object.keys(SEARCH_ATTRIBUTES).filter((name): name is Name => name in SEARCH_ATTRIBUTES);

/** Those of our search attributes that the namespace lacks. Throws SearchAttributeConflictError where a type is another. */
export async function missingSearchAttributes(connection: OperatorConnection, namespace: string): Promise<Name[]> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  return NAMES.filter((name) => {
    const found = customAttributes?.[name];
    const wanted = TYPES[SEARCH_ATTRIBUTES[name]];
    if (found !== undefined && found !== wanted) throw conflict(namespace, name, found, wanted);
    return found === undefined;
  });
}

/** Registers what is missing and returns what that was. Safe to repeat. Throws SearchAttributeConflictError. */
export async function registerSearchAttributes(connection: OperatorConnection, namespace: string): Promise<Name[]> {
  const missing = await missingSearchAttributes(connection, namespace);
  if (missing.length > 0) await addSearchAttributes(connection, namespace, missing);
  return missing;
}

/** Registers search attributes without asking which are there: test servers cannot tell. */
export async function addSearchAttributes(
  { operatorService }: OperatorConnection,
  namespace: string,
  names: readonly Name[] = NAMES,
): Promise<void> {
  const searchAttributes = Object.fromEntries(names.map((name) => [name, TYPES[SEARCH_ATTRIBUTES[name]]]));
  await operatorService.addSearchAttributes({ namespace, searchAttributes });
}

function conflict(namespace: string, name: Name, found: ValueType, wanted: ValueType): SearchAttributeConflictError {
  const typeName = (type: ValueType) => IndexedValueType[type]?.replace('INDEXED_VALUE_TYPE_', '') ?? `type ${type}`;
  return new SearchAttributeConflictError(
    `The search attribute ${name} of the namespace ${namespace} is registered as ${typeName(found)}, and payments need ${typeName(wanted)}. Use another namespace, or remove it there.`,
  );
}
