// What deploy/kubernetes is built and validated with, offline once it is here. Each comes from its own registry, into the user's cache.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import Ajv from 'ajv';
import { parse, stringify } from 'yaml';

const { defaultCacheDir } = createRequire(import.meta.url)('../../lib/cli/dev/temporal');
const CACHE = defaultCacheDir(process.env);

const KUSTOMIZE = 'sigs.k8s.io/kustomize/kustomize/v5@v5.8.1';
const KEDA = 'github.com/kedacore/keda/v2@v2.21.0';
const VALIDATE = 'kubernetes-validate==1.37.0';

/** What is missing on this machine. The message says what to install. */
export class MissingTool extends Error {}

function run(file, args, hint, options = {}) {
  try {
    return execFileSync(file, args, { encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'], ...options });
  } catch (error) {
    throw new MissingTool(`${hint} (${(error.stderr || error.message).trim().split('\n').at(-1)})`);
  }
}

/** The path of kustomize. */
export function kustomize() {
  const GOBIN = join(CACHE, KUSTOMIZE.split('@').at(-1).replace('v', 'kustomize-'));
  const program = join(GOBIN, 'kustomize');
  const hint = `The check needs kustomize, which Go 1.26 or later installs from its module proxy: get Go at https://go.dev/dl (${KUSTOMIZE})`;
  if (!existsSync(program)) run('go', ['install', KUSTOMIZE], hint, { env: { ...process.env, GOBIN } });
  return program;
}

/** The problems that Kubernetes' own schemas find in these documents, unknown fields among them. */
export function kubernetesProblems(documents) {
  const folder = join(CACHE, VALIDATE.replace('==', '-'));
  const program = join(folder, 'bin/kubernetes-validate');
  if (!existsSync(program)) {
    const hint = `The check needs ${VALIDATE} of PyPI: apt-get install python3 python3-venv, and have a package index within reach`;
    try {
      run('python3', ['-m', 'venv', folder], hint);
      run(join(folder, 'bin/python'), ['-m', 'pip', 'install', '--quiet', VALIDATE], hint);
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }
  const input = documents.map((one) => stringify(one)).join('---\n');
  try {
    execFileSync(program, ['--strict', '--quiet', '-'], { input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] });
    return [];
  } catch (error) {
    return [`${error.stdout}${error.stderr}`.trim()];
  }
}

/** The problems that KEDA's own definitions find in what is KEDA's. */
export function kedaProblems(documents) {
  if (documents.length === 0) return [];
  const hint = `The check needs KEDA's definitions, which Go 1.26 or later gets from its module proxy: get Go at https://go.dev/dl (${KEDA})`;
  const { Dir: folder } = JSON.parse(run('go', ['mod', 'download', '-json', KEDA], hint, { cwd: CACHE }));
  return documents.flatMap((one) => {
    const file = join(folder, `config/crd/bases/keda.sh_${one.kind.toLowerCase()}s.yaml`);
    const { spec } = parse(readFileSync(file, 'utf8'));
    const [{ schema }] = spec.versions;
    return problemsBy(closed(schema.openAPIV3Schema), one);
  });
}

/** As a cluster reads it strictly: a field that the definition has not is a mistake. */
function closed(schema) {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  const isOpen = !schema.properties || schema.additionalProperties || schema['x-kubernetes-preserve-unknown-fields'];
  return isOpen ? parts : { ...parts, additionalProperties: false };
}

function problemsBy(schema, { metadata: _ours, ...document }) {
  const { metadata: _theirs, ...properties } = schema.properties;
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  const fits = ajv.compile({ ...schema, properties });
  if (fits(document)) return [];
  return fits.errors.map(
    ({ instancePath, message, params }) => `${document.kind}${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

const text = { type: 'string', minLength: 1 };
const duration = { type: 'string', pattern: '^\\d+[smh]$' };
const fields = (properties, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

/** The fields that the Worker Controller documents (docs/configuration.md of its repository), as far as we use them. */
const WORKER_CONTROLLER = {
  Connection: fields(
    {
      hostPort: { type: 'string', pattern: '^[a-zA-Z0-9.-]+:[0-9]+$' },
      apiKeySecretRef: fields({ name: text, key: text }),
      mutualTLSSecretRef: fields({ name: text }),
    },
    ['hostPort'],
  ),
  WorkerDeployment: fields({
    replicas: { type: 'integer' },
    template: { type: 'object' },
    rollout: fields({ strategy: { const: 'Manual' } }),
    sunset: fields({ scaledownDelay: duration, deleteDelay: duration }),
    workerOptions: fields({ connectionRef: fields({ name: text }), temporalNamespace: text }),
  }),
};

/** The problems that the Worker Controller's documentation shows in what is the controller's. */
export function controllerProblems(documents) {
  return documents.flatMap((one) => {
    const spec = WORKER_CONTROLLER[one.kind];
    if (spec === undefined) return [`the Worker Controller documents no ${one.kind}`];
    return problemsBy({ type: 'object', properties: { spec }, required: ['spec'] }, one);
  });
}
