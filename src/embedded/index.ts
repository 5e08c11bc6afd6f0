/**
 * embedded/: Temporal's own programs on this machine. Finds (or downloads once) the `temporal` command and the
 * time-skipping test server, and runs a development server that keeps its state in a file.
 *
 * For `payment-gateway dev`, tests, examples and benchmarks. Nothing about payments may come in here, and nothing that
 * a production deployment needs: there Temporal's server is a service of its own, reached by `TEMPORAL_ADDRESS`.
 * POSIX only (Linux, macOS, WSL).
 */
export { BinaryNotFoundError, type ResolveOptions, resolveBinary } from './binaries';
export type { BinaryName } from './binary-kinds';
export { defaultCacheDir } from './cache-dir';
export { type DevServer, DevServerError, type DevServerOptions, startDevServer } from './dev-server';
export { freePort, type PortChoice } from './ports';
