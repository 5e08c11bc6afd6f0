/** Events of a payment: each once, and none is lost. */

import { isSold } from '../../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import {
  AFTER,
  afterSale,
  anotherTold,
  begin,
  costs,
  decide,
  endCancelled,
  happens,
  listIsDown,
  move,
  notify,
  pay,
  refund,
  reset,
  sell,
  settle,
  startAgain,
  stateNow,
  tell,
  tradeAt,
  trouble,
  works,
  world,
} from './acts';
import { SECOND } from './schedule';

/** The steps of which the merchant heard. */
const heard = () => world.events.flatMap((event) => (event.type === 'transition' ? [event.transition.to] : []));

test('events: a merchant hears one SUCCESS where a trade of another amount was disputed before a person called it sold', async () => {
  await begin();
  await happens(pay, MINUTE, costs('T1', '100.00'), tell('T1', 'SUCCESS'), HOUR, tell('T1', 'DISPUTE'), HOUR);
  await happens(decide('SUCCESS'), HOUR);
  expect(heard().filter((to) => to === 'SUCCESS')).toHaveLength(1);
});

describe('events: of a payment whose money is asked back while it runs, the merchant hears', () => {
  test('one SUCCESS', async () => {
    await begin();
    await happens(pay, MINUTE, move('T1', 'SUCCESS'), SECOND, refund, HOUR);
    expect(heard()).toEqual(['PROCESSING', 'SUCCESS', 'REFUNDED']);
  });

  test('one SUCCESS also where somebody starts the payment again, which repeats how it has ended', async () => {
    await begin();
    await happens(pay, MINUTE, move('T1', 'SUCCESS'), SECOND, trouble('refunds unreachable'), refund, HOUR);
    await happens(startAgain, HOUR);
    expect(heard()).toEqual(['PROCESSING', 'SUCCESS']);
  });

  test.each([
    ['SUCCESS', ['PROCESSING', 'SUCCESS']],
    ['CANCEL', ['PROCESSING', 'CANCEL']],
  ] as const)('no SUCCESS of another amount before a person calls it %s', async (outcome, told) => {
    await begin();
    await happens(pay, MINUTE, costs('T1', '100.00'), tell('T1', 'SUCCESS'), MINUTE, refund, HOUR);
    expect(heard()).toEqual(['PROCESSING']);
    await happens(decide(outcome), HOUR);
    expect(heard()).toEqual(told);
  });
});

test('the contract: events that the merchant’s handler refused are told although somebody has canceled their relay', async () => {
  await begin({ deafFor: 40 });
  await sell();
  const relay = world.runs.find(({ start, isRunning }) => start.type === 'eventDelivery' && isRunning);
  expect(relay).toBeDefined();
  relay?.requestCancel('the button');
  await world.pass(DAY);
  expect(world.events.map(({ id }) => id)).toContainEqual(expect.stringContaining('SUCCESS'));
});

test('promise 8: an event that the handler does not take for days is before a person, and is told once that is mended', async () => {
  await begin({ deafFor: Number.POSITIVE_INFINITY });
  await sell();
  await world.pass(4 * DAY);
  const delivery = world.runs.find(({ start, isRunning }) => start.type === 'eventDelivery' && isRunning);
  const attention = () => delivery && world.temporal.attributesOf(delivery).PaymentAttention;
  expect([attention(), heard()]).toEqual(['undelivered-event', []]);
  world.mendHandler();
  await happens(
    () => world.within(async () => world.temporal.update(delivery?.start.workflowId ?? '', 'recheck')),
    HOUR,
  );
  expect([delivery?.isRunning, heard()]).toEqual([false, expect.arrayContaining(['SUCCESS'])]);
});

test('promise 8: after a reset the event SUCCESS has an id of its own', async () => {
  await begin();
  await happens(pay, MINUTE, trouble('credentials'), 10 * MINUTE, works, 10 * MINUTE, reset, 5 * MINUTE);
  await happens(tell('T1', 'SUCCESS'), HOUR);
  const heard = new Map<string, string>();
  for (const event of world.events) {
    const said = event.type === 'transition' ? event.transition.to : event.type;
    if (!heard.has(event.id)) heard.set(event.id, said);
  }
  expect([...heard.values()]).toContain('SUCCESS');
});

