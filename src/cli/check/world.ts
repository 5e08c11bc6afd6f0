/** Gets the answers for `payment-gateway check` from Temporal, the gateway and the public webhook. It changes nothing there. */
import { Client, QueryNotRegisteredError } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { request } from 'undici';
import { dataConverter, PayloadDecryptionError } from '../../codec';
import { QUERY, SEARCH_ATTRIBUTE, SIGNAL, scheduledJobs } from '../../contract';
import type { GatewayApp } from '../../gateway';
import type { Environment } from '../../process/environment';
import { type GatewayLook, lookAtGateway } from '../../process/gateway-check';
import { messageOf } from '../../process/message-of';
import { appIdsOf, type Config, endpointOf } from '../../process/settings';
import { connect, temporalConfig } from '../../temporal/connection';
import { retentionOf } from '../../temporal/namespaces';
import { openDeliveriesQuery, type PaymentFilter, paymentQuery, takenQuery } from '../../temporal/payment-query';
import { pendingWork } from '../../temporal/pending-work';
import { POLLS_WITHIN_MS, type Pollers, pollersOf } from '../../temporal/pollers';
import { type JobTrouble, troubledJobs } from '../../temporal/schedules';
import { missingSearchAttributes } from '../../temporal/search-attributes';
import { collect, countWorkflows, type ListedWorkflow, listWorkflows } from '../../temporal/workflow-list';

/** How long one answer may take, in ms. */
const TIMEOUT_MS = 10_000;
/** How many payments of an app are read, and how many deliveries of events. */
const LATEST = 20;

/** A receiver that is just being restarted has missed an event so often, in a few seconds. */
const TRIES_BY_ACCIDENT = 4;

/** A payment that Temporal still has. */
export interface KeptPayment {
  workflow_id: string;
  is_notified: boolean;
  /** Payloads that callers, the webhook and the worker have written for it. */
  payloads: Payload[];
}

/** How a worker answered a query with a payload of ours. */
type WorkerAnswer = { is: 'read' } | { is: 'refused' } | { is: 'silent'; why: string };

/** Makes the calls with these settings. */
export class LiveWorld {
  private connected: ReturnType<typeof connect> | undefined;
  private readonly looks = new Map<string, Promise<GatewayLook>>();

  constructor(
    readonly config: Config,
    private readonly env: Environment,
    /** The settings are those that `payment-gateway dev` left, which runs all of the stack. */
    readonly isStack: boolean,
  ) {}

  /** Throws TemporalUnreachableError and UnknownNamespaceError. */
  async connect(): Promise<string> {
    await this.temporal();
    const { connectionOptions, namespace } = temporalConfig(this.env);
    return `${connectionOptions.address ?? 'Temporal'}, namespace ${namespace},`;
  }

  async retentionMs(): Promise<number> {
    const { connection, namespace } = await this.temporal();
    return (await this.soon(connection, () => retentionOf(connection, namespace))) ?? 0;
  }

  /** Throws SearchAttributeConflictError. */
  async missingAttributes(): Promise<readonly string[]> {
    const { connection, namespace } = await this.temporal();
    return this.soon(connection, () => missingSearchAttributes(connection, namespace));
  }

  async troubledJobs(): Promise<readonly JobTrouble[]> {
    const client = await this.client();
    const jobs = scheduledJobs(appIdsOf(this.config));
    return this.soon(client, () => troubledJobs(client, jobs, new Date()));
  }

  async pollers(): Promise<Pollers> {
    const { connection, namespace } = await this.temporal();
    const queue = { namespace, taskQueue: this.config.PAYMENTS_TASK_QUEUE };
    return pollersOf(connection, queue, Date.now() - POLLS_WITHIN_MS);
  }

  /** What receivers have answered last, who have not taken an event several times in a row; of the deliveries that began last. */
  async refusedEvents(): Promise<string[]> {
    const client = await this.client();
    return this.soon(client, async () => {
      const refused: string[] = [];
      for (const { workflow_id, run_id } of await collect(listWorkflows(client, openDeliveriesQuery), LATEST)) {
        const described = await client.workflow.getHandle(workflow_id, run_id).describe();
        const [trying] = await pendingWork(client, described);
        if (trying?.last_answer && trying.attempt > TRIES_BY_ACCIDENT) refused.push(trying.last_answer);
      }
      return refused;
    });
  }

