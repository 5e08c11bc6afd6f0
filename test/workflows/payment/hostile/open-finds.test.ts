/**
 * What the world has found and the core does not hold yet: each is expected to fail. When one is mended, jest says so, and it
 * moves to `schedules.test.ts`.
 */
import { HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { brokenIn, notify, paid, resolve, type Schedule, SECOND, story, wait } from './schedule';
import type { Step } from './stories';

const another = (isPaid: boolean, silently = false): Step => ({ do: 'another trade', paid: isPaid, silently });
const cancelled: readonly Step[] = [wait(MINUTE), { do: 'ends' }, notify, wait(HOUR)];
const neverSent = { creations: Array.from({ length: 200 }, () => 'unreachable' as const) };
/** Money that a gateway sends back without a person's help. */
const refunding = { late: 'refund', method: 'Wallet' } as const;

const OPEN: readonly Schedule[] = [
  // The after-sale is started with the order's number alone, and takes whichever trade a query by that number shows. The
  // buyer of the other system's order gets the money back, and ours does not: the other merchant, and our buyer, lose. (For
  // the same reason nothing goes back where the gateway finds trades by `trade_no` alone; there a person is told.)
  [
    'promise 7: late money goes back to its own trade, and not to another one that the number shows',
    [...cancelled, another(true, true), wait(HOUR), { do: 'paid late' }, { do: 'notify first' }, wait(HOUR)],
    refunding,
  ],
  // The same without any setting: T1 was sold, the number shows T2, and T2 is sent back. The other system's merchant loses.
  [
    'promise 7: a merchant’s refund goes to the trade that was sold, and not to another one that the number shows',
    [wait(MINUTE), paid, notify, wait(HOUR), another(true, true), { do: 'refund' }, wait(HOUR)],
    { method: 'Wallet' },
  ],
  // Our order was certainly not sent when a person terminated its workflow. The next run takes every trade for ours, as long
  // as none of ours is known (`isOurTrade`): the money of another system's order is sent back. Its merchant loses.
  [
    'promise 7: money of another system’s order is not sent back because our workflow was terminated before it sent its own',
    [wait(MINUTE), { do: 'terminate' }, wait(HOUR), another(true), wait(HOUR)],
    { ...neverSent, ...refunding },
  ],
  // The same with `accept`: an order of ours that was never sent is called sold without a person. The merchant delivers for
  // money of somebody else's order.
  [
    'promise 8: money of another system’s order is not accepted because our workflow was terminated before it sent its own',
    [wait(MINUTE), { do: 'terminate' }, wait(HOUR), another(true), wait(HOUR)],
    { ...neverSent, late: 'accept' },
  ],
  // A person said CANCEL while the creation was unknown, so no number of ours is known, and the other system's trade is taken
  // for ours. Not known whose it is: a person's to say.
  [
    'promise 7: money of another system’s order is not sent back because ours has no number yet',
    [wait(10 * SECOND), resolve('CANCEL'), another(true), wait(HOUR)],
    { creations: ['answer lost'], lag_ms: 120 * SECOND, ...refunding },
  ],
  // The first creation was lost, a copy that is behind denied it for 30 s, and the second one was answered with T2. From then
  // on only T2 is asked for, although the order's number shows T1, which the buyer pays. The buyer's money is known to nobody.
  [
    'promise 5: an order that was sent again after a lost creation is looked for by its number, too',
    [wait(5 * MINUTE), paid, wait(HOUR)],
    { creations: ['answer lost'], lag_ms: 120 * SECOND, shows: 'the first' },
  ],
  // The creation's answer had no `trade_no`, and the gateway finds trades by that alone. The notification names it, and is
  // settled by "no such order" of a query by our number: T1 is never asked for, and its payment EXPIRED. The merchant does
  // not deliver what was paid; a person reads `unknown-trade` without any number.
  [
    'promise 4: a notification names the trade of a payment whose creation’s answer did not',
    [wait(10 * MINUTE), paid, notify, wait(HOUR)],
    { hidesTradeNo: true, findsBy: 'trade_no alone' },
  ],
  // A start that no payment can be made of waits for `created` alone, so `payments.cancel` meets "No registered handler".
  [
    'promise 8: a merchant who withdraws an order whose start was broken is answered in our own words',
    [{ do: 'terminate' }, { do: 'start broken' }, { do: 'withdraw' }, wait(HOUR)],
  ],
];

test.failing.each(OPEN.map(([title, steps, traits = {}]) => ({ title, steps, traits })))(
  '$title',
  async ({ steps, traits }) => expect(await brokenIn(story(steps, traits))).toEqual([]),
  60_000,
);
