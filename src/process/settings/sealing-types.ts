/** The sealing keys as settings: an error names the wrong part of a key, never its value. */
import { z } from 'zod';
import { jsonText } from './types';

const part = z.string().exactOptional();

/** An elliptic-curve key; gateway/sealing.ts says which curves it takes. */
const jwk = z.object({ kty: z.string(), kid: part, crv: part, x: part, y: part, d: part, alg: part, use: part });

const NEW_KEYS = '“payment-gateway keys new” prints a pair';

/** The public key that callers seal with. */
export const sealingPublicJwk = keyText((given) => {
  if (isObject(given) && 'keys' in given) return 'is a set of keys: give the one public key in it, without "keys"';
  if (isObject(given) && 'd' in given)
    return `holds a private key (its part "d"), which only the worker may have. Give callers the key without it; if they have seen it, make new keys: ${NEW_KEYS}`;
  return publicIssue(given);
}, jwk);

/** The private keys that a worker opens with. */
export const sealingJwks = keyText(
  (given) => {
    if (isObject(given) && !('keys' in given) && 'kty' in given)
      return 'is one key: it must be a set of private keys, {"keys":[…]} around it';
    const keys = isObject(given) ? given.keys : undefined;
    if (!Array.isArray(keys) || keys.length === 0)
      return `must be a set of private keys, {"keys":[{"kty":"EC",…}]}: ${NEW_KEYS}`;
    return keys.flatMap((key: unknown, i) => {
      const issue = publicIssue(key) ?? (isObject(key) && isFilled(key.d) ? undefined : PUBLIC_ALONE);
      return issue === undefined ? [] : [`key ${i + 1} of ${keys.length} ${issue}`];
    })[0];
  },
  z.object({ keys: z.array(jwk).min(1) }),
);

const PUBLIC_ALONE = 'is a public key (it lacks "d"), which opens nothing: give the worker the private one of the pair';

function publicIssue(given: unknown): string | undefined {
  if (!isObject(given)) return `must be a key, {"kty":"EC","crv":"P-256","x":…,"y":…}: ${NEW_KEYS}`;
  const { kty } = given;
  if (kty !== 'EC' && kty !== 'OKP') return `must be a key of an elliptic curve ("kty" EC or OKP): ${NEW_KEYS}`;
  const lacking = ['crv', 'x', ...(kty === 'EC' ? ['y'] : [])].filter((name) => !isFilled(given[name]));
  return lacking.length === 0 ? undefined : `lacks ${lacking.join(', ')}: ${NEW_KEYS}`;
}

/** JSON text of keys. `issueOf` says what is wrong with them. */
function keyText<Keys extends z.ZodType>(issueOf: (given: unknown) => string | undefined, schema: Keys) {
  const unlikeJson = 'must be JSON: one line, whole, and between single quotes where a shell reads it';
  return jsonText(schema, { unlikeJson, issueOf });
}

const isFilled = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isObject = (given: unknown): given is Record<string, unknown> =>
  typeof given === 'object' && given !== null && !Array.isArray(given);
