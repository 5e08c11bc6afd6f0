/** Swarm testing: each story first draws which kinds of hostility it may meet, because rare combinations drown otherwise. */
import fc from 'fast-check';

/** A story: its chance, what its world is like, and what happens. Plain data: it prints, shrinks and replays. */
export interface Story<Traits, Step> {
  readonly chance: number;
  readonly traits: Traits;
  readonly steps: readonly Step[];
}

export interface Swarm<Traits, Step> {
  /** The kinds of steps by their names. `life` is in every story. */
  readonly kinds: Readonly<Record<'life', fc.Arbitrary<Step>> & Record<string, fc.Arbitrary<Step>>>;
  readonly traits: fc.Arbitrary<Traits>;
  /** The most steps of a story. */
  readonly maxSteps: number;
}

/** Stories that may meet the kinds of hostility that are named, or a draw of up to four of all. */
export function storiesOf<Traits, Step>(
  { kinds, traits, maxSteps }: Swarm<Traits, Step>,
  only?: readonly string[],
): fc.Arbitrary<Story<Traits, Step>> {
  const { life, ...others } = kinds;
  const drawn = only ? fc.constant(only) : fc.subarray(Object.keys(others), { maxLength: 4 });
  return drawn.chain((names) =>
    fc.record({
      chance: fc.noShrink(fc.noBias(fc.nat())),
      traits,
      steps: fc.array(
        fc.oneof(
          { weight: 5, arbitrary: life },
          ...names.map((name) => ({ weight: 2, arbitrary: others[name] ?? life })),
        ),
        { maxLength: maxSteps },
      ),
    }),
  );
}
