/** Payload encryption with named keys, of which the first encrypts and all decrypt. Only authentic payloads are read.
 * Tokens and PINs are sealed before encryption (`gateway/sealing.ts`). */
import type { Payload, PayloadCodec } from '@temporalio/common';
import { FOREIGN_PAYLOAD, type ForeignInput, PayloadDecryptionError, refusedEncoding } from '../contract/foreign-input';
import { isOurWorkflow, isScheduledJob } from '../contract/ids';
import { decrypt, type EncryptionKey, encrypt, isEncrypted, keyIdOf, ownerTextOf } from './cipher';
import { isNexusTask, mayAsk, nexusCaller, refusedQuestion, rememberCaller } from './nexus-caller';
import { belonging, ownerText, type PayloadOwner, parseOwner } from './payload-owner';
import { isTypedDecision, TYPED_FIELDS } from './typed-decision';

export interface CodecRules {
  /** Takes clear text as it is. For the time in which keys are introduced. */
  acceptsClearText?: boolean;
  /** Takes a payload of any owner. For readers that change nothing: the codec server, and a replay. */
  readsAll?: boolean;
  /**
   * What happens to a refused payload of a workflow. `throw` (the default) fails the whole call. `mark`, for a Worker, leaves
   * a payload that no converter can read, so that only the update with it is rejected: an error would fail every task of the
   * workflow while the update waits. A foreign payload is also labelled for the sandbox (workflows/foreign-payloads.ts): a run that
   * was started with it ends, a signal with it counts as one without a handler, and an activity that a person has completed with it
   * counts as failed. Anything else with a refused payload fails the task.
   */
  refused?: 'throw' | 'mark';
}

type Keys = readonly [EncryptionKey, ...EncryptionKey[]];

export class EncryptionCodec implements PayloadCodec {
  // Private in the language, so that no log of a Client or Worker, which hold this object, shows the keys.
  readonly #keys: Keys;
  readonly #byId: ReadonlyMap<string, EncryptionKey>;

  /** The first key encrypts, all of them decrypt. */
  constructor(
    keys: Keys,
    private readonly rules: CodecRules = {},
  ) {
    this.#keys = keys;
    this.#byId = new Map(keys.map((key) => [key.id, key]));
  }

  /**
   * Encrypts every payload for `owner`. The answer of a Nexus task is encrypted for the workflow that asked, with its key. Any
   * other payload without an owner can be read only with `readsAll`.
   */
  async encode(payloads: Payload[], owner?: PayloadOwner): Promise<Payload[]> {
    const [key] = this.#keys;
    const caller = owner ? undefined : nexusCaller();
    // Our own refusal quotes nothing, and callers without a key must be able to read it.
    if (caller === 'refused') return payloads;
    return payloads.map((payload) =>
      caller ? encrypt(payload, caller.key, caller.ownerText) : encrypt(payload, key, ownerText(owner)),
    );
  }

  /**
   * Decrypts every payload. Throws PayloadDecryptionError, also for clear text and for a payload of another owner than
   * `reader`. The SDK gives no reader in Nexus tasks, and when a workflow gets the result of its call to another workflow.
   */
  async decode(payloads: Payload[], reader?: PayloadOwner): Promise<Payload[]> {
    return payloads.map((payload) => {
      try {
        if (!reader && isNexusTask()) return this.question(payload);
        return isEncrypted(payload) ? this.decrypt(payload, reader) : this.clear(payload, reader);
      } catch (error) {
        if (!(error instanceof PayloadDecryptionError)) throw error;
        if (!reader && isNexusTask()) throw refusedQuestion(error.message);
        if (this.marks(error, reader)) return unreadable(error);
        throw error;
      }
    });
  }

  /**
   * Marks only foreign payloads of an activity: without a key for the genuine result, the task is repeated until a worker has the key. An
   * SDK drops the text of a failure that it cannot read, so that a marked failure would look like the genuine one.
   */
  private marks({ isForeign }: PayloadDecryptionError, reader: PayloadOwner | undefined): boolean {
    if (this.rules.refused !== 'mark' || !reader) return false;
    return reader.type === 'workflow' || (reader.type === 'activity' && isForeign);
  }

  /** The question of a workflow in another namespace. In clear text it is refused even while keys are introduced. */
  private question(payload: Payload): Payload {
    const owner = ownerTextOf(payload);
    const key = this.#byId.get(keyIdOf(payload));
    if (!isEncrypted(payload)) throw clearTextError(refusalFor(undefined));
    const clear = this.decrypt(payload, undefined);
    if (!mayAsk(owner))
      throw new PayloadDecryptionError(
        `${refusalFor(undefined)}: over Nexus, only workflows of a merchant’s own may ask.`,
      );
    if (key) rememberCaller({ key, ownerText: owner });
    return clear;
  }

