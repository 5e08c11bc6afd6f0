/** Payments of another namespace, for a merchant's own workflow: the Nexus service with its failures, asked until it answers. */
import { ApplicationFailure, NexusOperationFailure } from '@temporalio/common';
import { createNexusServiceClient, type NexusServiceClient, sleep } from '@temporalio/workflow';
import {
  FAILURE,
  type OrderRequest,
  type PaymentData,
  type PaymentState,
  paymentsService,
  type RefundAnswer,
  type RefundOptions,
  refundOrderOf,
  sameFailure,
} from '../contract';

/** How long to wait before a question is asked again, in ms: doubled each time, up to the longest. */
const PENDING = { first: 2_000, longest: 5 * 60_000 };
const UNPAID = { first: 5_000, longest: 15 * 60_000 };

export interface NexusPaymentsOptions {
  /** The name of the Nexus endpoint that leads to the payments. */
  endpoint: string;
  app_id: string;
}

/**
 * The payments of an app in another namespace. Each call waits until the gateway has answered, for as long as that takes, and
 * may be repeated: the same order is the same payment. Throws ApplicationFailure of the types that docs/contract.md names.
 * Your worker needs no plugin; where the payments' worker has encryption keys, it needs `dataConverter` with a key of theirs.
 */
export function nexusPayments({ endpoint, app_id }: NexusPaymentsOptions): NexusPayments {
  return new NexusPayments(createNexusServiceClient({ endpoint, service: paymentsService }), app_id);
}

export class NexusPayments {
  constructor(
    private readonly client: NexusServiceClient<typeof paymentsService>,
    private readonly app_id: string,
  ) {}

  /** Starts a direct payment and returns its payment data (section 4.1). */
  pay(request: OrderRequest): Promise<PaymentData> {
    return answered(() => this.client.executeOperation('pay', { app_id: this.app_id, request }));
  }

  /** Creates a hosted checkout, and returns its data with `web_url` (section 4.2). */
  createCheckout(request: OrderRequest): Promise<PaymentData> {
    return answered(() => this.client.executeOperation('checkout', { app_id: this.app_id, request }));
  }

  /** Refunds a paid order, all that is left of it or a part, and returns the gateway's answer (section 4.3). */
  refund(out_trade_no: string, refund: RefundOptions = {}): Promise<RefundAnswer> {
    const request = refundOrderOf(refund);
    return answered(() => this.client.executeOperation('refund', { app_id: this.app_id, out_trade_no, request }));
  }

  /** The payment's state now. Throws a failure of the type `NotFound` where there is no payment. */
  state(out_trade_no: string): Promise<PaymentState> {
    return answered(() => this.client.executeOperation('state', { app_id: this.app_id, out_trade_no }));
  }

  /**
   * Waits until the payment has ended, possibly for days, and returns its final state. Throws the payment's failure, such as
   * `NotCreated`, where no order was created. It asks ever more slowly, up to every quarter of an hour: each time adds events to your
   * workflow's history.
   */
  outcome(out_trade_no: string): Promise<PaymentState> {
    return answered(() => this.client.executeOperation('outcome', { app_id: this.app_id, out_trade_no }), UNPAID);
  }

  /** Withdraws an order that was certainly not sent, and returns its state. */
  cancel(out_trade_no: string): Promise<PaymentState> {
    return answered(() => this.client.executeOperation('cancel', { app_id: this.app_id, out_trade_no }));
  }
}

/** Asks until the answer is not `PaymentPending` any more. */
async function answered<T>(ask: () => Promise<T>, { first, longest } = PENDING): Promise<T> {
  for (let pause = first; ; pause = Math.min(2 * pause, longest)) {
    try {
      return await ask();
    } catch (error) {
      const failure = failureOf(error);
      if (failure?.type !== FAILURE.pending) throw failure ?? error;
      await sleep(pause);
    }
  }
}

/** The service's own failure: the innermost one, as Nexus wraps it. Undefined for a time-out, a cancellation and the like. */
function failureOf(error: unknown): ApplicationFailure | undefined {
  if (!(error instanceof NexusOperationFailure)) return undefined;
  let found: ApplicationFailure | undefined;
  for (let cause: unknown = error.cause; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ApplicationFailure) found = cause;
  }
  return found && sameFailure(found);
}
