/** What may happen in every hostile world, and how stories draw it. */
import fc from 'fast-check';
import { HOUR, MINUTE } from '../../../src/gateway/pure/durations';
import type { BaseWorld } from './base-world';
import type { Trouble } from './gateway';

export type CommonStep =
  | { do: 'wait'; ms: number }
  | { do: 'trouble'; kind: Trouble; ms: number }
  /** Until the next outage, or the end of the story. */
  | { do: 'outage'; kind: Trouble | undefined }
  | { do: 'no worker'; ms: number }
  /** Workers were started without the app. */
  | { do: 'lack app'; by: 'half' | 'all'; ms: number }
  /** A person ends what a workflow waits for, with `temporal activity fail` or `complete`. */
  | { do: 'by hand'; given: { readonly result: unknown } | undefined }
  | { do: 'kill worker' };

export const waits = (...ms: number[]): fc.Arbitrary<CommonStep> =>
  fc.constantFrom(...ms).map((of) => ({ do: 'wait', ms: of }));

export const troubles = (kinds: readonly Trouble[], ms: readonly number[]): fc.Arbitrary<CommonStep> =>
  fc.record({ do: fc.constant('trouble'), kind: fc.constantFrom(...kinds), ms: fc.constantFrom(...ms) });

/** What a person may type as the result of an activity, if anything. */
export const byHand: fc.Arbitrary<CommonStep> = fc
  .constantFrom(undefined, undefined, null, {}, 5, { is: 'found', trade: {} })
  .map((result) => ({ do: 'by hand', given: result === undefined ? undefined : { result } }));

/** What becomes of workers. */
export const deaths: fc.Arbitrary<CommonStep> = fc.constant({ do: 'kill worker' });
export const absences = (...ms: number[]): fc.Arbitrary<CommonStep> =>
  fc.constantFrom(...ms).map((of) => ({ do: 'no worker', ms: of }));
export const lackingApps: fc.Arbitrary<CommonStep> = fc.record({
  do: fc.constant('lack app'),
  by: fc.constantFrom('half', 'all'),
  ms: fc.constantFrom(2 * MINUTE, 2 * HOUR, 20 * HOUR),
});

export async function takeCommon(world: BaseWorld, step: CommonStep): Promise<void> {
  const { gateway, traits } = world;
  switch (step.do) {
    case 'wait':
      return world.pass(step.ms);
    case 'trouble':
      gateway.trouble = step.kind;
      await world.pass(step.ms);
      gateway.trouble = undefined;
      return;
    case 'outage':
      gateway.trouble = step.kind;
      return;
    case 'no worker':
      return world.leaveWithoutWorker(step.ms);
    case 'lack app':
      return world.lackApp(step.by, step.ms);
    case 'by hand':
      return world.endByHand(step.given);
    case 'kill worker':
      await world.pass(traits.pick(3_000));
      return world.killWorker();
  }
}