  private clear(payload: Payload, reader: PayloadOwner | undefined): Payload {
    if (this.rules.acceptsClearText || isMadeByTemporal(payload, reader)) return payload;
    // Our jobs have no input: this is the result of the run before, from when there were no keys.
    if (this.rules.refused === 'mark' && reader?.type === 'workflow' && isScheduledJob(reader.workflowId ?? ''))
      return NOTHING;
    throw clearTextError(refusalFor(reader), ' While keys are introduced: PAYMENTS_MIGRATION_ACCEPT_CLEAR_TEXT.');
  }

  private decrypt(payload: Payload, reader: PayloadOwner | undefined): Payload {
    const id = keyIdOf(payload);
    const refused = refusalFor(reader);
    const key = this.#byId.get(id);
    const whose = this.rules.readsAll || !reader ? 'own' : belonging(ownerTextOf(payload), reader);
    // Our jobs read nothing of the run before. A merchant's job may, but a result that it cannot read must not stop its schedule.
    if (whose === 'earlier' && (!key || isScheduledJob(reader?.workflowId ?? ''))) return NOTHING;
    if (!key) {
      throw new PayloadDecryptionError(
        `${refused}: it was encrypted with the key "${id}", and PAYMENTS_ENCRYPTION_KEYS has ${[...this.#byId.keys()].join(', ')}. Add that key after the others.`,
      );
    }
    if (whose === 'moved') {
      throw new PayloadDecryptionError(
        `${refused}: it was made for another workflow, activity or namespace, and moved here.`,
        reader !== undefined && this.isOfAnotherPlace(payload, key, reader),
      );
    }
    const clear = this.opened(payload, key, refused);
    if (whose === 'typed' && isOurWorkflow(reader?.workflowId ?? '') && !isTypedDecision(clear)) {
      throw new PayloadDecryptionError(
        `What was typed by a person for workflow ${reader?.workflowId ?? '(none)'} is no decision, so it was not taken: a decision has "by", and no other fields than, as texts, ${TYPED_FIELDS}. Look at the names of yours. For all else use the client, or the commands of payment-gateway.`,
        true,
      );
    }
    return clear;
  }

  /** Whether the label is authentic and names another place of the same namespace. A changed label proves nothing. */
  private isOfAnotherPlace(payload: Payload, key: EncryptionKey, reader: PayloadOwner): boolean {
    if (parseOwner(ownerTextOf(payload))?.namespace !== reader.namespace) return false;
    try {
      decrypt(payload, key);
      return true;
    } catch {
      return false;
    }
  }

  private opened(payload: Payload, key: EncryptionKey, refused: string): Payload {
    try {
      return decrypt(payload, key);
    } catch {
      throw new PayloadDecryptionError(
        `${refused}: it was changed after its encryption, or it was encrypted with another key of the name "${key.id}".`,
      );
    }
  }
}

const refusalFor = (reader: PayloadOwner | undefined) =>
  `A payload of ${reader ? `workflow ${reader.workflowId ?? '(none)'}` : 'a workflow'} cannot be decrypted`;

const clearTextError = (refused: string, hint = '') =>
  new PayloadDecryptionError(
    `${refused}: it is in clear text, which anybody could have put there. Encrypt it with PAYMENTS_ENCRYPTION_KEYS.${hint}`,
    true,
  );

/**
 * What Temporal itself writes in clear text: the memos of the workflows that keep its schedules, and the note of an activity that was
 * cancelled before its next attempt began. Refusing the note would make a request look as if it may have left.
 */
function isMadeByTemporal({ data }: Payload, reader: PayloadOwner | undefined): boolean {
  if (reader?.type === 'activity') return data ? NOT_STARTED.equals(data) : false;
  return reader?.workflowId?.startsWith('temporal-sys-') ?? false;
}

const NOT_STARTED = Buffer.from('"ACTIVITY_ID_NOT_STARTED"');

/** What every converter reads as undefined. */
const NOTHING: Payload = { metadata: { encoding: Buffer.from('binary/null') } };

/** Every converter refuses an encoding that it does not know, and names it. */
function unreadable({ message, isForeign }: PayloadDecryptionError): Payload {
  const encoding = Buffer.from(refusedEncoding(message, isForeign));
  if (!isForeign) return { metadata: { encoding } };
  const told: ForeignInput = { foreign_input: message };
  return { metadata: { encoding, [FOREIGN_PAYLOAD]: Buffer.from('true') }, data: Buffer.from(JSON.stringify(told)) };
}
