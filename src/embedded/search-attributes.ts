import type { Connection } from '@temporalio/client';

/** The types as Temporal's command line writes them, with their numbers on the wire (`IndexedValueType`). */
const TYPE_NUMBERS = { Text: 1, Keyword: 2, Int: 3, Double: 4, Bool: 5, Datetime: 6, KeywordList: 7 } as const;

export type SearchAttributeTypeName = keyof typeof TYPE_NUMBERS;

/** Name to type, such as `{ PaymentStatus: 'Keyword' }`. */
export type SearchAttributes = Readonly<Record<string, SearchAttributeTypeName>>;

/** A search attribute exists with another type. Temporal would accept the registration in silence and keep the old type. */
export class SearchAttributeConflictError extends Error {
  override readonly name = 'SearchAttributeConflictError';
}

/**
 * Registers the search attributes that a namespace does not have yet. Safe to repeat, and safe for two at once.
 *
 * @returns the names that were added
 * @throws SearchAttributeConflictError if one exists with another type
 */
export async function ensureSearchAttributes(
  connection: Connection,
  namespace: string,
  wanted: SearchAttributes,
): Promise<string[]> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing: Record<string, number> = {};
  for (const [name, type] of Object.entries(wanted)) {
    const existing = customAttributes[name];
    if (existing === undefined) missing[name] = TYPE_NUMBERS[type];
    else if (existing !== TYPE_NUMBERS[type])
      throw new SearchAttributeConflictError(conflict(namespace, name, existing, type));
  }
  const names = Object.keys(missing);
  if (names.length > 0) {
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes: missing });
  }
  return names;
}

function conflict(namespace: string, name: string, existing: number, wanted: SearchAttributeTypeName): string {
  const found = Object.entries(TYPE_NUMBERS).find(([, number]) => number === existing)?.[0] ?? `type ${existing}`;
  return `The search attribute ${name} of namespace "${namespace}" is registered as ${found}, and ${wanted} is needed.`;
}
