/** `payment-gateway check`: each planted mistake is found alone, in words that say what mends it, and none in a good set-up. */
import { type Finding, findings, unreadableSettings, type World } from '../../src/cli/check/points';
import type { KeptPayment } from '../../src/cli/check/world';
import { EncryptionCodec } from '../../src/codec';
import { GatewayError, newSealingKeys } from '../../src/gateway';
import { DAY, HOUR } from '../../src/gateway/pure/durations';
import type { GatewayLook } from '../../src/process/gateway-check';
import { ConfigError, loadConfig } from '../../src/process/settings';
import { TemporalUnreachableError, UnknownNamespaceError } from '../../src/temporal/connection';
import type { JobTrouble } from '../../src/temporal/schedules';
import { SearchAttributeConflictError } from '../../src/temporal/search-attributes';
import { key, payload, setting } from '../codec/support';

const [OURS, THEIRS] = [key('ours'), key('theirs')];
const NOW = Date.parse('2026-03-01T12:00:00Z');

let good: Record<string, string>;
let otherSealing: string;
beforeAll(async () => {
  const [pair, other] = await Promise.all([newSealingKeys('1'), newSealingKeys('2')]);
  otherSealing = JSON.stringify(other.publicJwk);
  good = {
    GATEWAY_BASE_URL: 'https://gateway.example',
    GATEWAY_APP_ID: 'shop',
    GATEWAY_SECRET_KEY: 'sk_do_not_tell',
    WEBHOOK_PUBLIC_URL: 'https://pay.example',
    PAYMENTS_EVENTS_URL: 'https://shop.example/events',
    PAYMENTS_EVENTS_SECRETS: `whsec_${Buffer.alloc(24, 'k').toString('base64')}`,
    PAYMENTS_ENCRYPTION_KEYS: setting(OURS),
    PAYMENTS_SEALING_JWKS: JSON.stringify(pair.privateJwks),
    PAYMENTS_SEALING_PUBLIC_JWK: JSON.stringify(pair.publicJwk),
  };
});

/** What the gateway says of an order that cannot exist; where it says nothing, it could not be reached. */
function said(sub_code?: string, code = sub_code === undefined ? undefined : '40002'): GatewayError {
  const of = { outcome: 'unknown', retryable: false, operation: '/trade/query', code, sub_code } as const;
  return new GatewayError(code === undefined ? 'The gateway could not be reached.' : `It said ${sub_code}.`, of);
}

const look = (error: unknown, off_ms = 0): GatewayLook => ({ error, own_time: NOW, gateway_time: NOW + off_ms });

async function payment(changes: Partial<KeptPayment> = {}, by = OURS): Promise<KeptPayment> {
  const payloads = await new EncryptionCodec([by]).encode([payload({ kind: 'order' })], {
    namespace: 'n',
    workflowId: 'w',
  });
  return { workflow_id: 'payment:shop:1', is_notified: true, payloads, ...changes };
}

const job = (problem: JobTrouble['problem'], text: string): JobTrouble => ({
  ...{ schedule_id: 'payments-stuck-sweep', problem, workflow_id: null, since: null, text },
});

/** Who polled, and to whom work goes that did not. */
const polled = (identity?: string, ...unserved: (string | null)[]) => ({
  identities: identity === undefined ? [] : [identity],
  unserved,
});

type Changes = Partial<Omit<World, 'config'>> & { env?: Record<string, string> };

/** A good set-up, with what is planted in it. */
function world({ env = {}, ...planted }: Changes): World {
  return {
    config: loadConfig({ ...good, ...env }),
    isStack: false,
    connect: async () => 'temporal.example:7233',
    retentionMs: async () => 30 * DAY,
    missingAttributes: async () => [],
    troubledJobs: async () => [],
    refusedEvents: async () => [],
    withoutEvents: async () => [],
    pollers: async () => ({ 'workflow tasks': polled('w'), 'activity tasks': polled('w') }),
    payments: async () => [await payment()],
    paid: async () => [await payment()],
    askWorker: async () => ({ is: 'read' }),
    gateway: async () => look(said('trade-not-exist')),
    postUnsigned: async () => ({ status: 401, body: '{"result":"fail"}' }),
    ...planted,
  };
}

