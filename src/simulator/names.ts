/** Whether a text is the name of a row of a table. */
export function isNameIn<Name extends string>(table: Readonly<Record<Name, unknown>>, text: string): text is Name {
  return Object.hasOwn(table, text);
}

/** The names of a table's rows. */
export function namesOf<Name extends string>(table: Readonly<Record<Name, unknown>>): Name[] {
  return Object.keys(table).filter((name) => isNameIn(table, name));
}
