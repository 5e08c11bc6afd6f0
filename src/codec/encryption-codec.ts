/** Payload encryption with named keys, of which the first encrypts and all decrypt. What is read must be authentic.
 * Tokens and PINs are sealed before that (`gateway/sealing.ts`). */
import type { Payload, PayloadCodec } from '@temporalio/common';
import { FOREIGN_PAYLOAD, type ForeignInput, refusedEncoding } from '../contract/foreign-input';
import { isOurWorkflow, isScheduledJob } from '../contract/ids';
import { decrypt, type EncryptionKey, encrypt, isEncrypted, keyIdOf, ownerTextOf } from './cipher';
import { isNexusTask, mayAsk, nexusCaller, refusedQuestion, rememberCaller } from './nexus-caller';
import { belonging, ownerText, type PayloadOwner, parseOwner } from './payload-owner';
import { isTypedDecision, TYPED_FIELDS } from './typed-decision';

/** A payload is not authentic: clear text, unknown key, another owner, or changed bytes. The message never shows its content. */
export class PayloadDecryptionError extends Error {
  override readonly name = 'PayloadDecryptionError';

  /**
   * `isForeign`: no worker will ever read it here, because it is in clear text, or it is authentic and was made for another
   * place of this namespace. False where other keys, or another namespace, might read it: then it may be the genuine one.
   */
  constructor(
    message: string,
    readonly isForeign = false,
  ) {
    super(message);
  }
}

export interface CodecRules {
  /** Takes clear text as it is. For the time in which keys are introduced. */
  acceptsClearText?: boolean;
  /** Takes a payload of any owner. For who only looks: the codec server, and a replay. */
  readsAll?: boolean;
  /**
   * What becomes of a refused payload of a workflow. `throw` (the default) fails the whole call. `mark`, for a Worker, leaves
   * a payload that no converter reads: the one update that has it is rejected, where an error would fail every task of the
   * workflow for as long as the update waits. One that is foreign says so to the sandbox, which ends a run that was started
   * with it, passes on a signal that has it as one without a handler, and takes an activity that a person has ended with it as
   * one that failed (workflows/foreign-payloads.ts). Whatever else has it fails the task.
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
   * Encrypts every payload for `owner`; the answer of a Nexus task for the workflow that asked, with its key. Otherwise,
   * without an owner, only who looks at all payloads may read them.
   */
  async encode(payloads: Payload[], owner?: PayloadOwner): Promise<Payload[]> {
    const [key] = this.#keys;
    const caller = owner ? undefined : nexusCaller();
    // Our own refusal, which quotes nothing: who has no key must be able to read it.
    if (caller === 'refused') return payloads;
    return payloads.map((payload) =>
      caller ? encrypt(payload, caller.key, caller.ownerText) : encrypt(payload, key, ownerText(owner)),
    );
  }

  /**
   * Decrypts every payload. Throws PayloadDecryptionError, also for clear text and for a payload of another owner than
   * `reader`. The SDK tells no reader only where a workflow hears what became of its call to another one, and in Nexus tasks.
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
   * Of an activity only what is foreign: without a key that reads the genuine result, the task is tried until a worker has it. An
   * SDK leaves a failure's text out that it cannot read, so a mark there would pass for the genuine failure.
   */
  private marks({ isForeign }: PayloadDecryptionError, reader: PayloadOwner | undefined): boolean {
    if (this.rules.refused !== 'mark' || !reader) return false;
    return reader.type === 'workflow' || (reader.type === 'activity' && isForeign);
  }

  /** What a workflow of another namespace asks. In clear text it is refused even while keys are introduced. */
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
    // Our jobs have no input: it is what the run before returned while there were no keys.
    if (this.rules.refused === 'mark' && reader?.type === 'workflow' && isScheduledJob(reader.workflowId ?? ''))
      return NOTHING;
    throw clearTextError(refusalFor(reader), ' While keys are introduced: PAYMENTS_MIGRATION_ACCEPT_CLEAR_TEXT.');
  }

  private decrypt(payload: Payload, reader: PayloadOwner | undefined): Payload {
    const id = keyIdOf(payload);
    const refused = refusalFor(reader);
    const key = this.#byId.get(id);
    const whose = this.rules.readsAll || !reader ? 'own' : belonging(ownerTextOf(payload), reader);
    // Jobs of ours read nothing of the run before. A merchant's may, but one that cannot must not stop the schedule for good.
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

  /** Whether its label is authentic and names another place of the same namespace: a changed label says nothing. */
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
 * What Temporal itself writes in clear text: the memos of the workflows that keep its schedules, and of an activity that is called off
 * between two attempts that it had not begun. Refused, that would read as a request that may have left.
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
  const encoding = Buffer.from(refusedEncoding(message));
  if (!isForeign) return { metadata: { encoding } };
  const told: ForeignInput = { foreign_input: message };
  return { metadata: { encoding, [FOREIGN_PAYLOAD]: Buffer.from('true') }, data: Buffer.from(JSON.stringify(told)) };
}
