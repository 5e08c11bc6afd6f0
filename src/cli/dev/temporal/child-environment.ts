/** What a program needs to find its files, its language, and the network. Everything else may be a secret. */
const ALLOWED = new Set([
  ...['PATH', 'HOME', 'USER', 'TMPDIR', 'LANG', 'TZ', 'TERM', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
  'NODE_EXTRA_CA_CERTS',
]);

/** The variables of `env` that a program of others may see. `more` adds names that this one program needs. */
export function childEnvironment(env: NodeJS.ProcessEnv, more?: RegExp): NodeJS.ProcessEnv {
  const allows = (name: string) => ALLOWED.has(name.toUpperCase()) || name.startsWith('LC_') || more?.test(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => allows(name)));
}
