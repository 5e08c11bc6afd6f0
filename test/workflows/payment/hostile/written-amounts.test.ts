/** However the gateway writes an amount, it is read exactly, or a person is asked: a sale whose amount nobody can read is not refunded in silence. */

import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { rewording } from '../../hostile/answering';
import { afterSale, begin, decide, happens, open, pay, refund, sell, settle, stateNow, tell, world } from './acts';

/** From now on, queries write the amount like this, as JSON. */
function writes(amount: string): void {
  rewording(world.gateway, '/query', (text) => text.replace('"order_amount":"150"', `"order_amount":${amount}`));
}

const givenBack = () => world.gateway.refunds.map(({ amount }) => amount);

test('a sale whose amount the gateway writes with an exponent is refunded', async () => {
  await begin({ method: 'Wallet' });
  writes('1.5E+2');
  await happens(sell, refund, HOUR, refund, DAY);
  expect(givenBack()).toEqual(['150']);
});

test.each(['"1.500,00"', '-150', '0', '1e300'])(
  'a sale whose amount nobody can read any more (%s) is before a person, and refunded once that one has called it paid',
  async (amount) => {
    await begin({ method: 'Wallet' });
    await sell();
    writes(amount);
    await happens(refund, DAY);
    expect(givenBack()).toEqual([]);
    expect(open()).toEqual(['amount-mismatch']);
    expect((await stateNow()).mismatch?.amount).toBe(amount.replaceAll('"', ''));
    await happens(settle({ outcome: 'SUCCESS' }), refund, DAY);
    expect(givenBack()).toEqual(['150']);
    expect([open(), (await afterSale())?.order_amount]).toEqual([[], '150.00']);
  },
);

test('a payment whose amount nobody can read waits for a person, and is refunded where that one calls it paid', async () => {
  await begin({ method: 'Wallet' });
  await happens(pay, MINUTE);
  writes('"1.500,00"');
  await happens(tell('T1', 'SUCCESS'), HOUR);
  expect(await stateNow()).toMatchObject({ outcome: null, attention: 'amount-mismatch' });
  await happens(decide('SUCCESS'), HOUR, refund, DAY);
  expect([givenBack(), open()]).toEqual([['150'], []]);
});
