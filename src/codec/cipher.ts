/**
 * Encrypts one payload with AES-256-GCM. Each payload has its own key and nonce, derived from the named key and a random salt
 * as in RFC 8188, so that a key is safe for any number of payloads. Key id and owner are authenticated with the payload.
 *
 * The encrypted payload has the metadata `encoding`, `encryption-key-id` and, if the owner is known, `encryption-context`
 * (see payload-owner.ts). Its data is salt (32 bytes), ciphertext, tag (16 bytes).
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Payload } from '@temporalio/common';
import { temporal } from '@temporalio/proto';

export interface EncryptionKey {
  /** Letters, digits, `.`, `_` and `-`. It is stored in clear text beside the payloads. */
  id: string;
  /** 32 bytes. */
  key: Uint8Array;
}

const CIPHER = 'aes-256-gcm';
const ENCRYPTED = 'binary/encrypted';
const INFO = 'temporal-payment-gateway payload 1';
const SALT_BYTES = 32;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;

const wire = temporal.api.common.v1.Payload;

export function isEncrypted(payload: Payload): boolean {
  return metadataText(payload, 'encoding') === ENCRYPTED;
}

export const keyIdOf = (payload: Payload): string => metadataText(payload, 'encryption-key-id');
/** The owner that the payload was encrypted for; empty if it was not known. */
export const ownerTextOf = (payload: Payload): string => metadataText(payload, 'encryption-context');

/** `ownerText` is stored beside the payload in clear text, and authenticated. */
export function encrypt(payload: Payload, { id, key }: EncryptionKey, ownerText: string): Payload {
  const salt = randomBytes(SALT_BYTES);
  const cipher = createCipheriv(CIPHER, ...keyAndNonce(key, salt));
  cipher.setAAD(authenticatedData(id, ownerText));
  const data = Buffer.concat([salt, cipher.update(wire.encode(payload).finish()), cipher.final(), cipher.getAuthTag()]);
  return {
    metadata: {
      encoding: Buffer.from(ENCRYPTED),
      'encryption-key-id': Buffer.from(id),
      ...(ownerText === '' ? {} : { 'encryption-context': Buffer.from(ownerText) }),
    },
    data,
  };
}

/** The payload as it was before `encrypt`. Throws if the key is another one, or if any byte or label was changed. */
export function decrypt(payload: Payload, { id, key }: EncryptionKey): Payload {
  const bytes = Buffer.from(payload.data ?? []);
  const salt = bytes.subarray(0, SALT_BYTES);
  const end = Math.max(bytes.length - TAG_BYTES, SALT_BYTES);
  const decipher = createDecipheriv(CIPHER, ...keyAndNonce(key, salt), { authTagLength: TAG_BYTES });
  decipher.setAAD(authenticatedData(id, ownerTextOf(payload)));
  decipher.setAuthTag(bytes.subarray(end));
  const clear = Buffer.concat([decipher.update(bytes.subarray(SALT_BYTES, end)), decipher.final()]);
  const { metadata, data } = wire.decode(clear);
  return { metadata, data };
}

function keyAndNonce(key: Uint8Array, salt: Uint8Array): [key: Buffer, nonce: Buffer] {
  const derived = Buffer.from(hkdfSync('sha256', key, salt, INFO, KEY_BYTES + NONCE_BYTES));
  return [derived.subarray(0, KEY_BYTES), derived.subarray(KEY_BYTES)];
}

/** No key id has a line break, so it separates the two clearly. */
function authenticatedData(id: string, ownerText: string): Buffer {
  return Buffer.from(`${id}\n${ownerText}`);
}

function metadataText({ metadata }: Payload, name: string): string {
  const value = metadata?.[name];
  return value ? Buffer.from(value).toString('utf8') : '';
}
