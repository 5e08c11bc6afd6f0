/** A gateway that makes an order and refuses its payment: the order itself is asked for before the merchant hears of a refusal. */
import { HOUR, MINUTE } from '../../../src/gateway/pure/durations';
import { answers, begin, end, outcomeNow, pay, stateNow, tradeAt, world } from './hostile/acts';

const SECOND = 1_000;

afterEach(() => end());

const queries = () => world.gateway.exchanges.filter(({ is }) => is === 'query').length;

/** The gateway makes the order, which stays as it is, and answers that the bank was busy. */
function refusesWhatItMakes(): void {
  const { gateway } = world;
  const post = gateway.post.bind(gateway);
  gateway.post = async (path, headers, text) => {
    const response = await post(path, headers, text);
    if (path !== '/trade/pay') return response;
    const body = JSON.stringify({ code: '40002', msg: 'Business Failed', sub_code: 'bank-side-busy' });
    return { status: 200, body: new TextEncoder().encode(body) };
  };
}

test('an order that the bank charges although it was refused is sold, without a notification', async () => {
  await begin();
  refusesWhatItMakes();
  await pay(30 * SECOND);
  expect(answers()).toEqual(['T1']);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  await world.pass(2 * HOUR);
  expect(await stateNow()).toMatchObject({ outcome: 'SUCCESS', confirmed_by: 'query', attention: null });
});

test('an order that is paid by the time of the query is sold, whatever the creation was answered', async () => {
  await begin();
  refusesWhatItMakes();
  const { gateway } = world;
  const { make } = gateway;
  gateway.make = (...order: Parameters<typeof make>) => make.call(gateway, order[0], order[1], 'SUCCESS');
  await pay(MINUTE);
  expect(await outcomeNow()).toBe('SUCCESS');
});

test('an order that is refused and over ends as refused after one query', async () => {
  await begin({ creations: ['created and refused'] });
  await pay(30 * SECOND);
  expect(await stateNow()).toMatchObject({ outcome: 'REFUSED', attention: null });
  expect(queries()).toBe(1);
});

test('an order whose query has no answer ends as refused within the caller’s time, and is watched: its late money is found', async () => {
  await begin();
  refusesWhatItMakes();
  const { gateway } = world;
  const post = gateway.post.bind(gateway);
  let isSilent = true;
  gateway.post = async (path, headers, text) =>
    path === '/trade/query' && isSilent
      ? { status: 502, body: new TextEncoder().encode('<html>') }
      : post(path, headers, text);
  await pay(30 * SECOND);
  expect(await outcomeNow()).toBe('REFUSED');
  isSilent = false;
  world.gateway.move(tradeAt(0), 'SUCCESS');
  await world.pass(2 * HOUR);
  expect(await stateNow()).toMatchObject({ outcome: 'SUCCESS', attention: 'late-payment' });
});

test('an order that the gateway refused and does not show yet ends as refused, and is watched: its late money is found', async () => {
  await begin();
  refusesWhatItMakes();
  const { gateway } = world;
  const post = gateway.post.bind(gateway);
  let isBehind = true;
  const unknown = { code: '40002', msg: 'Business Failed', sub_code: 'trade-not-exist' };
  gateway.post = async (path, headers, text) =>
    path === '/trade/query' && isBehind
      ? { status: 200, body: new TextEncoder().encode(JSON.stringify(unknown)) }
      : post(path, headers, text);
  await pay(30 * SECOND);
  expect(await stateNow()).toMatchObject({ outcome: 'REFUSED', attention: null });
  isBehind = false;
  world.gateway.move(tradeAt(0), 'SUCCESS');
  await world.pass(2 * HOUR);
  expect(await stateNow()).toMatchObject({ outcome: 'SUCCESS', attention: 'late-payment' });
});
