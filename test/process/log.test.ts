/** One form of a log line for all programs. */
import { ApplicationFailure } from '@temporalio/common';
import { createLogger } from '../../src/process/log';
import { logFields } from '../../src/temporal/runtime';

function lineOf(write: (log: ReturnType<typeof createLogger>) => void): Record<string, unknown> {
  const lines: string[] = [];
  write(createLogger('worker', 'info', { write: (line) => void lines.push(line) }));
  return JSON.parse(lines[0] ?? '');
}

test('a line has its level as a word and its time in ISO 8601', () => {
  expect(lineOf((log) => log.warn({ app_id: 'shop' }, 'slow'))).toMatchObject({
    level: 'warn',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    name: 'worker',
    app_id: 'shop',
    msg: 'slow',
  });
});

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ['a payment', { workflowId: 'payment:shop:o:1' }, { workflow_id: 'payment:shop:o:1', order: 'o:1' }],
  ['an after-sale', { workflowId: 'after-sale:shop:o-1' }, { workflow_id: 'after-sale:shop:o-1', order: 'o-1' }],
  ['an account', { workflowId: 'spei-account:shop:7' }, { workflow_id: 'spei-account:shop:7' }],
  ['no workflow', { app_id: 'shop' }, { app_id: 'shop' }],
  [
    'an order that another workflow speaks of',
    { workflowId: 'stuck-sweep', workflow_id: 'payment:shop:o-2' },
    { workflow_id: 'payment:shop:o-2', order: 'o-2' },
  ],
  ['a request', { out_trade_no: 'o-3', taskQueue: 'payments' }, { order: 'o-3', task_queue: 'payments' }],
  [
    'a task with its payloads',
    { jobs: [{ data: 'e30' }], task: '{}', taskEncoded: 'e30', historyLength: 3, apps: ['shop'] },
    { history_length: 3, apps: ['shop'] },
  ],
  ['a task', { taskToken: 'secret', activityType: 'gateway.look' }, { activity_type: 'gateway.look' }],
])('a line of Temporal’s SDK about %s has the fields of ours', (_, given, fields) => {
  expect(logFields(given)).toEqual(fields);
});

test('a line about a failure of ours has its text, and of any other only what it is: that may quote a buyer', () => {
  const message = 'shop.example.com could not be reached (ECONNREFUSED)';
  const ours = ApplicationFailure.create({ type: 'EventNotTaken', message });
  const others = ApplicationFailure.create({ type: 'TheirFailure', message: 'mariana@example.com' });
  expect(logFields({ error: ours })).toEqual({ error: { type: 'EventNotTaken', message } });
  expect(logFields({ error: others })).toEqual({ error: { type: 'TheirFailure' } });
  const around = new TypeError('mariana@example.com', { cause: ours });
  expect(logFields({ error: around })).toEqual({
    error: { type: 'TypeError', cause: { type: 'EventNotTaken', message } },
  });
});
