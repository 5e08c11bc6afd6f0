/**
 * Payload encryption: AES-256-GCM, with named keys of which the first encrypts and all decrypt. Each payload has a key and
 * a nonce of its own, derived from the named key and a random salt as RFC 8188 does it, so that no number of payloads
 * wears a key out. The namespace and the workflow id that a payload was made for stand beside it and are authenticated:
 * one that is moved to another workflow is refused there.
 *
 * On the wire: metadata `encoding`, `encryption-key-id` and, where the maker knew its workflow, `encryption-context` (JSON,
 * `[namespace, workflow id]`; the codec server knows the namespace alone); data is salt (32 bytes), ciphertext, tag (16).
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { z } from 'zod';

export interface EncryptionKey {
  /** Letters, digits, `.`, `_` and `-`. It stands in clear beside what it has encrypted. */
  id: string;
  /** 32 bytes. */
  key: Uint8Array;
}

/** Whose payloads these are, as far as it is known: the part of Temporal's SerializationContext that binds them. */
export interface PayloadOwner {
  namespace: string;
  workflowId?: string | undefined;
}

/** A payload cannot be decrypted: an unknown key, another workflow's payload, or changed bytes. Never says what it holds. */
export class PayloadDecryptionError extends Error {
  override readonly name = 'PayloadDecryptionError';
}

const CIPHER = 'aes-256-gcm';
const ENCODING = 'binary/encrypted';
const INFO = 'temporal-payment-gateway payload 1';
const SALT_BYTES = 32;
const TAG_BYTES = 16;

const wire = temporal.api.common.v1.Payload;

export class EncryptionCodec implements PayloadCodec {
  // Private to the language, so that no log of a client or Worker, which have this, shows the keys.
  readonly #keys: readonly [EncryptionKey, ...EncryptionKey[]];
  readonly #byId: ReadonlyMap<string, EncryptionKey>;

  /** The first key encrypts, all of them decrypt. */
  constructor(keys: readonly [EncryptionKey, ...EncryptionKey[]]) {
    this.#keys = keys;
    this.#byId = new Map(keys.map((key) => [key.id, key]));
  }

  async encode(payloads: Payload[], owner?: PayloadOwner): Promise<Payload[]> {
    const [key] = this.#keys;
    return payloads.map((payload) => encrypt(payload, key, contextOf(owner)));
  }

  /**
   * Payloads in clear pass as they are: histories from before the keys were set, and callers without keys. Where the
   * reader knows its workflow, a payload made for another one is refused. Throws PayloadDecryptionError.
   */
  async decode(payloads: Payload[], reader?: PayloadOwner): Promise<Payload[]> {
    return payloads.map((payload) => (isEncrypted(payload) ? this.decrypt(payload, reader) : payload));
  }

  private decrypt(payload: Payload, reader: PayloadOwner | undefined): Payload {
    const id = text(payload, 'encryption-key-id');
    const madeFor = text(payload, 'encryption-context');
    const at = `A payload of ${reader ? `workflow ${reader.workflowId ?? '(none)'}` : 'a workflow'} cannot be decrypted`;
    const key = this.#byId.get(id);
    if (!key) {
      throw new PayloadDecryptionError(
        `${at}: it was encrypted with the key "${id}", and PAYMENTS_ENCRYPTION_KEYS has ${[...this.#byId.keys()].join(', ')}. Add that key behind the others.`,
      );
    }
    if (!mayRead(madeFor, reader)) {
      throw new PayloadDecryptionError(`${at}: it was made for another workflow or namespace, and moved here.`);
    }
    try {
      return decrypt(payload, key, madeFor);
    } catch {
      throw new PayloadDecryptionError(
        `${at}: it was changed on its way, or another key has the name "${id}" where it was encrypted.`,
      );
    }
  }
}

export function isEncrypted(payload: Payload): boolean {
  return text(payload, 'encoding') === ENCODING;
}

/** What a payload is made for: as much as its maker knows. */
function contextOf(owner: PayloadOwner | undefined): string {
  if (!owner) return '';
  return JSON.stringify([owner.namespace, ...(owner.workflowId ? [owner.workflowId] : [])]);
}

/** Where both the payload's maker and its reader know a namespace or a workflow, they must name the same. */
function mayRead(madeFor: string, reader: PayloadOwner | undefined): boolean {
  if (madeFor === '' || !reader) return true;
  const named = parsed(madeFor);
  if (named?.namespace !== reader.namespace) return false;
  return (
    named.workflowId === undefined || reader.workflowId === undefined || isSame(named.workflowId, reader.workflowId)
  );
}

/** A schedule's workflow bears its id with the time behind it, and its arguments are encrypted before there is a time. */
function isSame(madeFor: string, reader: string): boolean {
  return reader === madeFor || reader.replace(/-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, '') === madeFor;
}

/** Undefined where it is none of ours: nobody may read it then. */
function parsed(context: string): { namespace: string; workflowId: string | undefined } | undefined {
  try {
    const [namespace, workflowId] = z.tuple([z.string()], z.string()).parse(JSON.parse(context));
    return { namespace, workflowId };
  } catch {
    return undefined;
  }
}

function encrypt(payload: Payload, { id, key }: EncryptionKey, context: string): Payload {
  const salt = randomBytes(SALT_BYTES);
  const cipher = createCipheriv(CIPHER, ...keyAndNonce(key, salt));
  cipher.setAAD(authenticated(id, context));
  const data = Buffer.concat([salt, cipher.update(wire.encode(payload).finish()), cipher.final(), cipher.getAuthTag()]);
  return {
    metadata: {
      encoding: Buffer.from(ENCODING),
      'encryption-key-id': Buffer.from(id),
      ...(context === '' ? {} : { 'encryption-context': Buffer.from(context) }),
    },
    data,
  };
}

function decrypt({ data }: Payload, { id, key }: EncryptionKey, context: string): Payload {
  const bytes = Buffer.from(data ?? []);
  const salt = bytes.subarray(0, SALT_BYTES);
  const end = Math.max(bytes.length - TAG_BYTES, SALT_BYTES);
  const decipher = createDecipheriv(CIPHER, ...keyAndNonce(key, salt), { authTagLength: TAG_BYTES });
  decipher.setAAD(authenticated(id, context));
  decipher.setAuthTag(bytes.subarray(end));
  const clear = Buffer.concat([decipher.update(bytes.subarray(SALT_BYTES, end)), decipher.final()]);
  const { metadata, data: inner } = wire.decode(clear);
  return { metadata, data: inner };
}

function keyAndNonce(key: Uint8Array, salt: Uint8Array): [key: Buffer, nonce: Buffer] {
  const derived = Buffer.from(hkdfSync('sha256', key, salt, INFO, 32 + 12));
  return [derived.subarray(0, 32), derived.subarray(32)];
}

/** No key id has a line break. */
function authenticated(id: string, context: string): Buffer {
  return Buffer.from(`${id}\n${context}`);
}

function text({ metadata }: Payload, name: string): string {
  const value = metadata?.[name];
  return value ? Buffer.from(value).toString('utf8') : '';
}
