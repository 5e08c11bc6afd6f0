/**
 * A person at the desk: finds in Temporal UI what needs somebody, reads what it says, there and by `show`, does what it names, and sees
 * who did what and why. `npm run test:desk` does it for every reason and takes the pictures of docs/runbook.md; the tests do it for a few.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readCase } from '../../../src/cli/operator/case';
import type { Target } from '../../../src/cli/operator/connection';
import { caseText } from '../../../src/cli/operator/show';
import { type Attention, namedByWorkflowId, namedInCommands, RUNBOOK } from '../../../src/contract';
import { built } from '../../harness/built';
import { Desk, plain } from './desk';
import { PICTURED, SCENES, type Scene } from './scenes';

const { DESK_REASONS = 'amount-mismatch,refund-elsewhere,books-differ', DESK_PICTURES } = process.env;
const CHOSEN = PICTURED.filter((reason) => DESK_REASONS === 'all' || DESK_REASONS.split(',').includes(reason));

let desk: Desk;
let link: string;
/** All begin one after the other: what one waits for, the others use. */
const brought = new Map<Attention, Promise<string>>();
beforeAll(async () => {
  await built();
  desk = await Desk.open();
  let before: Promise<unknown> = Promise.resolve();
  for (const reason of CHOSEN) {
    const bringing = before.then(() => SCENES[reason].bring(desk));
    before = bringing.catch(() => undefined);
    const waiting = bringing.then(() => untilWaiting(reason, SCENES[reason]));
    waiting.catch(() => undefined);
    brought.set(reason, waiting);
  }
  link = JSON.parse(await desk.run('ui', '--json'))['What needs a person'];
  if (DESK_PICTURES) await mkdir(DESK_PICTURES, { recursive: true });
});
afterAll(() => desk?.close());

/** The id of the workflow that waits for a person, once it does. */
async function untilWaiting(reason: Attention, scene: Scene): Promise<string> {
  const waits = typeof scene.waits === 'string' ? scene.waits : scene.waits(desk);
  const query = `PaymentAttention = '${reason}' AND ExecutionStatus = 'Running' AND WorkflowId STARTS_WITH '${waits}'`;
  await desk.untilListed(query, 1);
  for await (const { workflowId } of desk.stack.client.workflow.list({ query })) return workflowId;
  throw new Error(`${reason} was listed, and is not any more.`);
}

/** What `show` reads: the whole order of the workflow, where it has one. */
function targetOf(workflow_id: string): Target {
  const { app_id = '', out_trade_no = null } = namedByWorkflowId(workflow_id) ?? {};
  return { workflow_id, app_id, out_trade_no };
}

/** The command of the page as the person types it. */
function commandOf(page: string, { command = /^resolve /, writes = {} }: Scene): string[] {
  const named = [...page.matchAll(/: payment-gateway ((?:recheck|resolve|cancel) .*?), or the update/g)].map(
    ([, text = '']) => text,
  );
  const meant = named.find((text) => command.test(text));
  if (meant === undefined) throw new Error(`The page names no such command:\n${page}`);
  const written = { YOU: 'ana', WHY: 'seen-by-ana', OUTCOME: 'CANCEL', ...writes };
  return meant.split(' ').map((word) => new Map(Object.entries(written)).get(word) ?? word);
}

async function takePicture(name: string): Promise<void> {
  if (DESK_PICTURES) await writeFile(join(DESK_PICTURES, `${name}.webp`), await desk.picture());
}

test.each(CHOSEN)(
  '%s is found by the link, explained by its page, cleared by the command of the page, and shows who and why',
  async (reason) => {
    const scene = SCENES[reason];
    const workflowId = (await brought.get(reason)) ?? '';
    await desk.openByLink(link, workflowId);
    const page = await desk.details(reason);
    const { happened, loses, look, act, after } = RUNBOOK[reason];
    const words = [happened, loses, look, act, after].map((one) => plain(namedInCommands(one, workflowId)));
    for (const told of words) expect(page).toContain(told);
    await takePicture(reason);
    const shown = caseText(await readCase(desk.stack.client, targetOf(workflowId)), {});
    expect(shown).toContain(`Needs a person: ${reason}. ${happened}\n`);
    expect(shown.split('\n').length).toBeLessThan(30);

    scene.outside?.(desk);
    const command = commandOf(page, scene);
    await desk.run(...command);
    const [update = ''] = command;
    const told = await desk.updateInHistory(update);
    if (update === 'resolve') expect(told).toMatch(/"by": "ana", "reason": "seen-by-ana"/);
    await desk.untilListed(
      `PaymentAttention = '${reason}' AND ExecutionStatus = 'Running' AND WorkflowId = '${workflowId}'`,
      0,
    );
  },
);

test('the JSON of a page, pasted into the form of Temporal UI, is taken by one press of Submit', async () => {
  const reason = 'unexpected-signal';
  await SCENES[reason].bring(desk);
  const workflowId = await untilWaiting(reason, SCENES[reason]);
  await desk.openByLink(link, workflowId);
  await desk.details(reason);
  const [json = ''] = await desk.blocks();
  expect(JSON.parse(json)).toEqual({ seen: reason, by: 'YOU', reason: 'WHY' });
  await desk.sendUpdate('resolve', json.replace('YOU', 'ana').replace('WHY', 'the sender was mended, and is silent'));
  await desk.untilListed(`PaymentAttention = '${reason}' AND ExecutionStatus = 'Running'`, 0);
});
