/** A worker's sealing keys. A change of their file counts from the next order on, without a restart. */
import { statSync } from 'node:fs';
import { log } from '@temporalio/activity';
import type { JWK } from 'jose';
import { type Config, readSealingJwks } from '../process/settings';

/**
 * A function that returns the current keys; call it inside an activity. Keys from a file are read again after the file has
 * changed. If the file cannot be used (half written, missing), the keys stay as they were and the log says so.
 */
export function sealingKeys(config: Pick<Config, 'PAYMENTS_SEALING_JWKS' | 'sealing_jwks_file'>): () => readonly JWK[] {
  const { sealing_jwks_file: file, PAYMENTS_SEALING_JWKS: atStart } = config;
  let keys: readonly JWK[] = atStart?.keys ?? [];
  if (file === undefined) return () => keys;
  // Undefined, so that the first order reads the file: it may have changed since the settings were read.
  let version: string | undefined;
  return () => {
    try {
      const now = versionOf(file);
      if (now !== version) keys = readSealingJwks(file).keys;
      version = now;
    } catch (error) {
      log.warn('the sealing keys could not be read again; the keys read before stay in use', { error: String(error) });
    }
    return keys;
  };
}

/** Changes whenever the file is written or replaced. Follows links, because Kubernetes mounts secrets as links. */
function versionOf(file: string): string {
  const { ino, mtimeNs, size } = statSync(file, { bigint: true });
  return `${ino}:${mtimeNs}:${size}`;
}
