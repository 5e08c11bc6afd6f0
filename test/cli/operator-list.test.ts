/** `list`, `show`, `watch` and `ui` with 400 payments on five pages of Temporal's, of which 12 need a person. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SearchAttributePair } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { LiveWorld } from '../../src/cli/check/world';
import { readCase } from '../../src/cli/operator/case';
import { caseText } from '../../src/cli/operator/show';
import {
  ATTENTIONS,
  eventDeliveryWorkflowId,
  nameDigests,
  paymentWorkflowId,
  RUNBOOK,
  SEARCH_ATTRIBUTE,
  WORKFLOW,
} from '../../src/contract';
import { loadConfig } from '../../src/process/settings';
import { collect } from '../../src/temporal/workflow-list';
import { devServer } from '../../src/testing';
import { built } from '../harness/built';
import { Commands, started } from '../harness/commands';
import { until } from '../harness/runs';
import { Terminal } from '../harness/terminal';

const MANY = 400;
/** Temporal gives so many at most, where a list asks for 1,000: to start thousands would cost minutes of CPU and show the same. */
const PAGE = 80;
const APP_ID = 'shop';
const CLEAR = { PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true', PAYMENTS_SCHEDULES: 'false' };
const folder = mkdtempSync(join(tmpdir(), 'operator-list-'));
/** The reasons of the 12, each a different one, by the number of its order. */
const STUCK = new Map(ATTENTIONS.slice(0, 12).map((reason, i) => [`order-${i * 33 + 7}`, reason]));

let temporal: TestWorkflowEnvironment;
beforeAll(async () => {
  await built();
  temporal = await devServer(['--dynamic-config-value', `frontend.visibilityMaxPageSize=${PAGE}`]);
  const numbers = Array.from({ length: MANY }, (_, i) => i);
  // Nobody works on them: lists read what Temporal knows without a worker.
  while (numbers.length > 0) await Promise.all(numbers.splice(0, 50).map((i) => startPayment(i)));
  await startPayment(0, 'other-shop');
  await untilListed(MANY + 1);
});
afterAll(async () => {
  await commands.end();
  await temporal?.teardown();
  rmSync(folder, { recursive: true });
});

async function startPayment(i: number, app_id = APP_ID): Promise<void> {
  const out_trade_no = `order-${i}`;
  const attention = app_id === APP_ID ? STUCK.get(out_trade_no) : undefined;
  const attributes: SearchAttributePair[] = [
    { key: SEARCH_ATTRIBUTE.status, value: 'PROCESSING' },
    { key: SEARCH_ATTRIBUTE.method, value: i % 10 === 0 ? 'SPEI' : 'PIX' },
    { key: SEARCH_ATTRIBUTE.money, value: 'BRL 150.00' },
    { key: SEARCH_ATTRIBUTE.amount, value: 150 },
    // Three are long over.
    { key: SEARCH_ATTRIBUTE.expiresAt, value: new Date(Date.now() + (i < 3 ? -3 : 3) * 3_600_000) },
    ...(attention ? [{ key: SEARCH_ATTRIBUTE.attention, value: attention }] : []),
  ];
  await temporal.client.workflow.start(WORKFLOW.payment, {
    workflowId: paymentWorkflowId(app_id, out_trade_no),
    taskQueue: 'nobody',
    args: [],
    typedSearchAttributes: attributes,
  });
}

/** Lists may be a moment behind. */
async function untilListed(many: number): Promise<void> {
  const listed = () => temporal.client.workflow.count("WorkflowType = 'payment'");
  await until(listed, ({ count }) => count >= many);
}

const commands = new Commands(folder);
const env = () => ({ ...CLEAR, TEMPORAL_ADDRESS: temporal.address, TEMPORAL_UI_URL: 'https://temporal.example' });
/** In the process that runs them all. */
const run = (...args: string[]) => commands.run(env(), ...args);
/** In a process of its own. */
const start = (...args: string[]) => started(folder, env(), ...args);

const rows = (output: string) =>
  output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

test('list --attention shows exactly the 12 with their reasons, among all', async () => {
  const { code, output } = await start('list', '--attention', '--json');
  expect(code).toBe(0);
  const found = new Map(rows(output).map(({ out_trade_no, attention }) => [out_trade_no, attention]));
  expect(rows(output)).toHaveLength(12);
  expect(found).toEqual(STUCK);
  const table = await run('list', '--attention');
  for (const [number, reason] of STUCK) expect(table.output).toMatch(new RegExp(`^${number} .* ${reason} `, 'm'));
  // The head, and at the end the totals and the count.
  expect(table.output.trim().split('\n')).toHaveLength(16);
  expect(table.output).toMatch(/^By age: 12 under an hour; the longest /m);
});

test('show of each of the 12 explains it in fewer than 30 lines', async () => {
  for (const [out_trade_no, reason] of STUCK) {
    const target = { workflow_id: null, app_id: APP_ID, out_trade_no };
    const text = caseText(await readCase(temporal.client, target), {});
    expect(text.split('\n').length).toBeLessThan(30);
    expect(text).toContain(`Needs a person: ${reason}. ${RUNBOOK[reason].happened}\n`);
    expect(text).toContain(
      `payment-gateway resolve ${out_trade_no} --app ${APP_ID} --seen ${reason} --outcome OUTCOME`,
    );
    expect(text).toContain('a worker to take it');
  }
});

test('list --attention REASON shows the one', async () => {
  const [number, reason] = [...STUCK][5] ?? [];
  const { output } = await run('list', '--attention', String(reason), '--json');
  expect(rows(output)).toMatchObject([
    { out_trade_no: number, attention: reason, app_id: APP_ID, status: 'PROCESSING' },
  ]);
});

test('list --disputes shows what waits under dispute', async () => {
  const [[number] = []] = [...STUCK].filter(([, reason]) => reason === 'dispute');
  const { output } = await run('list', '--disputes', '--json');
  expect(rows(output)).toMatchObject([{ out_trade_no: number, attention: 'dispute' }]);
});

test('list --json gives every payment once, over all pages; a person sees 100, and of how many', async () => {
  const { output } = await start('list', '--json', '--app', APP_ID);
  const numbers = rows(output).map(({ out_trade_no }) => out_trade_no);
  expect(numbers).toHaveLength(MANY);
  // More than a pipe holds: the reader gets what was printed last as well.
  expect(output.length).toBeGreaterThan(65_536);
  const first = await temporal.client.workflowService.listWorkflowExecutions({ namespace: 'default', pageSize: 1_000 });
  expect(first.executions).toHaveLength(PAGE);
  expect(new Set(numbers)).toEqual(new Set(Array.from({ length: MANY }, (_, i) => `order-${i}`)));
  expect((await run('list')).output.trim().split('\n').at(-1)).toBe(
    `100 of ${MANY + 1}; --limit shows more, --json and export all.`,
  );
  expect((await run('list', '--limit', '7')).output).toMatch(new RegExp(`^7 of ${MANY + 1};`, 'm'));
});

test('filters hold together: method, app, status, time', async () => {
  const count = async (...args: string[]) => {
    const { output } = await run('list', '--json', ...args);
    return output === '' ? 0 : rows(output).length;
  };
  expect(await count('--method', 'spei', '--app', APP_ID)).toBe(MANY / 10);
  expect(await count('--method', 'SPEI', '--status', 'processing', '--since', '1h', '--app', 'other-shop')).toBe(1);
  expect(await count('--status', 'SUCCESS')).toBe(0);
  expect(await count('--until', '2020-01-01')).toBe(0);
});

test('list --stuck shows what is past its time, and what was just ordered is not', async () => {
  const stuck = rows((await run('list', '--stuck', '2h', '--json', '--app', APP_ID)).output);
  expect(stuck.map(({ out_trade_no }) => out_trade_no).sort()).toEqual(['order-0', 'order-1', 'order-2']);
  expect((await run('list', '--stuck', '4h')).output).toBe('None.\n');
});

test('a query that Temporal cannot read ends with 2 and a sentence', async () => {
  const { code, output, printed } = await start('list', '--query', 'nonsense ==');
  expect({ code, output }).toEqual({ code: 2, output: '' });
  expect(printed).toMatch(/^Temporal refuses it: /);
  expect(printed).not.toMatch(/^ +at /m);
});

test('watch shows the 12 again and again, until Ctrl-C', async () => {
  const watching = new Terminal(
    { cwd: folder, env: { ...CLEAR, TEMPORAL_ADDRESS: temporal.address } },
    'watch',
    '--every',
    '1s',
  );
  await watching.sees(/12 found[\s\S]*12 found/);
  await watching.interrupt();
});

test('ui prints a link to the list of what needs a person', async () => {
  const { output } = await start('ui');
  const [link = ''] = /https:\S+/.exec(output) ?? [];
  const url = new URL(link);
  expect(url.pathname).toBe('/namespaces/default/workflows');
  const query = url.searchParams.get('query') ?? '';
  expect((await temporal.client.workflow.count(query)).count).toBe(12);
});

test('ui with a text prints a link to the list of what has it as a number', async () => {
  const { output } = await run('ui', 'order-7', '--app', APP_ID, '--json');
  const [link = ''] = Object.values<string>(JSON.parse(output));
  const query = new URL(link).searchParams.get('query') ?? '';
  const [found, ...others] = await collect(temporal.client.workflow.list({ query }));
  expect([found?.workflowId, others]).toEqual([paymentWorkflowId(APP_ID, 'order-7'), []]);
});

test('list --app and recheck --app find the deliveries of the app’s events, and of no other app', async () => {
  for (const app_id of [APP_ID, 'other-shop'])
    await temporal.client.workflow.start(WORKFLOW.eventDelivery, {
      workflowId: eventDeliveryWorkflowId('address', paymentWorkflowId(app_id, 'order-9')),
      taskQueue: 'nobody',
      args: [],
      typedSearchAttributes: [
        { key: SEARCH_ATTRIBUTE.attention, value: 'undelivered-event' },
        { key: SEARCH_ATTRIBUTE.names, value: nameDigests([['subject', paymentWorkflowId(app_id, 'order-9')]]) },
      ],
    });
  const undelivered = () => temporal.client.workflow.count("PaymentAttention = 'undelivered-event'");
  await until(undelivered, ({ count }) => count >= 2);
  const chosen = ['--attention', 'undelivered-event', '--app', 'other-shop'];
  const workflow_id = 'event-delivery:address:payment:other-shop:order-9';
  expect(rows((await run('list', '--json', ...chosen)).output)).toMatchObject([{ workflow_id, app_id: 'other-shop' }]);
  expect((await run('list', '--limit', '1', '--attention', '--app', APP_ID)).output).toMatch(/^1 of 13;/m);
  expect((await start('recheck', '--dry-run', ...chosen)).output).toContain(`${workflow_id}\n1 would be asked for.`);
  const shown = await run('show', 'order-9', '--app', 'other-shop');
  expect(shown.output).toMatch(
    /undelivered-event\. Next: payment-gateway recheck event-delivery:address:payment:other-shop:order-9\n/,
  );
  // A word on the order is none on its events.
  const said = await run('resolve', 'order-9', '--app', 'other-shop', '--by', 'ana', '--reason', 'seen');
  expect(said).toMatchObject({ code: 2, printed: expect.stringContaining('Nothing of order-9 waits for a person') });
  const taken = await run('take', workflow_id, '--by', 'ana');
  expect(taken).toMatchObject({ code: 2, printed: expect.stringContaining('does not note who takes care of it') });
  expect((await run('show', workflow_id, '--why')).output).toContain('Only payments and after-sales tell facts.');
});

describe('an order of an app that the settings lack, such as one that a caller has mistyped', () => {
  const ofOther = (...args: string[]) => commands.run({ ...env(), GATEWAY_APP_ID: 'other-shop' }, ...args);

  test('has its app in the lists, which leave it out where all is of the settings’ only app', async () => {
    const { output } = await ofOther('list', '--attention', '--app', APP_ID);
    expect(output).toMatch(/^ORDER +APP +OF /);
    for (const [number] of STUCK) expect(output).toMatch(new RegExp(`^${number} +${APP_ID} +payment `, 'm'));
    expect((await ofOther('list', '--app', 'other-shop')).output).toMatch(/^ORDER +OF /);
  });

  test('is found by its number, and show says with which --app', async () => {
    const found = await ofOther('find', 'order-7');
    expect(found).toMatchObject({ code: 0, output: expect.stringMatching(/^order +order-7 +shop +payment /m) });
    expect(found.output).toContain(`payment-gateway show order-7 --app ${APP_ID}`);
    expect(await ofOther('show', 'order-7')).toMatchObject({
      code: 1,
      printed: expect.stringContaining(
        `Temporal has nothing of order order-7 in the apps of these settings. Another app has it: payment-gateway show order-7 --app ${APP_ID}`,
      ),
    });
    expect((await ofOther('show', 'no-such-order')).printed).toContain('Temporal has nothing of order no-such-order.');
    expect((await ofOther('find', 'no-such-order')).code).toBe(1);
  });
});

test('check reads the payments that were paid, however many are open', async () => {
  const out_trade_no = 'paid-1';
  const paid = await temporal.client.workflow.start(WORKFLOW.payment, {
    ...{ workflowId: paymentWorkflowId(APP_ID, out_trade_no), taskQueue: 'nobody', args: [] },
    typedSearchAttributes: [{ key: SEARCH_ATTRIBUTE.outcome, value: 'SUCCESS' }],
  });
  await paid.terminate();
  await untilListed(MANY + 2);
  const world = new LiveWorld(loadConfig(env()), env(), false);
  await until(
    () => world.paid(APP_ID),
    ([found]) => found?.workflow_id === paid.workflowId,
  );
  expect((await world.payments(APP_ID)).some(({ workflow_id }) => workflow_id === paid.workflowId)).toBe(false);
  await world.close();
});

describe('what somebody has terminated, or takes no recheck', () => {
  const OWN = 'ended-shop';
  /** A workflow that nobody works on. */
  async function begun(
    workflowId: string,
    type: string,
    says: { attention?: string; status?: string; subject?: string },
  ) {
    const { attention, status, subject } = says;
    const handle = await temporal.client.workflow.start(type, {
      ...{ workflowId, taskQueue: 'nobody', args: [] },
      typedSearchAttributes: [
        ...(attention ? [{ key: SEARCH_ATTRIBUTE.attention, value: attention }] : []),
        ...(status ? [{ key: SEARCH_ATTRIBUTE.status, value: status }] : []),
        ...(subject ? [{ key: SEARCH_ATTRIBUTE.names, value: nameDigests([['subject', subject]]) }] : []),
      ],
    });
    await listed(workflowId, 'Running', 1);
    return handle;
  }
  const listed = (workflowId: string, status: string, many: number) =>
    until(
      () => temporal.client.workflow.count(`WorkflowId = '${workflowId}' AND ExecutionStatus = '${status}'`),
      ({ count }) => count === many,
    );
  async function ended(...of: Parameters<typeof begun>) {
    await (await begun(...of)).terminate('by mistake');
    await listed(of[0], 'Terminated', 1);
  }
  const inList = async (reason: string) => {
    const { output } = await run('list', '--attention', reason, '--app', OWN, '--json');
    return output === '' ? [] : rows(output).map(({ workflow_id }) => workflow_id);
  };
  const reconciliation = (period: string) => `reconciliation:${OWN}:${period}`;

  test.each<[what: string, period: string, status: string, needs: boolean]>([
    ['that a person has started', '2026-12-01T00:45:05.123Z:2', 'COMPARING', true],
    ['of a Schedule that found differences', 'daily-2026-03-01T04:00:00Z', 'COMPARED 2026-02-28 2026-03-01', true],
    ['of a Schedule before its end: job-stopped has its day', 'daily-2026-03-02T04:00:00Z', 'COMPARING', false],
  ])('list and show say the same of a reconciliation %s', async (_what, period, status, needs) => {
    const id = reconciliation(period);
    await ended(id, WORKFLOW.reconciliation, { status });
    expect((await inList('ended-from-outside')).includes(id)).toBe(needs);
    const [first] = (await run('show', id)).output.split('\n');
    if (needs) expect(first).toContain('nobody goes on with it: reset it. It has needed a person for ');
    else expect(first).toMatch(/list --attention job-stopped has the day\. Nothing of it is open\.$/);
  });

  test('show of an order has its delivery of events that somebody has terminated, until another run delivers', async () => {
    const subject = paymentWorkflowId(OWN, 'order-1');
    await begun(subject, WORKFLOW.payment, { status: 'PROCESSING' });
    const id = eventDeliveryWorkflowId('address', subject);
    await ended(id, WORKFLOW.eventDelivery, { subject });
    expect(await inList('ended-from-outside')).toContain(id);
    const shown = async () => (await run('show', 'order-1', '--app', OWN)).output;
    expect(await shown()).toContain(`  Ended: ${id}\n    Needs a person: ended-from-outside.`);
    await begun(id, WORKFLOW.eventDelivery, { subject });
    expect(await inList('ended-from-outside')).not.toContain(id);
    expect(await shown()).not.toContain('Ended: ');
  });

  test('recheck and resolve of what takes none say what to do instead', async () => {
    const id = `create-spei-account:${OWN}:buyer-1`;
    const of = (verb: string, one: string) =>
      run(verb, one, ...(verb === 'recheck' ? [] : ['--by', 'ana', '--reason', 'x']));
    const creation = await begun(id, WORKFLOW.createSpeiAccount, { attention: 'unknown-outcome' });
    expect(await of('recheck', id)).toMatchObject({
      code: 2,
      printed: expect.stringMatching(
        `${id} has no recheck of its own, and waits under unknown-outcome\\. Send .resolve. with the account [^]*\\n  To name the account that it made: payment-gateway resolve ${id} --account ACCOUNT_ID --by YOU`,
      ),
    });
    await creation.terminate();
    await listed(id, 'Terminated', 1);
    const reset = `${id} was ended from outside. \`temporal workflow reset --workflow-id ${id} --type LastWorkflowTask --reason WHY\`, then \`resolve\`, as \`show\` says.`;
    for (const verb of ['recheck', 'resolve'])
      expect(await of(verb, id)).toMatchObject({ code: 2, printed: expect.stringContaining(reset) });
    const silent = `create-spei-account:${OWN}:buyer-2`;
    await begun(silent, WORKFLOW.createSpeiAccount, { attention: 'no-answer' });
    expect((await of('recheck', silent)).printed).toMatch(/Bring the gateway .* back\. It goes on by itself once /);
    const compared = reconciliation('2026-12-01T00:45:05.123Z');
    await begun(compared, WORKFLOW.reconciliation, { attention: 'books-differ' });
    expect((await of('recheck', compared)).printed).toContain(`payment-gateway resolve ${compared} --by YOU`);
  });

  test('recheck of all that waits for a reason asks each that takes it, and counts the others by kind', async () => {
    const waits = { attention: 'settings' };
    const asked = [`spei-account:${OWN}:1`, `spei-account-quantity:${OWN}`, paymentWorkflowId(OWN, 'order-2')];
    const [account = '', quantity = '', payment = ''] = asked;
    await begun(account, WORKFLOW.speiAccount, waits);
    await begun(quantity, WORKFLOW.speiAccountQuantity, waits);
    await begun(payment, WORKFLOW.payment, waits);
    await begun(`create-spei-account:${OWN}:buyer-3`, WORKFLOW.createSpeiAccount, waits);
    await ended(paymentWorkflowId(OWN, 'order-3'), WORKFLOW.payment, waits);
    const chosen = ['recheck', '--attention', 'settings', '--app', OWN, '--dry-run'];
    const { output, printed } = await run(...chosen);
    expect(output.trim().split('\n').sort()).toEqual([...asked, '3 would be asked for. Nothing was done.'].sort());
    expect(printed).toMatch(
      /Left out: (?=.*1 create-spei-account \(has no recheck\))(?=.*1 payment \(ended from outside\)).*show says/,
    );
    expect(rows((await run(...chosen, '--json')).output)).toHaveLength(5);
    // None of what was ended is open.
    expect((await run('recheck', '--attention', 'ended-from-outside', '--dry-run')).output).toContain(
      '0 would be asked',
    );
  });
});
