/** A worker's sealing keys as they are now: a changed file counts from the next order on, and so does a deleted key. */
import { statSync } from 'node:fs';
import { log } from '@temporalio/activity';
import type { JWK } from 'jose';
import { type Config, readSealingJwks } from '../config';

/**
 * Gives the keys whenever an activity asks. Where they came from a file, the file is read again once it has changed; one
 * that cannot be used (half written, not there) leaves the keys as they were, and the log says so.
 */
export function sealingKeys(config: Pick<Config, 'PAYMENTS_SEALING_JWKS' | 'sealing_jwks_file'>): () => readonly JWK[] {
  const { sealing_jwks_file: file, PAYMENTS_SEALING_JWKS: atStart } = config;
  let keys: readonly JWK[] = atStart?.keys ?? [];
  if (file === undefined) return () => keys;
  // Read at the first order in any case: the file may have changed since the settings were read.
  let version: string | undefined;
  return () => {
    try {
      const now = versionOf(file);
      if (now !== version) keys = readSealingJwks(file).keys;
      version = now;
    } catch (error) {
      log.warn('the sealing keys cannot be read again; those read before stay in use', { error: String(error) });
    }
    return keys;
  };
}

/** What changes whenever a file is written or replaced; a link, as secrets in Kubernetes are, is followed. */
function versionOf(file: string): string {
  const { ino, mtimeNs, size } = statSync(file, { bigint: true });
  return `${ino}:${mtimeNs}:${size}`;
}
