/** Registers our search attributes. Temporal fails every workflow task that sets one that is not registered. */
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { SEARCH_ATTRIBUTE } from '../contract';
import { UserError } from '../process/user-error';

type ValueType = temporal.api.enums.v1.IndexedValueType;

/** The part of a connection that is used here. Connections of clients and of workers both have it. */
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

/** A search attribute is registered with another type. Temporal would accept ours, report no error, and keep the old type. */
export class SearchAttributeConflictError extends UserError {
  override readonly name = 'SearchAttributeConflictError';
}

/** Nobody has prepared the namespace: it lacks search attributes, so that no payment can start in it. */
export class NotSetUpError extends UserError {
  override readonly name = 'NotSetUpError';
}

const { IndexedValueType } = temporal.api.enums.v1;
const TYPES = {
  KEYWORD: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  KEYWORD_LIST: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD_LIST,
  DOUBLE: IndexedValueType.INDEXED_VALUE_TYPE_DOUBLE,
  DATETIME: IndexedValueType.INDEXED_VALUE_TYPE_DATETIME,
} as const;

/** The type of each attribute by its name, as payments need it. */
const NEEDED = new Map(Object.values(SEARCH_ATTRIBUTE).map(({ name, type }) => [name, TYPES[type]]));

/** The names of all our search attributes. */
export const SEARCH_ATTRIBUTE_NAMES: readonly string[] = [...NEEDED.keys()];

/** Names of our search attributes that the namespace lacks. Throws SearchAttributeConflictError if a type differs. */
export async function missingSearchAttributes(connection: OperatorConnection, namespace: string): Promise<string[]> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  return [...NEEDED].flatMap(([name, needed]) => {
    const found = customAttributes?.[name];
    if (found !== undefined && found !== needed) throw conflict(namespace, name, found, needed);
    return found === undefined ? [name] : [];
  });
}

/** Throws NotSetUpError where the namespace lacks one, and SearchAttributeConflictError. */
export async function requireSearchAttributes(connection: OperatorConnection, namespace: string): Promise<void> {
  const missing = await missingSearchAttributes(connection, namespace);
  if (missing.length === 0) return;
  throw new NotSetUpError(
    `The namespace ${namespace} lacks the search attributes ${missing.join(', ')}, which payments need. Register them with: payment-gateway setup`,
  );
}

/** The same, after something went wrong or brought nothing: silent where Temporal does not say which ones there are. */
export async function explainIfNotSetUp({
  connection,
  options,
}: Pick<Client, 'connection' | 'options'>): Promise<void> {
  await requireSearchAttributes(connection, options.namespace).catch((error: unknown) => {
    if (error instanceof UserError) throw error;
  });
}

/** Registers the missing ones and returns their names. Safe to repeat. Throws SearchAttributeConflictError. */
export async function registerSearchAttributes(connection: OperatorConnection, namespace: string): Promise<string[]> {
  const missing = await missingSearchAttributes(connection, namespace);
  if (missing.length > 0) await addSearchAttributes(connection, namespace, missing);
  return missing;
}

/** Registers search attributes without asking which exist. Test servers cannot answer that. */
async function addSearchAttributes(
  { operatorService }: OperatorConnection,
  namespace: string,
  names: readonly string[] = SEARCH_ATTRIBUTE_NAMES,
): Promise<void> {
  const searchAttributes = Object.fromEntries([...NEEDED].filter(([name]) => names.includes(name)));
  await operatorService.addSearchAttributes({ namespace, searchAttributes });
}

function conflict(namespace: string, name: string, found: ValueType, needed: ValueType): SearchAttributeConflictError {
  const typeName = (type: ValueType) => IndexedValueType[type]?.replace('INDEXED_VALUE_TYPE_', '') ?? `type ${type}`;
  return new SearchAttributeConflictError(
    `The search attribute ${name} of the namespace ${namespace} is registered as ${typeName(found)}, and payments need ${typeName(needed)}. Use another namespace, or remove it there.`,
  );
}
