/** The payment that a new stack starts by itself, so that there is something to look at. */
import { join, relative } from 'node:path';
import { connectPayments } from '../../client';
import { paymentWorkflowId } from '../../contract';
import { parseDirectPayment } from '../../gateway';
import type { Environment } from '../../process/environment';
import { packageFolder } from '../../process/package';
import { ending, say } from '../print';
import { readJsonObject } from '../read-json';
import type { DevServer } from './temporal';

/** Starts the PIX order that the package ships under a new number, and prints where to look at it. */
export async function startFirstPayment(app_id: string, env: Environment, temporal: DevServer): Promise<void> {
  const file = join(packageFolder(), 'examples/orders/pix.json');
  const example = await readJsonObject('first order', file);
  const order = parseDirectPayment('request' in example ? example.request : undefined);
  const out_trade_no = `first-${new Date().toISOString().slice(0, 19).replace(/\D/g, '')}`;
  // Its connection is never closed, because it waits for the outcome until the process ends.
  const { payments } = await connectPayments(env, app_id);
  const { pay_url } = await payments.pay({ ...order, out_trade_no });
  const workflow = encodeURIComponent(paymentWorkflowId(app_id, out_trade_no));
  say(
    [
      '',
      `A first order waits for its buyer: ${order.method} ${order.order_amount} ${order.order_currency}`,
      `  Buyer's page  ${pay_url}`,
      `  Temporal UI   ${temporal.uiUrl}/namespaces/${temporal.namespace}/workflows/${workflow}`,
      '',
      'Next: press Pay on the buyer’s page, or in another terminal:',
      `  npx payment-gateway pay ${asTyped(file)} --wait`,
      '',
      'Ctrl-C ends everything that was started here.',
    ].join('\n'),
  );
  payments.outcome(out_trade_no).then(
    (state) => say(`\n${ending(state)}`),
    () => {},
  );
}

/** The path as a person in this folder would type it. */
function asTyped(file: string): string {
  const path = relative(process.cwd(), file);
  return path.startsWith('..') ? file : path;
}
