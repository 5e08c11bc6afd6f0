/** What every order of an app fails by, and a person mends. Plain JSON. */
import type { Attention } from './attention';

export interface AppAttentionInput {
  app_id: string;
  attention: Attention;
}

/** The query `state` of `appAttention`, and what it returns. */
export interface AppAttentionState {
  app_id: string;
  /** Null once a person has said that it is mended. */
  attention: Attention | null;
  resolved: { by: string; reason: string; time: string } | null;
}

export type AppAttentionWorkflow = (input: AppAttentionInput) => Promise<AppAttentionState>;
