/** The wait of an order for a person. Plain JSON. */
import type { Attention } from './attention';

/** Who has taken on what waits for a person, so that nobody else begins. */
export interface Taken {
  by: string;
  note: string | null;
  /** ISO 8601, UTC. */
  time: string;
}

/** Why an order waits for a person, since when (ms since the epoch), and who has taken it on. */
export interface Wait {
  readonly attention: Attention;
  readonly since: number;
  readonly taken: Taken | null;
}

/** The update `take`: somebody takes on what waits for a person, with a note for the others. Who sends it later has it then. */
export interface PaymentTaking {
  by: string;
  note?: string | undefined;
}
