/** The folder of a development stack, with ports that no other test prefers. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../src/cli/dev/temporal';
import { makeKeys } from '../../src/cli/keys';

/** Makes it, and gives the port of each of its servers. */
export async function stackFolder(dataDir: string): Promise<Record<string, number>> {
  const servers = ['temporal', 'ui', 'simulator', 'webhook', 'codec'];
  const free = await Promise.all(servers.map(async (server) => [server, (await freePort(0)).port] as const));
  const ports = Object.fromEntries(free);
  mkdirSync(dataDir);
  const keys = { secret_key: randomBytes(24).toString('hex'), ...(await makeKeys()) };
  writeFileSync(join(dataDir, 'stack.json'), JSON.stringify({ ports, ...keys }));
  return ports;
}
