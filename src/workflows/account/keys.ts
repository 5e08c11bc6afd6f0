/**
 * The keys for which an account was created, in a search attribute that every run hands on to the next. Before a creation
 * makes an account, it asks Temporal which account has its key.
 */
import { defineSignal, setHandler, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { type KeyedSignal, SEARCH_ATTRIBUTE, SIGNAL } from '../../contract';

const keyedSignal = defineSignal<[KeyedSignal]>(SIGNAL.keyed);

/** A digest: 32 hexadecimal digits. */
const KEY = /^[0-9a-f]{32}$/;
/** The latest keys are kept: the server ends a workflow that has more than 2,048 bytes in a search attribute. */
const REMEMBERED_KEYS = 50;

export class AccountKeys {
  private known: readonly string[] = workflowInfo().typedSearchAttributes.get(SEARCH_ATTRIBUTE.accountKeys) ?? [];

  /** Anybody can send a signal without its argument, or with another one. */
  constructor(onUnexpected: () => void) {
    setHandler(keyedSignal, (signal?: Partial<KeyedSignal>) => {
      if (isKey(signal?.key)) this.remember([...this.known, signal.key]);
      else onUnexpected();
    });
  }

  restore(keys: readonly string[]): void {
    this.remember([...keys, ...this.known]);
  }

  private remember(keys: readonly string[]): void {
    const kept = [...new Set(keys.filter(isKey))].slice(-REMEMBERED_KEYS);
    if (kept.join() === this.known.join()) return;
    this.known = kept;
    upsertSearchAttributes([{ key: SEARCH_ATTRIBUTE.accountKeys, value: [...this.known] }]);
  }
}

const isKey = (key: unknown): key is string => typeof key === 'string' && KEY.test(key);
