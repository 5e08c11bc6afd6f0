/**
 * The gateway notifies while somebody attacks. What is genuine must be taken at once, and the rest at the next try. The
 * attacker is a process of its own. `npm run abuse` attacks for longer.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { WebhookServerOptions } from '../../../src/webhook';
import { ipn, post, startWebhook } from '../support';

/** A second is as many genuine notifications as it takes to judge; each more costs what a flood costs. `npm run abuse` attacks for thirty. */
const ATTACK_MS = Number(process.env.ABUSE_SECONDS ?? 1) * 1_000;
/** The gateway sends another notification after so many ms, without waiting for the answer to the last one. */
const PACE_MS = 10;
const FEWEST = 100;
/** One in a hundred may have to come again. Of so few, a pause of a busy machine delays a quarter together: an attack that works delays most. */
const mayBeRefused = (sent: number) => Math.max(sent / 100, FEWEST / 4);
const GATEWAY = '127.0.0.1';
const STRANGER = '127.0.0.5';

type Attack = [attack: string, from: string, options: Partial<WebhookServerOptions>];

const FLOOD = { overall: Number.MAX_SAFE_INTEGER, adoptions: Number.MAX_SAFE_INTEGER };
/** What genuine notifications have together: twice what the gateway sends here, and some more. */
const OVERALL = { ...FLOOD, overall: 1_000 + (2 * ATTACK_MS) / PACE_MS };
/** Behind a proxy that the settings do not name, everybody has one address. */
const BEHIND_A_PROXY: Attack[] = [
  'forged notifications',
  'large bodies that do not end',
  'a chunk for every byte',
  'headers that never end',
  'a thousand connections that expect what nobody meets',
  'a thousand connections that say nothing',
  'paths that do not exist',
].map((attack) => [attack, GATEWAY, { limits: FLOOD }]);
const WITH_AN_OLD_ONE: Attack[] = [['an old notification again and again', STRANGER, { limits: OVERALL }]];
const FROM_A_STRANGER: Attack[] = [
  ['large bodies that do not end', STRANGER, { limits: FLOOD }],
  ['large bodies that do not end', STRANGER, { limits: FLOOD, allowedIps: [GATEWAY] }],
  ['checks of health on connections that stay open', STRANGER, { limits: { ...FLOOD, connections: 300 } }],
  [
    'checks of health on connections that stay open',
    STRANGER,
    { limits: { ...FLOOD, connections: 300 }, allowedIps: [GATEWAY], health: 'elsewhere' },
  ],
];

/** Sends genuine notifications until the time is up, and as many as it takes to speak of one in a hundred. Resolves to those that were sent, and those that were not taken. */
async function notify(url: string, ms: number): Promise<{ sent: number; refused: Buffer[] }> {
  const until = Date.now() + ms;
  const answers: Promise<Buffer | undefined>[] = [];
  for (let n = 0; Date.now() < until || n < FEWEST; n += 1) {
    const body = ipn({ out_trade_no: `order-${n}` });
    const taken = post(url, body).then(
      ({ status }) => status === 200,
      () => false,
    );
    answers.push(taken.then((isTaken) => (isTaken ? undefined : body)));
    await delay(PACE_MS);
  }
  const refused = (await Promise.all(answers)).filter((body) => body !== undefined);
  return { sent: answers.length, refused };
}

test.each([...BEHIND_A_PROXY, ...FROM_A_STRANGER, ...WITH_AN_OLD_ONE])(
  'while %s come from %s (%j), the genuine sender is served',
  async (...given) => {
    const [attack, from, options] = given;
    const { url, server } = await startWebhook(options);
    const attacker = fork(join(__dirname, 'attack.js'), [url, attack, from], { execArgv: [] });
    try {
      await once(attacker, 'message');
      const { sent, refused } = await notify(url, ATTACK_MS);
      attacker.kill('SIGKILL');
      await once(attacker, 'exit');
      const again = await Promise.all(refused.map(async (body) => (await post(url, body)).status));
      const allowed = options.allowedIps ? ', with an allow-list' : '';
      console.log(`${attack} from ${from}${allowed}: ${refused.length} of ${sent} genuine ones were not taken at once`);
      expect(refused.length).toBeLessThanOrEqual(mayBeRefused(sent));
      expect(new Set(again)).toEqual(new Set(refused.length === 0 ? [] : [200]));
    } finally {
      attacker.kill('SIGKILL');
      server.server.closeAllConnections();
      await server.close();
    }
  },
);
