/** Payload encryption with named keys, of which the first encrypts and all decrypt. */
import type { Payload, PayloadCodec } from '@temporalio/common';
import { decrypt, type EncryptionKey, encrypt, isEncrypted, keyIdOf, ownerTextOf } from './cipher';
import { mayRead, ownerText, type PayloadOwner } from './payload-owner';

/** A payload cannot be decrypted: unknown key, another workflow's payload, or changed bytes. The message never shows its content. */
export class PayloadDecryptionError extends Error {
  override readonly name = 'PayloadDecryptionError';
}

export class EncryptionCodec implements PayloadCodec {
  // Private in the language, so that no log of a Client or Worker, which hold this object, shows the keys.
  readonly #keys: readonly [EncryptionKey, ...EncryptionKey[]];
  readonly #byId: ReadonlyMap<string, EncryptionKey>;

  /** The first key encrypts, all of them decrypt. */
  constructor(keys: readonly [EncryptionKey, ...EncryptionKey[]]) {
    this.#keys = keys;
    this.#byId = new Map(keys.map((key) => [key.id, key]));
  }

  /** Encrypts every payload for `owner`. Without an owner, any workflow may read them. */
  async encode(payloads: Payload[], owner?: PayloadOwner): Promise<Payload[]> {
    const [key] = this.#keys;
    return payloads.map((payload) => encrypt(payload, key, ownerText(owner)));
  }

  /**
   * Decrypts every payload. Clear text passes unchanged: it comes from histories before keys were set, and from callers without
   * keys. Throws PayloadDecryptionError, also for a payload of another workflow than `reader`.
   */
  async decode(payloads: Payload[], reader?: PayloadOwner): Promise<Payload[]> {
    return payloads.map((payload) => (isEncrypted(payload) ? this.decrypt(payload, reader) : payload));
  }

  private decrypt(payload: Payload, reader: PayloadOwner | undefined): Payload {
    const id = keyIdOf(payload);
    const refused = `A payload of ${reader ? `workflow ${reader.workflowId ?? '(none)'}` : 'a workflow'} cannot be decrypted`;
    const key = this.#byId.get(id);
    if (!key) {
      throw new PayloadDecryptionError(
        `${refused}: it was encrypted with the key "${id}", and PAYMENTS_ENCRYPTION_KEYS has ${[...this.#byId.keys()].join(', ')}. Add that key after the others.`,
      );
    }
    if (!mayRead(ownerTextOf(payload), reader)) {
      throw new PayloadDecryptionError(`${refused}: it was made for another workflow or namespace, and moved here.`);
    }
    try {
      return decrypt(payload, key);
    } catch {
      throw new PayloadDecryptionError(
        `${refused}: it was changed after its encryption, or it was encrypted with another key of the name "${id}".`,
      );
    }
  }
}
