/** What an operator writes as options: it is taken as it is meant, or refused with a sentence. */
import { WorkflowNotFoundError } from '@temporalio/client';
import { Command } from 'commander';
import { addOperatorCommands } from '../../src/cli/operator/commands';
import { targetOf } from '../../src/cli/operator/connection';
import { everyOf, filterOf, momentOf } from '../../src/cli/operator/options';
import { watched } from '../../src/cli/operator/watch';
import { loadConfig } from '../../src/process/settings';

const NOW = new Date('2026-03-02T12:00:00Z');

test.each([
  ['2026-03-01', '2026-03-01T00:00:00.000Z'],
  ['2028-02-29', '2028-02-29T00:00:00.000Z'],
  ['2026-03-01T12:00', '2026-03-01T12:00:00.000Z'],
  ['2026-03-01 12:00:00', '2026-03-01T12:00:00.000Z'],
  ['2026-03-01T12:00:00.5Z', '2026-03-01T12:00:00.500Z'],
  ['2026-03-01T12:00:00-03:00', '2026-03-01T15:00:00.000Z'],
  ['2h', '2026-03-02T10:00:00.000Z'],
])('--since %s is %s, UTC where it names no zone', (text, time) => {
  expect(momentOf('--since', text, NOW).toISOString()).toBe(time);
});

test.each([
  '2026-02-30',
  '2026-02-29T10:00:00Z',
  '2026-04-31',
  '2026-13-01',
  '2026-03-01T25:00',
  '99999999999d',
  'x',
  '',
])('--since %j is refused: there is no such time', (since) => {
  expect(() => filterOf({ since }, NOW)).toThrow(/^--since /);
});

test.each([
  { since: '2026-03-02', until: '2026-03-01' },
  { since: '2026-03-01', until: '2026-03-01' },
  { since: '2026-03-03' },
])('a period in which nothing lies is refused: %j', (period) => {
  expect(() => filterOf(period, NOW)).toThrow(/^--since \S+: must be before (--until|now)\.$/);
});

test('a duration that leads to no time is refused', () => {
  expect(() => filterOf({ stuck: '99999999999d' }, NOW)).toThrow('--stuck 99999999999d: must be at most 36500d.');
});

test.each(['0s', '99ms', '25d', 'often'])('--every %s is refused: Temporal would be asked without a pause', (text) => {
  expect(() => everyOf('--every', text)).toThrow(/^--every /);
});

test.each(['late-paymnt', 'No-answer', 'LATE', ''])(
  '--attention %j is refused: nothing waits for that reason',
  (attention) => {
    expect(() => filterOf({ attention }, NOW)).toThrow(/no such reason\. There are .*late-payment.*few-accounts/);
  },
);

test.each(['late-payment', 'overdue-deposit', 'few-accounts'])('--attention %s is taken', (attention) => {
  expect(filterOf({ attention }, NOW).attention).toBe(attention);
});

test('watch shows what is chosen; where nothing but an app is, what needs a person', () => {
  expect(watched({ query: "PaymentMethod = 'PIX'" }, NOW).attention).toBeUndefined();
  expect(watched({ until: '2h' }, NOW).attention).toBeUndefined();
  expect(watched({ app: 'shop' }, NOW)).toMatchObject({ app_id: 'shop', attention: true });
  expect(watched({}, NOW).attention).toBe(true);
});

function typed(...words: string[]): Promise<unknown> {
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  addOperatorCommands(program);
  for (const command of program.commands) command.copyInheritedSettings(program);
  return program.parseAsync(words, { from: 'user' });
}

test.each([['--dry-run'], ['--stuck'], ['--method', 'PIX']])(
  'recheck of an order with %s is refused, and asks for nothing',
  async (...more) => {
    await expect(typed('recheck', 'order-1', ...more)).rejects.toThrow(/an order is asked for by itself/);
  },
);

test('resolve with --although alone is refused, and says what it goes with', async () => {
  const said = ['--by', 'ana', '--reason', 'seen', '--although', 'REFUNDED'];
  await expect(typed('resolve', 'order-1', ...said)).rejects.toThrow(/--although goes with --outcome or --elsewhere/);
});

const config = loadConfig({ GATEWAY_APP_ID: 'shop', PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true' });
/** Temporal with workflows of these ids. */
const having = (...ids: string[]) => ({
  workflow: {
    getHandle: (id: string) => ({
      describe: async () => {
        if (!ids.includes(id)) throw new WorkflowNotFoundError('none', id, undefined);
      },
    }),
  },
});
const client = having();
const ofShop = { workflow_id: null, app_id: 'shop' };

test.each(['payment:shop:5', 'after-sale:2026:1', 'reconciliation:shop:1', 'stuck-sweep-9', '--yes', 'order-1'])(
  '%j beside --app is the number of an order, whatever workflow’s id it looks like',
  async (out_trade_no) => {
    expect(await targetOf(out_trade_no, { app: 'shop' }, { config, client }, 'change')).toEqual({
      ...ofShop,
      out_trade_no,
    });
  },
);

test('the id of a workflow without --app names that workflow, and the order that it is of', async () => {
  const named = { workflow_id: 'after-sale:other:5', app_id: 'other', out_trade_no: '5' };
  expect(await targetOf('after-sale:other:5', {}, { config, client }, 'change')).toEqual(named);
  expect(await targetOf('order-1', {}, { config, client }, 'change')).toEqual({ ...ofShop, out_trade_no: 'order-1' });
});

describe('a number without --app, where there are several apps', () => {
  const app = (app_id: string) => ({ app_id, secret_key: 'sk_test', base_url: 'https://gateway.example' });
  const several = { ...config, apps: [app('brazil'), app('mexico')], GATEWAY_APP_ID: 'brazil' };
  const target = (to: 'show' | 'change', ...ids: string[]) =>
    targetOf('1002', {}, { config: several, client: having(...ids) }, to);

  test.each([
    [['payment:mexico:1002'], 'mexico has'],
    [['payment:brazil:1002', 'after-sale:mexico:1002'], 'brazil and mexico have'],
    [[], 'none has'],
  ])('changes nothing, and the refusal says who has it: %j', async (ids, said) => {
    const refusal = `Which app? Nothing was done: name one of brazil, mexico with --app. Of these, ${said} 1002.`;
    await expect(target('change', ...ids)).rejects.toThrow(refusal);
  });

  test('shows the order of the only app that has it, and asks where several have', async () => {
    expect(await target('show', 'after-sale:mexico:1002')).toMatchObject({ app_id: 'mexico', out_trade_no: '1002' });
    await expect(target('show', 'payment:brazil:1002', 'payment:mexico:1002')).rejects.toThrow(
      'brazil and mexico have',
    );
  });
});
