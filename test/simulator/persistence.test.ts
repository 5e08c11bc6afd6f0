import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Simulator } from '../../src/simulator';
import { accountOf, call, Merchant, order, refundOf, start } from './support';

let folder: string;
let dataFile: string;
let merchant: Merchant;
const running: Simulator[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'simulator-'));
  dataFile = join(folder, 'deep', 'gateway.json');
  merchant = await Merchant.start();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((simulator) => simulator.close()));
  await merchant.close();
  await rm(folder, { recursive: true });
});

async function open(file = dataFile): Promise<Simulator> {
  const simulator = await start({ dataFile: file });
  running.push(simulator);
  return simulator;
}
const create = (simulator: Simulator, out_trade_no: string, changes = {}) =>
  call(simulator, '/trade/pay', order('pix', { out_trade_no, notify_url: merchant.url, ...changes }));

test('trades, their numbers, deadlines and pages survive a restart', async () => {
  const before = await open();
  await create(before, 'one', { timeout_express: '2h' });
  await create(before, 'two', { timeout_express: '4h' });
  await before.pay('two');
  await before.advance('1h');
  const trades = before.trades();
  await before.close();

  const after = await open();
  // Its port is another one, and so are the addresses of its pages.
  const anywhere = (text: unknown) => JSON.parse(JSON.stringify(text).replace(/127\.0\.0\.1:\d+/g, 'here'));
  expect(anywhere(after.trades())).toEqual(anywhere(trades));
  expect((await create(after, 'one')).body.sub_code).toBe('duplicate-out_trade_no');
  const { body } = await create(after, 'three');
  expect(trades.map(({ trade_no }) => trade_no)).not.toContain(body.trade_no);
  await after.advance('1h');
  expect(after.trade('one').trade_status).toBe('CANCEL');
  expect(after.trade('two').trade_status).toBe('SUCCESS');
});

test('a pending notification continues after a restart', async () => {
  merchant.answer = { status: 500, body: '' };
  const before = await open();
  await create(before, 'one');
  await before.pay('one');
  await before.advance('15m');
  await before.close();
  expect(merchant.received).toHaveLength(2);

  const after = await open();
  await after.advance('14m');
  expect(merchant.received).toHaveLength(2);
  merchant.answer = { status: 200, body: 'success' };
  await after.advance('1m');
  expect(merchant.received).toHaveLength(3);
  expect(after.notifications()).toMatchObject([{ acknowledged: true, attempts: { length: 3 } }]);
  expect(new Set(merchant.received.map(({ bytes }) => bytes.toString())).size).toBe(1);
});

const account = async (simulator: Simulator) =>
  String((await call(simulator, '/virtual-account/spei/create', accountOf(merchant.url))).body.account_id);
const refund = (simulator: Simulator, out_request_no: string, changes = {}) =>
  call(simulator, '/trade/refund', refundOf('one', { refund_amount: '50.00', out_request_no, ...changes }));

test('refunds continue after a restart, and their numbers stay used', async () => {
  const before = await open();
  await create(before, 'one');
  await before.pay('one');
  await refund(before, 'r1');
  await before.advance('5s');
  await refund(before, 'r2', { bank_info: undefined });
  await before.close();

  const after = await open();
  expect(after.refunds()).toMatchObject([
    { out_request_no: 'r1', refund_status: 'PARTIAL_REFUND' },
    { out_request_no: 'r2', refund_status: 'REFUND_VERIFYING' },
  ]);
  await after.advance('7d');
  expect(after.refund('r2').refund_status).toBe('REFUND_REVOKE');
  await after.close();

  const later = await open();
  expect(later.trade('one').trade_status).toBe('REFUND_REVOKE');
  await later.advance('1m');
  expect(later.trade('one').trade_status).toBe('SUCCESS');
  expect((await refund(later, 'r1')).body.sub_code).toBe('duplicate-out_request_no');
  expect((await refund(later, 'r3', { refund_amount: '100.01' })).body.sub_code).toBe('refund-amount-exceeded');
});

