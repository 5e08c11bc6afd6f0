/** What says the same is kept once, where it came first. Plain JSON. */
export const distinct = <One>(all: readonly One[]): One[] => [
  ...new Map(all.map((one) => [JSON.stringify(one), one])).values(),
];
