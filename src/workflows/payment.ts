/**
 * The life of one payment: create it, or take it on; watch it until its outcome is known; return that outcome.
 * What happens is decided elsewhere: `transitions.ts` (states and outcomes), `deadlines.ts` (times), `payment-record.ts`
 * (what news changes). Here is only the order of things.
 */
import {
  ActivityFailure,
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  defineQuery,
  defineSignal,
  defineUpdate,
  isCancellation,
  setDefaultSignalHandler,
  setHandler,
  sleep,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { GatewayErrorFields } from '../gateway/errors';
import type { Trade } from '../gateway/query';
import {
  type CreateResult,
  createOrder,
  findTrade,
  type PaymentPolicy,
  policyFor,
  queryTrade,
  watchTrade,
} from './activities';
import {
  FAILURE,
  type NewPayment,
  type NotificationSignal,
  type Outcome,
  type PaymentData,
  type PaymentInput,
  type PaymentState,
  QUERY,
  type Resolution,
  SIGNAL,
  UPDATE,
} from './contract';
import { creationAnswer } from './creation-answer';
import { type Deadline, deadlines } from './deadlines';
import { PaymentRecord } from './payment-record';
import { differingFields } from './requests';
import { Visibility } from './visibility';

export const createdUpdate = defineUpdate<PaymentData, [PaymentInput?]>(UPDATE.created);
export const recheckUpdate = defineUpdate<PaymentState>(UPDATE.recheck);
export const resolveUpdate = defineUpdate<PaymentState, [Resolution]>(UPDATE.resolve);
export const notificationSignal = defineSignal<[NotificationSignal]>(SIGNAL.notification);
export const stateQuery = defineQuery<PaymentState>(QUERY.state);

/** How long `created` waits for the gateway before it says that the payment is still under way. */
const CREATED_WAIT_MS = 30_000;

/** A creation that stays unknown is tried again after this, doubled each time. */
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 30 * 60_000;

const OUTCOMES: readonly Outcome[] = ['SUCCESS', 'CANCEL', 'REFUSED', 'EXPIRED'];

/** Returns the payment's final state. Fails (type `InvalidRequest`, `NotCreated`, `DuplicateOrder`) only where this order was never created. */
export async function payment(input: PaymentInput): Promise<PaymentState> {
  const life = new PaymentLife(input);
  try {
    await life.run();
  } finally {
    await CancellationScope.nonCancellable(() => condition(allHandlersFinished));
  }
  return life.state;
}

class PaymentLife {
  private readonly record: PaymentRecord;
  private readonly visibility = new Visibility();
  private readonly inbox: NotificationSignal[] = [];
  private rechecks = 0;
  private answeredRechecks = 0;
  /** What ended the payment before there was an order: callers who wait are told. */
  private failure: unknown;
  /** The gateway's last answer that settled nothing. */
  private problem: { message: string; error: GatewayErrorFields } | undefined;
  private waitingFor = 'the gateway to take the order';

  constructor(private readonly input: PaymentInput) {
    this.record = new PaymentRecord(input);
    setHandler(stateQuery, () => this.state);
    setHandler(notificationSignal, (signal) => {
      this.inbox.push(signal);
    });
    setHandler(createdUpdate, (_again?: PaymentInput) => this.created(), {
      validator: (again?: PaymentInput) => this.refuseAnother(again),
    });
    setHandler(recheckUpdate, () => this.recheck());
    setHandler(resolveUpdate, (resolution) => this.resolve(resolution), { validator: checkResolution });
    // A signal under a name that nobody handles would be kept in silence, for ever.
    setDefaultSignalHandler(() => {
      this.record.raise('unexpected-signal');
      this.show();
    });
  }

  get state(): PaymentState {
    return this.record.public;
  }

  async run(): Promise<void> {
    this.show();
    const policy = await policyFor({ method: this.state.method });
    try {
      await this.unlessResolved(() => (this.input.kind === 'adopt' ? this.adopt() : this.create(this.input, policy)));
      await this.unlessResolved(() => this.watch(policy));
    } catch (error) {
      this.failure = error;
      throw error;
    } finally {
      this.show();
    }
  }

  // — The creation —

  private async create(order: NewPayment, policy: PaymentPolicy): Promise<void> {
    let mayExist = false;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      const tried = await this.tryToCreate(order);
      switch (tried.is) {
        case 'created':
          this.record.settle('unknown-outcome');
          return this.record.created({ ...tried.answer, recovered: false }, Date.now());
        case 'created-refused':
          return this.record.refused(tried.error, Date.now());
        case 'not-created':
          if (tried.credentials) this.record.raise('credentials');
          if (!mayExist) throw notCreated(tried);
          break;
        case 'duplicate':
          if (!mayExist && tried.attempt === 1) throw duplicateOrder(order);
          return this.recover(await findTrade({ app_id: order.app_id, id: this.record.id }), order);
        case 'unknown':
          mayExist = true;
      }
      this.problem = tried;
      // Nothing tells whether the order exists, so look for it before it is made again under the same number.
      this.waitingFor = 'the gateway to say whether it has the order: the creation’s outcome is unknown';
      this.show();
      const found = await findTrade({ app_id: order.app_id, id: this.record.id, settling_ms: policy.settling_ms });
      if (found) return this.recover(found, order);
      if (pause > FIRST_PAUSE_MS) {
        this.record.raise('unknown-outcome');
        this.show();
        await sleep(pause, { summary: 'before the order is tried again' });
      }
    }
  }

  private async tryToCreate(order: NewPayment): Promise<CreateResult> {
    try {
      return await createOrder(order);
    } catch (error) {
      if (!(error instanceof ActivityFailure) || !(error.cause instanceof TimeoutFailure)) throw asFailure(error);
      const message = 'The worker died with the creation under way.';
      return { is: 'unknown', message, error: { outcome: 'unknown', retryable: true, operation: order.kind } };
    }
  }

  /** Goes on with a trade whose creation's answer was lost. */
  private recover(found: Trade | null, order: NewPayment): void {
    if (found === null) return;
    const { trade_no, trade_status } = found;
    this.record.settle('unknown-outcome');
    this.record.created(
      { out_trade_no: order.request.out_trade_no, ...(trade_no ? { trade_no } : {}), trade_status, recovered: true },
      Date.now(),
    );
    this.record.queried(found, Date.now());
  }

  private async adopt(): Promise<void> {
    this.waitingFor = 'the gateway to say what it knows of this trade';
    this.show();
    const found = await queryTrade({ app_id: this.input.app_id, id: this.record.id });
    const { out_trade_no, trade_no, trade_status } = { ...this.record.id, ...found };
    this.record.created({ out_trade_no, trade_no, trade_status, recovered: true }, Date.now());
    this.record.queried(found, Date.now());
  }

  // — The waiting —

  private async watch(policy: PaymentPolicy): Promise<void> {
    for (const notification of this.inbox) this.record.learnMethod(notification.method);
    const order = this.input.kind === 'adopt' ? {} : this.input.request;
    const stages = deadlines(order, Date.now(), policy);
    this.record.expiresAt(stages[0].at);
    // A SUCCESS that only the creation's answer has told is asked for at once.
    if (this.record.seen === 'SUCCESS' && !this.record.isOver) await this.check();
    for (const stage of stages) {
      await this.watchUntil(stage, policy);
      if (this.record.isOver) return;
      await this.check();
      if (this.record.isOver) return;
    }
    this.record.gaveUp(Date.now());
  }

  /** Returns at the deadline, or once the payment is over. */
  private async watchUntil(stage: Deadline, policy: PaymentPolicy): Promise<void> {
    while (!this.record.isOver) {
      if (this.record.needsDecision) await this.decision();
      const left = stage.at - Date.now();
      if (left <= 0) return;
      this.waitingFor = `the buyer, a notification, or ${stage.name} at ${new Date(stage.at).toISOString()}`;
      this.show();
      const news = await this.nextNews(stage, left, policy);
      if (news === 'deadline') return;
      if (news === 'wake') await this.heed(policy);
      else this.record.queried(news, Date.now());
    }
  }

  /** Waits, polling slowly beside, for whatever comes first. The poll's attempts are spaced by the server. */
  private async nextNews(stage: Deadline, left: number, policy: PaymentPolicy): Promise<Trade | 'wake' | 'deadline'> {
    const { poll_schedule_ms, poll_every_ms } = policy;
    const { app_id } = this.input;
    const poll: { found?: Trade; failure?: unknown } = {};
    const scope = new CancellationScope();
    const polling = scope
      .run(() =>
        watchTrade({
          app_id,
          id: this.record.id,
          seen: this.record.seen,
          schedule: { poll_schedule_ms, poll_every_ms },
        }),
      )
      .then(
        (found) => Object.assign(poll, { found }),
        (failure) => Object.assign(poll, { failure }),
      );
    const ended = () => poll.found !== undefined || poll.failure !== undefined;
    const inTime = await condition(() => ended() || this.isWoken, left, { summary: stage.name });
    if (!ended()) {
      scope.cancel();
      await polling;
    }
    if (poll.found) return poll.found;
    if (!isCancellation(poll.failure)) throw poll.failure;
    return inTime ? 'wake' : 'deadline';
  }

  private get isWoken(): boolean {
    return this.inbox.length > 0 || this.rechecks > this.answeredRechecks;
  }

  /** A notification is a hint: the query says what is true, unless a setting believes notifications. */
  private async heed(policy: PaymentPolicy): Promise<void> {
    const notifications = this.inbox.splice(0);
    for (const notification of notifications) this.record.learnMethod(notification.method);
    if (!policy.confirm_by_query) {
      for (const notification of notifications) this.record.notified(notification, Date.now());
      if (this.rechecks === this.answeredRechecks) return;
    }
    await this.check();
  }

  private async check(): Promise<void> {
    const asked = this.rechecks;
    this.record.queried(await queryTrade({ app_id: this.input.app_id, id: this.record.id }), Date.now());
    this.answeredRechecks = asked;
  }

  /** Money came that is not what was ordered. Only a person ends this, or the gateway by moving the trade on. */
  private async decision(): Promise<void> {
    this.waitingFor = 'a person’s decision: the update `resolve`';
    this.show();
    await condition(() => this.isWoken || !this.record.needsDecision);
    if (this.isWoken) {
      this.inbox.splice(0);
      await this.check();
    }
  }

  // — The updates —

  private async created(): Promise<PaymentData> {
    const { out_trade_no } = this.state;
    await condition(() => this.failure !== undefined || creationAnswer(this.state) !== undefined, CREATED_WAIT_MS, {
      summary: 'created',
    });
    if (this.failure !== undefined) throw this.failure;
    const answer = creationAnswer(this.state);
    if (answer) return answer;
    throw ApplicationFailure.create({
      type: FAILURE.pending,
      message: `The gateway has not settled order ${out_trade_no} yet. The payment goes on by itself; ask again for its data. ${this.problem?.message ?? ''}`,
      nonRetryable: true,
      details: [this.problem?.error ?? { outcome: 'unknown' }],
    });
  }

  private refuseAnother(again: PaymentInput | undefined): void {
    if (again === undefined || again.kind === 'adopt' || this.input.kind === 'adopt') return;
    const fields = differingFields(
      { kind: this.input.kind, ...this.input.request },
      { kind: again.kind, ...again.request },
    );
    if (fields.length === 0) return;
    throw ApplicationFailure.create({
      type: FAILURE.differentRequest,
      message: `Order ${this.record.outTradeNo} runs already with another request: ${fields.join(', ')} differ. Send the same request, or use a new out_trade_no.`,
      nonRetryable: true,
      details: [{ fields }],
    });
  }

  private async recheck(): Promise<PaymentState> {
    const wanted = ++this.rechecks;
    await condition(() => this.answeredRechecks >= wanted || this.record.isOver || this.failure !== undefined);
    return this.state;
  }

  private resolve(resolution: Resolution): PaymentState {
    this.record.resolved(resolution, Date.now());
    this.show();
    return this.state;
  }

  /** Runs a part of the life, which a person's `resolve` may cut short at any point. */
  private async unlessResolved(part: () => Promise<void>): Promise<void> {
    const scope = new CancellationScope();
    const running = scope.run(part);
    const resolved = condition(() => this.state.confirmed_by === 'operator');
    await Promise.race([running, resolved]);
    if (this.state.confirmed_by !== 'operator') return;
    scope.cancel();
    await running.catch(asCancellation);
  }

  private show(): void {
    this.visibility.update(this.state, this.waitingFor);
  }
}

