/** The wait of an order or an account for a person. Plain JSON. */
import type { Attention } from './attention';

/** Who has taken on what waits for a person, so that nobody else begins. */
export interface Taken {
  by: string;
  note: string | null;
  /** ISO 8601, UTC. */
  time: string;
}

/** Why something waits for a person, since when (ms since the epoch), and who has taken it on. */
export interface Wait<Reason extends string = Attention> {
  readonly attention: Reason;
  readonly since: number;
  readonly taken: Taken | null;
}

/** The wait as the public states show it. */
export interface ShownWait {
  /** ISO 8601, UTC: since when it waits for a person under this reason; null where it does not. */
  attention_since: string | null;
  /** Who has taken that on; null where nobody has. */
  taken: Taken | null;
}

/** The update `take`: somebody takes on what waits for a person, with a note for the others. Who sends it later has it then. */
export interface Taking {
  by: string;
  note?: string | undefined;
}
