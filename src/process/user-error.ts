/** Errors that the person who runs the program can mend. Their sentence says all that is needed; a stack would hide it. */
export class UserError extends Error {
  override readonly name: string = 'UserError';

  /** For programs. */
  toJSON(): object {
    return { type: this.name, message: this.message };
  }
}

/** A setting that cannot be used. The message names the variable and what it should hold, never its value. */
export class ConfigError extends UserError {
  override readonly name = 'ConfigError';
}
