/**
 * PaymentGatewayPlugin: one object for a Client or a Worker. It encrypts payloads if the settings hold keys. To a Worker it
 * adds the gateway's activities, the Nexus service where it is wanted and, if the Worker has no workflows, ours. It does not
 * connect to Temporal, and it never replaces your `workflowsPath` or bundle: add our workflows there with
 * `export * from 'temporal-payment-gateway/workflows'`. If you bundle workflows beforehand, give the plugin to
 * `bundleWorkflowCode` too, or messages of failures stay in clear text, and a payload that cannot be read may end the worker.
 */
import type { ClientInterceptors, ClientOptions, ConnectionOptions } from '@temporalio/client';
import type { DataConverter, PayloadCodec } from '@temporalio/common';
import { SimplePlugin } from '@temporalio/plugin';
import {
  type ActivityInterceptorsFactory,
  type BundleOptions,
  type InjectedSinks,
  type ReplayWorkerOptions,
  Runtime,
  type Worker,
  type WorkerOptions,
} from '@temporalio/worker';
import {
  accountActivities,
  accountPolicyOf,
  buyerOfPayment,
  type EventEndpoints,
  endpointActivities,
  eventActivity,
  gatewayActivities,
  listenersOf,
  logWarning,
  lookupActivities,
  MeasuredActivities,
  notAtOnce,
  type OnEvent,
  policyActivity,
  previousRunActivities,
  reconciliationActivities,
  SendingBorder,
  SendingCodec,
  saidOfListeners,
  sealingKeys,
  starterActivities,
  stuckSweepActivities,
  type ThrottleListener,
  throttled,
  tracedExchange,
  urgencyOfActivity,
} from './activities';
import { dataConverter, type Purpose } from './codec/data-converter';
import { EncryptionCodec } from './codec/encryption-codec';
import type { AnyRecorder, MetricSinks, Recorder, TraceSinks } from './contract';
import { GatewayClient, type GatewaySettings } from './gateway';
import { paymentsNexusService } from './nexus';
import type { Environment } from './process/environment';
import { packageVersion } from './process/package';
import { appIdsOf, type Config, ConfigError, loadConfig, requireGateways, ruleSettings } from './process/settings';
import { resilient } from './temporal/closed-connection';
import { gateOpener, publishGates } from './temporal/gates';
import { metricSinks } from './temporal/meter';
import { runtimeOnce, runtimeRecorder } from './temporal/runtime';
import type { Telemetry } from './temporal/telemetry/telemetry';

const PLUGIN_NAME = 'temporal-payment-gateway.PaymentGatewayPlugin';

/**
 * How long a workflow may compute at once, in ms. The SDK ends a task after 5 s, which is too short on a busy machine for an
 * account that reads thousands of deposits. It takes this setting although its types do not show it.
 */
const SANDBOX_TIME = { isolateExecutionTimeout: 60_000 };

export interface PluginOptions {
  /** Called for each event of payments and virtual accounts. See {@link OnEvent}. */
  onEvent?: OnEvent | undefined;
  /** Traces of this process: see {@link startTelemetry}. */
  telemetry?: Telemetry | undefined;
}

type NexusService = ReturnType<typeof paymentsNexusService>;

interface WorkerParts {
  sinks: InjectedSinks<MetricSinks & TraceSinks>;
  gateways: GatewayClient[];
  activities: object;
  nexus: NexusService | undefined;
  record: AnyRecorder;
  runtime: () => Runtime;
}

