/** Settings of the endpoint for notifications. */
import { DEFAULT_LIMITS } from '../webhook-limits';
import { settingDocs } from './meaning';
import { durationText, httpAddress, limit, networkList, nonEmpty, pause, port } from './types';

export const WEBHOOK_SETTINGS = {
  WEBHOOK_HOST: nonEmpty
    .prefault('127.0.0.1')
    .register(settingDocs, { readBy: 'webhook', meaning: 'The address that it listens on.' }),
  WEBHOOK_PORT: port
    .prefault('8480')
    .register(settingDocs, { readBy: 'webhook', meaning: 'The port that it listens on; `0` for a free one.' }),
  // A prefix of a proxy that is named /ipn needs another name: far more often somebody has written the whole path.
  WEBHOOK_PUBLIC_URL: httpAddress
    .refine((url) => !/\/ipn(\/[^/]+)?$/.test(url), 'must end before /ipn/{app_id}, which each order adds')
    .optional()
    .register(settingDocs, {
      readBy: 'worker',
      meaning:
        "The webhook's address as the gateway sees it: the default `notify_url` of orders. A worker does not start without it.",
    }),
  WEBHOOK_ALLOWED_IPS: networkList.optional().register(settingDocs, {
    readBy: 'webhook',
    meaning: 'Networks that may notify, such as `203.0.113.0/24,2001:db8::/32`. Empty: all.',
  }),
  WEBHOOK_TRUSTED_PROXIES: networkList.optional().register(settingDocs, {
    readBy: 'webhook',
    meaning: 'Networks of your own proxies. Only their `X-Forwarded-For` is believed.',
  }),
  WEBHOOK_ACK_TIMEOUT: pause
    .refine((ms) => ms <= 30_000, 'at most 30s')
    .prefault('5s')
    .register(settingDocs, {
      readBy: 'webhook',
      meaning: 'A notification is answered within this time even if Temporal is slow; at most `30s`.',
    }),
  WEBHOOK_LIMIT_PER_ADDRESS: limit.prefault(DEFAULT_LIMITS.per_address).register(settingDocs, {
    readBy: 'webhook',
    meaning: 'Refused requests a minute from one address, not in `WEBHOOK_ALLOWED_IPS`. Genuine ones do not count.',
  }),
  WEBHOOK_LIMIT_OVERALL: limit.prefault(DEFAULT_LIMITS.overall).register(settingDocs, {
    readBy: 'webhook',
    meaning: 'Genuine notifications a minute in all; those that come again count apart.',
  }),
  WEBHOOK_LIMIT_ADOPTIONS: limit.prefault(DEFAULT_LIMITS.adoptions).register(settingDocs, {
    readBy: 'webhook',
    meaning: 'Payments a minute and app that notifications may start. The gateway sends the rest again.',
  }),
  WEBHOOK_LIMIT_IN_FLIGHT: limit.prefault(DEFAULT_LIMITS.in_flight).register(settingDocs, {
    readBy: 'webhook',
    meaning: 'Genuine notifications that may wait for Temporal at the same time.',
  }),
  WEBHOOK_LIMIT_CONNECTIONS: limit.prefault(DEFAULT_LIMITS.connections).register(settingDocs, {
    readBy: 'webhook',
    meaning: 'Open connections of one process. Beyond it, the oldest without a genuine notification is closed.',
  }),
  WEBHOOK_LIMIT_CONNECTIONS_PER_ADDRESS: limit.prefault(DEFAULT_LIMITS.connections_per_address).register(settingDocs, {
    readBy: 'webhook',
    meaning: 'Open connections of one address, which is no trusted proxy and not in `WEBHOOK_ALLOWED_IPS`.',
  }),
  WEBHOOK_STOP_DELAY: durationText.prefault('5s').register(settingDocs, {
    readBy: 'webhook',
    meaning: 'After a stop signal, how long it still serves while `/readyz` says no.',
  }),
};
