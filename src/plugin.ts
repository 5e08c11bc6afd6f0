/**
 * PaymentGatewayPlugin: one object for a Worker. It adds the gateway's activities, names our workflows to a Worker that has
 * none of its own, and closes the gateway's connections when the Worker has ended. It does not connect to Temporal, and it
 * never replaces a user's `workflowsPath` or bundle: there, one line brings our workflows in:
 * `export * from 'temporal-payment-gateway/workflows'`.
 */
import { SimplePlugin } from '@temporalio/plugin';
import { Runtime, type Worker, type WorkerOptions } from '@temporalio/worker';
import {
  accountActivities,
  accountPolicyActivity,
  eventActivity,
  gatewayActivities,
  guard,
  guardedAccounts,
  guardedBy,
  logWarning,
  type OnEvent,
  policyActivity,
} from './activities';
import { type Config, loadConfig, requireApps, ruleSettings } from './config';
import { GatewayClient, type GatewaySettings } from './gateway';

export const PLUGIN_NAME = 'temporal-payment-gateway.PaymentGatewayPlugin';

export interface PluginOptions {
  /** Hears what happens to payments and virtual accounts. See {@link OnEvent}. */
  onEvent?: OnEvent | undefined;
}

export class PaymentGatewayPlugin extends SimplePlugin {
  private readonly gateways: ReadonlyMap<string, GatewayClient>;
  private readonly activities: object;

  /** Settings come from {@link loadConfig}. Throws ConfigError where no gateway app is configured. */
  constructor(config: Config, { onEvent }: PluginOptions = {}) {
    super({ name: PLUGIN_NAME });
    const rules = ruleSettings(config);
    const settings: GatewaySettings = {
      ...rules,
      connect_timeout_ms: config.GATEWAY_CONNECT_TIMEOUT,
      answer_timeout_ms: config.GATEWAY_ANSWER_TIMEOUT,
      wallet_token_path: config.GATEWAY_WALLET_TOKEN_PATH,
      // Every call of the gateway is made inside an activity, whose log this is.
      warn: logWarning,
    };
    this.gateways = new Map(requireApps(config).map((app) => [app.app_id, new GatewayClient(app, settings)]));
    const limits = {
      calls_per_second: config.GATEWAY_CALLS_PER_SECOND,
      circuit_failures: config.GATEWAY_CIRCUIT_FAILURES,
      circuit_pause_ms: config.GATEWAY_CIRCUIT_PAUSE,
    };
    const notifyUrl = notifyUrlOf(config.WEBHOOK_PUBLIC_URL);
    const guardedGateways = [...this.gateways].map(([app_id, gateway]) => {
      const call = guard(app_id, limits, tellCircuit);
      return { app_id, payments: guardedBy(call, gateway), accounts: guardedAccounts(call, gateway) };
    });
    this.activities = {
      ...gatewayActivities({
        gateways: new Map(guardedGateways.map(({ app_id, payments }) => [app_id, payments])),
        sealingKeys: config.PAYMENTS_SEALING_JWKS?.keys ?? [],
        notifyUrl,
        rules,
      }),
      ...accountActivities({
        gateways: new Map(guardedGateways.map(({ app_id, accounts }) => [app_id, accounts])),
        notifyUrl,
      }),
      ...policyActivity(config, onEvent !== undefined),
      ...accountPolicyActivity(config, onEvent !== undefined),
      ...(onEvent ? eventActivity(onEvent) : {}),
    };
  }

  /** The plugin with the settings of the environment. */
  static fromEnvironment(
    env: Record<string, string | undefined> = process.env,
    options: PluginOptions = {},
  ): PaymentGatewayPlugin {
    return new PaymentGatewayPlugin(loadConfig(env), options);
  }

  override configureWorker(options: WorkerOptions): WorkerOptions {
    const hasWorkflows = options.workflowsPath !== undefined || options.workflowBundle !== undefined;
    return {
      ...options,
      // Given to both a connection and its Worker, a plugin is applied twice; the same names with the same functions do no harm.
      activities: { ...options.activities, ...this.activities },
      ...(hasWorkflows ? {} : { workflowsPath: require.resolve('./workflows') }),
    };
  }

  override async runWorker(worker: Worker, next: (worker: Worker) => Promise<void>): Promise<void> {
    try {
      await next(worker);
    } finally {
      await Promise.all([...this.gateways.values()].map((gateway) => gateway.close()));
    }
  }
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