export class PaymentGatewayPlugin extends SimplePlugin {
  // `#` hides them: at log level debug, Temporal's SDK logs a Worker's options with its plugins.
  readonly #config: Config;
  readonly #own: PluginOptions;
  #worker: WorkerParts | undefined;
  readonly #measuring: ActivityInterceptorsFactory = () => ({
    inbound: new MeasuredActivities((name, value, labels) => this.#worker?.record(name, value, labels)),
  });
  /** Workers that run with this plugin now. */
  #running = 0;
  private readonly failureConverterPath: string | undefined;

  /** `config` comes from {@link loadConfig}. Throws ConfigError without encryption keys, unless clear text is allowed. */
  constructor(config: Config, own: PluginOptions = {}) {
    super({ name: PLUGIN_NAME, dataConverter: (users) => dataConverter(config, users) });
    this.#config = config;
    this.#own = own;
    this.failureConverterPath = dataConverter(config).failureConverterPath;
  }

  /** The plugin with the settings of the environment. Throws ConfigError. */
  static fromEnvironment(env: Environment = process.env, options: PluginOptions = {}): PaymentGatewayPlugin {
    return new PaymentGatewayPlugin(loadConfig(env), options);
  }

  /** After an outage it is soon there again. What is still tried when it is closed ends as canceled: the SDK would end the process. */
  override configureConnection(options: ConnectionOptions): ConnectionOptions {
    return resilient(super.configureConnection(options));
  }

  /** Adds the traces of its calls, where this plugin has traces. */
  override configureClient(options: ClientOptions): ClientOptions {
    const configured = super.configureClient(options);
    return { ...configured, interceptors: withCalls(this.#own.telemetry, configured.interceptors) };
  }

  /** Adds activities and workflows. Throws ConfigError if no gateway app is configured. */
  override configureWorker(options: WorkerOptions): WorkerOptions {
    // A plugin that is given to both a connection and its Worker is applied twice.
    this.#worker ??= workerParts(this.#config, this.#own);
    const dataConverter = withinBorder(this.converterFor('worker', options));
    return {
      ...super.configureWorker({
        ...SANDBOX_TIME,
        ...withInterceptors(withWorkflows(options), this.#measuring, this.#own.telemetry),
        dataConverter,
      }),
      activities: { ...options.activities, ...this.#worker.activities },
      sinks: { ...options.sinks, ...this.#worker.sinks },
      patchActivationCallback: gateOpener(packageVersion(), options.patchActivationCallback),
      ...nexusServices(options, this.#worker),
    };
  }

  /** A replay changes nothing, so it reads histories of every namespace, and those from before there were keys. */
  override configureReplayWorker(options: ReplayWorkerOptions): ReplayWorkerOptions {
    const dataConverter = this.converterFor('replay', options);
    return super.configureReplayWorker({ ...SANDBOX_TIME, ...withWorkflows(options), dataConverter });
  }

  /** Made first: the base class adds the codec of a client where there is none of ours. */
  private converterFor(purpose: Purpose, { dataConverter: own }: Pick<WorkerOptions, 'dataConverter'>): DataConverter {
    return dataConverter(this.#config, own, purpose);
  }

  /**
   * Bundles our workflows where no other are named, and keeps messages of failures encrypted. Our modules are loaded once for
   * all workflows, which took ten times what else a workflow's begin takes: they keep no state of their own.
   */
  override configureBundler(options: Omit<BundleOptions, 'workflowsPath'> & { workflowsPath?: string }): BundleOptions {
    const failureConverterPath = options.failureConverterPath ?? this.failureConverterPath;
    const { workflowsPath = require.resolve('./workflows') } = options;
    const { workflowInterceptorModules = [] } = options;
    const configured = super.configureBundler({
      ...options,
      workflowsPath,
      workflowInterceptorModules: withOurs(workflowInterceptorModules),
    });
    const preloadModules = [...(options.preloadModules ?? []), require.resolve('./workflows')];
    return { ...configured, preloadModules, ...(failureConverterPath ? { failureConverterPath } : {}) };
  }

  /** Publishes its gates beside its work, and closes the gateway's connections when the last Worker has ended. */
  override async runWorker(worker: Worker, next: (worker: Worker) => Promise<void>): Promise<void> {
    this.#running += 1;
    // A gauge that is never set is no gauge.
    for (const app_id of appIdsOf(this.#config)) this.#worker?.record('circuit', 0, { app_id });
    const ended = new AbortController();
    const { logger } = this.#worker?.runtime() ?? Runtime.instance();
    if (this.#running === 1) logger.info(saidOfListeners(this.#own.onEvent, this.#config.PAYMENTS_EVENTS_URL));
    void publishGates(worker, packageVersion(), ended.signal, (...said) => logger.warn(...said));
    try {
      await next(worker);
    } finally {
      ended.abort();
      this.#running -= 1;
      if (this.#running === 0) await Promise.all((this.#worker?.gateways ?? []).map((gateway) => gateway.close()));
    }
  }
}

/** The options of a Worker, with our workflows where it has none. A bundle has its interceptors already. */
function withWorkflows<O extends Pick<WorkerOptions, 'workflowsPath' | 'workflowBundle' | 'interceptors'>>(
  options: O,
): O {
  const { workflowsPath = require.resolve('./workflows'), workflowBundle, interceptors } = options;
  if (workflowBundle !== undefined) return options;
  const workflowModules = withOurs(interceptors?.workflowModules ?? []);
  return { ...options, workflowsPath, interceptors: { ...interceptors, workflowModules } };
}

const border = () => ({ inbound: new SendingBorder() });

/** The same converter, where no codec of the merchant's has the server repeat what may have been sent. Ours does not fail. */
const withinBorder = (converter: DataConverter): DataConverter => {
  const { payloadCodecs } = converter;
  if (payloadCodecs === undefined) return converter;
  const isSafe = (codec: PayloadCodec) => codec instanceof EncryptionCodec || codec instanceof SendingCodec;
  return { ...converter, payloadCodecs: payloadCodecs.map((one) => (isSafe(one) ? one : new SendingCodec(one))) };
};

/** These before the others, once: a plugin may be applied twice. */
const withOnce = <T>(ours: readonly T[], others: readonly T[] = []): T[] => [...new Set([...ours, ...others])];

/** The options of a Worker with our interceptors: of activities our border stands outside of all others, then what measures, then traces. */
function withInterceptors(
  options: WorkerOptions,
  measuring: ActivityInterceptorsFactory,
  telemetry: Telemetry | undefined,
): WorkerOptions {
  const { activity, client, ...interceptors } = options.interceptors ?? {};
  return {
    ...options,
    interceptors: {
      ...interceptors,
      activity: withOnce([border, measuring, ...(telemetry?.activities ?? [])], activity),
      client: withCalls(telemetry, client),
    },
  };
}

/** The interceptors of a client with those of traces. An old form of them, which has no place for more, stays as it is. */
function withCalls(telemetry: Telemetry | undefined, given: ClientInterceptors = {}): ClientInterceptors {
  const { workflow = [], ...others } = given;
  if (telemetry === undefined || !Array.isArray(workflow)) return given;
  return { ...others, workflow: withOnce(telemetry.calls, workflow) };
}

/** These modules and ours, once: a plugin may be applied twice. */
const withOurs = (modules: readonly string[]) => withOnce(modules, [require.resolve('./workflows/interceptors')]);

/** The parts that only a Worker needs: the gateway's clients, and all activities. */
function workerParts(config: Config, { onEvent, telemetry }: PluginOptions): WorkerParts {
  const rules = ruleSettings(config);
  const runtime = runtimeOnce();
  const record = runtimeRecorder(appIdsOf(config), runtime);
  const gateways = gatewayClients(config, record, telemetry);
  const byApp = throttledCalls(config, gateways, throttleListener(record, runtime));
  const notifyUrl = notifyUrlOf(requireWebhookUrl(config));
  const endpoints = eventEndpoints(config);
  const listeners = listenersOf(onEvent, endpoints);
  const activities = {
    ...gatewayActivities({
      gateways: byApp,
      sealingKeys: sealingKeys(config),
      notifyUrl,
      rules,
      noSuchOrder: config.GATEWAY_NO_SUCH_ORDER,
      buyerOf: buyerOfPayment,
    }),
    ...previousRunActivities,
    ...starterActivities,
    ...stuckSweepActivities(listeners, config.PAYMENTS_OVERDUE),
    ...reconciliationActivities(byApp, config.GATEWAY_NO_SUCH_ORDER, config.PAYMENTS_SETTLING),
    ...accountActivities({
      gateways: byApp,
      notifyUrl,
      policy: accountPolicyOf(config, listeners),
    }),
    ...lookupActivities(byApp),
    ...notAtOnce(policyActivity(config, listeners)),
    ...eventActivity(onEvent, endpoints),
    ...endpointActivities(endpoints, telemetry),
  };
  const nexus = config.PAYMENTS_NEXUS ? paymentsNexusService(config) : undefined;
  const sinks = { ...metricSinks(record), ...traceSinks(telemetry) };
  return { sinks, gateways: [...gateways.values()], activities, nexus, record, runtime };
}

/** The Worker's services with ours, once. A Worker without services does not ask Temporal for Nexus tasks. */
function nexusServices(
  { nexusServices: own = [] }: WorkerOptions,
  { nexus }: WorkerParts,
): Pick<WorkerOptions, 'nexusServices'> {
  return nexus === undefined || own.includes(nexus) ? {} : { nexusServices: [...own, nexus] };
}

/** Without it every order would fail, and use up its number. Throws ConfigError. */
function requireWebhookUrl({ WEBHOOK_PUBLIC_URL: url }: Config): string {
  if (url !== undefined) return url;
  throw new ConfigError(
    'WEBHOOK_PUBLIC_URL is not set. The gateway takes no order without an address for its notifications: set it to the public address of the webhook.',
  );
}

/** The addresses for events; undefined where there are none. Throws ConfigError without a secret to sign with. */
function eventEndpoints(config: Config): EventEndpoints | undefined {
  const { PAYMENTS_EVENTS_URL: urls, PAYMENTS_EVENTS_SECRETS: secrets, PAYMENTS_EVENTS_GIVE_UP: giveUpMs } = config;
  if (urls === undefined) return undefined;
  if (secrets !== undefined) return { urls, secrets, giveUpMs };
  throw new ConfigError(
    'PAYMENTS_EVENTS_URL is set and PAYMENTS_EVENTS_SECRETS is not: receivers could not tell our events from forged ones. Make a secret with payment-gateway keys new.',
  );
}

/** A client for each app, by its id. Throws ConfigError if there is no app. */
function gatewayClients(config: Config, record: Recorder, telemetry?: Telemetry): Map<string, GatewayClient> {
  const settings: GatewaySettings = {
    ...ruleSettings(config),
    connect_timeout_ms: config.GATEWAY_CONNECT_TIMEOUT,
    answer_timeout_ms: config.GATEWAY_ANSWER_TIMEOUT,
    wallet_token_path: config.GATEWAY_WALLET_TOKEN_PATH,
    known_words: config.GATEWAY_NO_SUCH_ORDER,
    refund_refusals: config.GATEWAY_REFUND_REFUSALS,
    // Every call is made in an activity, so warnings go to the activity's log.
    warn: logWarning,
    around: telemetry && tracedExchange(telemetry),
    on_call: (app_id, operation, result, seconds) => record('gatewayCall', seconds, { app_id, operation, result }),
  };
  return new Map(requireGateways(config).map((app) => [app.app_id, new GatewayClient(app, settings)]));
}

/** The calls of each app, limited together: so many a second, urgent ones first, and none while the gateway keeps failing. */
function throttledCalls(config: Config, gateways: ReadonlyMap<string, GatewayClient>, listener: ThrottleListener) {
  const limits = {
    calls_per_second: config.GATEWAY_CALLS_PER_SECOND,
    circuit_failures: config.GATEWAY_CIRCUIT_FAILURES,
    circuit_pause_ms: config.GATEWAY_CIRCUIT_PAUSE,
  };
  return new Map(
    [...gateways].map(([app_id, gateway]) => [app_id, throttled(gateway, app_id, limits, urgencyOfActivity, listener)]),
  );
}

/** Gives the address where the gateway posts an app's notifications. It names the app, so that its key is known at once. */
function notifyUrlOf(publicUrl: string): (app_id: string) => string {
  return (app_id) => `${publicUrl}/ipn/${encodeURIComponent(app_id)}`;
}

/** There is always one: without it, the SDK complains of each span. A workflow says nothing while it is replayed. */
const traceSinks = (telemetry: Telemetry | undefined): InjectedSinks<TraceSinks> => ({
  paymentTraces: { ended: { fn: (run, span) => telemetry?.ended(run, span), callDuringReplay: false } },
});

const throttleListener = (record: Recorder, runtime: () => Runtime): ThrottleListener => ({
  circuit(app_id, state) {
    record('circuit', state === 'open' ? 1 : 0, { app_id });
    logCircuit(runtime().logger, app_id, state);
  },
  heldBack: (app_id, urgency) => record('heldBack', 1, { app_id, urgency }),
});

function logCircuit(log: Runtime['logger'], app_id: string, state: 'open' | 'closed'): void {
  const message =
    state === 'open'
      ? 'the gateway keeps failing: calls pause until a trial call succeeds'
      : 'the gateway answers again: calls go on';
  log.warn(message, { app_id });
}
