/**
 * Sealing: a PIN or a card token goes through Temporal as a JWE for the worker's public key (ECDH-ES, A256GCM). Only the
 * activity opens it, in memory, just before the request. The JWE names the app (`apu`) and the order (`apv`), so a sealed
 * value cannot be used for another order. All other personal data is encrypted by `codec/encryption-codec.ts`.
 */
import {
  CompactEncrypt,
  compactDecrypt,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
} from 'jose';

/** Fields of an order that must never be readable in a history (section 4.1). */
export const SECRET_FIELDS = ['token', 'account_verification_code'] as const;
export type SecretField = (typeof SECRET_FIELDS)[number];

/** A sealed value: a compact JWE. */
export interface Sealed {
  sealed: string;
}

/** The app and the order that a seal is for. */
export interface SealingBinding {
  app_id: string;
  out_trade_no: string;
}

const ALG = 'ECDH-ES';
const ENC = 'A256GCM';

/** A secret cannot be sealed or opened: a wrong key, the seal of another order, or no seal. Never holds the secret. */
export class SealingError extends Error {
  override readonly name = 'SealingError';
}

/** The seal names a key that is not among those given: another worker may have it. */
export class UnknownSealingKeyError extends SealingError {}

/** Seals a secret for the worker's public key. Throws SealingError if the key cannot be used. */
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
 * Opens a sealed secret with the first of the worker's private keys that fits. Throws SealingError if no key fits, or if it
 * does not name this app and this order; UnknownSealingKeyError if the seal names a key that is not there.
 */
export async function open(value: Sealed, privateJwks: readonly JWK[], binding: SealingBinding): Promise<string> {
  const bound = { apu: binding.app_id, apv: binding.out_trade_no };
  for (const jwk of privateJwks) {
    const opened = await tryOpen(value.sealed, jwk);
    if (opened === undefined) continue;
    for (const [name, expected] of Object.entries(bound)) {
      const actual = opened.header[name];
      if (actual === undefined) {
        throw new SealingError(
          `The sealed field of order ${binding.out_trade_no} names no app or no order: put the app_id into apu and the out_trade_no into apv.`,
        );
      }
      if (actual !== Buffer.from(expected, 'utf8').toString('base64url')) {
        throw new SealingError(
          `The sealed field of order ${binding.out_trade_no} was sealed for another order or app.`,
        );
      }
    }
    return opened.text;
  }
  const kid = kidOf(value.sealed);
  if (kid !== undefined && !privateJwks.some((one) => one.kid === kid)) {
    throw new UnknownSealingKeyError(
      `The sealed field of order ${binding.out_trade_no} is sealed to the key ${JSON.stringify(kid)}, which is not among the worker's ${privateJwks.length} sealing key(s).`,
    );
  }
  throw new SealingError(
    `The sealed field of order ${binding.out_trade_no} cannot be opened with the worker's ${privateJwks.length} sealing key(s): was it sealed to a key that has been deleted?`,
  );
}

/** The id of the key that the JWE names; undefined if it names none. */
function kidOf(sealed: string): string | undefined {
  try {
    const { kid } = decodeProtectedHeader(sealed);
    return typeof kid === 'string' && kid.length <= 100 ? kid : undefined;
  } catch {
    return undefined;
  }
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

/** A new key pair: a set with the private key for the worker, and the public key for callers. `kid` names it. */
export async function newSealingKeys(kid: string): Promise<{ privateJwks: { keys: JWK[] }; publicJwk: JWK }> {
  const { privateKey, publicKey } = await generateKeyPair(ALG, { extractable: true, crv: 'P-256' });
  const named = { kid, use: 'enc', alg: ALG };
  return {
    privateJwks: { keys: [{ ...(await exportJWK(privateKey)), ...named }] },
    publicJwk: { ...(await exportJWK(publicKey)), ...named },
  };
}

/** Whether a value has the form of a sealed secret. Does not check that it can be opened. */
export function isSealed(value: unknown): value is Sealed {
  return typeof value === 'object' && value !== null && 'sealed' in value && typeof value.sealed === 'string';
}
