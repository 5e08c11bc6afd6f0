/**
 * The public keys of a log-in, fetched when needed. jose fetches keys too, but without limits of size and time, and again at every
 * stranger's request while they cannot be fetched.
 */
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { request } from 'undici';
import { z } from 'zod';

const MAX_BYTES = 1_048_576;
const FETCH_WITHIN_MS = 5_000;
/** Withdrawn keys stay valid for this long at most. */
const FRESH_MS = 10 * 60_000;
/** Keys are not fetched again before this time has passed, whatever the requests. */
const REST_MS = 5_000;

const keySet = z.object({ keys: z.array(z.custom<JSONWebKeySet['keys'][number]>((key) => key instanceof Object)) });

/** The keys at this address, for `jwtVerify`. `onFailure` is told why they cannot be fetched. */
export function loginKeys(url: string, onFailure: (error: unknown) => void): JWTVerifyGetKey {
  let keys: { find: JWTVerifyGetKey; since: number } | undefined;
  let triedAt = Number.NEGATIVE_INFINITY;
  let fetching: Promise<void> | undefined;

  async function fetchOnce(): Promise<void> {
    triedAt = Date.now();
    try {
      keys = { find: createLocalJWKSet(await fetchKeySet(url)), since: Date.now() };
    } catch (error) {
      onFailure(error);
    }
  }
  /** Fetches the keys, unless that was tried a moment ago. Requests that come meanwhile wait for the same answer. */
  async function renew(): Promise<void> {
    if (Date.now() - triedAt < REST_MS) return fetching;
    fetching = fetchOnce();
    await fetching;
  }
  const find: JWTVerifyGetKey = async (header, token) => {
    if (keys === undefined || Date.now() - keys.since > FRESH_MS) throw new errors.JWKSNoMatchingKey();
    return keys.find(header, token);
  };

  return async (header, token) => {
    try {
      return await find(header, token);
    } catch (error) {
      // An unknown key may be a new one.
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await renew();
      return find(header, token);
    }
  };
}

async function fetchKeySet(url: string): Promise<JSONWebKeySet> {
  const signal = AbortSignal.timeout(FETCH_WITHIN_MS);
  const { statusCode, body } = await request(url, { signal, reset: true, headers: { accept: 'application/json' } });
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > MAX_BYTES) throw new Error(`The keys of the log-in have more than ${MAX_BYTES} bytes.`);
    parts.push(part);
  }
  if (statusCode !== 200) throw new Error(`The address of the log-in’s keys answers HTTP ${statusCode}.`);
  return keySet.parse(JSON.parse(Buffer.concat(parts).toString()));
}
