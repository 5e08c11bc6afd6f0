/** This package on the disk. It is found by its name, so that it is also found once installed. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';

export function packageFolder(): string {
  return dirname(require.resolve('temporal-payment-gateway/package.json'));
}

export function packageVersion(): string {
  const text = readFileSync(join(packageFolder(), 'package.json'), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}
