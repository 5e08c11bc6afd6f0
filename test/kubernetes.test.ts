/**
 * deploy/kubernetes against our own programs, as it is written: no kustomize here. `npm run manifests:check` builds it, validates it and
 * starts what it describes.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { msToNumber } from '@temporalio/common/lib/time';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { ConfigError, loadConfig, SETTING_NAMES } from '../src/process/settings';
import { FROM_FILES } from '../src/process/settings/schema';
import { SHUTDOWN_GRACE } from '../src/worker';

const ROOT = join(__dirname, '..');
const MANIFESTS = join(ROOT, 'deploy/kubernetes');
const text = (path: string) => readFileSync(join(MANIFESTS, path), 'utf8');
const files = readdirSync(MANIFESTS, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml'));

const probe = z.object({ httpGet: z.object({ path: z.string(), port: z.string() }) });
const mount = z.object({ name: z.string(), mountPath: z.string(), readOnly: z.boolean().optional() });
const container = z.object({
  image: z.string(),
  args: z.array(z.string()),
  env: z.array(z.strictObject({ name: z.string(), value: z.string() })).default([]),
  envFrom: z.array(z.object({ configMapRef: z.object({ name: z.string() }) })),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })).default([]),
  startupProbe: probe.optional(),
  livenessProbe: probe.optional(),
  readinessProbe: probe.optional(),
  securityContext: z.record(z.string(), z.unknown()),
  resources: z.object({
    requests: z.object({ cpu: z.string(), memory: z.string() }),
    limits: z.object({ cpu: z.string(), memory: z.string() }),
  }),
  volumeMounts: z.array(mount),
});
const secretVolume = z.object({
  secretName: z.string(),
  items: z.array(z.object({ key: z.string(), path: z.string() })).optional(),
});
const pod = z.object({
  containers: z.tuple([container]),
  securityContext: z.record(z.string(), z.unknown()),
  enableServiceLinks: z.boolean().optional(),
  automountServiceAccountToken: z.boolean().optional(),
  terminationGracePeriodSeconds: z.number().optional(),
  volumes: z.array(z.object({ name: z.string(), secret: secretVolume.optional() })),
});
const workload = z.object({
  kind: z.enum(['Deployment', 'Job']),
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    template: z.object({ metadata: z.object({ labels: z.record(z.string(), z.string()) }), spec: pod }),
  }),
});
const named = z.object({ kind: z.string(), metadata: z.object({ name: z.string() }) });
const generator = z.object({
  name: z.string(),
  literals: z.array(z.string()).default([]),
  envs: z.array(z.string()).default([]),
});
const kustomization = z.object({
  resources: z.array(z.string()).default([]),
  images: z.array(z.object({ name: z.string(), newTag: z.string() })).default([]),
  configMapGenerator: z.array(generator).default([]),
  secretGenerator: z.array(generator).default([]),
});

const documents = (path: string): unknown[] => parseAllDocuments(text(path)).map((one) => one.toJS());
const base = kustomization.parse(parse(text('base/kustomization.yaml')));
const resources = base.resources.flatMap((file) => documents(`base/${file}`));
const kindOf = (one: unknown) => named.parse(one).kind;
const programs = resources
  .filter((one) => ['Deployment', 'Job'].includes(kindOf(one)))
  .map((one) => workload.parse(one))
  .map(({ metadata: { name }, spec: { template } }) => ({
    name,
    labels: template.metadata.labels,
    pod: template.spec,
    main: template.spec.containers[0],
  }));
const serving = programs.filter(({ main }) => main.ports.length > 0);
const of = (name: string) => {
  const found = programs.find((one) => one.name === name);
  if (!found) throw new Error(`deploy/kubernetes has no ${name}`);
  return found;
};
const OVERLAYS = readdirSync(join(MANIFESTS, 'overlays'));
const overlay = (name: string) => kustomization.parse(parse(text(`overlays/${name}/kustomization.yaml`)));
const pairs = (lines: readonly string[]) =>
  Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
const settings = pairs(
  text('base/settings.env')
    .split('\n')
    .filter((line) => /^\w+=/.test(line)),
);
/** The environment of a program under an overlay: its ConfigMap, and what stands beside its container. */
const environmentOf = (name: string, by: string) => ({
  ...settings,
  ...pairs(overlay(by).configMapGenerator.flatMap(({ literals }) => literals)),
  ...Object.fromEntries(of(name).main.env.map((one) => [one.name, one.value])),
});