async function found(changes: Changes): Promise<Finding[]> {
  const all: Finding[] = [];
  for await (const finding of findings(world(changes))) all.push(finding);
  expect(JSON.stringify(all)).not.toContain('sk_do_not_tell');
  return all;
}

const throwing = (error: Error) => async (): Promise<never> => {
  throw error;
};

test('in a good set-up every point is ok', async () => {
  const all = await found({});
  expect(all.filter(({ result }) => result !== 'ok')).toEqual([]);
  expect(all).toHaveLength(17);
});

test('where an app has several, each has its lines', async () => {
  const all = await found({});
  expect(all.filter(({ app_id }) => app_id === 'shop').map(({ point }) => point)).toEqual([
    ...['encryption keys', 'gateway', 'credentials', 'unknown orders', 'clock', 'webhook', 'notifications'],
  ]);
});

test('the worker is asked about a payment of each app: another process may write those of another app', async () => {
  const good = world({
    payments: async (app_id) => (app_id === 'new' ? [] : [await payment({ workflow_id: `payment:${app_id}:1` })]),
    askWorker: async (workflow_id) => ({ is: workflow_id === 'payment:us:1' ? 'refused' : 'read' }),
  });
  const apps = good.config.apps.flatMap((app) => ['eu', 'us', 'new'].map((app_id) => ({ ...app, app_id })));
  const all: Finding[] = [];
  for await (const finding of findings({ ...good, config: { ...good.config, apps } })) all.push(finding);
  const keys = all.filter(({ point }) => point === 'encryption keys').map(({ app_id, result }) => [app_id, result]);
  expect(keys).toEqual([
    ['eu', 'ok'],
    ['us', 'failed'],
    ['new', 'not checked'],
  ]);
});

test('what has come of payments that were paid shows whether notifications come, however many are open', async () => {
  const [notified, open] = [await payment(), await payment({ is_notified: false })];
  const all = await found({ payments: async () => Array(20).fill(open), paid: async () => [open, notified] });
  expect(all.find(({ point }) => point === 'notifications')).toMatchObject({
    result: 'ok',
    text: '1 of the latest 2 payments that were paid were notified',
  });
});

test('a webhook that has refused the latest notifications is found, although it took those before', async () => {
  const [notified, not] = [await payment(), await payment({ is_notified: false })];
  const all = await found({ paid: async () => [not, not, notified, not, notified] });
  expect(all.find(({ point }) => point === 'notifications')).toMatchObject({
    result: 'failed',
    text: expect.stringMatching(
      /^no notification of the latest 2 that .*, though 2 before them were notified: .*bad signature/,
    ),
  });
});

/** What may answer at the webhook's address to a notification that nobody signed. */
const ANSWERS: [what: string, status: number, body: string, mend: RegExp][] = [
  ['a server that takes what nobody signed', 200, 'success', /answered 200, so that the gateway would take every/],
  ['a log-in before the webhook', 401, 'Unauthorized', /answered 401, .*without a log-in/],
  ['a proxy with another path', 404, '{"result":"fail"}', /answered 404, so another path/],
  ['a webhook without Temporal', 503, '{"result":"fail"}', /takes nothing now \(503\)/],
];

