/** Which events a change of a payment's state makes. Pure. */
import type { Attention, PaymentEvent, Transition } from '../../../contract';

/** What an event says besides its own cause: the payment, and after its sale the refunds. */
export type EventContext = Pick<PaymentEvent, 'payment' | 'after_sale'>;

/** Makes an event of each transition, and of each new attention, exactly once. */
export class PaymentEventLog {
  private made = 0;
  private transitions = 0;
  private attention: Attention | null = null;

  /** `idPrefix` makes the ids of this run's events unique. */
  constructor(private readonly idPrefix: string) {}

  /** Makes no events of what an earlier run has published already. */
  skip(history: readonly Transition[], attention: Attention | null): void {
    this.transitions = history.length;
    this.attention = attention;
  }

  /** The events of what changed since the last call, transitions first. `now`: ms since the epoch. */
  changes(history: readonly Transition[], context: EventContext, now: number): PaymentEvent[] {
    const { attention } = context.payment;
    const events = history
      .slice(this.transitions)
      .map((transition) => this.event({ type: 'transition', time: transition.time, ...context, transition }));
    if (attention !== null && attention !== this.attention) {
      events.push(this.event({ type: 'attention', time: new Date(now).toISOString(), ...context }));
    }
    this.skip(history, attention);
    return events;
  }

  private event(event: Omit<PaymentEvent, 'id'>): PaymentEvent {
    this.made += 1;
    return { id: `${this.idPrefix}:${this.made}`, ...event };
  }
}
