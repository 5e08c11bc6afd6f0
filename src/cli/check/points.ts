/**
 * What has to be true before real money goes through, as a list of points. Each is a function of answers that `world.ts` gets; a failure says
 * how to correct it. Nothing here makes a call.
 */
import { type CodecRules, EncryptionCodec, PayloadDecryptionError } from '../../codec';
import { RETENTION_MS } from '../../contract';
import { type GatewayApp, GatewayError, open, seal } from '../../gateway';
import { DAY, MINUTE } from '../../gateway/pure/durations';
import { isCredentialsRefusal, refusalOf } from '../../gateway/refusals';
import { type GatewayLook, type GatewayTrouble, troublesIn } from '../../process/gateway-check';
import { FAIL } from '../../process/http-server';
import { firstLineOf } from '../../process/message-of';
import { hostsOf, isCallable, requireGateways, risksOf } from '../../process/settings';
import { UserError } from '../../process/user-error';
import { UnknownNamespaceError } from '../../temporal/connection';
import { POLLS_WITHIN_MS } from '../../temporal/pollers';
import type { KeptPayment, LiveWorld } from './world';

/** The result of one point. */
export interface Finding {
  point: string;
  /** The app that the point is about; null for all apps. */
  app_id: string | null;
  result: 'ok' | 'failed' | 'not checked';
  /** What was found; for a failure also how to correct it, or why it was not checked. */
  text: string;
}
type Verdict = Pick<Finding, 'result' | 'text'>;

const ok = (text: string): Verdict => ({ result: 'ok', text });
const failed = (text: string): Verdict => ({ result: 'failed', text });
const unchecked = (text: string): Verdict => ({ result: 'not checked', text });

/** The answers that the points need. A call without an answer throws; the text of a UserError becomes the failure. */
export type World = Pick<LiveWorld, Exclude<keyof LiveWorld, 'close'>>;

interface Point<Of extends GatewayApp[]> {
  name: string;
  /** The point that has to be ok before this one can be checked. */
  needs?: string;
  look(world: World, ...app: Of): Promise<Verdict>;
}

/** A worker that died within this time still counts. */
const LATELY = `the last ${POLLS_WITHIN_MS / MINUTE} minutes`;

/** Where the settings are a stack's, one command runs all of its parts. */
const RUN_STACK = 'Run npx payment-gateway dev in this folder.';

const ofAll: Point<[]>[] = [
  {
    name: 'settings',
    async look({ config }) {
      const apps = requireGateways(config);
      if (config.WEBHOOK_PUBLIC_URL === undefined)
        return failed(
          'WEBHOOK_PUBLIC_URL is not set, and the gateway takes no order without it: set it to the public address of the webhook.',
        );
      return ok(`apps ${apps.map(({ app_id }) => app_id).join(', ')}, webhook ${config.WEBHOOK_PUBLIC_URL}`);
    },
  },
  {
    name: 'protection',
    async look({ config }) {
      const on = risksOf(config);
      if (on.length === 0) return ok('no setting gives up protection');
      return failed(
        `${on.map(({ text }) => text).join(' ')} Take ${on.length === 1 ? 'it' : 'them'} away in every process.`,
      );
    },
  },
  {
    name: 'temporal',
    look: (world) =>
      world.connect().then(
        (address) => ok(`${address} answers`),
        (error) => {
          if (error instanceof UnknownNamespaceError) return ok('it answers');
          throw error;
        },
      ),
  },
  { name: 'namespace', needs: 'temporal', look: async (world) => world.connect().then(() => ok('it is there')) },
  {
    name: 'retention',
    needs: 'namespace',
    async look(world) {
      const days = (await world.retentionMs()) / DAY;
      if (days >= RETENTION_MS / DAY) return ok(`closed payments are kept for ${days} days`);
      return failed(
        `Closed payments are kept for ${Number(days.toFixed(1))}d: after that Temporal guards no number and shows nobody what happened. Keep them longer: payment-gateway setup --retention ${RETENTION_MS / DAY}d.`,
      );
    },
  },
  {
    name: 'search attributes',
    needs: 'namespace',
    async look(world) {
      const missing = await world.missingAttributes();
      if (missing.length === 0) return ok('all are registered');
      return failed(
        `${missing.join(', ')} are missing, and no payment starts without them. Register them: payment-gateway setup`,
      );
    },
  },
  {
    name: 'schedules',
    needs: 'namespace',
    async look(world) {
      if (!world.config.PAYMENTS_SCHEDULES) return unchecked('PAYMENTS_SCHEDULES is false');
      const troubles = await world.troubledJobs();
      if (troubles.length === 0) return ok('each is there and not paused, and its last run did not fail');
      return failed(
        troubles.map(({ schedule_id, problem, text }) => `${schedule_id} (${problem}): ${text}.`).join(' '),
      );
    },
  },
  {
    name: 'worker',
    needs: 'namespace',
    async look(world) {
      const pollers = await world.pollers();
      const lacking = Object.entries(pollers).flatMap(([kind, { identities }]) =>
        identities.length === 0 ? [kind] : [],
      );
      const queue = world.config.PAYMENTS_TASK_QUEUE;
      const nobody = `Nobody asked for ${lacking.join(' and ')} of ${queue} in ${LATELY}`;
      if (lacking.length > 0 && world.isStack) return failed(`${nobody}. ${RUN_STACK}`);
      if (lacking.length > 0)
        return failed(
          `${nobody}: run payment-gateway worker with this TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE and PAYMENTS_TASK_QUEUE, and look at its log, or at this machine’s clock. What was begun on a mistyped queue waits for a worker of that name.`,
        );
      const unserved = new Set(Object.values(pollers).flatMap((of) => of.unserved));
      if (unserved.size > 0)
        return failed(
          `Temporal sends new payments of ${queue} to ${[...unserved].map((version) => version ?? 'workers without a version').join(' and ')}, and none of these polls: start them, or send new payments to a version that runs: payment-gateway deploy promote.`,
        );
      return ok(
        `${new Set(Object.values(pollers).flatMap(({ identities }) => identities)).size} asked for work of ${queue} in ${LATELY}`,
      );
    },
  },
  { name: 'events', needs: 'namespace', look: eventsTaken },
  { name: 'sealing keys', look: sealingKeys },
];

