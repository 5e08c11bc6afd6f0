/** `payment-gateway setup`: what a namespace needs before payments can run in it. Safe to repeat. */
import { connectClient } from '../connect';
import { registerSearchAttributes } from '../search-attributes';

export async function setup(env: Record<string, string | undefined>): Promise<void> {
  const client = await connectClient(env);
  try {
    const { namespace } = client.options;
    const added = await registerSearchAttributes(client.connection, namespace);
    const said = added.length > 0 ? `registered ${added.join(', ')}` : 'every search attribute is registered already';
    process.stdout.write(`Namespace ${namespace}: ${said}.\n`);
  } finally {
    await client.connection.close();
  }
}
