/** Plays a story: everybody acts at the story's times, and the gateway answers as it did. */
import {
  type AfterSaleState,
  afterSaleWorkflowId,
  type PaymentState,
  paymentWorkflowId,
  QUERY,
  SIGNAL,
  UPDATE,
  WORKFLOW,
} from '../contract';
import { inputFor, type Story, type StoryEnd, type StoryEvent, storyEnd } from '../temporal/story';
import { signTestNotification, type TestNotification } from './signed-notification';
import type { SimulatedEnvironment } from './simulated-temporal/environment';
import { APP } from './stack';

export interface Stage {
  temporal: SimulatedEnvironment;
  notify(notification: TestNotification): Promise<unknown>;
}

/** When a story begins: on a day of the simulation, at its own time of the day. */
export const startOfStory = ({ time_of_day }: Story): Date => new Date(`2026-01-05T${time_of_day}Z`);

const { app_id } = APP;

export async function playStory(story: Story, stage: Stage): Promise<void> {
  const began = startOfStory(story).getTime();
  const until = async (after_ms: number) => {
    const left_ms = began + after_ms - (await stage.temporal.currentTimeMs());
    if (left_ms > 0) await stage.temporal.sleep(left_ms);
  };
  const player = new Player(stage, orderIn(story));
  const events = [...story.events].sort((one, other) => one.after_ms - other.after_ms);
  for (const event of events) {
    await until(event.after_ms);
    await player.play(event);
  }
  await until(story.lasts_ms);
}

/** What the order of a story has come to by now. */
export async function endOfPlayed(
  story: Story,
  { temporal: { temporal } }: Pick<Stage, 'temporal'>,
): Promise<StoryEnd> {
  const number = orderIn(story);
  const stateOf = async <State>(id: string): Promise<State | null> => {
    const run = temporal.latest(id);
    return run ? temporal.query<State>(run, QUERY.state) : null;
  };
  const payment = await stateOf<PaymentState>(paymentWorkflowId(app_id, number));
  return storyEnd(payment, await stateOf<AfterSaleState>(afterSaleWorkflowId(app_id, number)));
}

/** The order's number, or its trade's number if no other is known. */
function orderIn({ events }: Story): string {
  for (const event of events) {
    if (event.is === 'ordered') {
      const { input } = event;
      const number = input.kind === 'adopt' ? (input.out_trade_no ?? input.trade_no) : input.request.out_trade_no;
      if (number !== undefined) return number;
    }
  }
  return 'order-1';
}

const AGAIN_MS = 1_000;

class Player {
  private notified = 0;

  constructor(
    private readonly stage: Stage,
    private readonly number: string,
  ) {}

  private idOf(to: 'payment' | 'after-sale'): string {
    return to === 'payment' ? paymentWorkflowId(app_id, this.number) : afterSaleWorkflowId(app_id, this.number);
  }

  /** The gateway's answers are not played here: activities ask for them. */
  async play(event: StoryEvent): Promise<void> {
    const { temporal } = this.stage.temporal;
    switch (event.is) {
      case 'ordered':
        if (!temporal.latest(this.idOf('payment'))?.isRunning)
          temporal.start(WORKFLOW.payment, this.idOf('payment'), inputFor(app_id, event.input));
        return;
      case 'withdrawn':
        temporal.update(this.idOf('payment'), UPDATE.cancel);
        return;
      case 'notified':
        return this.notify(event.claim);
      case 'signaled':
        temporal.signal(this.idOf(event.to), 'a signal of nobody', {});
        return;
      case 'refund': {
        const { out_request_no, amount, currency } = event;
        return this.update('after-sale', UPDATE.refund, {
          out_request_no,
          refund_amount: amount,
          refund_currency: currency,
        });
      }
      case 'resolved':
        return this.update(event.to, UPDATE.resolve, event.resolution);
      case 'taken':
        return this.update(event.to, UPDATE.take, { by: event.by, note: event.note });
    }
  }

  /** As every caller does: starts an after-sale again that is over, and repeats what a run was just too late to take. */
  private update(to: 'payment' | 'after-sale', name: string, argument: object, tries = 5): void {
    const { temporal } = this.stage.temporal;
    const id = this.idOf(to);
    if (to === 'after-sale' && !temporal.latest(id)?.isRunning)
      temporal.start(WORKFLOW.afterSale, id, { app_id, out_trade_no: this.number });
    const update = temporal.update(id, name, argument);
    temporal.clock.in(AGAIN_MS, () => {
      const isTaken = update?.accepted && !update.aborted;
      if (!isTaken && tries > 1) this.update(to, name, argument, tries - 1);
    });
  }

  /** A notification that names nothing did not come from a gateway. */
  private async notify(claim: Extract<StoryEvent, { is: 'notified' }>['claim']): Promise<void> {
    const { trade_no, trade_status } = claim;
    if (!trade_no && !trade_status) {
      this.stage.temporal.temporal.signal(this.idOf('payment'), SIGNAL.notification, {});
      return;
    }
    this.notified += 1;
    const notification = {
      trade_no: undefined,
      method: undefined,
      ...claim,
      out_trade_no: this.number,
      place: this.notified,
    };
    await this.stage.notify(signTestNotification(APP, JSON.parse(JSON.stringify(notification))));
  }
}
