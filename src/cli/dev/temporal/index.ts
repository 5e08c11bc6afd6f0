/**
 * cli/dev/temporal/: Temporal's development server on this machine, for `payment-gateway dev` and for tests. It finds the
 * `temporal` command or downloads it once, and runs the server with its state in a file. It imports process/ only.
 * POSIX only (Linux, macOS, WSL).
 */
export { type DevServer, type DevServerOptions, startDevServer } from './dev-server';
export { defaultCacheDir, findTemporal } from './find-temporal';
export { freePort, isPortFree } from './ports';
