/** How many deposits of an account are confirmed at the same time. */
import { freePlaces } from '../../../src/workflows/account/confirmations';

test.each([
  ['a quiet account', 0, 0, 50],
  ['an account whose 50 hold their places', 50, 50, 0],
  ['an account whose 50 have given their places to the next', 0, 50, 50],
  ['a run that waits for 990 payments', 0, 990, 10],
  ['a run that waits for as many payments as it may', 0, 1_000, 0],
  ['a run that waits for more, as after a change of the bound', 20, 1_200, 0],
])(
  '%s begins as many more as it has places, and never comes near Temporal’s 2,000 children',
  (_, ...[holders, awaited, free]) => {
    expect(freePlaces(holders, awaited)).toBe(free);
  },
);
