import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** The published orders, in the repository and in the package. */
const FOLDER = join(__dirname, '../../../examples/orders');

const published = z.object({ kind: z.enum(['direct', 'checkout']), request: z.record(z.string(), z.unknown()) });

/** Fields that every request has, and that the published orders leave to whoever sends them. */
export const COMMON = { app_id: 'test-app', timestamp: '2026-03-02 12:00:00' };
const NOTIFY_URL = 'https://shop.example.com/ipn';

/** The published orders of a kind as examples of a request, by name; none where the folder is not there. */
export function orderExamples(kind: 'direct' | 'checkout'): Record<string, { value: object }> {
  if (!existsSync(FOLDER)) return {};
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
  return Object.fromEntries(
    files
      .sort()
      .map((file) => ({ file, ...published.parse(JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))) }))
      .filter((order) => order.kind === kind)
      .map(({ file, request }) => [
        file.replace(/\.json$/, ''),
        { value: { ...COMMON, notify_url: NOTIFY_URL, ...request } },
      ]),
  );
}
