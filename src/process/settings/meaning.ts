/** What each setting means. It stands beside the setting's schema, and docs/settings.md is made of it. */
import { z } from 'zod';

export interface SettingDoc {
  /** The processes that read it: `all`, or some of worker, webhook, client, codec server, commands, simulator. */
  readBy: string;
  /** One or two sentences, in at most 120 characters or so: a row of a table must fit into 200. */
  meaning: string;
  /** Whether the value may also be given as a file, in the variable `…_FILE`. */
  fromFile?: true;
}

/** The meaning of each setting, by its schema. */
export const settingDocs = z.registry<SettingDoc>();
