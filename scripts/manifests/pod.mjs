// A container of a manifest as a process of this machine: its command, its environment and its files, and the probes that a node would make.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
/** The entry point of the image, and what its environment has from there. */
const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
const [program, ...entrypoint] = JSON.parse(/^ENTRYPOINT (.+)$/m.exec(dockerfile)[1]);
const ofImage = Object.fromEntries(
  [...dockerfile.matchAll(/^ENV (\w+)=(\S+)$/gm)].map(([, name, value]) => [name, value]),
);

/** A node reaches a pod from outside: what listens on loopback alone does not answer. */
const OUTSIDE =
  Object.values(networkInterfaces())
    .flat()
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1';
const READY_WITHIN_MS = 60_000;

/** Something that a cluster, or the program itself, would refuse. */
export class Unfit extends Error {}

/** The document of a kind with a name. */
export function find(documents, kind, name) {
  const found = documents.find((one) => one.kind === kind && one.metadata.name === name);
  if (found === undefined) throw new Unfit(`there is no ${kind} ${name}`);
  return found;
}

/** The pod of a Deployment, Job or WorkerDeployment, whose one container runs in `folder`. `added` is what a controller adds to its environment. */
export class Pod {
  printed = '';
  places = new Map();
  ports = new Map();

  constructor(documents, workload, folder, added = {}) {
    const { spec } = workload.spec.template;
    const [container] = spec.containers;
    Object.assign(this, { documents, spec, container, name: workload.metadata.name });
    this.folder = mkdtempSync(join(folder, `${this.name}-`));
    this.added = added;
  }

  /** Writes what is mounted, and chooses ports. Throws Unfit. */
  async prepare() {
    for (const { name, mountPath } of this.container.volumeMounts) {
      const volume = this.spec.volumes.find((one) => one.name === name);
      if (volume === undefined) throw new Unfit(`${this.name} mounts ${name}, which is no volume of it`);
      this.places.set(mountPath, this.place(name, volume));
    }
    for (const { containerPort } of this.container.ports ?? []) await this.portFor(containerPort);
    this.env = await this.environment();
  }

  place(name, { secret }) {
    const place = join(this.folder, name);
    mkdirSync(place);
    if (secret === undefined) return place;
    const { data } = find(this.documents, 'Secret', secret.secretName);
    for (const { key, path } of secret.items ?? Object.keys(data).map((one) => ({ key: one, path: one }))) {
      if (data[key] === undefined)
        throw new Unfit(`${this.name} mounts ${key} of ${secret.secretName}, which lacks it`);
      writeFileSync(join(place, path), Buffer.from(data[key], 'base64'), { mode: 0o400 });
    }
    return place;
  }

  /** A free port of this machine in place of one of the container's, always the same one. */
  async portFor(port) {
    if (!this.ports.has(port)) this.ports.set(port, await freePort());
    return this.ports.get(port);
  }

  async environment() {
    const given = {};
    if (this.spec.enableServiceLinks !== false) Object.assign(given, this.serviceLinks());
    for (const { configMapRef } of this.container.envFrom ?? [])
      Object.assign(given, find(this.documents, 'ConfigMap', configMapRef.name).data);
    for (const { name, value } of this.container.env ?? []) given[name] = value;
    Object.assign(given, this.added);
    const here = Object.entries(given).map(async ([name, value]) => [name, await this.here(name, value)]);
    return { ...ofImage, ...Object.fromEntries(await Promise.all(here)) };
  }

  /** What Kubernetes tells each pod of each Service, unless it is told not to. */
  serviceLinks() {
    const services = this.documents.filter(({ kind }) => kind === 'Service');
    const links = services.flatMap(({ metadata, spec }) => {
      const name = metadata.name.toUpperCase().replaceAll('-', '_');
      const [{ port }] = spec.ports;
      return [
        [`${name}_SERVICE_HOST`, '10.96.0.1'],
        [`${name}_SERVICE_PORT`, String(port)],
        [`${name}_PORT`, `tcp://10.96.0.1:${port}`],
      ];
    });
    return Object.fromEntries(links);
  }

