/** Registers our search attributes. Temporal fails every workflow task that sets one that is not registered. */
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { SEARCH_ATTRIBUTE } from '../contract';
import { UserError } from '../process/user-error';
import { GRPC_STATUS, grpcCodeOf, isNotOffered } from './call-errors';

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
  workflowService: {
    countWorkflowExecutions(request: { namespace: string; query: string }): Promise<unknown>;
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

const NEEDED = new Map(Object.values(SEARCH_ATTRIBUTE).map(({ name, type }) => [name, TYPES[type]]));

export const SEARCH_ATTRIBUTE_NAMES: readonly string[] = [...NEEDED.keys()];

/** This caller may not add search attributes to the namespace. The message has the command that adds them. */
class AttributesNotOfferedError extends UserError {
  override readonly name = 'AttributesNotOfferedError';
}

/** Names of our search attributes that the namespace lacks. Throws SearchAttributeConflictError if a type differs. */
export async function missingSearchAttributes(connection: OperatorConnection, namespace: string): Promise<string[]> {
  const listed = await connection.operatorService.listSearchAttributes({ namespace }).catch((error: unknown) => {
    if (isNotOffered(error)) return undefined;
    throw error;
  });
  if (listed === undefined) return unknownToLists(connection, namespace);
  const { customAttributes } = listed;
  return [...NEEDED].flatMap(([name, needed]) => {
    const found = customAttributes?.[name];
    if (found !== undefined && found !== needed) throw conflict(namespace, name, found, needed);
    return found === undefined ? [name] : [];
  });
}

/** The same if the server does not list search attributes: it refuses a query by an unregistered one. Types are not checked. */
async function unknownToLists({ workflowService }: OperatorConnection, namespace: string): Promise<string[]> {
  const missing = await Promise.all(
    SEARCH_ATTRIBUTE_NAMES.map((name) =>
      workflowService.countWorkflowExecutions({ namespace, query: `${name} IS NOT NULL` }).then(
        () => [],
        (error: unknown) => {
          if (grpcCodeOf(error) === GRPC_STATUS.INVALID_ARGUMENT) return [name];
          throw error;
        },
      ),
    ),
  );
  return missing.flat();
}

/** Throws NotSetUpError if the namespace lacks one, and SearchAttributeConflictError. */
export async function requireSearchAttributes(connection: OperatorConnection, namespace: string): Promise<void> {
  const missing = await missingSearchAttributes(connection, namespace);
  if (missing.length === 0) return;
  throw new NotSetUpError(
    `The namespace ${namespace} lacks the search attributes ${missing.join(', ')}, which payments need. Register them with: payment-gateway setup`,
  );
}

/** The same, after a failure or an empty answer: silent if Temporal does not say which attributes there are. */
export async function explainIfNotSetUp({
  connection,
  options,
}: Pick<Client, 'connection' | 'options'>): Promise<void> {
  await requireSearchAttributes(connection, options.namespace).catch((error: unknown) => {
    if (error instanceof UserError) throw error;
  });
}

/**
 * Registers the missing ones and returns their names. Safe to repeat. Throws SearchAttributeConflictError and
 * AttributesNotOfferedError.
 */
export async function registerSearchAttributes(connection: OperatorConnection, namespace: string): Promise<string[]> {
  const missing = await missingSearchAttributes(connection, namespace);
  if (missing.length === 0) return missing;
  const searchAttributes = Object.fromEntries([...NEEDED].filter(([name]) => missing.includes(name)));
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes }).catch((error: unknown) => {
    throw isNotOffered(error) ? notOffered(namespace, missing) : error;
  });
  return missing;
}

/** With one command for all of them, which people copy. */
function notOffered(namespace: string, missing: readonly string[]): AttributesNotOfferedError {
  const pairs = [...NEEDED].filter(([name]) => missing.includes(name));
  const cloud = pairs.map(([name, type]) => `--search-attribute ${name}=${commandType(type)}`).join(' ');
  const own = pairs.map(([name, type]) => `--name ${name} --type ${commandType(type)}`).join(' ');
  return new AttributesNotOfferedError(
    [
      `The namespace ${namespace} lacks search attributes that payments need, and Temporal does not let this program add them.`,
      'In Temporal Cloud run:',
      `  tcld namespace search-attributes add --namespace ${namespace} ${cloud}`,
      'On a server of your own its operator runs:',
      `  temporal operator search-attribute create --namespace ${namespace} ${own}`,
      'Then run payment-gateway setup again.',
    ].join('\n'),
  );
}

const typeName = (type: ValueType) => IndexedValueType[type]?.replace('INDEXED_VALUE_TYPE_', '') ?? `type ${type}`;

/** As commands of Temporal write a type: `KeywordList`. */
const commandType = (type: ValueType) =>
  typeName(type)
    .split('_')
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join('');

function conflict(namespace: string, name: string, found: ValueType, needed: ValueType): SearchAttributeConflictError {
  return new SearchAttributeConflictError(
    `The search attribute ${name} of the namespace ${namespace} is registered as ${typeName(found)}, and payments need ${typeName(needed)}. Use another namespace, or remove it there.`,
  );
}
