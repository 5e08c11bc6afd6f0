/** Seeds of random stories for fast-check. A smaller seed is not simpler, so none is shrunk. */
import fc from 'fast-check';

export const anySeed = fc.noShrink(fc.noBias(fc.nat()));
