// npm run manifests:check: deploy/kubernetes as a cluster would take it, without one. Builds each overlay with kustomize, with settings and
// secrets as docs/kubernetes.md says; validates what comes out; and starts each container's command with its environment, beside a
// Temporal server behind TLS that asks for what the overlay promises. `-- --planted` plants mistakes instead: each must be found.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments, stringify } from 'yaml';
import { find, Pod, Unfit } from './manifests/pod.mjs';
import { makeCertificates, temporalDoor } from './manifests/temporal-door.mjs';
import { controllerProblems, kedaProblems, kubernetesProblems, kustomize, MissingTool } from './manifests/tools.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const manifests = join(root, 'deploy/kubernetes');
const ours = createRequire(import.meta.url);
const { bareServer } = ours('../lib/testing/dev-server');
const { SEARCH_ATTRIBUTE } = ours('../lib/contract');
const { startSimulator } = ours('../lib/simulator');

const ALL = ['setup', 'worker', 'webhook', 'codec-server'];
/** What is built, an overlay with components over it, and which of its programs are started. */
const STACKS = [
  { overlay: 'own-server', components: [], starts: ALL },
  { overlay: 'cloud-api-key', components: [], starts: ALL },
  { overlay: 'cloud-mtls', components: [], starts: ALL },
  { overlay: 'own-server', components: ['ingress', 'keda'], starts: [] },
  { overlay: 'cloud-mtls', components: ['ingress', 'keda'], starts: [] },
  { overlay: 'cloud-api-key', components: ['worker-controller-api-key'], starts: ['setup', 'worker'] },
  { overlay: 'cloud-mtls', components: ['worker-controller-mtls'], starts: ['setup', 'worker'] },
];

/** What each overlay promises of Temporal. */
const DOORS = {
  'own-server': { asks: 'nothing', isCloud: false },
  'cloud-api-key': { asks: 'api key', isCloud: true },
  'cloud-mtls': { asks: 'certificate', isCloud: true },
};

const folder = mkdtempSync(join(tmpdir(), 'manifests-'));
const APP = { app_id: 'shop', secret_key: randomBytes(12).toString('hex') };
const API_KEY = randomBytes(12).toString('hex');

/** Runs the stacks, or the mistakes. */
async function main() {
  // Who lacks it learns so at once.
  kustomize();
  const certificates = makeCertificates(folder);
  const world = { certificates, ...(await startWorld()) };
  try {
    const failures = process.argv.includes('--planted') ? await plant(world) : await check(world);
    console.log(failures === 0 ? 'all hold' : `${failures} failed`);
    process.exitCode = failures === 0 ? 0 : 1;
  } finally {
    await world.close();
  }
}

async function startWorld() {
  const searchAttributes = Object.values(SEARCH_ATTRIBUTE);
  const temporal = await bareServer({ searchAttributes });
  const simulator = await startSimulator({ apps: [APP] });
  const close = async () => {
    await simulator.close();
    await temporal.teardown();
  };
  return { temporal, simulator, close };
}

async function check(world) {
  let failures = 0;
  for (const stack of STACKS) {
    const title = [stack.overlay, ...stack.components].join(' with ');
    const found = await problemsOf(stack, world);
    failures += found.length;
    console.log(found.length === 0 ? `ok  ${title}` : `not ${title}\n    ${found.join('\n    ')}`);
  }
  for (const overlay of Object.keys(DOORS)) {
    const started = await startedAsGiven(overlay);
    failures += started.length;
    console.log(
      `${started.length === 0 ? 'ok ' : 'not'} ${overlay} as it is in the repository: ${started.join(', ') || 'nothing'} starts`,
    );
  }
  return failures;
}

/** What a cluster or a program would refuse, in a line each. `change` plants a mistake. */
async function problemsOf(stack, world, change = () => undefined) {
  const door = await temporalDoor({
    ...DOORS[stack.overlay],
    behind: world.temporal.address,
    certificates: world.certificates,
    apiKey: API_KEY,
  });
  try {
    const documents = build(ownKustomization(stack, world, door.address));
    change(documents);
    const problems = problemsOnPaper(documents);
    if (problems.length > 0) return problems;
    await runAll(documents, stack, world);
    return [];
  } catch (error) {
    if (error instanceof Unfit) return [error.message];
    throw error;
  } finally {
    door.close();
  }
}

