/** Logs as JSON lines on standard error, without what must never be in them. */
import pino, { type Logger } from 'pino';

export function createLogger(name: string, level: string): Logger {
  return pino(
    { name, level, redact: { paths: ['req.headers', '*.authorization', '*.secret_key', 'err.config'], remove: true } },
    pino.destination(2),
  );
}
