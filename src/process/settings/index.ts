/**
 * process/settings/: every setting, with its environment variable, type, default and meaning. They are read once, by the
 * entry points; nothing else reads the environment. Temporal's own variables (TEMPORAL_ADDRESS, …) are read by Temporal's
 * environment configuration. docs/settings.md is generated from here: `npm run docs:settings`.
 */
export { ConfigError } from '../user-error';
export { appIdOf, appIdsOf } from './app';
export {
  type Config,
  isCallable,
  loadConfig,
  readSealingJwks,
  requireApps,
  requireGateways,
  ruleSettings,
  settingOrFile,
} from './load';
export { risksOf, warnOfRisks } from './risks';
export { SETTING_NAMES } from './schema';
export { endpointOf, eventSecrets, hostsOf } from './types';
