/**
 * The workflow `strayNotification`: keeps a notification that was genuinely signed but could not be read, until a
 * person has seen it.
 */

import {
  condition,
  defineQuery,
  defineUpdate,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { type Attention, QUERY, SEARCH_ATTRIBUTE, type StrayNotificationInput, UPDATE } from '../../contract';

export interface StrayNotificationState extends StrayNotificationInput {
  attention: Attention | null;
  resolved: { by: string; reason: string } | null;
}

export const strayStateQuery = defineQuery<StrayNotificationState>(QUERY.state);
export const resolveStrayUpdate = defineUpdate<StrayNotificationState, [{ by: string; reason: string }]>(
  UPDATE.resolve,
);

export async function strayNotification(input: StrayNotificationInput): Promise<StrayNotificationState> {
  const state: StrayNotificationState = { ...input, attention: 'unreadable-notification', resolved: null };
  setHandler(strayStateQuery, () => state);
  setHandler(resolveStrayUpdate, ({ by, reason }) => {
    state.resolved = { by, reason };
    state.attention = null;
    return state;
  });
  upsertSearchAttributes([{ key: SEARCH_ATTRIBUTE.attention, value: state.attention }]);
  setCurrentDetails(
    `⚠️ A notification for app ${input.app_id} was genuinely signed but could not be read. Its bytes are in this workflow’s input (base64). Find the trade in the gateway’s dashboard, then send the update \`resolve\` with \`by\` and \`reason\`.`,
  );
  await condition(() => state.resolved !== null);
  upsertSearchAttributes([{ key: SEARCH_ATTRIBUTE.attention, value: null }]);
  return state;
}