function problemsOnPaper(documents) {
  const of = (group) => documents.filter(({ apiVersion }) => apiVersion.startsWith(`${group}/`));
  const [keda, controller] = [of('keda.sh'), of('temporal.io')];
  const others = documents.filter((one) => !keda.includes(one) && !controller.includes(one));
  // The controller's pods are Kubernetes' own, too.
  const templates = controller
    .filter(({ kind }) => kind === 'WorkerDeployment')
    .map(({ metadata, spec: { template } }) => ({ apiVersion: 'v1', kind: 'PodTemplate', metadata, template }));
  return [
    ...kubernetesProblems([...others, ...templates]),
    ...kedaProblems(keda),
    ...controllerProblems(controller),
    ...danglingNames(documents),
  ];
}

/** Places where names stand that end with a digest: kustomize leaves a name alone that it does not know there. */
function danglingNames(documents) {
  const there = new Set(
    documents.filter(({ kind }) => /^(ConfigMap|Secret)$/.test(kind)).map(({ metadata }) => metadata.name),
  );
  const named = [
    ...JSON.stringify(documents).matchAll(
      /"(?:secretName|name)":"((?:payments-settings|payments-secrets|temporal-connection)[^"]*)"/g,
    ),
  ];
  return named.flatMap(([, name]) => (there.has(name) ? [] : [`${name} is named, and is not there`]));
}

function build(place) {
  const text = execFileSync(kustomize(), ['build', place], {
    encoding: 'utf8',
  });
  return parseAllDocuments(text).map((one) => one.toJS());
}

/** A kustomization as docs/kubernetes.md has it: over the overlay, with settings and secrets of one's own. */
function ownKustomization({ overlay, components }, { simulator, certificates }, address) {
  const place = mkdtempSync(join(folder, 'own-'));
  const at = (path) => relative(place, join(manifests, path));
  const files = {
    gateway_secret_key: APP.secret_key,
    encryption_keys: `first:${randomBytes(32).toString('base64')}`,
    codec_server_token: randomBytes(24).toString('hex'),
    'ca.crt': certificates.ca,
    'tls.crt': certificates.client.cert,
    'tls.key': certificates.client.key,
    'temporal.toml': `[profile.default]\napi_key = "${API_KEY}"\n`,
    'api-key': API_KEY,
  };
  mkdirSync(join(place, 'secrets'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(place, 'secrets', name), `${text}\n`);
  const settings = {
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: overlay === 'own-server' ? `new-${randomBytes(4).toString('hex')}` : 'default',
    // The authority of this check's server: Temporal Cloud's own is known everywhere.
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/run/secrets/temporal/ca.crt',
    GATEWAY_BASE_URL: simulator.url,
    GATEWAY_APP_ID: APP.app_id,
    WEBHOOK_PUBLIC_URL: 'https://pay.example.com',
    // One server has all stacks.
    PAYMENTS_TASK_QUEUE: `payments-${randomBytes(4).toString('hex')}`,
    CODEC_SERVER_UI_ORIGINS: 'https://temporal.example.com',
  };
  const of = {
    'own-server': ['ca.crt'],
    'cloud-api-key': ['temporal.toml', 'api-key', 'ca.crt'],
    'cloud-mtls': ['tls.crt', 'tls.key', 'ca.crt'],
  };
  const secret = (name, keys) => ({
    name,
    namespace: 'payments',
    behavior: 'replace',
    files: keys.map((key) => `secrets/${key}`),
  });
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [at(`overlays/${overlay}`)],
    components: components.map((name) => at(`components/${name}`)),
    configMapGenerator: [
      {
        name: 'payments-settings',
        namespace: 'payments',
        behavior: 'merge',
        literals: Object.entries(settings).map((pair) => pair.join('=')),
      },
    ],
    secretGenerator: [
      secret('payments-secrets', ['gateway_secret_key', 'encryption_keys', 'codec_server_token']),
      secret('temporal-connection', of[overlay]),
    ],
  };
  writeFileSync(join(place, 'kustomization.yaml'), stringify(kustomization));
  return place;
}

const isWorkload = ({ kind }) => /^(Deployment|Job|WorkerDeployment)$/.test(kind);

