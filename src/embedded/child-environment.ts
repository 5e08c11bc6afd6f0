/** Prefixes of settings that only our own processes may see: secrets are among them. */
const OURS = ['GATEWAY_', 'PAYMENTS_', 'WEBHOOK_', 'CODEC_SERVER_'];

/**
 * The environment for a program that is not ours: no payment settings (above all no secrets), no `TEMPORAL_…` (they
 * describe the server that *we* talk to, and the `temporal` command would take them as its own flags), and no
 * `NODE_OPTIONS` (a debugger's port meant for this process).
 */
export function childEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const dropped = [...OURS, 'TEMPORAL_', 'NODE_OPTIONS'];
  return Object.fromEntries(Object.entries(env).filter(([name]) => !dropped.some((prefix) => name.startsWith(prefix))));
}
