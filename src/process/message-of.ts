/** What an error says, also where something else than an Error was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Its first line: what follows may be long, and is for those who wrote the library. */
export const firstLineOf = (error: unknown): string => messageOf(error).split('\n', 1).join();
