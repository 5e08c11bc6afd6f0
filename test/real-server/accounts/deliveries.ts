/** Bursts of deposits for tests and for the benchmark: made at the simulator, delivered to a webhook in any order. */
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import Big from 'big.js';
import type { AccountsClient } from '../../../src/client';
import { signatureHeader } from '../../../src/gateway';
import type { Simulator } from '../../../src/simulator';
import type { SpeiAccountState } from '../../../src/workflows';

const DELIVERIES = 7;
const AT_ONCE = 20;

export interface Burst {
  simulator: Simulator;
  accounts: AccountsClient;
  webhookUrl: string;
  app: { app_id: string; secret_key: string };
  account_id: string;
  deposits: number;
  /** How often each is delivered; seven times unless told, as the gateway does. */
  times?: number;
  /** How many deposits the account has before. */
  before?: number;
  /** The order of the deliveries. */
  seed?: number;
  /** Called with the number of acknowledged deliveries. */
  progress?: (acknowledged: number) => Promise<void> | void;
  /** Called from time to time after the last delivery, with the number of deposits that are not confirmed yet. */
  pending?: (waiting: number) => void;
}

/** Makes the deposits, delivers each seven times in any order, and waits until none of them is pending. */
export async function burst(burst: Burst): Promise<{ total: string; counted: SpeiAccountState }> {
  const total = await deliverAll(burst);
  return { total, counted: await settled(burst) };
}

/** Makes the deposits, and returns their sum once every delivery is acknowledged. */
export async function deliverAll(burst: Burst): Promise<string> {
  const { webhookUrl, app, deposits, seed = 7, times = DELIVERIES, progress } = burst;
  const { bodies, total } = await notificationsOf(burst);
  const order = shuffled(
    Array.from({ length: deposits * times }, (_, i) => i % deposits),
    seed,
  );
  let next = 0;
  let acknowledged = 0;
  const deliverer = async () => {
    for (let at = next++; at < order.length; at = next++) {
      const body = bodies[order[at] ?? 0];
      if (body) await delivered(webhookUrl, body, app);
      acknowledged += 1;
      await progress?.(acknowledged);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, deliverer));
  return total;
}

/** Makes the deposits at the simulator: their notifications, and their sum. */
async function notificationsOf({ simulator, app, account_id, deposits, seed = 7 }: Burst) {
  const { account_number, provider, buyer_id } = simulator.account(account_id);
  const bodies: Buffer[] = [];
  let total = new Big(0);
  for (let i = 0; i < deposits; i += 1) {
    const amount = new Big(((i * 7_919 + seed) % 999_999) + 1).div(100).toFixed(2);
    const { out_trade_no, trade_no } = await simulator.deposit(account_id, { amount, notify: false });
    total = total.plus(amount);
    const transfer_timestamp = Math.floor(Date.now() / 1000);
    const transfer_account = { account_id, account_number, provider, buyer_id, transfer_timestamp };
    const order = { app_id: app.app_id, trade_no, out_trade_no, method: 'SPEI', trade_status: 'SUCCESS' };
    bodies.push(Buffer.from(JSON.stringify({ ...order, currency: 'MXN', amount, transfer_account })));
  }
  return { bodies, total: total.toFixed(2) };
}

/** Repeats a delivery until it is acknowledged, as the gateway does. */
async function delivered(webhookUrl: string, body: Buffer, app: Burst['app']): Promise<void> {
  for (;;) {
    const answer = await fetch(`${webhookUrl}/ipn/${app.app_id}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'service-signature': signatureHeader(body, app.secret_key, 'hex', Date.now()),
      },
      body: new Uint8Array(body),
    }).catch(() => undefined);
    if (answer?.status === 200 && (await answer.text()) === 'success') return;
    await delay(200);
  }
}

/** The account once all deposits are counted and none is pending, so that a repeated one had its chance to count twice. */
export async function settled({
  accounts,
  account_id,
  deposits,
  before = 0,
  pending,
}: Pick<Burst, 'accounts' | 'account_id' | 'deposits' | 'before' | 'pending'>): Promise<SpeiAccountState> {
  for (let looks = 0; ; looks += 1) {
    // A query fails while the worker is killed or the run ends.
    const state = await accounts.get(account_id).catch(() => undefined);
    const { count = 0, pending: waiting = 0, set_aside = [] } = state?.deposits ?? {};
    if (state && count + set_aside.length >= before + deposits && waiting === 0) return state;
    if (looks % 20 === 0) pending?.(waiting);
    await delay(500);
  }
}

/** The same seed gives the same order. */
function shuffled<T>(list: T[], seed: number): T[] {
  const rank = (i: number) => createHash('sha256').update(`${seed}:${i}`).digest('hex');
  return list
    .map((item, i) => ({ item, rank: rank(i) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ item }) => item);
}
