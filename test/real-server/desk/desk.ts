/** An operator's desk: a whole stack with keys, a codec server, Temporal UI, Chromium and the command line. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import pino from 'pino';
import type { Browser, Page } from 'playwright-core';
import { freePort } from '../../../src/cli/dev/temporal/ports';
import { type RunningCodecServer, startCodecServer } from '../../../src/codec/run';
import type { LookInput } from '../../../src/contract';
import { loadConfig } from '../../../src/process/settings';
import type { FaultOrder } from '../../../src/simulator/faults/faults';
import { APP, type Stack, startStack } from '../../../src/testing/stack';
import { key, setting } from '../../codec/support';
import { startChromium } from '../../harness/chromium';
import { Commands, type Ended, started } from '../../harness/commands';
import { type FlakyReceiver, flakyReceiver } from '../../harness/flaky-receiver';

/** What takes minutes in a shop takes seconds here. */
const SOON = { PAYMENTS_GRACE: '3s', PAYMENTS_EVENTS_GIVE_UP: '5s' };
const PATIENCE_MS = 3_000;

export class Desk {
  private readonly folder = mkdtempSync(join(tmpdir(), 'desk-'));
  private readonly commands = new Commands(this.folder);
  private how = (args: string[]): Promise<Ended> => started(this.folder, this.env, ...args);

  private constructor(
    readonly stack: Stack,
    readonly receiver: FlakyReceiver,
    private readonly codec: RunningCodecServer,
    private readonly chromium: Browser,
    readonly page: Page,
    private readonly env: Record<string, string>,
  ) {}

  static async open(): Promise<Desk> {
    const [{ port: uiPort }, { port: codecPort }] = [await freePort(0), await freePort(0)];
    const ui = `http://127.0.0.1:${uiPort}`;
    const receiver = await flakyReceiver();
    const keys = { PAYMENTS_ENCRYPTION_KEYS: setting(key('k1')) };
    const codecSettings = { CODEC_SERVER_PORT: String(codecPort), CODEC_SERVER_UI_ORIGINS: ui };
    // As support sees it: who decided and why is not for every viewer.
    const codec = await startCodecServer(
      loadConfig({ ...keys, ...codecSettings }),
      pino({ level: 'silent' }),
      async () => 'support',
    );
    const stack = await startStack({
      env: { ...keys, ...SOON, PAYMENTS_EVENTS_URL: receiver.url, PAYMENTS_EVENTS_SECRETS: receiver.secret },
      simulator: { refundTakes: '0s', standsAgainAfter: '1h' },
      temporal: ['--ui-codec-endpoint', codec.url],
      uiPort,
      worker: { interceptors: { activity: [impatient] } },
    });
    const chromium = await startChromium();
    const page = await chromium.newPage({ viewport: { width: 1400, height: 1000 } });
    const queue = { PAYMENTS_TASK_QUEUE: stack.taskQueue, TEMPORAL_UI_URL: ui };
    const env = { ...keys, ...queue, TEMPORAL_ADDRESS: stack.temporal.address, GATEWAY_APP_ID: APP.app_id };
    return new Desk(stack, receiver, codec, chromium, page, env);
  }

  async close(): Promise<void> {
    await this.chromium.close();
    await this.stack.close();
    await this.codec.close();
    await this.receiver.close();
    await this.commands.end();
    rmSync(this.folder, { recursive: true });
  }

  /** Runs `payment-gateway`: the first time as a person starts it, and then in one process for all. */
  async run(...args: string[]): Promise<string> {
    const { code, printed, output } = await this.how(args);
    this.how = (more) => this.commands.run(this.env, ...more);
    expect({ code, printed }).toMatchObject({ code: 0 });
    return output;
  }

  /** Waits until Temporal lists exactly so many: lists may be a moment behind. */
  async untilListed(query: string, many: number): Promise<void> {
    while ((await this.stack.client.workflow.count(query)).count !== many) await delay(50);
  }

  /** Opens the page of a workflow as a person does: by its line in the list of a link. */
  async openByLink(link: string, workflowId: string): Promise<void> {
    await this.page.goto(link);
    await this.page.getByRole('link', { name: workflowId, exact: true }).first().click();
    await this.page.getByRole('heading', { name: workflowId }).waitFor();
  }

