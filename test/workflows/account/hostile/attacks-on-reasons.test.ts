/** Attacks on the one attention of an account: a reason that comes while another one is shown. */
import { speiAccountWorkflowId } from '../../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { DepositLedger } from '../../../../src/workflows/account/deposit-ledger';
import { APP } from '../../hostile/base-world';
import { PLAIN, World } from './world';

let world: World;
beforeEach(async () => {
  world = await World.create({ ...PLAIN, pick: () => 0 });
});
afterEach(() => world?.close());

/** A deposit that was notified as paid, and that queries deny: after ten minutes a person is told. */
async function overdueDeposit() {
  const late = world.gateway.deposit('A1', '30.00');
  world.gateway.deposits.splice(0);
  world.notify(late);
  await world.pass(25 * MINUTE);
  expect(await world.state('A1')).toMatchObject({ attention: 'overdue-deposit' });
  world.gateway.deposits.push(late);
  return {
    hide: () => void world.gateway.deposits.splice(world.gateway.deposits.indexOf(late), 1),
    show: () => void world.gateway.deposits.push(late),
  };
}

test('a deposit that is confirmed with another amount is before a person, although another one was overdue then', async () => {
  const late = await overdueDeposit();
  late.hide();
  const deposit = { ...world.gateway.deposit('A1', '100.00') };
  Object.assign(world.gateway.deposits.at(-1) ?? {}, { out_trade_no: 'D2', trade_no: 'T2' });
  world.notify({ ...deposit, out_trade_no: 'D2', trade_no: 'T2' }, 'SUCCESS', { amount: '250.00' });
  await world.pass(MINUTE);
  expect(await world.state('A1')).toMatchObject({ deposits: { count: 1, total: { MXN: '100.00' } } });
  late.show();
  await world.pass(DAY);
  expect(await world.state('A1')).toMatchObject({ attention: 'amount-mismatch', deposits: { count: 2 } });
});

test('a second deposit under one number is before a person, although another one was overdue when it came', async () => {
  const late = await overdueDeposit();
  late.hide();
  const first = {
    account_id: 'A1',
    out_trade_no: 'D2',
    trade_no: 'T2',
    amount: '100.00',
    states: [{ status: 'SUCCESS', at: world.now }],
  };
  world.gateway.deposits.push(first);
  world.notify(first);
  await world.pass(HOUR);
  world.notify({ ...first, trade_no: 'T3', amount: '70.00' });
  await world.pass(MINUTE);
  late.show();
  await world.pass(DAY);
  expect(await world.state('A1')).toMatchObject({ attention: 'second-deposit', deposits: { count: 2 } });
});

test('a second deposit under the number of one that was set aside as too old is no repetition of it', () => {
  const ledger = new DepositLedger(undefined, 1);
  const paid = (number: string, at: number) => ({
    ...{ out_trade_no: number, trade_no: `T-${number}`, trade_status: 'SUCCESS', amount: '10.00', currency: 'MXN' },
    transferred_s: at,
  });
  for (const one of [paid('D1', 100), paid('D2', 200)]) {
    ledger.addPending(one);
    ledger.confirm(one, { trade_no: one.trade_no, amount: '10.00', currency: 'MXN' }, 300_000);
  }
  expect(ledger.classify(paid('D1', 100))).toBe('forgotten');
  ledger.setAside(paid('D1', 100), 'old-deposit');
  expect(ledger.classify(paid('D1', 100))).toBe('repeat');
  expect(ledger.classify({ ...paid('D1', 90), trade_no: 'T9', amount: '5000.00' })).not.toBe('repeat');
});

test('a deposit that is notified under two numbers, and has one trade, is counted once', async () => {
  const deposit = world.gateway.deposit('A1', '100.00');
  world.notify(deposit);
  await world.pass(HOUR);
  world.notify({ ...deposit, out_trade_no: 'D9' });
  await world.pass(DAY);
  const state = await world.state('A1');
  expect(state).toMatchObject({ deposits: { count: 1, total: { MXN: '100.00' } } });
  expect(state?.attention).not.toBeNull();
});

test('a deposit that is notified in one currency and confirmed in another is before a person', async () => {
  const post = world.gateway.post.bind(world.gateway);
  world.gateway.post = async (path, headers, text) => {
    const { status, body } = await post(path, headers, text);
    return { status, body: new TextEncoder().encode(new TextDecoder().decode(body).replace('"MXN"', '"USD"')) };
  };
  const deposit = world.gateway.deposit('A1', '100.00');
  world.notify(deposit);
  await world.pass(HOUR);
  expect((await world.state('A1'))?.attention).not.toBeNull();
});

test('promise 8: a deposit that is not confirmed is overdue after ten minutes in an account that is busy, too', async () => {
  await world.close();
  world = await World.create({ ...PLAIN, continuesAfter: 40, pick: () => 0 });
  world.notify(world.gateway.deposit('A1', '500.00', 'PROCESSING'), 'SUCCESS');
  for (let minute = 0; minute < 21; minute += 1) {
    world.notify(world.gateway.deposit('A1', '1.00'));
    await world.pass(MINUTE);
  }
  expect(world.temporal.runs(speiAccountWorkflowId(APP, 'A1')).length).toBeGreaterThan(2);
  expect(await world.state('A1')).toMatchObject({ attention: 'overdue-deposit', deposits: { count: 21, pending: 1 } });
});