  /** The addresses of PAYMENTS_EVENTS_URL that have taken no event, as far back as Temporal keeps deliveries. */
  async withoutEvents(): Promise<string[]> {
    const client = await this.client();
    const urls = this.config.PAYMENTS_EVENTS_URL ?? [];
    const taken = await this.soon(client, () =>
      Promise.all(urls.map((url) => countWorkflows(client, takenQuery(endpointOf(url))))),
    );
    return urls.filter((_, i) => taken[i] === 0);
  }

  /** The latest payments. */
  payments(app_id: string): Promise<KeptPayment[]> {
    return this.latest({ app_id });
  }

  /** The latest payments that were paid: lists have what is open before them. */
  paid(app_id: string): Promise<KeptPayment[]> {
    return this.latest({ app_id, query: `${SEARCH_ATTRIBUTE.outcome.name} = 'SUCCESS'` });
  }

  /**
   * The query takes no argument, but a worker has to read a given one before it answers. Its failure is encrypted, so the reason is found by
   * asking without an argument first.
   */
  async askWorker(workflow_id: string): Promise<WorkerAnswer> {
    const client = await this.client();
    const workflow = client.workflow.getHandle(workflow_id);
    try {
      await this.soon(client, () => workflow.query(QUERY.state));
    } catch (error) {
      if (error instanceof PayloadDecryptionError) throw error;
      return { is: 'silent', why: messageOf(error) };
    }
    return this.soon(client, () => workflow.query(QUERY.state, 'payment-gateway check')).then(
      () => ({ is: 'read' }),
      (error) =>
        error instanceof QueryNotRegisteredError ? { is: 'refused' } : { is: 'silent', why: messageOf(error) },
    );
  }

  /** Asked once, however many points need the answer. */
  gateway(app: GatewayApp): Promise<GatewayLook> {
    const look = this.looks.get(app.app_id) ?? lookAtGateway(app, this.config);
    this.looks.set(app.app_id, look);
    return look;
  }

  /** Posts an unsigned notification. */
  async postUnsigned(url: string): Promise<{ status: number; body: string }> {
    const { statusCode, body } = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    // Our own answer is short; of any other answer the status says enough.
    let text = '';
    for await (const chunk of body) {
      text += String(chunk);
      if (text.length > 1_000) break;
    }
    return { status: statusCode, body: text };
  }

  async close(): Promise<void> {
    const { connection } = (await this.connected?.catch(() => undefined)) ?? {};
    await connection?.close();
  }

  private async latest(filter: PaymentFilter): Promise<KeptPayment[]> {
    const client = await this.client();
    return this.soon(client, async () => {
      const rows = await collect(listWorkflows(client, paymentQuery(filter, new Date()), filter.app_id), LATEST);
      const payments: KeptPayment[] = [];
      for (const listed of rows) payments.push(await keptPayment(client, listed));
      return payments;
    });
  }

  private temporal(): ReturnType<typeof connect> {
    this.connected ??= connect(this.env);
    return this.connected;
  }

  private async client(): Promise<Client> {
    const { PAYMENTS_ENCRYPTION_KEYS: keys } = this.config;
    const of = await this.temporal();
    return new Client(keys === undefined ? of : { ...of, dataConverter: dataConverter(this.config) });
  }

  private soon<T>(of: Pick<Client, 'withDeadline'>, ask: () => Promise<T>): Promise<T> {
    return of.withDeadline(Date.now() + TIMEOUT_MS, ask);
  }
}

/** What the first events of its history say about a payment. */
async function keptPayment(client: Client, { workflow_id, run_id }: ListedWorkflow): Promise<KeptPayment> {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId: workflow_id, runId: run_id },
    maximumPageSize: 200,
  });
  const events = history?.events ?? [];
  const signals = events.flatMap((event) => event.workflowExecutionSignaledEventAttributes ?? []);
  const started = events.flatMap((event) => event.workflowExecutionStartedEventAttributes ?? []);
  const ended = events.flatMap((event) => event.workflowExecutionCompletedEventAttributes ?? []);
  const payloads: Payload[] = [...signals, ...started, ...ended].flatMap(
    (one) => ('result' in one ? one.result?.payloads : 'input' in one ? one.input?.payloads : undefined) ?? [],
  );
  return {
    workflow_id,
    is_notified: signals.some(({ signalName }) => signalName === SIGNAL.notification),
    payloads,
  };
}
