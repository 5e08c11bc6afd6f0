/** Logs as JSON lines on standard error. Keys, headers and configurations of requests are left out. */
import pino, { type DestinationStream, type Logger } from 'pino';

let activeTrace: () => string | undefined = () => undefined;

/** From now on a line that is written within a span has its `trace_id`, until the function that this returns is called. */
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
      mixin: traceOfLine,
      redact: { paths: ['req.headers', '*.authorization', '*.secret_key', 'err.config'], remove: true },
    },
    to,
  );
}
