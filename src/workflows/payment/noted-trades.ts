/** Trades under the order's number that are not known as this payment's, and the last that is known of each. Pure. */
import { classifyTransition, type OtherTrade, type PreviousRun } from '../../contract';

export class NotedTrades {
  private noted: readonly OtherTrade[];
  private readonly answered = new Set<string>();

  constructor(noted: readonly OtherTrade[] = []) {
    this.noted = [...noted];
    this.answeredBefore(noted);
  }

  /** What an earlier run has a status of, it has asked for. */
  private answeredBefore(others: readonly OtherTrade[]): void {
    for (const { trade_no, trade_status } of others) if (trade_status !== null) this.answered.add(trade_no);
  }

  get all(): readonly OtherTrade[] {
    return this.noted;
  }

  /** All but this one: a trade that was noted before our trade_no was known may be our own. */
  beside(ours: string | null): OtherTrade[] {
    return this.noted.filter(({ trade_no }) => trade_no !== ours);
  }

  /** Those for which the gateway has answered this run. */
  get asked(): string[] {
    return [...this.answered];
  }

  markAnswered(trade_no: string): void {
    this.answered.add(trade_no);
  }

  find(trade_no: string): OtherTrade | undefined {
    return this.noted.find((one) => one.trade_no === trade_no);
  }

  note(trade_no: string, known: Pick<PreviousRun, 'trade_status' | 'order_amount'> = {}): void {
    const before = this.find(trade_no);
    const { order_amount = before?.order_amount ?? null } = known;
    const trade_status = laterOf(before?.trade_status ?? null, known.trade_status ?? null);
    this.noted = [...this.beside(trade_no), { trade_no, trade_status, order_amount }];
  }

  noteAll(others: readonly OtherTrade[]): void {
    for (const other of others) this.note(other.trade_no, other);
    this.answeredBefore(others);
  }

  /** A trade that was named while ours had no number: it may be ours, and whoever watches on asks for both. */
  noteCandidate(trade_no: string | null): void {
    if (trade_no !== null && !this.find(trade_no)) this.note(trade_no);
  }
}

/** Of two words on a trade, the one that the other leads to: a copy of the gateway may be behind. */
const laterOf = (known: string | null, said: string | null) =>
  said === null || (known !== null && classifyTransition(known, said) === 'stale') ? known : said;
