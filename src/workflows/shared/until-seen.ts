/** What a person settles by having looked: its query `state`, its update `resolve`, and the two workflows that have nothing else. */
import {
  CancellationScope,
  condition,
  defineQuery,
  defineUpdate,
  setDefaultSignalHandler,
  setHandler,
} from '@temporalio/workflow';
import {
  type AppAttentionInput,
  type AppAttentionState,
  type Attention,
  QUERY,
  SEARCH_ATTRIBUTE,
  type StrayNotificationInput,
  UPDATE,
} from '../../contract';
import { assertResolution } from './request-rules';
import { Visibility } from './visibility';
import { decidedLines } from './wait';

type Decision = Readonly<Record<'by' | 'reason', string>>;

interface UntilSeen {
  attention: Attention | null;
  resolved: { by: string; reason: string; time: string } | null;
}

/** Answers the query `state`, and the update `resolve`, which settles the state's reason. */
export function takeDecision(state: UntilSeen, show: () => void): void {
  const resolve = ({ by, reason }: Decision): UntilSeen => {
    state.attention = null;
    state.resolved = { by, reason, time: new Date().toISOString() };
    show();
    return state;
  };
  setHandler(defineQuery<UntilSeen>(QUERY.state), () => state);
  setHandler(defineUpdate<UntilSeen, [Decision]>(UPDATE.resolve), resolve, {
    validator: (decision) => assertResolution(decision),
  });
  setDefaultSignalHandler(() => undefined);
}

async function untilSeen<State extends UntilSeen>(state: State, line: string): Promise<State> {
  const visibility = new Visibility();
  const show = () => {
    const attributes = [{ key: SEARCH_ATTRIBUTE.attention, value: state.attention }];
    visibility.show(attributes, [line, ...decidedLines(state.resolved)]);
  };
  takeDecision(state, show);
  show();
  // A cancellation does not mend the reason.
  await CancellationScope.nonCancellable(() => condition(() => state.attention === null));
  return state;
}

/**
 * Waits for a person to mend a reason for which every order of an app fails: one question instead of a thousand. The next order that fails
 * for it asks again.
 */
export const appAttention = ({ app_id, attention }: AppAttentionInput): Promise<AppAttentionState> =>
  untilSeen({ app_id, attention, resolved: null }, `Orders of app ${app_id} fail.`);

/** Keeps a notification that was genuinely signed but could not be read, until a person has seen it. */
export const strayNotification = (input: StrayNotificationInput): Promise<StrayNotificationInput & UntilSeen> =>
  untilSeen(
    { ...input, attention: 'unreadable-notification', resolved: null },
    `A notification for app ${input.app_id}, genuinely signed, that could not be read.`,
  );
