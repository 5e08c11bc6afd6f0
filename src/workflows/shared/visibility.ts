/** What operators see of a workflow: search attributes to find it by, and the details in Temporal UI. */
import type { SearchAttributeUpdatePair } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import {
  amountToFindBy,
  moneyToRead,
  type PaymentState,
  personDigest,
  SEARCH_ATTRIBUTE,
  type ShownWait,
  timeText,
} from '../../contract';
import { type AttentionSubject, attentionSection } from './attention';

type ShownTrade = Pick<
  PaymentState,
  ('method' | 'order_currency' | 'order_amount' | 'trade_no' | 'history') | ('attention' | 'attention_since' | 'taken')
>;

/** What it shows beside its trade. `names`: digests of what else it is found by. */
interface ShownOrder {
  readonly status: string;
  readonly outcome: string | null;
  readonly names: readonly string[];
}

/**
 * The search attributes of what may wait for a person. `decided_by`: who decided last, as far as is known. Who has taken it on is shown
 * beside that, and stays shown once nothing waits any more: the audit log finds both by it.
 */
export function waitAttributes(
  { attention, attention_since: since, taken }: ShownWait & { readonly attention: string | null },
  decided_by: string | undefined,
): SearchAttributeUpdatePair[] {
  const by = taken?.by ?? decided_by;
  return [
    { key: SEARCH_ATTRIBUTE.attention, value: attention },
    { key: SEARCH_ATTRIBUTE.attentionSince, value: since === null ? null : new Date(since) },
    { key: SEARCH_ATTRIBUTE.takenBy, value: taken?.by ?? null },
    ...(by === undefined ? [] : [{ key: SEARCH_ATTRIBUTE.decidedBy, value: personDigest(by) }]),
  ];
}

/** The search attributes of whatever concerns a trade. */
export function tradeAttributes(
  trade: ShownTrade,
  { status, outcome, names }: ShownOrder,
): SearchAttributeUpdatePair[] {
  return [
    { key: SEARCH_ATTRIBUTE.status, value: status },
    { key: SEARCH_ATTRIBUTE.method, value: trade.method },
    { key: SEARCH_ATTRIBUTE.tradeNo, value: trade.trade_no },
    { key: SEARCH_ATTRIBUTE.outcome, value: outcome },
    ...waitAttributes(trade, trade.history.findLast(({ by }) => by !== undefined)?.by),
    { key: SEARCH_ATTRIBUTE.names, value: names.length > 0 ? [...names] : null },
    { key: SEARCH_ATTRIBUTE.money, value: moneyToRead(trade) },
    { key: SEARCH_ATTRIBUTE.amount, value: amountToFindBy(trade.order_amount) },
  ];
}

/** Sends search attributes that changed since the last call, in at most one upsert. */
export class ShownAttributes {
  private readonly shown = new Map<string, string | null>();

  /** What the start of the run carried, or the run before left, is shown already. */
  constructor() {
    for (const { key, value } of workflowInfo().typedSearchAttributes.getAll()) this.shown.set(key.name, String(value));
  }

  update(pairs: SearchAttributeUpdatePair[]): void {
    const changed = pairs.map(bounded).filter(({ key: { name }, value: given }) => {
      const value = given === null ? null : String(given);
      const isChanged = (this.shown.get(name) ?? null) !== value;
      this.shown.set(name, value);
      return isChanged;
    });
    if (changed.length > 0) upsertSearchAttributes(changed);
  }
}

/** What a database keeps of a text. The server ends a workflow that shows more than 2 kB. */
const MOST_CHARACTERS_SHOWN = 255;

/** A gateway's status or a person's name may have any length. */
function bounded(pair: SearchAttributeUpdatePair): SearchAttributeUpdatePair {
  const { key, value } = pair;
  if (key.type !== 'KEYWORD' || typeof value !== 'string' || value.length <= MOST_CHARACTERS_SHOWN) return pair;
  return { key, value: [...value].slice(0, MOST_CHARACTERS_SHOWN).join('') };
}

/** Whether changed attributes are sent now, which is an event of the history, or with the next change. Details cost none. */
export type Upsert = 'now' | 'later';

export class Visibility {
  private readonly attributes = new ShownAttributes();
  /** Since when the status and the attention are what they are, as this run saw it. */
  private readonly since = new Map<string, { value: string; at: string }>();

  /**
   * Shows search attributes, and details in Markdown: what needs a person, the lines, and since when the status holds.
   * None of it may hold personal data. It adds no event but an upsert where an attribute has changed. `subject` is what the attention is about.
   */
  show(
    attributes: SearchAttributeUpdatePair[],
    lines: readonly string[],
    upsert: Upsert = 'now',
    subject: AttentionSubject = {},
  ): void {
    const status = this.sinceOf(attributes, SEARCH_ATTRIBUTE.status.name);
    const seen = this.sinceOf(attributes, SEARCH_ATTRIBUTE.attention.name);
    // An order's state says it itself: its wait may have begun before this run.
    const known = attributes.find(({ key }) => key.name === SEARCH_ATTRIBUTE.attentionSince.name)?.value;
    const attention = seen && known instanceof Date ? { ...seen, at: known.toISOString() } : seen;
    const since = { key: SEARCH_ATTRIBUTE.attentionSince, value: attention ? new Date(attention.at) : null };
    if (upsert === 'now')
      this.attributes.update([...attributes.filter(({ key }) => key.name !== since.key.name), since]);
    const [first = '', ...others] = lines;
    const { workflowId } = workflowInfo();
    const question = { attention: attention?.value ?? '', ...subject };
    const needs = attention ? attentionSection(question, attention.at, workflowId) : [];
    const shown = [...needs, status ? `${first} · since ${timeText(status.at)}` : first, ...others];
    setCurrentDetails(shown.join('\n\n'));
  }

  /** The attribute's value and since when it has it; undefined where it has none. */
  private sinceOf(attributes: readonly SearchAttributeUpdatePair[], name: string) {
    const given = attributes.find(({ key }) => key.name === name)?.value ?? null;
    if (given === null) {
      this.since.delete(name);
      return undefined;
    }
    const value = String(given);
    const known = this.since.get(name);
    const entry = known?.value === value ? known : { value, at: new Date().toISOString() };
    this.since.set(name, entry);
    return entry;
  }

  /** Clears the attention, and who has taken it on, before a continue-as-new: the next run inherits search attributes. */
  withdraw(): void {
    const { attention, attentionSince, takenBy } = SEARCH_ATTRIBUTE;
    this.attributes.update([
      { key: attention, value: null },
      { key: attentionSince, value: null },
      { key: takenBy, value: null },
    ]);
  }
}
