/** Disputes and chargebacks: nothing is refunded beside one, and none is taken for another. */

import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import {
  amountGoneBack,
  ask,
  attention,
  DONE,
  desk,
  happens,
  move,
  nameElsewhere,
  notify,
  numbersMade,
  open,
  queries,
  refundOf,
  renameQueue,
  resolve,
  settle,
  tell,
  terminate,
  trouble,
  untilShown,
  world,
} from './acts';

/** Requests for a refund that reached the gateway while the bank took the money back. */
const besideTheBank = () =>
  world.gateway.requests.filter(({ status }) => status === 'DISPUTE' || status === 'CHARGEBACK').map(({ at }) => at);

test('promise 3: an acknowledged CHARGEBACK is not answered by a DISPUTE that an older copy shows', async () => {
  // The merchant loses 150.00 and defends a dispute that is over: nobody was ever shown a chargeback.
  await open({ lag_ms: 4 * MINUTE });
  await happens(settle, HOUR, move('DISPUTE'), 3 * MINUTE);
  await happens(move('CHARGEBACK'), notify('the latest'), untilShown('DISPUTE'), HOUR);
  expect(await world.state()).toMatchObject({ attention: 'chargeback' });
});

test('promise 8: naming what went back elsewhere does not settle a chargeback that came a moment before', async () => {
  // The merchant loses 150.00 to the bank, and the one who named 50.00 of something else has settled that unseen.
  await open();
  await happens(ask('50.00', 'a'), HOUR, desk('50.00', 0), notify('the latest'), HOUR);
  expect(await world.state()).toMatchObject({ attention: 'refund-elsewhere' });
  await happens(move('CHARGEBACK'), notify('the latest'));
  await world.temporal.clock.pass(1_000);
  await happens(nameElsewhere, DAY);
  expect(await world.state()).toMatchObject({ trade_status: 'CHARGEBACK', attention: 'chargeback' });
});

test('no refund is sent on the word of a copy that is behind, where another one has just shown a chargeback', async () => {
  await open({ watchWindow: '3d' });
  await happens(move('CHARGEBACK'), notify('all'), untilShown('CHARGEBACK'), move('SUCCESS'));
  await happens(ask('40.00', 'a'), 5 * MINUTE);
  expect(numbersMade()).toEqual([]);
  expect((await world.state())?.refunds).toEqual([]);
  // It lasts: the chargeback is over.
  await happens(HOUR, ask('40.00', 'a'), HOUR);
  expect(numbersMade()).toEqual(['a']);
});

test('a chargeback that queries contradict forbids refunds until a person has looked, also behind another reason', async () => {
  await open({ watchWindow: '3d' });
  for (const status of ['CHARGEBACK', 'CHARGEBACK_REVERSED', 'SUCCESS'])
    await happens(move(status), notify('all'), untilShown(status));
  await world.pass(HOUR);
  expect(await world.state()).toMatchObject({ attention: 'chargeback-reversed' });
  await happens(move('CHARGEBACK'), notify('all'), move('SUCCESS'), HOUR);
  const askFor = async (number: string) => {
    await happens(ask('40.00', number), HOUR);
    return numbersMade();
  };
  expect(await askFor('a')).toEqual([]);
  world.resolve({});
  expect(await askFor('b')).toEqual([]);
  expect(await world.state()).toMatchObject({ attention: 'unconfirmed-notification' });
  world.resolve({});
  expect(await askFor('c')).toEqual(['c']);
});

test('promise 4: a second dispute, ten days after a first one that was decided and won, is before a person', async () => {
  await open();
  await happens(move('DISPUTE'), notify('all'), HOUR);
  expect(await attention()).toBe('dispute');
  await happens(settle, HOUR, move('SUCCESS'), 10 * DAY, move('DISPUTE'), notify('all'), DAY);
  expect(world.acknowledged.filter(({ status }) => status === 'DISPUTE')).toHaveLength(2);
  expect(await attention()).toBe('dispute');
});

test('promise 8: a dispute that is lost, and of which nothing is notified, is before a person as a chargeback', async () => {
  await open();
  await happens(move('DISPUTE'), tell('DISPUTE'), HOUR, settle, 10 * DAY, move('CHARGEBACK'), DAY);
  expect(await world.state()).toMatchObject({ trade_status: 'CHARGEBACK', attention: 'chargeback' });
});

test('promise 8: who asks for a refund behind a reversed chargeback is told that the gateway’s next status is enough', async () => {
  await open({ plans: [DONE] });
  await happens(move('CHARGEBACK_REVERSED'), tell('CHARGEBACK_REVERSED'), HOUR, ask('50.00', 'a'), MINUTE);
  const message = expect.stringContaining('the gateway has to show the trade as paid again first');
  expect([await attention(), world.told.at(-1)]).toEqual(['chargeback-reversed', expect.objectContaining({ message })]);
  await happens(move('SUCCESS'), tell('SUCCESS'), HOUR);
  expect(numbersMade()).toEqual(['a']);
});

describe('a refund that waits behind a chargeback that was reversed', () => {
  const openWithOneThatWaits = async () => {
    await open({ plans: [DONE] });
    await happens(move('CHARGEBACK'), tell('CHARGEBACK'), HOUR, settle, HOUR);
    await happens(move('CHARGEBACK_REVERSED'), tell('CHARGEBACK_REVERSED'), HOUR, settle, ask('50.00', 'a'), 6 * DAY);
  };

  test('promise 4: after a week it is before a person, who may give it up', async () => {
    await openWithOneThatWaits();
    expect(await attention()).toBeNull();
    await happens(2 * DAY);
    expect(await attention()).toBe('waiting-refund');
    expect(await refundOf('a')).toMatchObject({ attention: 'waiting-refund', outcome: null, started_at: null });
    await happens(resolve({ out_request_no: 'a', outcome: 'NOT_CREATED' }), HOUR);
    expect([await attention(), numbersMade()]).toEqual([null, []]);
  });
});

describe('a refund that waits for its turn again remembers what it has seen', () => {
  const openWithOneFreshLook = async () => {
    let from = Number.POSITIVE_INFINITY;
    const pick = (n: number) => (n === 2 && queries() === from ? 1 : 0);
    await open({ plans: [DONE], lag_ms: 2 * MINUTE, copies: 'several', pick });
    await happens(trouble('refunds unreachable'), ask('150.00', 'a'), MINUTE);
    return () => {
      from = queries();
      world.gateway.trouble = undefined;
    };
  };

  test('promise 7: a refund is not sent on the word of copies that are behind, after its own look has shown a dispute', async () => {
    const goOn = await openWithOneFreshLook();
    await happens(move('DISPUTE'), goOn, 30 * MINUTE);
    expect(amountGoneBack()).toBe(0);
  });
});

test('promise 7: no refund is sent 40 s after a second dispute was notified, where the query still showed the first one then', async () => {
  await open({ lag_ms: 50_000 });
  await happens(move('DISPUTE'), tell('DISPUTE'), HOUR, settle, HOUR, move('SUCCESS'), 10_000);
  await happens(move('DISPUTE'), tell('DISPUTE'), 42_000, ask('150.00', 'a'), HOUR);
  expect(besideTheBank()).toEqual([]);
});

test('promise 4: a dispute is before a person also while an after-sale waits for what the one before it knew', async () => {
  await open();
  await happens(HOUR, ask('50.00', 'a'), MINUTE, terminate, renameQueue, trouble('unreachable'));
  await happens(move('DISPUTE'), tell('DISPUTE'), 5 * MINUTE);
  expect(world.attentions.at(-1)).toMatchObject({ runId: world.run?.runId, attention: 'dispute' });
});
