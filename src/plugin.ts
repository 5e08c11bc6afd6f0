/**
 * PaymentGatewayPlugin: one object for a Client or a Worker. It encrypts payloads where the settings hold keys. To a Worker
 * it adds the gateway's activities, names our workflows where it has none of its own, and closes the gateway's connections
 * when the Worker has ended. It does not connect to Temporal, and it never replaces a user's `workflowsPath` or bundle:
 * there, one line brings our workflows in: `export * from 'temporal-payment-gateway/workflows'`. Who bundles workflows
 * beforehand gives the plugin to `bundleWorkflowCode` as well, or the messages of failed workflows stay in clear.
 */
import { SimplePlugin } from '@temporalio/plugin';
import { type BundleOptions, Runtime, type Worker, type WorkerOptions } from '@temporalio/worker';
import {
  accountActivities,
  accountPolicyActivity,
  buyerOfPayment,
  eventActivity,
  gatewayActivities,
  guard,
  guardedAccounts,
  guardedBy,
  lateMoneyActivities,
  logWarning,
  memoryActivities,
  type OnEvent,
  policyActivity,
  sealingKeys,
} from './activities';
import { dataConverter } from './codec/data-converter';
import { type Config, loadConfig, requireApps, ruleSettings } from './config';
import { GatewayClient, type GatewaySettings } from './gateway';

export const PLUGIN_NAME = 'temporal-payment-gateway.PaymentGatewayPlugin';

export interface PluginOptions {
  /** Hears what happens to payments and virtual accounts. See {@link OnEvent}. */
  onEvent?: OnEvent | undefined;
}

export class PaymentGatewayPlugin extends SimplePlugin {
  // Private to the language: Temporal's SDK logs a Worker's options, its plugins among them, where debug lines are wanted.
  readonly #config: Config;
  readonly #own: PluginOptions;
  #worker: { gateways: GatewayClient[]; activities: object } | undefined;
  private readonly failureConverterPath: string | undefined;

  /** Settings come from {@link loadConfig}. Throws ConfigError in production without encryption keys. */
  constructor(config: Config, own: PluginOptions = {}) {
    super({ name: PLUGIN_NAME, dataConverter: (users) => dataConverter(config, users) });
    this.#config = config;
    this.#own = own;
    this.failureConverterPath = dataConverter(config).failureConverterPath;
  }

  /** The plugin with the settings of the environment. */
  static fromEnvironment(
    env: Record<string, string | undefined> = process.env,
    options: PluginOptions = {},
  ): PaymentGatewayPlugin {
    return new PaymentGatewayPlugin(loadConfig(env), options);
  }

  /** Throws ConfigError where no gateway app is configured. */
  override configureWorker(options: WorkerOptions): WorkerOptions {
    // Given to both a connection and its Worker, a plugin is applied twice.
    this.#worker ??= workerParts(this.#config, this.#own);
    const hasWorkflows = options.workflowsPath !== undefined || options.workflowBundle !== undefined;
    return {
      ...super.configureWorker(options),
      activities: { ...options.activities, ...this.#worker.activities },
      ...(hasWorkflows ? {} : { workflowsPath: require.resolve('./workflows') }),
    };
  }

  override configureBundler(options: BundleOptions): BundleOptions {
    const failureConverterPath = options.failureConverterPath ?? this.failureConverterPath;
    return { ...super.configureBundler(options), ...(failureConverterPath ? { failureConverterPath } : {}) };
  }

  override async runWorker(worker: Worker, next: (worker: Worker) => Promise<void>): Promise<void> {
    try {
      await next(worker);
    } finally {
      await Promise.all((this.#worker?.gateways ?? []).map((gateway) => gateway.close()));
    }
  }
}

/** What only a Worker needs: the gateway's clients and activities. */
function workerParts(config: Config, { onEvent }: PluginOptions): { gateways: GatewayClient[]; activities: object } {
  const rules = ruleSettings(config);
  const settings: GatewaySettings = {
    ...rules,
    connect_timeout_ms: config.GATEWAY_CONNECT_TIMEOUT,
    answer_timeout_ms: config.GATEWAY_ANSWER_TIMEOUT,
    wallet_token_path: config.GATEWAY_WALLET_TOKEN_PATH,
    // Every call of the gateway is made inside an activity, whose log this is.
    warn: logWarning,
  };
  const gateways = new Map(requireApps(config).map((app) => [app.app_id, new GatewayClient(app, settings)]));
  const limits = {
    calls_per_second: config.GATEWAY_CALLS_PER_SECOND,
    circuit_failures: config.GATEWAY_CIRCUIT_FAILURES,
    circuit_pause_ms: config.GATEWAY_CIRCUIT_PAUSE,
  };
  const notifyUrl = notifyUrlOf(config.WEBHOOK_PUBLIC_URL);
  const guardedGateways = [...gateways].map(([app_id, gateway]) => {
    const call = guard(app_id, limits, tellCircuit);
    return { app_id, payments: guardedBy(call, gateway), accounts: guardedAccounts(call, gateway) };
  });
  const activities = {
    ...gatewayActivities({
      gateways: new Map(guardedGateways.map(({ app_id, payments }) => [app_id, payments])),
      sealingKeys: sealingKeys(config),
      notifyUrl,
      rules,
      buyerOf: buyerOfPayment,
    }),
    ...memoryActivities,
    ...lateMoneyActivities,
    ...accountActivities({
      gateways: new Map(guardedGateways.map(({ app_id, accounts }) => [app_id, accounts])),
      notifyUrl,
    }),
    ...policyActivity(config, onEvent !== undefined),
    ...accountPolicyActivity(config, onEvent !== undefined),
    ...(onEvent ? eventActivity(onEvent) : {}),
  };
  return { gateways: [...gateways.values()], activities };
}

/** Where the gateway posts notifications of an app: the path names the app, so that its key is known before anything is parsed. */
export function notifyUrlOf(publicUrl: string | undefined): ((app_id: string) => string) | undefined {
  return publicUrl === undefined ? undefined : (app_id) => `${publicUrl}/ipn/${encodeURIComponent(app_id)}`;
}

function tellCircuit(app_id: string, state: 'open' | 'closed'): void {
  const said =
    state === 'open'
      ? 'the gateway keeps failing: calls pause until one that tries it succeeds'
      : 'the gateway answers again: calls go on';
  Runtime.instance().logger.warn(said, { app_id });
}