function checkResolution(resolution: Resolution): void {
  const problems = [
    ...(OUTCOMES.includes(resolution?.outcome) ? [] : [`outcome: one of ${OUTCOMES.join(', ')}`]),
    ...(resolution?.reason ? [] : ['reason: required']),
    ...(resolution?.by ? [] : ['by: required, who decides']),
  ];
  if (problems.length === 0) return;
  throw ApplicationFailure.create({
    type: FAILURE.invalidRequest,
    message: `The payment was not resolved: ${problems.join('; ')}`,
    nonRetryable: true,
  });
}

function notCreated(tried: { message: string; error: object }): ApplicationFailure {
  return ApplicationFailure.create({
    type: FAILURE.notCreated,
    message: tried.message,
    nonRetryable: true,
    details: [tried.error],
  });
}

function duplicateOrder({ request: { out_trade_no } }: NewPayment): ApplicationFailure {
  return ApplicationFailure.create({
    type: FAILURE.duplicateOrder,
    message: `The gateway has an order ${out_trade_no} already, made by somebody else. Nothing was charged here. Use a new out_trade_no, or adopt the order.`,
    nonRetryable: true,
  });
}

/** An activity's refusal as the workflow's own failure, so that callers meet its type and not the activity around it. */
function asFailure(error: unknown): unknown {
  return error instanceof ActivityFailure && error.cause instanceof ApplicationFailure ? error.cause : error;
}

/** Swallows the cancellation that was asked for, and nothing else. */
function asCancellation(error: unknown): void {
  if (!isCancellation(error)) throw error;
}
