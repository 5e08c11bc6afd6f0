/** A virtual account is followed, and created, under its own workflow id alone, on what its own run before handed on. */

import { createSpeiAccountWorkflowId } from '../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../src/gateway/pure/durations';
import { APP } from '../hostile/base-world';
import { A1, accountNow, create, deposit, happens, notify, open, terminate, transfer, world } from './hostile/acts';

const request = { customer: { buyer_id: 'k1', email: 'sofia@example.com' } };

test.each([
  ['another workflow id', { app_id: APP, account_id: 'A1' }, `workflow id: must be ${A1}`],
  ['no account', { app_id: APP }, 'account_id: required'],
  ['no input', undefined, 'app_id: required'],
])('an account with %s is not followed: whoever asks is told why, and the run fails', async (_title, input, why) => {
  await open();
  world.temporal.start('speiAccount', 'my-own-id', input);
  const asked = world.temporal.update('my-own-id', 'recheck');
  await world.pass(MINUTE);
  expect(JSON.stringify(asked?.outcome)).toContain(why);
  expect(world.temporal.latest('my-own-id')?.status).toBe('FAILED');
});

test('a start without its account, under the account’s own id, loses neither what was notified nor what was counted', async () => {
  await open();
  await happens(transfer('1.00'), HOUR, terminate);
  world.temporal.start('speiAccount', A1, { app_id: APP });
  await happens(transfer('2.00'), HOUR);
  expect(world.acknowledged).toHaveLength(2);
  expect(await accountNow()).toMatchObject({ deposits: { count: 2, total: { MXN: '3.00' } } });
});

test('a start by hand with what an earlier run was handed does not bring back its older count', async () => {
  await open({ continuesAfter: 40 });
  for (let i = 0; i < 12; i += 1) await happens(deposit('1.00'));
  for (let i = 1; i <= 12; i += 1) await happens(notify(`D${i}`), MINUTE);
  const second = world.temporal.runs(A1)[1];
  if (second === undefined) throw new Error('it has not continued as new');
  world.terminate('A1');
  world.temporal.begin({ workflowId: A1, type: 'speiAccount', args: second.start.args });
  await world.pass(DAY);
  expect(await accountNow()).toMatchObject({ deposits: { count: 12, total: { MXN: '12.00' } } });
});

test.each([
  ['another workflow id', 'my-own-id', { app_id: APP, request }, `must be create-spei-account:${APP}:KEY`],
  ['the id of another app', 'create-spei-account:other:k1', { app_id: APP, request }, 'workflow id'],
  ['no key', createSpeiAccountWorkflowId(APP, ''), { app_id: APP, request }, 'workflow id'],
  ['no request', createSpeiAccountWorkflowId(APP, 'k1'), { app_id: APP }, 'request: required'],
])('promise 2: a creation with %s makes no account', async (_title, workflowId, input, why) => {
  await open();
  const before = world.gateway.accounts.length;
  const run = world.temporal.start('createSpeiAccount', workflowId, input);
  await world.pass(HOUR);
  expect([run.status, world.gateway.accounts.length]).toEqual(['FAILED', before]);
  expect(JSON.stringify(run.failure)).toContain(why);
});

test('promise 2: a broken start under a key does not hide a run before it that may have made an account', async () => {
  await open({ creations: ['answer lost'] });
  const workflowId = createSpeiAccountWorkflowId(APP, 'k1');
  await happens(create('k1'), HOUR);
  world.temporal.latest(workflowId)?.terminate();
  world.temporal.start('createSpeiAccount', workflowId, undefined);
  await happens(MINUTE, create('k1'), HOUR);
  expect(world.gateway.accounts.filter(({ buyer_id }) => buyer_id === 'k1')).toHaveLength(1);
  expect(world.attentions.at(-1)).toMatchObject({ workflowId, attention: 'unknown-outcome' });
});