/** Whether the processes that write payments of the app, the worker and this process can read each other's payloads. */
async function encryptionKeys(world: World, { app_id }: GatewayApp): Promise<Verdict> {
  const { PAYMENTS_ENCRYPTION_KEYS: keys, PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: isClear } = world.config;
  if (keys === undefined && isClear) return unchecked('there are none: PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES is on');
  if (keys === undefined)
    return failed(
      'PAYMENTS_ENCRYPTION_KEYS is not set: give this process the keys of the worker, or make one: payment-gateway keys new',
    );
  const payments = await world.payments(app_id);
  const [latest] = payments;
  if (latest === undefined)
    return unchecked('there is no payment yet whose payloads could be read: pay one, and run this again');
  const rules: CodecRules = { readsAll: true, acceptsClearText: world.config.PAYMENTS_MIGRATION_ACCEPT_CLEAR_TEXT };
  const codec = new EncryptionCodec(keys, rules);
  try {
    const refused = await refusedBy(codec, payments);
    const answer = await world.askWorker(latest.workflow_id);
    if (answer.is === 'refused')
      return failed(
        `The worker answers questions, but cannot read what is encrypted with the key ${keys[0].id}, the first one here. Give all processes the same PAYMENTS_ENCRYPTION_KEYS, and start them anew.`,
      );
    const foreign = refused.length > 0 ? `, but those that somebody put into ${refused.join(', ')} by hand` : '';
    const read = `all payloads of its latest ${payments.length} payments can be read${foreign}`;
    if (answer.is === 'read') return ok(`${read}, and the worker reads ours`);
    return unchecked(
      `${read}; whether the worker reads ours could not be asked, because nobody answered for the latest, ${latest.workflow_id} (${answer.why}). A payment that has ended needs a worker of the version that it began on: pay one more, and run this again.`,
    );
  } catch (error) {
    if (!(error instanceof PayloadDecryptionError)) throw error;
    return failed(`${error.message} Give all processes the same PAYMENTS_ENCRYPTION_KEYS.`);
  }
}

/** The payments that have a payload which no key will ever read, such as a signal in clear text. Throws where a key is missing, or one has no other. */
async function refusedBy(codec: EncryptionCodec, payments: readonly KeptPayment[]): Promise<string[]> {
  const refused: string[] = [];
  for (const { workflow_id, payloads } of payments) {
    const owner = { namespace: '', workflowId: workflow_id };
    const ends = await Promise.allSettled(payloads.map((payload) => codec.decode([payload], owner)));
    const errors = ends.flatMap((end): unknown[] => (end.status === 'rejected' ? [end.reason] : []));
    const isForeign = (error: unknown) => error instanceof PayloadDecryptionError && error.isForeign;
    if (errors.length > 0 && (errors.length === payloads.length || !errors.every(isForeign)))
      throw errors.find((error) => !isForeign(error)) ?? errors[0];
    if (errors.length > 0) refused.push(workflow_id);
  }
  return refused;
}

