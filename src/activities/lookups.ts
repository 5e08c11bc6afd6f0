/** The activities of questions to the gateway: each is one call. */
import { FAILURE, type LookupActivities, typedFailure, WALLET_TOKEN } from '../contract';
import { GatewayError, InvalidRequestError, SealingError, seal } from '../gateway';
import { invalidRequestFailure, retryableFailure } from './failures';
import { gatewayOf, type LookupGateway } from './gateways';

/** The activities of questions of a worker; `gateways` by app_id. */
export function lookupActivities(gateways: ReadonlyMap<string, LookupGateway>): LookupActivities {
  const ask = <T>(app_id: string, question: (gateway: LookupGateway) => Promise<T>): Promise<T> =>
    question(gatewayOf(gateways, app_id)).catch(refuse);
  return {
    'gateway.banks': async ({ app_id, request }) => ({
      banks: await ask(app_id, (gateway) => gateway.banks(request)),
    }),
    'gateway.installments': async ({ app_id, request }) => ({
      plans: await ask(app_id, (gateway) => gateway.installments(request)),
    }),
    'gateway.wallet-token': async ({ app_id, request, seal_to }) => {
      const token = await ask(app_id, (gateway) => gateway.walletToken(request));
      return seal(token, seal_to, { app_id, out_trade_no: WALLET_TOKEN }).catch(refuse);
    },
  };
}

/** A refusal is final: the same question would be refused again. */
function refuse(error: unknown): never {
  if (error instanceof SealingError) {
    const rule = 'must be a public key as a JWK, P-256 or X25519';
    throw invalidRequestFailure('The wallet token could not be sealed.', [{ field: 'seal_to', rule }]);
  }
  if (error instanceof InvalidRequestError) throw invalidRequestFailure(error.message, error.issues);
  if (!(error instanceof GatewayError) || error.retryable) throw retryableFailure(error);
  throw typedFailure(FAILURE.notAnswered, error.message, { ...error.fields() });
}
