/** `payment-gateway keys new`: keys for the settings PAYMENTS_ENCRYPTION_KEYS and PAYMENTS_SEALING_*. */
import { randomBytes } from 'node:crypto';
import { newSealingKeys } from '../gateway';

export interface NewKeys {
  /** `id:base64` of 32 random bytes, for PAYMENTS_ENCRYPTION_KEYS. */
  encryption_key: string;
  /** JWK set, private: for workers only. */
  sealing_private_jwks: { keys: object[] };
  /** JWK, public: for everybody who starts payments. */
  sealing_public_jwk: object;
}

export async function makeKeys(): Promise<NewKeys> {
  const id = `${new Date().toISOString().slice(0, 10)}-${randomBytes(3).toString('hex')}`;
  const { privateJwks, publicJwk } = await newSealingKeys(id);
  return {
    encryption_key: `${id}:${randomBytes(32).toString('base64')}`,
    sealing_private_jwks: privateJwks,
    sealing_public_jwk: publicJwk,
  };
}

export async function newKeys({ json }: { json?: boolean }): Promise<void> {
  const keys = await makeKeys();
  if (json) return void process.stdout.write(`${JSON.stringify(keys)}\n`);
  process.stdout.write(
    [
      '# For workers only. Keep them like passwords.',
      `PAYMENTS_SEALING_JWKS='${JSON.stringify(keys.sealing_private_jwks)}'`,
      `PAYMENTS_ENCRYPTION_KEYS='${keys.encryption_key}'`,
      '# For everybody who starts payments.',
      `PAYMENTS_SEALING_PUBLIC_JWK='${JSON.stringify(keys.sealing_public_jwk)}'`,
      '',
    ].join('\n'),
  );
}