/** Whether those who hear events take them. A delivery is tried for days before a person is asked. */
async function eventsTaken(world: World): Promise<Verdict> {
  const { PAYMENTS_EVENTS_URL: urls } = world.config;
  const refused = await world.refusedEvents();
  if (refused.length > 0)
    return failed(
      `Events of ${refused.length} payments or accounts, of those that began last, are not taken, and are tried again: ${[...new Set(refused)].join('; ')}. Mend the receiver: it needs the PAYMENTS_EVENTS_SECRETS of the worker.`,
    );
  if (urls === undefined) return unchecked('PAYMENTS_EVENTS_URL is not set here: only a handler onEvent hears events');
  const silent = await world.withoutEvents();
  if (silent.length > 0)
    return unchecked(`no event was taken at ${hostsOf(silent).join(', ')} yet: pay one, and run this again`);
  return ok(`what is told is taken at ${hostsOf(urls).join(', ')}`);
}

/** Whether the worker's keys open what callers seal. */
async function sealingKeys({ config }: World): Promise<Verdict> {
  const { PAYMENTS_SEALING_PUBLIC_JWK: sealing, PAYMENTS_SEALING_JWKS: opening } = config;
  if (opening === undefined)
    return unchecked('PAYMENTS_SEALING_JWKS is not set: orders with a card token or a PIN are refused');
  if (sealing === undefined) return unchecked('PAYMENTS_SEALING_PUBLIC_JWK, which callers seal with, is not set here');
  const order = { app_id: 'check', out_trade_no: 'check' };
  try {
    await open(await seal('check', sealing, order), opening.keys, order);
    return ok('what callers seal is opened');
  } catch {
    return failed(
      'PAYMENTS_SEALING_JWKS does not open what PAYMENTS_SEALING_PUBLIC_JWK seals: they are no pair. Give callers the public key of the first private one, or make both: payment-gateway keys new',
    );
  }
}

/** A gateway may lose a notification, but hardly those of so many payments in a row. */
const NO_ACCIDENT = 2;

const ofEachApp: Point<[GatewayApp]>[] = [
  { name: 'encryption keys', needs: 'namespace', look: encryptionKeys },
  { name: 'gateway', look: (world, app) => atGateway(world, app, 'answer', () => ok(`${app.base_url} answers`)) },
  {
    name: 'credentials',
    look: (world, app) => atGateway(world, app, 'credentials', () => ok('the gateway takes them')),
  },
  { name: 'unknown orders', look: wordForUnknownOrders },
  {
    name: 'clock',
    look: (world, app) =>
      atGateway(world, app, 'clock', ({ gateway_time }) =>
        gateway_time === undefined ? unchecked('the gateway’s answer has no date') : ok('it agrees with the gateway’s'),
      ),
  },
  { name: 'webhook', look: publicWebhook },
  {
    name: 'notifications',
    needs: 'namespace',
    async look(world, { app_id }) {
      const paid = await world.paid(app_id);
      if (paid.length === 0) return unchecked('no payment was paid yet: pay one, and run this again');
      const notified = paid.filter(({ is_notified }) => is_notified).length;
      const lately = paid.findIndex(({ is_notified }) => is_notified);
      if (notified > 0 && lately < NO_ACCIDENT)
        return ok(`${notified} of the latest ${paid.length} payments that were paid were notified`);
      const before = notified > 0 ? `, though ${notified} before them were notified` : '';
      return failed(
        `no notification of the latest ${notified > 0 ? lately : paid.length} that were paid has come${before}: look in the webhook’s log for what it refused (bad signature: give it the GATEWAY_SECRET_KEY that the gateway signs with), and see that the gateway reaches WEBHOOK_PUBLIC_URL from its own network.`,
      );
    },
  },
];

/** One result of the query to the gateway; not checked if the gateway gave no answer at all. */
async function atGateway(
  world: World,
  app: GatewayApp,
  about: GatewayTrouble['about'],
  otherwise: (look: GatewayLook) => Verdict,
): Promise<Verdict> {
  const look = await world.gateway(app);
  const troubles = troublesIn(app, look);
  const its = troubles.find((trouble) => trouble.about === about);
  if (its) return failed(its.text);
  if (about !== 'answer' && troubles.some((trouble) => trouble.about === 'answer'))
    return unchecked('the gateway gave no answer');
  return otherwise(look);
}

