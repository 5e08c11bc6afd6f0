/** `payment-gateway keys new`: keys for the settings PAYMENTS_ENCRYPTION_KEYS and PAYMENTS_SEALING_*. */
import { randomBytes } from 'node:crypto';
import { newSealingKeys } from '../gateway/sealing';

interface NewKeys {
  /** `id:base64` of 32 random bytes, for PAYMENTS_ENCRYPTION_KEYS. */
  encryption_key: string;
  /** JWK set, private: for workers only. */
  sealing_private_jwks: { keys: object[] };
  /** JWK, public: for everybody who starts payments. */
  sealing_public_jwk: object;
  /** For PAYMENTS_EVENTS_SECRETS, and for the receivers of events. */
  events_secret: string;
}

/** Makes both keys under one id: the time in UTC, to the second, and random characters. */
export async function makeKeys(now = new Date()): Promise<NewKeys> {
  const time = now.toISOString().slice(0, 19).replace(/[-:]/g, '');
  const id = `${time}Z-${randomBytes(3).toString('hex')}`;
  const { privateJwks, publicJwk } = await newSealingKeys(id);
  return {
    encryption_key: `${id}:${randomBytes(32).toString('base64')}`,
    sealing_private_jwks: privateJwks,
    sealing_public_jwk: publicJwk,
    events_secret: `whsec_${randomBytes(32).toString('base64')}`,
  };
}

/** When a key was made, by its id, in ms since the epoch; undefined for an id of another form. */
export function madeAt(id: string): number | undefined {
  const time = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-/.exec(id)?.slice(1).map(Number);
  if (!time) return undefined;
  const [year = 0, month = 1, day, hour, minute, second] = time;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

export async function newKeys({ json }: { json?: boolean }): Promise<void> {
  const keys = await makeKeys();
  if (json) return void process.stdout.write(`${JSON.stringify(keys)}\n`);
  process.stdout.write(
    [
      '# For workers only. Keep them like passwords.',
      `PAYMENTS_SEALING_JWKS='${JSON.stringify(keys.sealing_private_jwks)}'`,
      '# For workers, webhooks, codec servers and whoever starts payments or reads them. Keep it like a password.',
      `PAYMENTS_ENCRYPTION_KEYS='${keys.encryption_key}'`,
      '# For workers and receivers of events. Keep it like a password.',
      `PAYMENTS_EVENTS_SECRETS='${keys.events_secret}'`,
      '# For everybody who starts payments with a card or a PIN. It is no secret.',
      `PAYMENTS_SEALING_PUBLIC_JWK='${JSON.stringify(keys.sealing_public_jwk)}'`,
      '',
    ].join('\n'),
  );
}
