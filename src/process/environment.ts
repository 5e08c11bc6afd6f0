/** Variables by name, such as `process.env`. It is passed on from the entry points, so that tests can give their own. */
export type Environment = Readonly<Record<string, string | undefined>>;
