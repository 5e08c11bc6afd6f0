/** Refunds of any number, and over any time. */
import fc from 'fast-check';
import { HOUR } from '../../../../src/gateway/pure/durations';
import { keeping } from '../../hostile/schedule';
import { play } from './stories';

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
      const hour = { do: 'wait', ms: HOUR } as const;
      const asks = (amount: string, one?: string) => ({ do: 'ask', amount, number: one }) as const;
      const world = await keeping(play)([asks('50.00', number), hour, asks('40.00'), hour], { out_trade_no });
      expect(world.gateway.refunds.map(({ amount }) => Number(amount))).toEqual([50, 40]);
      expect(world.told.filter(({ is }) => is !== 'resolved')).toMatchObject([{ is: 'answer' }, { is: 'answer' }]);
    }),
    { numRuns: 15, seed: 20261122, endOnFailure: true },
  );
}, 300_000);