/** What the Worker Controller adds to its pods. */
function ofController(documents, workload) {
  if (workload.kind !== 'WorkerDeployment') return {};
  const { connectionRef, temporalNamespace } = workload.spec.workerOptions;
  const { hostPort, apiKeySecretRef } = find(documents, 'Connection', connectionRef.name).spec;
  const { data } = apiKeySecretRef ? find(documents, 'Secret', apiKeySecretRef.name) : {};
  return {
    TEMPORAL_ADDRESS: hostPort,
    TEMPORAL_NAMESPACE: temporalNamespace,
    TEMPORAL_DEPLOYMENT_NAME: `payments/${workload.metadata.name}`,
    TEMPORAL_WORKER_BUILD_ID: randomBytes(4).toString('hex'),
    ...(data ? { TEMPORAL_API_KEY: Buffer.from(data[apiKeySecretRef.key], 'base64').toString().trim() } : {}),
  };
}

/** Starts the programs as their containers are started, the setup Job first, and lets a payment begin. Throws Unfit. */
async function runAll(documents, { starts }, world) {
  const workloads = documents.filter(isWorkload).filter(({ metadata }) => starts.includes(metadata.name));
  const pods = workloads.map((one) => new Pod(documents, one, folder, ofController(documents, one)));
  if (pods.length !== starts.length) throw new Unfit(`there are not all of ${starts.join(', ')}`);
  try {
    for (const pod of pods) await pod.prepare();
    const by = (name) => pods.find((pod) => pod.name === name);
    await by('setup')?.succeeds();
    const services = pods.filter((pod) => pod.name !== 'setup');
    for (const pod of services) pod.start();
    await Promise.all(services.map((pod) => pod.isReady()));
    await serves(documents, by('webhook'), by('codec-server'));
    if (by('worker')) await takesPayment(by('worker'), documents, world);
    await Promise.all(services.map((pod) => pod.stop()));
  } finally {
    for (const pod of pods) pod.kill();
  }
}

/** Each Service leads to its program: both refuse who proves nothing. */
async function serves(documents, webhook, codec) {
  for (const [pod, path] of [
    [webhook, `/ipn/${APP.app_id}`],
    [codec, '/decode'],
  ]) {
    if (pod === undefined) continue;
    const [{ targetPort }] = find(documents, 'Service', pod.name).spec.ports;
    const answer = await fetch((await pod.addressOf(targetPort)) + path, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    });
    if (answer.status !== 401)
      throw new Unfit(`the Service ${pod.name} answers ${answer.status} to who proves nothing, not 401`);
  }
}

/** A payment begins, with the worker's own settings, and has its payment data. */
async function takesPayment(worker, documents, { temporal }) {
  const {
    TEMPORAL_NAMESPACE: namespace,
    TEMPORAL_DEPLOYMENT_NAME: deploymentName,
    TEMPORAL_WORKER_BUILD_ID: buildId,
  } = worker.env;
  // As an operator does it. All stacks are one deployment to the server here, each with a task queue of its own.
  if (deploymentName)
    await temporal.connection.workflowService.setWorkerDeploymentCurrentVersion({
      namespace,
      deploymentName,
      buildId,
      ignoreMissingTaskQueues: true,
    });
  const workload = documents.find(({ kind, metadata }) => isWorkload({ kind }) && metadata.name === worker.name);
  const shop = new Pod(documents, workload, folder, worker.added);
  await shop.prepare();
  const order = JSON.parse(readFileSync(join(root, 'examples/orders/pix.json'), 'utf8'));
  const file = join(shop.folder, 'order.json');
  writeFileSync(
    file,
    JSON.stringify({ ...order, request: { ...order.request, out_trade_no: `shop-${randomBytes(6).toString('hex')}` } }),
  );
  await shop.succeeds(['pay', file]);
}

/** The programs that start with the words that stand in the repository for secrets: none may. */
async function startedAsGiven(overlay) {
  const documents = build(join(manifests, 'overlays', overlay));
  const pods = documents.filter(isWorkload).map((one) => new Pod(documents, one, folder));
  const codes = await Promise.all(
    pods.map(async (pod) => {
      await pod.prepare();
      pod.start();
      return [pod.name, await pod.ended];
    }),
  );
  return codes.filter(([, code]) => code === 0).map(([name]) => name);
}

const container = (documents, name) => find(documents, 'Deployment', name).spec.template.spec.containers[0];
const without = (list, name) => list.filter((one) => one.name !== name);
const settings = (documents) =>
  documents.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith('payments-settings'));
