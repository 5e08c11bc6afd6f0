/**
 * Explains what a run knows: folds its facts again, one by one, and tells what each has changed. Computed only when somebody
 * asks. Pure.
 */
import {
  type Attention,
  type Conclusion,
  type FactsOfRun,
  type NotificationClaim,
  type PaymentPolicy,
  RUNBOOK,
  type SaidFact,
  type Trade,
  type WorldEvent,
} from '../../contract';

/** The size of a query's answer is limited: only the latest facts are told. */
const MOST_TOLD = 1_000;

/** A fact as it was folded, with the settings at that time. */
export interface Learned<Fact, Settings> {
  readonly fact: Fact & { readonly at: number };
  readonly settings: Settings;
}

/** A fact before it gets its time. */
export type WithoutTime<Fact> = Fact extends { readonly at: number } ? Omit<Fact, 'at'> : never;

type Fold<Known, Fact, Settings> = (known: Known, fact: Fact & { readonly at: number }, settings: Settings) => Known;

/**
 * The facts of a run, and the state that they make. A run that lives for years keeps only its latest facts: older ones are folded into
 * `begin`.
 */
export class LearnedFacts<Known, Fact, Settings> {
  known: Known;
  readonly latest: Learned<Fact, Settings>[] = [];
  left_out = 0;

  constructor(
    public begin: Known,
    private readonly fold: Fold<Known, Fact, Settings>,
  ) {
    this.known = begin;
  }

  add(one: Learned<Fact, Settings>): void {
    this.known = this.fold(this.known, one.fact, one.settings);
    this.latest.push(one);
    if (this.latest.length < 2 * MOST_TOLD) return;
    for (const { fact, settings } of this.latest.splice(0, MOST_TOLD))
      this.begin = this.fold(this.begin, fact, settings);
    this.left_out += MOST_TOLD;
  }
}

/** How a workflow explains its facts. */
export interface Explainer<Known, Fact, Settings> {
  readonly fold: Fold<Known, Fact, Settings>;
  readonly said: (fact: Fact) => SaidFact;
  readonly world: (fact: Fact, before: Known) => WorldEvent | null;
  /** What a fact has changed, without the next step. */
  readonly concluded: (before: Known, after: Known) => readonly Conclusion[];
  /** What is done next at this time; undefined if unknown. */
  readonly next: (known: Known, at: number) => { readonly step: string; readonly because: string } | undefined;
}

/** The latest facts, each with what was concluded from it. Earlier facts are only folded. */
export function explained<Known, Fact extends { readonly is: string }, Settings>(
  { begin, latest, left_out }: Pick<LearnedFacts<Known, Fact, Settings>, 'begin' | 'latest' | 'left_out'>,
  policy: PaymentPolicy | undefined,
  { fold, said, world, concluded, next }: Explainer<Known, Fact, Settings>,
): FactsOfRun {
  const untold = latest.slice(0, -MOST_TOLD);
  let known = untold.reduce((before, { fact, settings }) => fold(before, fact, settings), begin);
  const last = untold.at(-1);
  let step = (last && next(known, last.fact.at)?.step) ?? null;
  const facts = latest.slice(-MOST_TOLD).map(({ fact, settings }) => {
    const before = known;
    known = fold(before, fact, settings);
    const following = next(known, fact.at);
    const then = following === undefined ? [] : changed('next', step, following.step, following.because);
    step = following?.step ?? step;
    const { at, is } = fact;
    return { at, is, ...said(fact), world: world(fact, before), concluded: [...concluded(before, known), ...then] };
  });
  return { settings: policy ?? null, facts, left_out: left_out + untold.length };
}

/** A conclusion, if something has changed. */
export const changed = (what: string, from: string | null, to: string | null, rule: string): Conclusion[] =>
  from === to ? [] : [{ what, from, to, rule }];

/** How the reasons for a person changed: the shown one, and others besides. The words are the runbook's. */
export function attentionChanged(before: Reasons, after: Reasons): Conclusion[] {
  const news = after.reasons.filter((one) => one !== after.shown && !before.reasons.includes(one));
  return [
    ...changed('attention', before.shown, after.shown, after.shown === null ? SETTLED : RUNBOOK[after.shown].happened),
    ...news.map((one) => ({ what: 'attention besides', from: null, to: one, rule: RUNBOOK[one].happened })),
  ];
}

interface Reasons {
  readonly shown: Attention | null;
  readonly reasons: readonly Attention[];
}

const SETTLED = 'each reason for a person was settled, by an answer of the gateway or by a person';

export const GATEWAY = 'the gateway';

export const tradeWords = (trade_no: string | null | undefined): string => (trade_no ? `(trade ${trade_no})` : '');

/** What the gateway shows of a trade. */
export const shownWords = ({ trade_status, order_amount, order_currency, trade_no }: Partial<Trade>): string =>
  words(trade_status, order_amount, order_currency, tradeWords(trade_no));

/** What a notification says. */
export const claimWords = ({ trade_status, amount, currency, out_request_no, trade_no }: NotificationClaim): string =>
  words(trade_status, amount, currency, out_request_no && `refund ${out_request_no}`, tradeWords(trade_no));

/** `1 earlier run`, `2 earlier runs`. */
export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** Joins the texts that are present with a space. */
export const words = (...texts: readonly (string | false | null | undefined)[]): string =>
  texts.filter(Boolean).join(' ');
