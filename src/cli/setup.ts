/** `payment-gateway setup`: what a namespace needs before payments can run in it. Safe to repeat. */
import { connect } from '../connect';
import { registerSearchAttributes } from '../search-attributes';

export async function setup(env: Record<string, string | undefined>): Promise<void> {
  const { connection, namespace } = await connect(env);
  try {
    const added = await registerSearchAttributes(connection, namespace);
    const said = added.length > 0 ? `registered ${added.join(', ')}` : 'every search attribute is registered already';
    process.stdout.write(`Namespace ${namespace}: ${said}.\n`);
  } finally {
    await connection.close();
  }
}
