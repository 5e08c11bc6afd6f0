/** The activities of a worker whose gateway is the fake one. */
import type { JWK } from 'jose';
import {
  accountActivities,
  accountPolicyOf,
  buyerOfPayment,
  eventActivity,
  gatewayActivities,
  listenersOf,
  type OnEvent,
  policyActivity,
  previousRunActivities,
  starterActivities,
} from '../activities';
import type { GatewayActivities } from '../contract';
import { loadConfig, ruleSettings } from '../process/settings';
import type { FakeGateway } from './fake-gateway/fake-gateway';

export interface FakeWorkerOptions {
  app_id: string;
  gateway: FakeGateway;
  /** Settings of the worker, such as `PAYMENTS_POLL_EVERY`; the others have their defaults. */
  env?: Record<string, string> | undefined;
  onEvent?: OnEvent | undefined;
  /** The private keys that open sealed tokens and PINs. */
  sealingKeys?: readonly JWK[] | undefined;
}

/** Gives every activity of a worker, as PaymentGatewayPlugin does with a real gateway. */
export function fakeWorkerActivities({
  app_id,
  gateway,
  env = {},
  onEvent,
  sealingKeys = [],
}: FakeWorkerOptions): GatewayActivities {
  const config = loadConfig(env);
  const listeners = listenersOf(onEvent);
  const notifyUrl = () => 'https://shop.example/ipn';
  return {
    ...gatewayActivities({
      gateways: new Map([[app_id, gateway]]),
      sealingKeys: () => sealingKeys,
      notifyUrl,
      buyerOf: buyerOfPayment,
      rules: ruleSettings(config),
    }),
    ...previousRunActivities,
    ...starterActivities,
    ...accountActivities({
      gateways: new Map([[app_id, gateway.accounts]]),
      notifyUrl,
      policy: accountPolicyOf(config, listeners),
    }),
    ...policyActivity(config, listeners),
    ...eventActivity(onEvent),
  };
}
