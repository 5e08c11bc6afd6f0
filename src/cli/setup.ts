/** `payment-gateway setup`: prepares a namespace for payments. Safe to repeat. */
import type { Environment } from '../process/environment';
import { connect } from '../temporal/connection';
import { registerSearchAttributes } from '../temporal/search-attributes';

export async function setup(env: Environment): Promise<void> {
  const { connection, namespace } = await connect(env);
  try {
    const added = await registerSearchAttributes(connection, namespace);
    const said = added.length > 0 ? `registered ${added.join(', ')}` : 'every search attribute is registered already';
    process.stdout.write(`Namespace ${namespace}: ${said}.\n`);
  } finally {
    await connection.close();
  }
}