  /** A value with the paths and ports of this machine. */
  async here(name, value) {
    for (const [mountPath, place] of this.places)
      if (value.startsWith(`${mountPath}/`)) return join(place, value.slice(mountPath.length));
    const [, host = '', port] = /^(\d+\.\d+\.\d+\.\d+:)?(\d+)$/.exec(value) ?? [];
    const listens = port !== undefined && /^(WEBHOOK|CODEC_SERVER)_PORT$|^(HEALTH|METRICS)_ADDRESS$/.test(name);
    return listens ? `${host}${await this.portFor(Number(port))}` : value;
  }

  start(args = this.container.args) {
    if (program !== 'node') throw new Unfit(`the image starts ${program}, not node`);
    const expanded = args.map((arg) => arg.replace(/\$\((\w+)\)/g, (all, name) => this.env[name] ?? all));
    const env = { PATH: process.env.PATH, HOME: this.folder, ...this.env };
    const child = spawn(process.execPath, [join(root, ...entrypoint), ...expanded], { cwd: this.folder, env });
    for (const output of [child.stdout, child.stderr]) output.on('data', (chunk) => (this.printed += chunk));
    this.child = child;
    this.ended = new Promise((resolve) => child.on('close', (code) => resolve(code)));
    this.ended.then((code) => (this.code = code));
  }

  /** Throws Unfit unless it ends with 0. */
  async succeeds(args) {
    this.start(args);
    const code = await this.ended;
    if (code !== 0) throw this.unfit(`ended with ${code}`);
  }

  /** Resolves once each probe has its 200 and each port takes connections. Throws Unfit. */
  async isReady() {
    const until = Date.now() + READY_WITHIN_MS;
    const { startupProbe, livenessProbe, readinessProbe, ports = [] } = this.container;
    for (const probe of [startupProbe, livenessProbe, readinessProbe]) {
      const { path, port } = probe.httpGet;
      const url = `http://${OUTSIDE}:${await this.portFor(this.numberOf(port))}${path}`;
      await this.eventually(until, `${path} at port ${port} answers`, async () => (await fetch(url)).ok);
    }
    for (const { containerPort, name } of ports)
      await this.eventually(until, `the port ${name} takes connections`, () => accepts(this.ports.get(containerPort)));
  }

  /** The address of a port of the container, by its name or number. */
  async addressOf(port) {
    return `http://${OUTSIDE}:${await this.portFor(this.numberOf(port))}`;
  }

  numberOf(port) {
    const named = this.container.ports?.find(({ name }) => name === port);
    if (typeof port === 'string' && named === undefined) throw new Unfit(`${this.name} has no port ${port}`);
    return named?.containerPort ?? port;
  }

  async eventually(until, what, look) {
    for (;;) {
      if (this.code !== undefined) throw this.unfit(`ended with ${this.code}`);
      if (await look().catch(() => false)) return;
      if (Date.now() > until) throw this.unfit(`did not get so far that ${what}`);
      await delay(250);
    }
  }

  /** Sends what a node sends. Throws Unfit where it does not end by itself, in the time that it has there. */
  async stop() {
    this.child.kill('SIGTERM');
    const { terminationGracePeriodSeconds: seconds = 30 } = this.spec;
    const code = await Promise.race([this.ended, delay(seconds * 1_000, 'late', { ref: false })]);
    if (code !== 0) throw this.unfit(code === 'late' ? `did not stop within ${seconds} s` : `ended with ${code}`);
  }

  kill() {
    if (this.code === undefined) this.child?.kill('SIGKILL');
  }

  unfit(what) {
    return new Unfit(`${this.name} ${what}:\n${this.printed.trim().split('\n').slice(-6).join('\n')}`);
  }
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function accepts(port) {
  return new Promise((resolve) => {
    const socket = connect(port, OUTSIDE, () => resolve(true));
    socket.on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}
