/** What operators see of a workflow: search attributes to find it by, and the details in Temporal UI. */
import type { SearchAttributeUpdatePair } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import {
  amountToFindBy,
  moneyToRead,
  namedInCommands,
  type OperatorQuestion,
  operatorActions,
  type PaymentState,
  personDigest,
  runbookEntry,
  SEARCH_ATTRIBUTE,
  type ShownWait,
  timeText,
} from '../../contract';

type ShownTrade = Pick<
  PaymentState,
  ('method' | 'order_currency' | 'order_amount' | 'trade_no' | 'history') | ('attention' | 'attention_since' | 'taken')
>;

/** What an order shows besides its trade. `names`: digests of other names to find it by. */
interface ShownOrder {
  readonly status: string;
  readonly outcome: string | null;
  readonly names: readonly string[];
}

/**
 * The search attributes of a workflow that may wait for a person. `decided_by`: who decided last, as far as is known. The audit log finds
 * decisions, and those who took a wait on, by `decidedBy`, also once nothing waits any more.
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

/** The search attributes of a workflow about a trade. */
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

  /** Attributes from the run's start, or from the run before, are shown already. */
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

/** How much of a text a database keeps. The server ends a workflow that shows more than 2 kB. */
const MOST_CHARACTERS_SHOWN = 255;

/** A gateway's status or a person's name may have any length. */
function bounded(pair: SearchAttributeUpdatePair): SearchAttributeUpdatePair {
  const { key, value } = pair;
  if (key.type !== 'KEYWORD' || typeof value !== 'string' || value.length <= MOST_CHARACTERS_SHOWN) return pair;
  return { key, value: [...value].slice(0, MOST_CHARACTERS_SHOWN).join('') };
}

/** Whether changed attributes are sent now, which adds an event, or with the next change. Details add no event. */
export type Upsert = 'now' | 'later';

export class Visibility {
  private readonly attributes = new ShownAttributes();
  /** Since when the status and the attention have their values, as far as this run saw. */
  private readonly since = new Map<string, { value: string; at: string }>();

  /**
   * Shows search attributes, and details in Markdown: what needs a person, the lines, and since when the status holds.
   * None of it may hold personal data. The only event that it adds is an upsert of changed attributes. `subject`: what the attention is about.
   */
  show(
    attributes: SearchAttributeUpdatePair[],
    lines: readonly string[],
    upsert: Upsert = 'now',
    subject: AttentionSubject = {},
  ): void {
    const status = this.sinceOf(attributes, SEARCH_ATTRIBUTE.status.name);
    const seen = this.sinceOf(attributes, SEARCH_ATTRIBUTE.attention.name);
    // An order's state has the time itself: its wait may have begun before this run.
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

  /** The attribute's value, and since when it has this value; undefined if it has none. */
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

  /** Clears the attention, and who has taken the wait on, before a continue-as-new: the next run inherits search attributes. */
  withdraw(): void {
    const { attention, attentionSince, takenBy } = SEARCH_ATTRIBUTE;
    this.attributes.update([
      { key: attention, value: null },
      { key: attentionSince, value: null },
      { key: takenBy, value: null },
    ]);
  }
}

// — Why it needs a person: the runbook’s words, and the actions —

/** What a reason is about besides the order: a refund, or two amounts that differ. */
export interface AttentionSubject {
  readonly out_request_no?: string | undefined;
  readonly amounts?: string | undefined;
  readonly trade_status?: string | null | undefined;
  readonly shown?: string | undefined;
  readonly all_goes_back?: boolean | undefined;
}

/** Markdown: the reason and since when, what happened, where to look, what to do, and the commands and updates for it. */
export function attentionSection(
  { amounts, ...question }: OperatorQuestion & AttentionSubject,
  since: string,
  workflowId: string,
): string[] {
  const { attention, out_request_no } = question;
  const of = out_request_no === undefined ? '' : ` of refund ${out_request_no}`;
  const head = `⚠️ **${attention}**${of} since ${timeText(since)}`;
  const entry = runbookEntry(attention, workflowId);
  const words = entry
    ? [
        `${head}: ${entry.happened}`,
        ...(amounts === undefined ? [] : [`**${amounts}**`]),
        `**At stake.** ${entry.loses}`,
        `**Look.** ${entry.look}`,
        namedInCommands(`**Do.** ${entry.act} **Then.** ${entry.after}`, workflowId),
      ]
    : [head];
  return [...words, ...actionLines(question, workflowId)];
}

/**
 * What a person can do: the command to type, or the update to press in Temporal UI. The JSON has several lines already: otherwise the form
 * would reformat it when the person leaves it, and move the button away from the first press.
 */
function actionLines(question: OperatorQuestion, workflowId: string): string[] {
  const lines = operatorActions(workflowId, question).map(
    ({ what, command, update, input }) =>
      `- To ${what}: \`${command}\`, or the update \`${update}\`${input === undefined ? '' : ` with\n${asBlock(input)}`}`,
  );
  return lines.length === 0 ? [] : [lines.join('\n')];
}

const asBlock = (input: object) =>
  ['```json', ...JSON.stringify(input, null, 2).split('\n'), '```'].map((line) => `  ${line}`).join('\n');
