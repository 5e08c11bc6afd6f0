/** What a stack keeps in its folder, beside the files of Temporal and of the simulator: its keys and ports. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writePrivately } from '../../process/dev-settings';
import { ConfigError } from '../../process/user-error';
import { makeKeys } from '../keys';
import { say } from '../print';
import { jsonOf } from '../read-json';
import { freePort, isPortFree } from './temporal';

/** Where everything listens. */
export const HOST = '127.0.0.1';

/** Preferred ports. A taken one is replaced by another, which is then kept. */
const PORTS = { temporal: 7_233, ui: 8_233, simulator: 8_470, webhook: 8_480, codec: 8_490 };
const SERVERS = ['temporal', 'ui', 'simulator', 'webhook', 'codec'] as const;

const stackFile = z.object({
  ports: z.record(z.enum(SERVERS), z.number()),
  secret_key: z.string(),
  encryption_key: z.string(),
  events_secret: z.string(),
  sealing_private_jwks: z.unknown(),
  sealing_public_jwk: z.unknown(),
});
export type StackFile = z.infer<typeof stackFile>;

const pathIn = (dataDir: string) => join(dataDir, 'stack.json');

/** The keys and ports of a folder's stack; made if it has none. Throws ConfigError for a file of another kind. */
export async function readStackFile(dataDir: string): Promise<StackFile> {
  const file = pathIn(dataDir);
  const before = existsSync(file) ? stackFile.safeParse(jsonOf(await readFile(file, 'utf8'))) : undefined;
  if (before && !before.success) throw new ConfigError(`${file} is not a stack's file; move it away to start afresh.`);
  const keys = before?.data ?? { ports: PORTS, secret_key: randomBytes(24).toString('hex'), ...(await makeKeys()) };
  const ports = { ...keys.ports };
  for (const name of SERVERS) {
    const { port, taken } = await freePort(ports[name], HOST);
    if (taken !== null) say(`  Port ${taken} is taken; ${name} uses ${port}.`);
    ports[name] = port;
  }
  return { ...keys, ports };
}

/** The ports of a stack that a program uses now. Ask when the stack itself has ended. */
export async function takenPorts({ ports }: StackFile): Promise<number[]> {
  const free = await Promise.all(SERVERS.map((name) => isPortFree(ports[name], HOST)));
  return SERVERS.filter((_, i) => !free[i]).map((name) => ports[name]);
}

export async function saveStackFile(dataDir: string, file: StackFile): Promise<void> {
  await writePrivately(pathIn(dataDir), `${JSON.stringify(file, null, 2)}\n`);
}