describe('events: a shop that delivers by isSold(event.payment)', () => {
  const delivers = () => world.events.some((event) => 'payment' in event && isSold(event.payment));
  const isSoldNow = async () => {
    const payment = (await afterSale())?.payment;
    return payment ? isSold(payment) : false;
  };
  const takesBack = { startsAfter_ms: DAY, takes_ms: HOUR, ends: 'refused' } as const;
  const refusedByNumber = () =>
    world.notify(tradeAt(0), 'REFUND_REFUSED', { number: world.gateway.refunds[0]?.number ?? '' });

  test('delivers late money that a person calls sold, and whose refund is not sent any more', async () => {
    await begin({ late: 'refund', method: 'Wallet' });
    await happens(endCancelled, trouble('refunds unreachable'), tell('T1', 'SUCCESS'), 2 * MINUTE);
    await happens(settle({ outcome: 'SUCCESS' }), MINUTE, works, HOUR);
    expect([await isSoldNow(), delivers()]).toEqual([true, true]);
  });

  test('delivers late money that a person calls sold, and whose refund is refused a day later', async () => {
    await begin({ late: 'refund', method: 'Wallet', plan: takesBack });
    await happens(endCancelled, tell('T1', 'SUCCESS'), 2 * MINUTE, settle({ outcome: 'SUCCESS' }), MINUTE);
    await happens(refusedByNumber, 2 * HOUR);
    expect([await isSoldNow(), delivers()]).toEqual([true, true]);
  });

  test('delivers what was disputed when it was first seen, and is not any more', async () => {
    await begin({ method: 'Wallet', childStarts_ms: 5 * SECOND });
    await happens(pay, MINUTE, tell('T1', 'DISPUTE'), 2 * SECOND, trouble('429'), 2 * MINUTE);
    await happens(settle({}), 2 * MINUTE, move('T1', 'SUCCESS'), works, 2 * DAY);
    expect([await isSoldNow(), delivers()]).toEqual([true, true]);
  });

  const sentBackInTheDashboard = (plan: { startsAfter_ms?: number; takes_ms: number }) => () =>
    world.gateway.giveBack(tradeAt(0), 'desk', '150.00', 'the desk', { ...plan, ends: 'done' });
  const inTwoDays = { startsAfter_ms: 2 * DAY, takes_ms: HOUR };

  test('does not deliver what somebody has sent back in the dashboard before it was first seen', async () => {
    await begin({ method: 'Wallet' });
    await happens(pay, MINUTE, move('T1', 'SUCCESS'), sentBackInTheDashboard({ takes_ms: 2 * DAY }));
    await happens(notify('T1', 'SUCCESS'), HOUR, settle({ refunded_elsewhere: '150.00' }), MINUTE);
    expect(delivers()).toBe(false);
  });

  const heldBack = () => happens(pay, MINUTE, anotherTold('SUCCESS'), MINUTE, tell('T1', 'SUCCESS'), 10 * MINUTE);

  test.each([
    ['done', ['REFUND_PROCESSING', 'REFUNDED']],
    ['refused', ['REFUND_PROCESSING', 'REFUND_REFUSED']],
  ] as const)(
    'hears what becomes of late money that a person has called unsold, and that is sent back: %s',
    async (ends, told) => {
      await begin({ method: 'Wallet', plan: { takes_ms: HOUR, ends } });
      await happens(
        endCancelled,
        tell('T1', 'SUCCESS'),
        10 * MINUTE,
        settle({ outcome: 'CANCEL' }),
        MINUTE,
        refund,
        DAY,
      );
      expect([heard().slice(-told.length), delivers()]).toEqual([told, false]);
    },
  );

  const named = () =>
    world.events.flatMap((event) => {
      const { refunded_elsewhere: sum } = event.type === 'transition' ? event.transition : {};
      return sum === undefined || !('payment' in event) ? [] : [[sum, isSold(event.payment)]];
    });

  // A refund that goes on keeps the after-sale open, and a trade that is paid shows nothing of it for days.
  const inFiveDays = { startsAfter_ms: 5 * DAY, takes_ms: HOUR, ends: 'done' } as const;
  const sayInTurn = (...sums: string[]) =>
    happens(() => world.refund('1.00'), HOUR, ...sums.flatMap((sum) => [settle({ refunded_elsewhere: sum }), MINUTE]));

  test('hears each other sum that a person has named as sent back in another way, and once that it is all', async () => {
    await begin({ method: 'Wallet', plan: inFiveDays });
    await sell();
    await sayInTurn('0.00', '50.00', '50.00', '149.00', '0.00');
    expect(named()).toEqual([
      ['50.00', true],
      ['149.00', false],
      ['0.00', true],
    ]);
  });

  test('hears that a sum which a person has named was none, also where somebody has started the payment again', async () => {
    await begin({ method: 'Wallet', plan: inFiveDays });
    await sell();
    await sayInTurn('50.00');
    await happens(startAgain, HOUR, settle({ refunded_elsewhere: '0.00' }), MINUTE);
    expect(named()).toEqual([
      ['50.00', true],
      ['0.00', true],
    ]);
  });

  test('hears that money of an order which a person has called unsold went back in another way', async () => {
    await begin({ method: 'Wallet', plan: inFiveDays });
    await happens(endCancelled, tell('T1', 'SUCCESS'), 10 * MINUTE, settle({ outcome: 'CANCEL' }), MINUTE);
    await sayInTurn('149.00');
    expect([named(), delivers()]).toEqual([[['149.00', false]], false]);
  });

  test('does not deliver what a person lets pass, and has named as sent back before', async () => {
    await begin({ method: 'Wallet' });
    await happens(heldBack, sentBackInTheDashboard(inTwoDays), settle({ refunded_elsewhere: '150.00' }), MINUTE);
    await happens(settle({}), 10 * MINUTE);
    expect(delivers()).toBe(false);
  });

  test('is not told to deliver where a person names all that was paid as sent back', async () => {
    await begin({ method: 'Wallet' });
    await happens(sell, sentBackInTheDashboard(inTwoDays));
    await happens(() => world.notify(tradeAt(0), 'REFUND_PROCESSING', { number: 'desk' }), 2 * MINUTE);
    await happens(settle({ refunded_elsewhere: '150.00' }), MINUTE);
    expect(world.events.filter(({ type }) => type === 'sold')).toEqual([]);
  });

  test('does not deliver late money that a person lets pass while a signed REFUNDED waits to be confirmed', async () => {
    await begin({ method: 'Wallet' });
    await happens(endCancelled, tell('T1', 'SUCCESS'), 10 * MINUTE, notify('T1', 'REFUNDED'), MINUTE);
    await happens(settle({}), MINUTE);
    expect(delivers()).toBe(false);
  });

  const inTheDashboard = (amount: string) => () =>
    world.gateway.giveBack(tradeAt(0), 'desk', amount, 'the desk', { ...inTwoDays, ends: 'done' });

  test('does not deliver what a person lets pass while all of it is sent back, whatever the gateway shows of it later', async () => {
    await begin({ method: 'Wallet', plan: { ...inTwoDays, ends: 'done' } });
    await happens(heldBack, refund, 10 * MINUTE, settle({}), 3 * DAY);
    expect([heard().slice(-2), await isSoldNow(), delivers()]).toEqual([
      ['REFUND_PROCESSING', 'REFUNDED'],
      false,
      false,
    ]);
  });

  test('does not deliver what a person lets pass and has named as sent back, all of it in parts', async () => {
    await begin({ method: 'Wallet', plan: { startsAfter_ms: 4 * DAY, takes_ms: HOUR, ends: 'done' } });
    await happens(heldBack, inTheDashboard('120.00'), settle({ refunded_elsewhere: '120.00' }), MINUTE);
    await happens(() => world.refund('30.00'), 10 * MINUTE, settle({}), 10 * DAY);
    expect([heard().includes('PARTIAL_REFUND'), await isSoldNow(), delivers()]).toEqual([true, false, false]);
  });

  test('that asks for the state does not deliver what is sent back, before the gateway shows the refund', async () => {
    await begin({ method: 'Wallet', plan: { ...inTwoDays, ends: 'done' } });
    await happens(sell);
    const before = isSold(await stateNow());
    await happens(refund, 10 * MINUTE);
    expect([before, isSold(await stateNow())]).toEqual([true, false]);
  });

  test('is not told again to deliver because a refund of all was refused', async () => {
    await begin({ method: 'Wallet', plan: { startsAfter_ms: 5 * DAY, takes_ms: HOUR, ends: 'refused' } });
    await happens(sell, refund, 10 * MINUTE, refusedByNumber, 2 * HOUR);
    expect([await isSoldNow(), world.events.filter(({ type }) => type === 'sold')]).toEqual([true, []]);
  });

  const endAfterSale = () => world.temporal.latest(AFTER)?.terminate();
  test.each([
    ['', 0],
    [', although the after-sale is terminated meanwhile', endAfterSale],
  ])(
    'delivers what a person lets pass while a refund is gone, once that is refused by its number%s',
    async (_, act) => {
      await begin({ method: 'Wallet', plan: { startsAfter_ms: 5 * DAY, takes_ms: HOUR, ends: 'refused' } });
      await happens(heldBack, refund, 10 * MINUTE, settle({}), MINUTE, act, refusedByNumber, 2 * HOUR);
      expect([await isSoldNow(), delivers()]).toEqual([true, true]);
    },
  );

  test('delivers what is left of an order that a person lets pass after a part went back', async () => {
    await begin({ method: 'Wallet', plan: { startsAfter_ms: 0, takes_ms: HOUR, ends: 'done' } });
    await happens(heldBack, () => world.refund('30.00'), 5 * HOUR, settle({}), 3 * DAY);
    expect([await isSoldNow(), delivers()]).toEqual([true, true]);
  });

  test('is told nothing by a run that only repeats the end of a payment', async () => {
    await begin({ method: 'Wallet' });
    await happens(sell, tell('T1', 'CHARGEBACK'), HOUR);
    const mend = listIsDown(0);
    await happens(startAgain, HOUR, mend, HOUR);
    expect(world.events.filter(({ type }) => type === 'sold')).toEqual([]);
  });
});

