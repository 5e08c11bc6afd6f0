/**
 * Promise 8, and 7 in spirit: a JSON number in its other form. `BigDecimal("150.00").stripTrailingZeros()` of a Java gateway is written as
 * `1.5E+2`, which JSON (RFC 8259) calls the number 150: no foreign notation such as "1.500,00".
 */
import { DAY, HOUR, MINUTE } from '../../src/gateway/pure/durations';
import { afterSale, begin, end, open, sell, world } from './payment/hostile/acts';

afterEach(end);

/** Queries write the amount as the number with an exponent. */
function writesExponents(): void {
  const { gateway } = world;
  const post = gateway.post.bind(gateway);
  gateway.post = async (path, headers, text) => {
    const response = await post(path, headers, text);
    if (path !== '/trade/query') return response;
    const body = new TextDecoder().decode(response.body).replace('"order_amount":"150"', '"order_amount":1.5E+2');
    return { ...response, body: new TextEncoder().encode(body) };
  };
}

test('a sale whose amount the gateway writes as 1.5E+2 is refunded', async () => {
  await begin({ method: 'Wallet' });
  writesExponents();
  await sell();
  world.refund();
  await world.pass(HOUR);
  world.refund();
  await world.pass(DAY);
  expect(world.gateway.givenBack.map(({ amount }) => amount)).toEqual(['150']);
});

test('money that comes late, whose amount the gateway writes as 1.5E+2, is sent back where the settings say so', async () => {
  await begin({ method: 'Wallet', late: 'refund' });
  writesExponents();
  world.pay();
  await world.pass(MINUTE);
  const [trade] = world.gateway.trades;
  if (!trade) throw new Error('no trade');
  world.gateway.move(trade, 'CANCEL');
  world.notify(trade);
  await world.pass(HOUR);
  world.gateway.move(trade, 'SUCCESS');
  world.notify(trade);
  await world.pass(DAY);
  expect(world.gateway.givenBack.map(({ amount }) => amount)).toEqual(['150']);
});

test('a sale whose amount nobody can read, and of which a refund is asked for, is before a person', async () => {
  await begin({ method: 'Wallet' });
  writesExponents();
  await sell();
  world.refund();
  await world.pass(DAY);
  const { order_amount } = (await afterSale()) ?? {};
  expect([open().length > 0, order_amount]).not.toEqual([false, null]);
});