/** Variables of Temporal's SDK, which no table of ours has. */
const OF_TEMPORAL = [
  'TEMPORAL_ADDRESS',
  'TEMPORAL_NAMESPACE',
  'TEMPORAL_CONFIG_FILE',
  'TEMPORAL_TLS',
  'TEMPORAL_TLS_SERVER_CA_CERT_PATH',
  'TEMPORAL_TLS_CLIENT_CERT_PATH',
  'TEMPORAL_TLS_CLIENT_KEY_PATH',
];
const KNOWN = new Set([...SETTING_NAMES, ...FROM_FILES.map((name) => `${name}_FILE`), ...OF_TEMPORAL]);

test('the programs are those of the command line, each under its command', () => {
  expect(programs.map(({ name, main }) => [name, main.args])).toEqual(
    ['setup', 'worker', 'webhook', 'codec-server'].map((name) => [name, [name]]),
  );
});

test.each(OVERLAYS)('every variable of %s is a setting of ours, or one of Temporal’s own', (name) => {
  const given = programs.flatMap((one) => Object.keys(environmentOf(one.name, name)));
  expect([...new Set(given)].filter((variable) => !KNOWN.has(variable))).toEqual([]);
});

test('no program takes a Service for a setting: a Service webhook would set WEBHOOK_PORT to tcp://…', () => {
  for (const {
    name,
    pod: { enableServiceLinks },
  } of programs)
    expect([name, enableServiceLinks]).toEqual([name, false]);
});

test.each(serving.map(({ name }) => name))(
  'the probes of %s ask where it serves its health, beyond loopback',
  (name) => {
    const { main } = of(name);
    const ports = new Map(main.ports.map((one) => [one.name, one.containerPort]));
    const { HEALTH_ADDRESS } = loadConfig(
      Object.fromEntries(main.env.filter(({ name: n }) => n === 'HEALTH_ADDRESS').map((one) => [one.name, one.value])),
    );
    const { livenessProbe, readinessProbe, startupProbe } = main;
    const asked = { livenessProbe, readinessProbe, startupProbe };
    const paths = Object.entries(asked).map(([kind, one]) => [
      kind,
      one?.httpGet.path,
      ports.get(one?.httpGet.port ?? ''),
    ]);
    const [host, port] = HEALTH_ADDRESS?.split(':') ?? [];
    expect(host).toBe('0.0.0.0');
    expect(paths).toEqual([
      ['livenessProbe', '/healthz', Number(port)],
      ['readinessProbe', '/readyz', Number(port)],
      ['startupProbe', '/healthz', Number(port)],
    ]);
  },
);

test('each port that a program listens on is declared, and is open beyond loopback', () => {
  const listens = { http: /^(WEBHOOK|CODEC_SERVER)_PORT$/, health: /^HEALTH_ADDRESS$/, metrics: /^METRICS_ADDRESS$/ };
  for (const { name, main } of serving) {
    const values = main.ports.map(({ name: port, containerPort }) => [
      port,
      main.env.find((one) => Object.entries(listens).some(([known, by]) => known === port && by.test(one.name)))?.value,
      containerPort,
    ]);
    for (const [, value, port] of values)
      expect([name, value]).toEqual([name, expect.stringMatching(`^(0\\.0\\.0\\.0:)?${port}$`)]);
    for (const { value } of main.env.filter((one) => one.name.endsWith('_HOST')))
      expect([name, value]).toEqual([name, '0.0.0.0']);
  }
  expect(of('webhook').main.env).toContainEqual({ name: 'WEBHOOK_HOST', value: '0.0.0.0' });
  expect(of('codec-server').main.env).toContainEqual({ name: 'CODEC_SERVER_HOST', value: '0.0.0.0' });
});

test('a node waits longer for a program’s stop than the program takes for it', () => {
  const seconds = (name: string) => of(name).pod.terminationGracePeriodSeconds ?? 0;
  const { WEBHOOK_STOP_DELAY, WEBHOOK_ACK_TIMEOUT } = loadConfig(
    Object.fromEntries(
      of('webhook')
        .main.env.filter((one) => one.name.startsWith('WEBHOOK_'))
        .map((one) => [one.name, one.value]),
    ),
  );
  expect(seconds('worker') * 1_000).toBeGreaterThan(msToNumber(SHUTDOWN_GRACE));
  expect(seconds('webhook') * 1_000).toBeGreaterThan(WEBHOOK_STOP_DELAY + WEBHOOK_ACK_TIMEOUT);
  expect(seconds('codec-server')).toBeGreaterThan(10);
});

