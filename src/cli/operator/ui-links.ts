/** Links to Temporal UI. A link can set the query of its list, but not its columns. */
import { ENDED_FROM_OUTSIDE } from '../../contract';
import { HOUR } from '../../gateway/pure/durations';
import { temporalConfig } from '../../temporal/connection';
import { namedQuery, type Sought } from '../../temporal/find';
import { quoted } from '../../temporal/list-query';
import { paymentQuery } from '../../temporal/payment-query';
import type { Operator } from './connection';

/** Where Temporal UI is, and the namespace that is meant. */
export interface UiPlace {
  base: string;
  namespace: string;
}

/** Where Temporal UI is, by the settings; undefined if they do not say. */
export function uiPlace({ config, env }: Pick<Operator, 'config' | 'env'>): UiPlace | undefined {
  const { TEMPORAL_UI_URL: base } = config;
  return base === undefined ? undefined : { base, namespace: temporalConfig(env).namespace };
}

const listLink = ({ base, namespace }: UiPlace, query: string): string =>
  `${base}/namespaces/${encodeURIComponent(namespace)}/workflows?query=${encodeURIComponent(query)}`;

/** The list of what `find` finds by a number or a name. */
export const foundLink = (place: UiPlace, sought: Sought): string => listLink(place, namedQuery(sought));

/** The list of these workflows. */
export const workflowsLink = (place: UiPlace, workflow_ids: readonly string[]): string =>
  listLink(place, `WorkflowId IN (${workflow_ids.map(quoted).join(', ')})`);

/** The lists that a person works through, by their questions. */
export function questionLinks(place: UiPlace, now: Date): Record<string, string> {
  const link = (query: string) => listLink(place, query);
  return {
    'What needs a person': link(paymentQuery({ attention: true }, now)),
    'Disputes to answer': link(paymentQuery({ attention: 'dispute' }, now)),
    'What was ended from outside': link(paymentQuery({ attention: ENDED_FROM_OUTSIDE }, now)),
    'What has been stuck for an hour': link(paymentQuery({ stuck_ms: HOUR }, now)),
    'Open payments': link("WorkflowType = 'payment' AND ExecutionStatus = 'Running'"),
  };
}
