/**
 * Logs as JSON lines on standard error, in one form for all programs: `level` as a word, `time` in ISO 8601, and fields in snake_case. A
 * line about an order has `workflow_id` and `order`. Keys, headers and configurations of requests are left out.
 */
import pino, { type DestinationStream, type Logger } from 'pino';

let activeTrace: () => string | undefined = () => undefined;

/** Adds the `trace_id` of the active span to each line, until the returned function is called. */
export function tracesInLogs(active: () => string | undefined): () => void {
  activeTrace = active;
  return () => {
    if (activeTrace === active) activeTrace = () => undefined;
  };
}

const traceOfLine = () => {
  const trace_id = activeTrace();
  return trace_id === undefined ? {} : { trace_id };
};

export function createLogger(name: string, level: string, to: DestinationStream = pino.destination(2)): Logger {
  return pino(
    {
      name,
      level,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (word) => ({ level: word }) },
      mixin: traceOfLine,
      redact: { paths: ['req.headers', '*.authorization', '*.secret_key', 'err.config'], remove: true },
    },
    to,
  );
}
