/** The published orders of examples/orders, as tests send them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Checkout, DirectPayment } from '../../src/gateway';
import { parseExact } from '../../src/gateway/json';

export interface PublishedOrder {
  name: string;
  kind: 'direct' | 'checkout';
  /** Typed as what a merchant would write; the files of `invalid/` are not that, which is their point. */
  request: DirectPayment & Checkout;
  expect: { payment_data: string[]; refused: string[]; rule: string };
}

/** Every order of the folder, or of one inside it. */
export function publishedOrders(folder = '.'): PublishedOrder[] {
  const directory = join(__dirname, '../../examples/orders', folder);
  return readdirSync(directory)
    .filter((file) => file.endsWith('.json'))
    .map((file) => ({
      name: file.replace('.json', ''),
      ...(parseExact(readFileSync(join(directory, file), 'utf8')) as Omit<PublishedOrder, 'name'>),
    }));
}