test('virtual accounts, their deposits and the pool survive a restart', async () => {
  const before = await open();
  before.configure({ accountPool: 2 });
  const account_id = await account(before);
  await before.deposit(account_id, '10.00');
  const shown = before.account(account_id);
  await before.close();

  const after = await open();
  after.configure({ accountPool: 2 });
  expect(after.account(account_id)).toEqual(shown);
  expect(after.availableAccounts('app-1')).toBe(1);
  await after.deposit(account_id, '0.01');
  expect(after.deposits(account_id)).toMatchObject({ count: 2, total: '10.01' });
  expect(after.account(await account(after)).account_number).not.toBe(shown.account_number);
});

test('a refund, an account and a deposit are in the file before an answer or a notification is sent', async () => {
  const simulator = await open();
  await create(simulator, 'one');
  await simulator.pay('one');
  await simulator.settled();
  const file = () => JSON.parse(readFileSync(dataFile, 'utf8'));
  await refund(simulator, 'r1');
  expect(file().refunds).toMatchObject([{ out_request_no: 'r1', refund_status: 'REFUND_PROCESSING' }]);
  const account_id = await account(simulator);
  expect(file().accounts).toMatchObject([{ account_id, status: 'ACTIVE' }]);
  await call(simulator, '/virtual-account/spei/cancel', { account_id });
  expect(file().accounts).toMatchObject([{ account_id, status: 'CANCELED' }]);
  simulator.configure({ depositsAfterCancel: 'accepted' });
  let written: unknown;
  merchant.onReceive = () => {
    written = file().trades.at(-1);
  };
  await simulator.deposit(account_id, '1.00');
  await simulator.settled();
  expect(written).toMatchObject({ kind: 'deposit', account_id, order_amount: '1.00' });
});

test('a killed process loses nothing that it has answered', async () => {
  const before = await open();
  await create(before, 'one');
  await before.pay('one');
  // What a kill would leave: the file as it is now, without any closing.
  const killed = join(folder, 'killed.json');
  await writeFile(killed, await readFile(dataFile));
  const after = await open(killed);
  expect(after.trade('one').trade_status).toBe('SUCCESS');
  await after.settled();
  expect(after.notifications()).toMatchObject([{ acknowledged: true }]);
});

test('a notification is sent only when its state is in the file', async () => {
  const simulator = await open();
  await create(simulator, 'one', { timeout_express: '2h' });
  let written: unknown;
  merchant.onReceive = () => {
    written = JSON.parse(readFileSync(dataFile, 'utf8')).trades[0].trade_status;
  };
  await simulator.advance('2h');
  expect(merchant.received).toMatchObject([{ body: { trade_status: 'CANCEL' } }]);
  expect(written).toBe('CANCEL');
});

test('the file is always whole, with nothing beside it, however many write at once', async () => {
  const simulator = await open();
  await Promise.all(Array.from({ length: 40 }, (_, index) => create(simulator, `order ${index}`)));
  expect(await readdir(join(folder, 'deep'))).toEqual(['gateway.json']);
  const saved = JSON.parse(await readFile(dataFile, 'utf8'));
  expect(saved.trades).toHaveLength(40);
});

test('a file of another kind is refused and not overwritten', async () => {
  const file = join(folder, 'other.json');
  await writeFile(file, '{"version":99}');
  await expect(start({ dataFile: file })).rejects.toThrow();
  expect(await readFile(file, 'utf8')).toBe('{"version":99}');
});

test('no secret is written', async () => {
  const simulator = await open();
  await call(simulator, '/trade/pay', order('credit-card'));
  await call(simulator, '/trade/pay', order('wallet-card-number'));
  await create(simulator, 'one');
  await simulator.pay('one');
  await refund(simulator, 'r1');
  const text = await readFile(dataFile, 'utf8');
  for (const secret of ['0012345-6', 'secret:of app 1', 'tok_4f1c2a9be77d', '"3001234567', 'fp-7c0e9f']) {
    expect(text).not.toContain(secret);
  }
  // However it is quoted; a part of a random UUID or of a longer number may hold these four digits by chance.
  expect(text).not.toMatch(/(?<![\w-])4821(?![\w-])/);
});