/** The interface names no code for “no such order”. Without the code, an order that was lost on the way waits for a person. */
async function wordForUnknownOrders(world: World, app: GatewayApp): Promise<Verdict> {
  const { error } = await world.gateway(app);
  const { code, sub_code } = error instanceof GatewayError ? error : {};
  const word = sub_code ?? code;
  if (code === undefined || word === undefined || isCredentialsRefusal({ code, sub_code }))
    return unchecked('the gateway did not answer the question');
  if (world.config.GATEWAY_NO_SUCH_ORDER.includes(word)) return ok(`the gateway says ${word}`);
  if (refusalOf(code, sub_code, []).kind === 'temporary')
    return unchecked(`the gateway is busy (${word}): run this again`);
  return failed(
    `The gateway said ${word} of an order that cannot exist, and GATEWAY_NO_SUCH_ORDER lacks that word, so that a lost order waits for a person: if it means “no such order”, add it there.`,
  );
}

/** Our own refusal of an unsigned notification shows that the whole way to the webhook is open. */
async function publicWebhook(world: World, { app_id }: GatewayApp): Promise<Verdict> {
  const { WEBHOOK_PUBLIC_URL: base, WEBHOOK_ALLOWED_IPS: allowed } = world.config;
  if (base === undefined) return unchecked('WEBHOOK_PUBLIC_URL is not set');
  const url = `${base}/ipn/${encodeURIComponent(app_id)}`;
  const answer = await world
    .postUnsigned(url)
    .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
  if (answer instanceof Error) {
    if (allowed)
      return unchecked(`${url} did not answer this machine (${answer.message}); WEBHOOK_ALLOWED_IPS may keep it out`);
    return failed(
      `${url} did not answer (${answer.message}). ${world.isStack ? RUN_STACK : 'Run payment-gateway webhook behind it, and look at the name, the proxy and its certificate.'}`,
    );
  }
  const { status, body } = answer;
  const isOurs = body === FAIL;
  if (isOurs && status === 401) return ok('it refuses what nobody has signed');
  if (isOurs && (status === 503 || status === 429))
    return failed(
      `${url} is our webhook, and takes nothing now (${status}): see whether it reaches Temporal, and its log.`,
    );
  return failed(
    `${url} answered ${status}, ${WRONG_ANSWERS[status] ?? 'which is not our webhook’s answer to what nobody has signed (401)'}. Have the proxy pass POST /ipn/… with its body and headers as they are, without a log-in, to payment-gateway webhook.`,
  );
}

/** What other answers usually mean. */
const WRONG_ANSWERS: Readonly<Record<number, string>> = {
  200: 'so that the gateway would take every notification for delivered',
  403: 'so somebody before the webhook asks who comes',
  404: 'so another path, or another server, is there',
  415: 'so somebody changes the headers on the way',
};

/** Checks all points, one after the other. A point that cannot be checked says why. */
export async function* findings(world: World): AsyncGenerator<Finding> {
  const fine = new Set<string>();
  for (const point of ofAll) {
    const verdict = await verdictOn(point.needs, fine, () => point.look(world));
    if (verdict.result === 'ok') fine.add(point.name);
    yield { point: point.name, app_id: null, ...verdict };
  }
  for (const app of world.config.apps.filter(isCallable)) {
    for (const { name, needs, look } of ofEachApp)
      yield { point: name, app_id: app.app_id, ...(await verdictOn(needs, fine, () => look(world, app))) };
  }
}

/** If the settings cannot be read, nothing else can be checked. */
export function unreadableSettings(error: UserError): Finding[] {
  const [first, ...others] = [...ofAll, ...ofEachApp].map(({ name }) => ({ point: name, app_id: null }));
  return [
    ...(first ? [{ ...first, ...failed(error.message) }] : []),
    ...others.map((one) => ({ ...one, ...unchecked('the settings cannot be used') })),
  ];
}

async function verdictOn(
  needs: string | undefined,
  fine: ReadonlySet<string>,
  look: () => Promise<Verdict>,
): Promise<Verdict> {
  if (needs !== undefined && !fine.has(needs)) return unchecked(`it needs the point ${needs}`);
  try {
    return await look();
  } catch (error) {
    if (error instanceof UserError) return failed(error.message);
    return unchecked(`it could not be asked: ${firstLineOf(error)}`);
  }
}
