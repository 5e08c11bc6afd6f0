/** The moment in which the run of an after-sale ends: it takes no request any more, and the next one has not begun. */
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { Stack } from '../../src/testing/stack';
import type { PaymentEvent, RefundAnswer, RefundOrder } from '../../src/workflows';
import { afterSaleOf } from './sold';

const isOfSale = (event: object): event is PaymentEvent => 'after_sale' in event && event.after_sale !== undefined;

/** A merchant's handler that remembers what it hears of after-sales, and can be held when it hears of a state. */
export class HeldHandler {
  readonly heard: PaymentEvent[] = [];
  private readonly held = new Map<string, { until: Promise<void>; release: () => void }>();

  async hears(event: object): Promise<void> {
    if (!isOfSale(event)) return;
    this.heard.push(event);
    if (event.type === 'transition') await this.held.get(event.transition.to)?.until;
  }

  /** Holds the handler at a state; `release` lets it go on. */
  hold(trade_status: string): { release: () => void } {
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = () => {
        this.held.delete(trade_status);
        resolve();
      };
    });
    this.held.set(trade_status, { until, release });
    return { release };
  }

  /** Lets it go on wherever it is held. */
  release(): void {
    for (const { release } of this.held.values()) release();
  }
}

/** Whether the after-sale takes no refund at this moment; nothing changes where it does. */
export async function isClosing(stack: Stack, out_trade_no: string, known: RefundOrder): Promise<boolean> {
  try {
    const args: [RefundOrder] = [known];
    await afterSaleOf(stack, out_trade_no).executeUpdate<RefundAnswer, [RefundOrder]>('refund', { args });
    return false;
  } catch (error) {
    const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
    if (cause instanceof ApplicationFailure && cause.type === 'Closing') return true;
    throw error;
  }
}