  /** What the page tells in its details, once that holds this text. Temporal UI shows Markdown in a frame of its own. */
  async details(text: string): Promise<string> {
    await this.page.getByText('User Metadata').first().click();
    for (;;) {
      const bodies = this.page
        .frames()
        .slice(1)
        .map((frame) => frame.locator('body').innerText({ timeout: 500 }));
      const shown = (await Promise.all(bodies.map((body) => body.catch(() => '')))).map(plain);
      const found = shown.find((one) => one.includes(plain(text)));
      if (found !== undefined) return found;
      await delay(100);
    }
  }

  /** The blocks of code in the page's details, as a person copies them. */
  async blocks(): Promise<string[]> {
    const blocks = this.page
      .frames()
      .slice(1)
      .map((frame) => frame.locator('pre').allInnerTexts());
    return (await Promise.all(blocks)).flat();
  }

  /** Sends an update by the form of the page: the JSON is pasted, and Submit pressed once. */
  async sendUpdate(name: string, json: string): Promise<void> {
    await this.page.getByRole('button', { name: 'More Actions' }).click();
    await this.page.getByRole('menuitem', { name: 'Send an Update' }).click();
    const form = this.page
      .locator('dialog, [role=dialog]')
      .filter({ visible: true, hasText: 'Send an Update' })
      .first();
    await form.getByTestId('update-select-button').click();
    await form.getByRole('option', { name, exact: true }).first().click();
    await form.getByRole('textbox', { name: 'Data' }).click();
    await this.page.keyboard.press('Control+A');
    await this.page.keyboard.insertText(json);
    await form.getByRole('button', { name: 'Submit' }).click();
  }

  /** What the page's history has of the latest update of this name: its input as JSON, or who sent it. */
  async updateInHistory(name: string): Promise<string> {
    await this.page.goto(this.page.url().replace(/\/[^/]*$/, '/history'));
    await this.page.getByText('Workflow Execution Update Accepted').first().waitFor();
    // The latest is above: an after-sale signals its refund under the same name.
    await this.page.getByText(name, { exact: true }).last().click();
    await this.page.getByText('Accepted Request', { exact: true }).first().waitFor();
    await this.page.getByText(`"${name}"`).first().waitFor();
    return plain(await this.page.locator('body').innerText());
  }

  /** A small picture of the page without Temporal UI's own menus. */
  async picture(): Promise<Buffer> {
    const session = await this.page.context().newCDPSession(this.page);
    const clip = { x: 256, y: 56, width: 1144, height: 944, scale: 0.75 };
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 45, clip });
    await session.detach();
    return Buffer.from(data, 'base64');
  }

  /** Sets a fault of the gateway for one order, which strikes until it is mended. */
  fault(out_trade_no: string, fault: Omit<FaultOrder, 'out_trade_no'>): void {
    this.stack.simulator.addFault({ times: 1_000_000, ...fault, out_trade_no });
  }

  /** Takes away the faults of one order. */
  mend(out_trade_no: string): void {
    const { simulator } = this.stack;
    const left = simulator.faults().filter((one) => one.out_trade_no !== out_trade_no && one.fired < one.times);
    simulator.clearFaults();
    for (const { id: _id, fired, times, ...fault } of left) simulator.addFault({ ...fault, times: times - fired });
  }
}

/** Text as it reads, without marks and line breaks. */
export const plain = (text: string) => text.replace(/[`*]/g, '').replace(/\s+/g, ' ');

/** A look that has no answer is given up after seconds, where a shop waits ten minutes. */
const impatient: ActivityInterceptorsFactory = () => ({
  inbound: {
    execute({ args, headers }, next) {
      const [first] = args;
      return next({ headers, args: isLook(first) ? [sooner(first)] : args });
    },
  },
});

const isLook = (input: unknown): input is LookInput =>
  typeof input === 'object' && input !== null && 'patience_ms' in input;

const sooner = (look: LookInput): LookInput => ({
  ...look,
  patience_ms: Math.min(look.patience_ms, PATIENCE_MS),
  settling_ms: Math.min(look.settling_ms, PATIENCE_MS),
});
