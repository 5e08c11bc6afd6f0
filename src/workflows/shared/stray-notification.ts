/**
 * The workflow `strayNotification`: keeps a notification that was genuinely signed but could not be read, until a
 * person has seen it.
 */
import { condition, defineQuery, defineUpdate, setHandler } from '@temporalio/workflow';
import { type Attention, QUERY, SEARCH_ATTRIBUTE, type StrayNotificationInput, UPDATE } from '../../contract';
import { assertResolution } from './request-rules';
import { type Upsert, Visibility } from './visibility';
import { decidedLines } from './wait';

interface StrayNotificationState extends StrayNotificationInput {
  attention: Attention | null;
  resolved: { by: string; reason: string } | null;
}

const strayStateQuery = defineQuery<StrayNotificationState>(QUERY.state);
const resolveStrayUpdate = defineUpdate<StrayNotificationState, [{ by: string; reason: string }]>(UPDATE.resolve);

export async function strayNotification(input: StrayNotificationInput): Promise<StrayNotificationState> {
  const visibility = new Visibility();
  const state: StrayNotificationState = { ...input, attention: 'unreadable-notification', resolved: null };
  const show = (upsert: Upsert = 'now') =>
    visibility.show([{ key: SEARCH_ATTRIBUTE.attention, value: state.attention }], details(state), upsert);
  setHandler(strayStateQuery, () => state);
  setHandler(
    resolveStrayUpdate,
    ({ by, reason }) => {
      state.resolved = { by, reason };
      state.attention = null;
      show('later');
      return state;
    },
    { validator: (decision) => assertResolution(decision) },
  );
  show();
  await condition(() => state.resolved !== null);
  show();
  return state;
}

const details = ({ app_id, resolved }: StrayNotificationState): string[] => [
  `A notification for app ${app_id}, genuinely signed, that could not be read.`,
  ...decidedLines(resolved),
];
