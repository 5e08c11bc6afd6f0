/** Which settings of the environment the stack of `dev` takes, and which it names because it does not. */
import { ignoredSettings, takenSettings } from '../../../src/cli/dev/taken-settings';

const ENV = {
  ...{ PATH: '/bin', LOG_LEVEL: 'debug', PAYMENTS_NEXUS: '', PAYMENTS_EVENTS_URL: 'http://127.0.0.1:1/events' },
  ...{ PAYMENTS_GRACE: '1m', METRICS_ADDRESS: '127.0.0.1:9464', PAYMENTS_ENCRYPTION_KEYS_FILE: '/keys' },
};

test('settings that the stack takes are those of the environment, where they are not empty', () => {
  expect(takenSettings(ENV)).toEqual({ LOG_LEVEL: 'debug', PAYMENTS_EVENTS_URL: 'http://127.0.0.1:1/events' });
});

test('settings of ours that the stack does not take are named, also those that name a file', () => {
  expect(ignoredSettings(ENV)).toEqual(['PAYMENTS_GRACE', 'PAYMENTS_ENCRYPTION_KEYS_FILE', 'METRICS_ADDRESS']);
});
