/** The exit codes of commands, and what each means. */
export const EXIT = { ok: 0, refused: 1, wrongInput: 2, pending: 3 } as const;

/** For `--help`. */
export const EXIT_CODES = [
  '0 done',
  '1 refused, not paid, not found, or the program failed',
  '2 wrong input or settings, or nothing to decide on: nothing was sent',
  '3 not known yet: ask again',
].join('; ');