const MISTAKES: [what: string, point: string, mend: RegExp, changes: () => Changes | Promise<Changes>][] = [
  ['no app', 'settings', /set GATEWAY_SECRET_KEY, too/, () => ({ env: { GATEWAY_SECRET_KEY: '' } })],
  ['no public address', 'settings', /set it to the public address/, () => ({ env: { WEBHOOK_PUBLIC_URL: '' } })],
  [
    'plain HTTP that is allowed',
    'protection',
    /PAYMENTS_INSECURE_PLAIN_HTTP is on: .* Take it away/,
    () => ({ env: { PAYMENTS_INSECURE_PLAIN_HTTP: 'true' } }),
  ],
  [
    'a migration that is left on',
    'protection',
    /PAYMENTS_MIGRATION_ACCEPT_CLEAR_TEXT is on: .* Take it away/,
    () => ({ env: { PAYMENTS_MIGRATION_ACCEPT_CLEAR_TEXT: 'true' } }),
  ],
  [
    'histories in clear text',
    'protection',
    /CLEAR_TEXT_HISTORIES is on/,
    () => ({ env: { PAYMENTS_ENCRYPTION_KEYS: '', PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true' } }),
  ],
  [
    'a Temporal that nobody reaches',
    'temporal',
    /set TEMPORAL_ADDRESS/,
    () => ({ connect: throwing(new TemporalUnreachableError('set TEMPORAL_ADDRESS')) }),
  ],
  [
    'a namespace that is not there',
    'namespace',
    /namespace create/,
    () => ({ connect: throwing(new UnknownNamespaceError('namespace create')) }),
  ],
  ['a retention of three days', 'retention', /for 3d.*--retention 30d/, () => ({ retentionMs: async () => 3 * DAY })],
  [
    'a search attribute that is missing',
    'search attributes',
    /PaymentNames.*payment-gateway setup/,
    () => ({ missingAttributes: async () => ['PaymentNames'] }),
  ],
  [
    'a search attribute of another type',
    'search attributes',
    /is registered as TEXT/,
    () => ({ missingAttributes: throwing(new SearchAttributeConflictError('PaymentNames is registered as TEXT')) }),
  ],
  [
    'a Schedule that is missing',
    'schedules',
    /stuck-sweep \(missing\): .*setup/,
    () => ({ troubledJobs: async () => [job('missing', 'payment-gateway setup makes it')] }),
  ],
  [
    'a Schedule that is paused',
    'schedules',
    /\(paused\): .*--unpause/,
    () => ({ troubledJobs: async () => [job('paused', 'temporal schedule toggle --unpause')] }),
  ],
  [
    'a Schedule whose last run failed',
    'schedules',
    /\(failed\): .*Temporal UI/,
    () => ({ troubledJobs: async () => [job('failed', 'its page in Temporal UI says why')] }),
  ],
  [
    'no worker',
    'worker',
    /workflow tasks and activity tasks of payments in the last 2 minutes: run payment-gateway worker.* begun on a mistyped queue waits/,
    () => ({ pollers: async () => ({ 'workflow tasks': polled(), 'activity tasks': polled() }) }),
  ],
  [
    'a worker without activities',
    'worker',
    /asked for activity tasks of payments/,
    () => ({ pollers: async () => ({ 'workflow tasks': polled('w'), 'activity tasks': polled() }) }),
  ],
  [
    'a version that runs and that nobody has promoted',
    'worker',
    /new payments of payments to workers without a version, .*deploy promote/,
    () => ({ pollers: async () => ({ 'workflow tasks': polled('w', null), 'activity tasks': polled('w', null) }) }),
  ],
  ['no keys', 'encryption keys', /keys new/, () => ({ env: { PAYMENTS_ENCRYPTION_KEYS: '' } })],
  [
    'payments of a key that is not here',
    'encryption keys',
    /the key "theirs".*the same PAYMENTS_ENCRYPTION_KEYS/,
    async () => {
      const theirs = await payment({}, THEIRS);
      return { payments: async () => [theirs] };
    },
  ],
  [
    'a payment that somebody wrote in clear text',
    'encryption keys',
    /payment:shop:1 .*in clear text/,
    async () => {
      const clear = await payment({ payloads: [payload('x')] });
      return { payments: async () => [clear] };
    },
  ],
  [
    'a worker that lacks our key',
    'encryption keys',
    /cannot read what is encrypted with the key ours.*PAYMENTS_ENCRYPTION_KEYS/,
    () => ({ askWorker: async () => ({ is: 'refused' }) }),
  ],
  [
    'sealing keys that are no pair',
    'sealing keys',
    /keys new/,
    () => ({ env: { PAYMENTS_SEALING_PUBLIC_JWK: otherSealing } }),
  ],
  [
    'a gateway that nobody reaches',
    'gateway',
    /Check the app's base_url/,
    () => ({ gateway: async () => look(said()) }),
  ],
  [
    'a wrong secret key',
    'credentials',
    /correct its secret_key/,
    () => ({ gateway: async () => look(said('invalid-signature')) }),
  ],
  [
    'a word for unknown orders that is not in the settings',
    'unknown orders',
    /said no-trade .*GATEWAY_NO_SUCH_ORDER/,
    () => ({ gateway: async () => look(said('no-trade')) }),
  ],
  [
    'a clock that is hours off',
    'clock',
    /set the clock right/,
    () => ({ gateway: async () => look(said('trade-not-exist'), 3 * HOUR) }),
  ],
  [
    'a receiver of events with another secret',
    'events',
    /Events of 2 payments or accounts, .*shop\.example answered HTTP 401\. .*PAYMENTS_EVENTS_SECRETS/,
    () => ({ refusedEvents: async () => Array(2).fill('shop.example answered HTTP 401') }),
  ],
  [
    'a webhook that is not there',
    'webhook',
    /\(connect ECONNREFUSED\)\. Run payment-gateway webhook/,
    () => ({ postUnsigned: throwing(new Error('connect ECONNREFUSED')) }),
  ],
  ...ANSWERS.map(([what, status, body, mend]): (typeof MISTAKES)[number] => [
    what,
    'webhook',
    mend,
    () => ({ postUnsigned: async () => ({ status, body }) }),
  ]),
  [
    'payments that nobody is notified of',
    'notifications',
    /no notification of the latest 2 that were paid has come: .*WEBHOOK_PUBLIC_URL/,
    async () => {
      const silent = await payment({ is_notified: false });
      return { paid: async () => [silent, silent] };
    },
  ],
];

test.each(MISTAKES)('%s is the one failure, at the point %s', async (_, point, mend, changes) => {
  const failures = (await found(await changes())).filter(({ result }) => result === 'failed');
  expect(failures.map((one) => [one.point, one.text])).toEqual([[point, expect.stringMatching(mend)]]);
});

test.each<[string, string, RegExp, Changes]>([
  [
    'what needs Temporal',
    'worker',
    /it needs the point namespace/,
    { connect: throwing(new TemporalUnreachableError('')) },
  ],
  [
    'what Temporal does not say',
    'retention',
    /could not be asked: 7 denied/,
    { retentionMs: throwing(new Error('7 denied\n at x')) },
  ],
  [
    'Schedules that are not wanted',
    'schedules',
    /PAYMENTS_SCHEDULES is false/,
    { env: { PAYMENTS_SCHEDULES: 'false' } },
  ],
  ['keys before the first payment', 'encryption keys', /pay one/, { payments: async () => [] }],
  [
    'keys where no worker answers',
    'encryption keys',
    /can be read; .*could not be asked, because nobody answered for the latest, payment:shop:1 \(no poller\)/,
    { askWorker: async () => ({ is: 'silent', why: 'no poller' }) },
  ],
  ['sealing where nobody seals', 'sealing keys', /is not set/, { env: { PAYMENTS_SEALING_JWKS: '' } }],
  [
    'an address that has taken no event yet',
    'events',
    /^no event was taken at two\.example yet: pay one/,
    { withoutEvents: async () => ['https://two.example/secret'] },
  ],
  ['notifications before the first payment', 'notifications', /pay one/, { paid: async () => [] }],
  ['credentials of a silent gateway', 'credentials', /gave no answer/, { gateway: async () => look(said()) }],
  ['the words of a busy gateway', 'unknown orders', /busy/, { gateway: async () => look(said(undefined, '20000')) }],
  [
    'a webhook that takes certain networks alone',
    'webhook',
    /WEBHOOK_ALLOWED_IPS/,
    { env: { WEBHOOK_ALLOWED_IPS: '203.0.113.0/24' }, postUnsigned: throwing(new Error('other side closed')) },
  ],
])('%s is not checked, and says why', async (_, point, why, changes) => {
  const all = await found(changes);
  expect(all.find((one) => one.point === point)).toMatchObject({
    result: 'not checked',
    text: expect.stringMatching(why),
  });
});

test.each<[string, Changes]>([
  ['worker', { pollers: async () => ({ 'workflow tasks': polled(), 'activity tasks': polled() }) }],
  ['webhook', { postUnsigned: throwing(new Error('connect ECONNREFUSED')) }],
])('with the settings of a stack, dev is named for a %s that is not there', async (point, changes) => {
  const text = (await found({ isStack: true, ...changes })).find((one) => one.point === point)?.text;
  expect(text).toMatch(/\. Run npx payment-gateway dev in this folder\.$/);
});

test('settings that cannot be used are the one failure, and every other point is not checked', () => {
  const all = unreadableSettings(new ConfigError('PAYMENT_LATE: there is no such setting'));
  expect(all[0]).toMatchObject({ point: 'settings', result: 'failed', text: expect.stringContaining('PAYMENT_LATE') });
  expect(new Set(all.slice(1).map(({ result }) => result))).toEqual(new Set(['not checked']));
});