test('no secret is in the files: they hold a word that no program takes', () => {
  const words = [base, ...OVERLAYS.map(overlay)]
    .flatMap(({ secretGenerator }) => secretGenerator)
    .flatMap(({ literals }) => literals);
  expect(words).toHaveLength(7);
  for (const word of words) expect(word).toMatch(/^[\w.]+=none$/);
  expect(files.filter((file) => /^kind: Secret$|BEGIN |secretKeyRef/m.test(text(file)))).toEqual([]);
  for (const name of ['GATEWAY_SECRET_KEY', 'PAYMENTS_ENCRYPTION_KEYS', 'CODEC_SERVER_TOKEN'])
    expect(() => loadConfig({ [name]: 'none' })).toThrow(ConfigError);
});

const SECRET = /SECRET|PASSWORD|TOKEN|PRIVATE|JWKS?(_|$)|(^|_)KEYS?(_|$)|CERT|CONFIG_FILE/;

test.each(OVERLAYS)('under %s each secret is a file, which the Secret has and the program mounts', (by) => {
  const kept = [base, overlay(by)].flatMap(({ secretGenerator }) =>
    secretGenerator.map(({ name, literals }) => [name, Object.keys(pairs(literals))] as const),
  );
  let found = 0;
  for (const {
    name,
    pod: { volumes },
    main,
  } of programs) {
    const mounted = main.volumeMounts.flatMap((one) => {
      const { secret } = volumes.find((volume) => volume.name === one.name) ?? {};
      const keys =
        secret?.items?.map(({ path }) => path) ?? kept.find(([known]) => known === secret?.secretName)?.[1] ?? [];
      return keys.map((key) => `${one.mountPath}/${key}`);
    });
    const named = Object.entries(environmentOf(name, by)).filter(([variable]) => SECRET.test(variable));
    // The codec server has the settings of Temporal, too, and asks it nothing.
    const own = named.filter(([variable]) => name !== 'codec-server' || !variable.startsWith('TEMPORAL_'));
    for (const [variable, value] of own) {
      found += 1;
      expect([name, variable, mounted]).toEqual([name, variable, expect.arrayContaining([value])]);
    }
  }
  expect(found).toBeGreaterThanOrEqual(9);
});

