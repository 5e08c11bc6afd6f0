/** The search attributes that payments use must be registered: one that is not blocks every workflow task that sets it. */
import { temporal } from '@temporalio/proto';
import { SEARCH_ATTRIBUTES } from './workflows/contract';

/** The part of a connection that this needs; client and worker connections both have it. */
export interface OperatorConnection {
  operatorService: {
    listSearchAttributes(request: {
      namespace: string;
    }): Promise<{ customAttributes?: { [name: string]: temporal.api.enums.v1.IndexedValueType } | null }>;
    addSearchAttributes(request: {
      namespace: string;
      searchAttributes: { [name: string]: temporal.api.enums.v1.IndexedValueType };
    }): Promise<unknown>;
  };
}

const TYPES = {
  KEYWORD: temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  DOUBLE: temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_DOUBLE,
  DATETIME: temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_DATETIME,
} as const;

type Name = keyof typeof SEARCH_ATTRIBUTES;
const NAMES = Object.keys(SEARCH_ATTRIBUTES).filter((name): name is Name => name in SEARCH_ATTRIBUTES);

/** Those of our search attributes that the namespace lacks. */
export async function missingSearchAttributes(connection: OperatorConnection, namespace: string): Promise<Name[]> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  return NAMES.filter((name) => customAttributes?.[name] === undefined);
}

/** Registers what is missing; returns what that was. */
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