describe('events: whoever was told only that it goes on hears', () => {
  const refunds = () =>
    world.events.flatMap((event) =>
      event.type === 'refund' ? [[event.refund.outcome, event.refund.failure?.type ?? null]] : [],
    );
  const failures = () => world.events.flatMap((event) => (event.type === 'failed' ? [event.failure] : []));

  test('that its refund is refused once the gateway answers again, and why', async () => {
    await begin({ method: 'Wallet', mishaps: ['refused for good'] });
    await sell();
    await happens(trouble('refunds unreachable'), refund, HOUR);
    expect(refunds()).toEqual([]);
    await happens(works, HOUR);
    expect(refunds()).toEqual([['NOT_CREATED', 'NotRefunded']]);
  });

  test('that its refund is accepted, and then that it is refused, each once', async () => {
    await begin({ method: 'Wallet', plan: { startsAfter_ms: HOUR, takes_ms: HOUR, ends: 'refused' } });
    await sell();
    await happens(
      refund,
      HOUR,
      () => world.notify(tradeAt(0), 'REFUND_REFUSED', { number: world.gateway.refunds[0]?.number ?? '' }),
      2 * DAY,
    );
    expect(refunds()).toEqual([
      ['ACCEPTED', null],
      ['REFUND_REFUSED', null],
    ]);
  });

  test('that its order is refused once the gateway answers again, and why', async () => {
    await begin({ creations: ['refused for good'] });
    await happens(trouble('unreachable'), pay, 2 * MINUTE);
    expect(failures()).toEqual([]);
    await happens(works, HOUR);
    expect(failures()).toEqual([{ type: 'NotCreated', message: expect.any(String), details: expect.any(Object) }]);
  });

  test('nothing of a failure where somebody adopts a sold trade under a mistyped number', async () => {
    const mistyped = [{ kind: 'adopt', app_id: 'hostile', trade_no: 'T1' }];
    await begin();
    await happens(sell, () => world.start('ALLOW_DUPLICATE', 'payment:hostile:order-1x', mistyped), HOUR);
    expect(failures()).toEqual([]);
  });

  test('nothing of a failure where a start that made nothing gives way to the sale', async () => {
    await begin({ method: 'Wallet' });
    await happens(sell, startAgain, HOUR);
    expect(failures()).toEqual([]);
  });
});

test('events: a second dispute has another id than the first, also after a reset of the after-sale', async () => {
  await begin({ method: 'Wallet' });
  await happens(sell, tell('T1', 'DISPUTE'), HOUR, settle({}), MINUTE, tell('T1', 'SUCCESS'), DAY);
  const run = world.temporal.latest(AFTER);
  if (run) world.temporal.reset(run, 0);
  await happens(10 * MINUTE, tell('T1', 'DISPUTE'), HOUR);
  const disputes = world.events.filter((event) => event.type === 'transition' && event.transition.to === 'DISPUTE');
  expect(new Set(disputes.map(({ id }) => id)).size).toBe(new Set(disputes.map(({ time }) => time)).size);
  expect(disputes.length).toBeGreaterThan(1);
});