const secrets = (documents) =>
  documents.find(({ kind, metadata }) => kind === 'Secret' && metadata.name.startsWith('payments-secrets'));
const own = STACKS[0];
const only = (name) => ({ ...own, starts: [name] });
const scaled = { ...own, components: ['keda'], starts: [] };

/** A mistake, the stack that it is made in, and what must be said of it. */
const PLANTED = [
  [
    'a wrong port of a probe',
    only('codec-server'),
    (all) => {
      container(all, 'codec-server').readinessProbe.httpGet.port = 8482;
    },
    /readyz at port 8482/,
  ],
  [
    'a probe of a path that nobody serves',
    only('codec-server'),
    (all) => {
      container(all, 'codec-server').livenessProbe.httpGet.path = '/health';
    },
    /\/health at port/,
  ],
  [
    'a setting that nobody knows',
    only('worker'),
    (all) => {
      settings(all).data.PAYMENTS_LAET = 'accept';
    },
    /there is no such setting/,
  ],
  [
    'a Secret that lacks a key',
    only('worker'),
    (all) => {
      delete secrets(all).data.encryption_keys;
    },
    /lacks it/,
  ],
  [
    'a Secret that is not there',
    only('worker'),
    (all) => {
      all.splice(all.indexOf(secrets(all)), 1);
    },
    /payments-secrets-\w+ is named/,
  ],
  [
    'a secret that is no setting’s',
    only('worker'),
    (all) => {
      container(all, 'worker').env = without(container(all, 'worker').env, 'PAYMENTS_ENCRYPTION_KEYS_FILE');
    },
    /PAYMENTS_ENCRYPTION_KEYS/,
  ],
  [
    'a webhook on loopback alone',
    { ...own, starts: ['setup', 'webhook'] },
    (all) => {
      container(all, 'webhook').env = without(container(all, 'webhook').env, 'WEBHOOK_HOST');
    },
    /port http takes connections/,
  ],
  [
    'variables of Services',
    only('worker'),
    (all) => {
      delete find(all, 'Deployment', 'worker').spec.template.spec.enableServiceLinks;
    },
    /WEBHOOK_PORT/,
  ],
  [
    'a setup Job without the authority',
    only('setup'),
    (all) => {
      find(all, 'Job', 'setup').spec.template.spec.containers[0].volumeMounts.splice(0, 1);
    },
    /cannot be used.*ca\.crt/s,
  ],
  ['a worker before setup', only('worker'), () => undefined, /no namespace/],
  [
    'a grace that the webhook exceeds',
    { ...own, starts: ['setup', 'webhook'] },
    (all) => {
      find(all, 'Deployment', 'webhook').spec.template.spec.terminationGracePeriodSeconds = 5;
    },
    /did not stop within 5 s/,
  ],
  [
    'a field that Kubernetes has not',
    only('worker'),
    (all) => {
      container(all, 'worker').livenesProbe = {};
    },
    /livenesProbe/,
  ],
  [
    'a field that KEDA has not',
    scaled,
    (all) => {
      find(all, 'ScaledObject', 'worker').spec.maxReplicas = 3;
    },
    /maxReplicas/,
  ],
  [
    'a field that the Worker Controller has not',
    { ...STACKS[5], starts: [] },
    (all) => {
      find(all, 'WorkerDeployment', 'worker').spec.strategy = {};
    },
    /"strategy"/,
  ],
  [
    'a wrong API key',
    { ...STACKS[1], starts: ['setup'] },
    (all) => {
      const { data } = all.find(
        ({ kind, metadata }) => kind === 'Secret' && metadata.name.startsWith('temporal-connection'),
      );
      data['temporal.toml'] = Buffer.from('[profile.default]\napi_key = "another"\n').toString('base64');
    },
    /setup ended with 2.*cannot be reached/s,
  ],
];

async function plant(world) {
  let failures = 0;
  for (const [what, stack, change, said] of PLANTED) {
    const found = (await problemsOf(stack, world, change)).join('\n');
    if (!said.test(found)) failures += 1;
    console.log(said.test(found) ? `ok  found: ${what}` : `not found: ${what}. It was said: ${found || 'nothing'}`);
  }
  return failures;
}

try {
  await main();
} catch (error) {
  if (!(error instanceof MissingTool)) throw error;
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
