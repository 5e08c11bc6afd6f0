/** Reads the JSON files that people give to commands. */
import { readFile } from 'node:fs/promises';
import { parseExact } from '../gateway/json';
import { ConfigError } from '../process/user-error';

/**
 * The object in a JSON file; its numbers keep their digits. `what` names the file in messages, such as `order file`. Messages
 * never quote the file: it may hold card data. Throws ConfigError.
 */
export async function readJsonObject(what: string, file: string): Promise<object> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(`The ${what} ${file} cannot be read (${error.code}).`);
  });
  const value = parsed(text, `The ${what} ${file}`);
  if (typeof value === 'object' && value !== null) return value;
  throw new ConfigError(`The ${what} ${file} holds no JSON object.`);
}

/** The value of a JSON text, undefined for any other text: the parser's own error would quote it, and it may hold keys. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parsed(text: string, name: string): unknown {
  try {
    return parseExact(text);
  } catch (error) {
    const [where = ''] = /at position \d+/.exec(error instanceof Error ? error.message : '') ?? [];
    throw new ConfigError(`${name} is not JSON${where && ` (${where})`}.`);
  }
}
