/** Each distinct value once, at its first place. Plain JSON. */
export const distinct = <One>(all: readonly One[]): One[] => [
  ...new Map(all.map((one) => [JSON.stringify(one), one])).values(),
];
