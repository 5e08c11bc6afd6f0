/** The message of an error, or of anything else that was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The first line of the message. The rest may be long, and is for the library's authors. */
export const firstLineOf = (error: unknown): string => messageOf(error).split('\n', 1).join();
