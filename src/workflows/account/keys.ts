/**
 * The keys for which an account was created, in a search attribute that every run hands on to the next. Before a creation
 * makes an account, it asks Temporal which account has its key.
 */
import { defineSignal, setHandler, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { type KeyedSignal, SEARCH_ATTRIBUTE, SIGNAL } from '../../contract';

const keyedSignal = defineSignal<[KeyedSignal]>(SIGNAL.keyed);

export class AccountKeys {
  private known: readonly string[] = workflowInfo().typedSearchAttributes.get(SEARCH_ATTRIBUTE.accountKeys) ?? [];

  /** Anybody can send a signal without its argument, or with another one. */
  constructor(onUnexpected: () => void) {
    setHandler(keyedSignal, (signal?: Partial<KeyedSignal>) => {
      if (typeof signal?.key === 'string') this.add([signal.key]);
      else onUnexpected();
    });
  }

  add(keys: readonly string[]): void {
    const added = keys.filter((key) => !this.known.includes(key));
    if (added.length === 0) return;
    this.known = [...this.known, ...added];
    upsertSearchAttributes([{ key: SEARCH_ATTRIBUTE.accountKeys, value: [...this.known] }]);
  }
}
