/** Logs as JSON lines on standard error. Keys, headers and configurations of requests are left out. */
import pino, { type Logger } from 'pino';

export function createLogger(name: string, level: string): Logger {
  return pino(
    { name, level, redact: { paths: ['req.headers', '*.authorization', '*.secret_key', 'err.config'], remove: true } },
    pino.destination(2),
  );
}
