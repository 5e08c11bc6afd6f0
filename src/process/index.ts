/**
 * process/: what every program of ours needs: settings, log, errors for people, ports, signals and the end. It imports
 * gateway/ for defaults and types, and no other room.
 */
export type { Environment } from './environment';
export { reportAndExit } from './exit';
export { type ListenPlace, listen } from './listen';
export { createLogger } from './log';
export { type Config, loadConfig, requireApps, ruleSettings } from './settings';
export { stopSignal } from './signals';
export { ConfigError, UserError } from './user-error';