test('every program is without privileges, with limits, on a file system that it cannot change', () => {
  for (const {
    name,
    pod: {
      securityContext,
      automountServiceAccountToken,
      containers: [main],
    },
  } of programs) {
    expect({ name, ...securityContext, automountServiceAccountToken }).toMatchObject({
      name,
      runAsNonRoot: true,
      runAsUser: 1000,
      seccompProfile: { type: 'RuntimeDefault' },
      automountServiceAccountToken: false,
    });
    expect({ name, ...main.securityContext }).toEqual({
      name,
      allowPrivilegeEscalation: false,
      privileged: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    for (const { mountPath, readOnly } of main.volumeMounts)
      expect([name, mountPath, readOnly]).toEqual([name, mountPath, mountPath === '/tmp' ? undefined : true]);
  }
});

test('the image has the tag of this version', () => {
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
  expect(base.images).toEqual([{ name: 'temporal-payment-gateway', newTag: version }]);
  for (const { main } of programs) expect(main.image).toBe('temporal-payment-gateway');
});

test('nobody reaches anybody but by a policy, and each names pods and ports that there are', () => {
  const policies = resources.filter((one) => kindOf(one) === 'NetworkPolicy');
  expect(policies).toContainEqual(
    expect.objectContaining({ spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'] } }),
  );
  const said = JSON.stringify(policies);
  const [labels, ports] = [/"app\.kubernetes\.io\/name":"([\w-]+)"|"values":\[([^\]]+)\]/g, /"port":"(\w+)"/g];
  const pods = [...said.matchAll(labels)].flatMap(
    ([, one, list]) => one ?? (list ?? '').split(',').map((word) => word.replaceAll('"', '')),
  );
  expect(pods.filter((name) => !programs.some((one) => one.labels['app.kubernetes.io/name'] === name))).toEqual([]);
  const known = new Set(programs.flatMap(({ main }) => main.ports.map(({ name }) => name)));
  expect([...said.matchAll(ports)].map(([, port = '']) => port).filter((port) => !known.has(port))).toEqual([]);
});

test('names are asked for at NodeLocal DNSCache, too, and nothing else at link-local addresses is reached', () => {
  const policies = resources.filter((one) => kindOf(one) === 'NetworkPolicy');
  const names = policies.filter((one) => JSON.stringify(one).includes('"cidr":"169.254.'));
  const ports = ['UDP', 'TCP'].map((protocol) => ({ protocol, port: 53 }));
  const to = [{ namespaceSelector: expect.anything() }, { ipBlock: { cidr: '169.254.20.10/32' } }];
  expect(names).toMatchObject([{ metadata: { name: 'names' }, spec: { podSelector: {}, egress: [{ to, ports }] } }]);
});

test('every file that a kustomization names exists, and no other is there', () => {
  const found = files
    .filter((file) => file.endsWith('kustomization.yaml'))
    .flatMap((file) => {
      const {
        resources: given = [],
        components = [],
        configurations = [],
      } = z
        .object({
          resources: z.array(z.string()),
          components: z.array(z.string()),
          configurations: z.array(z.string()),
        })
        .partial()
        .parse(parse(text(file)));
      return [...given, ...components, ...configurations].map((one) => join(file, '..', one));
    });
  expect(found.filter((file) => !existsSync(join(MANIFESTS, file)))).toEqual([]);
  expect(files.filter((file) => !file.endsWith('kustomization.yaml') && !found.includes(file))).toEqual([]);
});

test('the guide’s own kustomization names what there is, and no secret but by its file', () => {
  const guide = readFileSync(join(ROOT, 'docs/kubernetes.md'), 'utf8');
  const [, block = ''] = /^ *```yaml\n(.*?)^ *```$/ms.exec(guide) ?? [];
  const own = z
    .object({
      resources: z.array(z.string()),
      components: z.array(z.string()),
      images: z.array(z.object({ name: z.string(), newTag: z.string() })),
      configMapGenerator: z.array(generator),
      secretGenerator: z.array(
        z.object({ name: z.string(), behavior: z.literal('replace'), files: z.array(z.string()) }),
      ),
    })
    .parse(parse(block));
  const parts = [...own.resources, ...own.components].map((one) => one.replace('../temporal-payment-gateway/', ''));
  expect(parts.filter((one) => !existsSync(join(ROOT, one)))).toEqual([]);
  expect(own.images.map(({ name, newTag }) => ({ name, newTag }))).toEqual(base.images);
  const given = own.configMapGenerator.flatMap(({ literals }) => Object.keys(pairs(literals)));
  expect(given.filter((variable) => !KNOWN.has(variable))).toEqual([]);
  const there = [base, overlay('cloud-api-key')].flatMap(({ secretGenerator }) => secretGenerator);
  for (const { name, files: kept } of own.secretGenerator) {
    const { literals = [] } = there.find((one) => one.name === name) ?? {};
    expect([name, kept.map((file) => file.replace('secrets/', ''))]).toEqual([name, Object.keys(pairs(literals))]);
  }
});

test('the guide has Prometheus ask each program under the name that alerts ask by', () => {
  const guide = readFileSync(join(ROOT, 'docs/kubernetes.md'), 'utf8');
  const [, block = ''] = /^```yaml\n(scrape_configs:.*?)^```$/ms.exec(guide) ?? [];
  const rule = z.object({ source_labels: z.array(z.string()), regex: z.string().default('(.*)') }).loose();
  const scrape = z.object({ scrape_configs: z.tuple([z.object({ relabel_configs: z.tuple([rule, rule]) })]) });
  const [port, job] = scrape.parse(parse(block)).scrape_configs[0].relabel_configs;
  expect(port).toMatchObject({ source_labels: ['__meta_kubernetes_pod_container_port_name'], action: 'keep' });
  expect(job).toMatchObject({
    source_labels: ['__meta_kubernetes_pod_label_app_kubernetes_io_name'],
    target_label: 'job',
  });
  const asked = serving.filter(({ main }) => main.ports.some(({ name }) => name === port.regex));
  const names = asked.map(({ labels }) => `${job.replacement}`.replace('$1', labels['app.kubernetes.io/name'] ?? ''));
  const own = z.object({ scrape_configs: z.array(z.object({ job_name: z.string() })) });
  const config = own.parse(parse(readFileSync(join(ROOT, 'deploy/prometheus/prometheus.yml'), 'utf8')));
  expect(names).toEqual(config.scrape_configs.map(({ job_name }) => job_name));
});

test('no deploy shortens for how long Temporal keeps payments: setup says no retention', () => {
  for (const name of OVERLAYS)
    expect([name, text(`overlays/${name}/kustomization.yaml`)]).toEqual([
      name,
      expect.not.stringMatching(/--retention/),
    ]);
});
