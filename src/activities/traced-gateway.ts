/** Traces of calls to the gateway. The gateway gets no trace header: it belongs to somebody else. */
import { activityInfo } from '@temporalio/activity';
import type { GatewayApp } from '../gateway';
import type { Exchange } from '../gateway/transport';
import type { Telemetry } from '../temporal/telemetry/telemetry';

export const tracedExchange =
  (telemetry: Telemetry) =>
  ({ app_id, base_url }: GatewayApp, exchange: Exchange): Exchange => ({
    post(path, headers, body) {
      const { workflowId = '' } = activityInfo().workflowExecution ?? {};
      const url = new URL(`${base_url.replace(/\/$/, '')}${path}`);
      const request = { name: `POST ${path}`, url, showsPath: true, workflowId, app_id };
      return telemetry.sends(request, () => exchange.post(path, headers, body));
    },
    close: () => exchange.close(),
  });
