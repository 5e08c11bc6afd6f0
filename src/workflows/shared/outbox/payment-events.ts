/** Which events a change of a payment's state makes. Pure. */
import { type Attention, type EventPayment, outcomeOf, type PaymentEvent, type Transition } from '../../../contract';

/** What each event tells besides its cause: the payment, and after its sale the refunds. */
export interface EventContext extends Pick<PaymentEvent, 'after_sale'> {
  readonly payment: EventPayment;
}

const isSame = (one: Transition, other: Transition) =>
  (['time', 'from', 'to', 'source'] as const).every((field) => one[field] === other[field]);

/** Whether merchants take the transition for money. */
const saysPaid = ({ to }: Transition) => outcomeOf(to) === 'SUCCESS';

/** A sale with another amount is told once: the gateway's status waited for the person, and is told instead of the person's decision. */
const isRepeatedByAPerson = (one: Transition, before: readonly Transition[]) =>
  one.source === 'operator' && saysPaid(one) && before.some(({ to }) => to === one.to);

/**
 * Makes an event of each transition, and of each new attention, exactly once. A transition that tells of money waits, with all later
 * ones, until the payment has its outcome: a creation's answer, or another amount, is no sale.
 */
export class PaymentEventLog {
  /** How many events of each kind were made: the number makes their ids differ. */
  private readonly made = new Map<string, number>();
  /** The last transition that was told or skipped: only this one is kept, because histories are long. */
  private told: Transition | undefined;
  private attention: Attention | null = null;

  /** `idPrefix` makes the ids of this run's events unique. An event that a reset run tells again has the same id. */
  constructor(private readonly idPrefix: string) {}

  /** Makes no events of what an earlier run has published already. */
  skip(history: readonly Transition[], attention: Attention | null): void {
    this.told = history.at(-1);
    this.attention = attention;
  }

  /** The events of what changed since the last call, transitions first. `now`: ms since the epoch. */
  changes(history: readonly Transition[], context: EventContext, now: number): PaymentEvent[] {
    const { attention, outcome } = context.payment;
    const { told } = this;
    // The told transition may be gone from the history, if another workflow tells it now: then transitions before it are not new either.
    const isKnown = (one: Transition) => told !== undefined && (isSame(one, told) || one.time < told.time);
    const news = history.slice(history.findLastIndex(isKnown) + 1);
    const waits = outcome === null ? news.findIndex(saysPaid) : -1;
    const known = waits < 0 ? news : news.slice(0, waits);
    const events = known
      .filter((transition) => outcome === null || outcome === 'SUCCESS' || !saysPaid(transition))
      .filter((one, index, all) => !isRepeatedByAPerson(one, all.slice(0, index)))
      // A person who has only seen something has changed nothing.
      .filter(({ source, from, to }) => source !== 'operator' || from !== to)
      .map((transition): PaymentEvent => {
        const { to, time } = transition;
        return { id: this.idOf(to), type: 'transition', time, ...context, transition };
      });
    if (attention !== null && attention !== this.attention) {
      const [id, time] = [this.idOf(`attention-${attention}`), new Date(now).toISOString()];
      events.push({ id, type: 'attention', time, ...context, payment: { ...context.payment, attention } });
    }
    this.told = known.at(-1) ?? told;
    this.attention = attention;
    return events;
  }

  private idOf(what: string): string {
    const count = (this.made.get(what) ?? 0) + 1;
    this.made.set(what, count);
    return `${this.idPrefix}:${what}:${count}`;
  }
}
