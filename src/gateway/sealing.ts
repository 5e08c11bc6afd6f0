/**
 * Sealing: a PIN or a card token travels through Temporal as a JWE to the worker's public key (ECDH-ES, A256GCM), which
 * only the activity opens, in memory, just before the request. The agreement's party fields carry the app and the order,
 * so a sealed value cannot be moved to another order: `apu` is the app_id, `apv` the out_trade_no.
 */
import { CompactEncrypt, compactDecrypt, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';

/** The fields of an order that are never to be seen in a history (section 4.1). */
export const SECRET_FIELDS = ['token', 'account_verification_code'] as const;
export type SecretField = (typeof SECRET_FIELDS)[number];

export interface Sealed {
  sealed: string;
}

export interface SealingBinding {
  app_id: string;
  out_trade_no: string;
}

const ALG = 'ECDH-ES';
const ENC = 'A256GCM';

/** The field cannot be opened: a wrong key, another order's seal, or no seal at all. Never says what it holds. */
export class SealingError extends Error {
  override readonly name = 'SealingError';
}

/** Seals one secret to the worker's public key. Throws SealingError where the key cannot be used. */
export async function seal(secret: string, publicJwk: JWK, binding: SealingBinding): Promise<Sealed> {
  try {
    const key = await importJWK(publicJwk, ALG);
    const encrypt = new CompactEncrypt(new TextEncoder().encode(secret))
      .setProtectedHeader({ alg: ALG, enc: ENC, ...(publicJwk.kid ? { kid: publicJwk.kid } : {}) })
      .setKeyManagementParameters({
        apu: new TextEncoder().encode(binding.app_id),
        apv: new TextEncoder().encode(binding.out_trade_no),
      });
    return { sealed: await encrypt.encrypt(key) };
  } catch {
    throw new SealingError('The secret could not be sealed: is the sealing key a public P-256 or X25519 JWK?');
  }
}

/**
 * Opens a sealed secret with one of the worker's private keys. A seal made without the binding (another language's
 * plain JWE) is taken; one that names another app or order is refused. Throws SealingError.
 */
export async function open(value: Sealed, privateJwks: readonly JWK[], binding: SealingBinding): Promise<string> {
  const bound = { apu: binding.app_id, apv: binding.out_trade_no };
  for (const jwk of privateJwks) {
    const opened = await tryOpen(value.sealed, jwk);
    if (opened === undefined) continue;
    for (const [name, expected] of Object.entries(bound)) {
      const said = opened.header[name];
      if (said !== undefined && said !== Buffer.from(expected, 'utf8').toString('base64url')) {
        throw new SealingError(
          `The sealed field of order ${binding.out_trade_no} was sealed for another order or app.`,
        );
      }
    }
    return opened.text;
  }
  throw new SealingError(
    `The sealed field of order ${binding.out_trade_no} cannot be opened with the worker's ${privateJwks.length} sealing key(s): was it sealed to a key that has been deleted?`,
  );
}

async function tryOpen(sealed: string, jwk: JWK) {
  try {
    const { plaintext, protectedHeader } = await compactDecrypt(sealed, await importJWK(jwk, ALG), {
      keyManagementAlgorithms: [ALG],
      contentEncryptionAlgorithms: [ENC],
    });
    const header: Record<string, unknown> = { ...protectedHeader };
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(plaintext), header };
  } catch {
    return undefined;
  }
}

/** A new key pair for sealing, as a set of private keys for the worker and one public key for callers. */
export async function newSealingKeys(kid: string): Promise<{ privateJwks: { keys: JWK[] }; publicJwk: JWK }> {
  const { privateKey, publicKey } = await generateKeyPair(ALG, { extractable: true, crv: 'P-256' });
  const named = { kid, use: 'enc', alg: ALG };
  return {
    privateJwks: { keys: [{ ...(await exportJWK(privateKey)), ...named }] },
    publicJwk: { ...(await exportJWK(publicKey)), ...named },
  };
}

export function isSealed(value: unknown): value is Sealed {
  return typeof value === 'object' && value !== null && 'sealed' in value && typeof value.sealed === 'string';
}
