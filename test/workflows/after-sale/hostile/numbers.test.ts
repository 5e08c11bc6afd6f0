/** Refunds of any number, and over any time. */
import fc from 'fast-check';
import { HOUR } from '../../../../src/gateway/pure/durations';
import { play } from './stories';
import type { World } from './world';

const text = (maxLength: number) =>
  fc
    .array(odd, { minLength: 1, maxLength })
    .map((letters) => letters.join(''))
    .filter((all) => all.trim() !== '' && [...all].length <= maxLength);
/** What breaks languages of queries, ids and addresses, and letters of many scripts. */
const odd = fc.constantFrom(
  '"',
  "'",
  '\\',
  ':',
  '%',
  ' ',
  '/',
  '_',
  '*',
  '?',
  '#',
  'ñ',
  '订',
  '🙂',
  'А',
  'ç',
  'a',
  '1',
  '-',
);

test('an order of any number is refunded in parts, also after its after-sale has ended', async () => {
  await fc.assert(
    fc.asyncProperty(text(64), text(16), async (out_trade_no, number) => {
      let world: World | undefined;
      const broken = await play(
        {
          chance: 7,
          steps: [
            { do: 'ask', amount: '50.00', number },
            { do: 'wait', ms: HOUR },
            { do: 'ask', amount: '40.00', number: undefined },
            { do: 'wait', ms: HOUR },
          ],
          traits: { out_trade_no },
        },
        (one) => {
          world = one;
        },
      );
      expect(broken).toEqual([]);
      expect(world?.gateway.refunds.map(({ amount }) => Number(amount))).toEqual([50, 40]);
      expect(world?.told.filter(({ is }) => is !== 'resolved')).toMatchObject([{ is: 'answer' }, { is: 'answer' }]);
    }),
    { numRuns: 15, seed: 20261122, endOnFailure: true },
  );
}, 300_000);
