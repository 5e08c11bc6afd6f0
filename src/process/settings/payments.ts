/** Settings of payments and virtual accounts. */
import { z } from 'zod';
import { settingDocs } from './meaning';
import { durationText, eventSecrets, eventUrls, flag, nonEmpty, pause, schedule } from './types';

export const PAYMENT_SETTINGS = {
  PAYMENTS_TASK_QUEUE: nonEmpty
    .prefault('payments')
    .register(settingDocs, { readBy: 'worker, webhook, commands', meaning: "Temporal's task queue." }),
  PAYMENTS_SCHEDULES: flag.prefault('true').register(settingDocs, {
    readBy: 'setup, worker, commands',
    meaning:
      'With `false`, `setup` makes no Schedules: nobody takes on terminated payments, finds stuck ones or reconciles, and nobody says so.',
  }),
  PAYMENTS_POLL_SCHEDULE: schedule.prefault('15s,30s,1m,2m,5m,10m,30m').register(settingDocs, {
    readBy: 'worker',
    meaning:
      'When a payment is queried: times (not pauses) since its creation, and again since each deadline. Each is later than the one before.',
  }),
  PAYMENTS_POLL_EVERY: pause
    .prefault('1h')
    .register(settingDocs, { readBy: 'worker', meaning: 'How often it is queried after that schedule.' }),
  PAYMENTS_SETTLING: pause.prefault('30s').register(settingDocs, {
    readBy: 'worker',
    meaning:
      'If the answer to a creation is lost: how long to look for it before it is made again. Longer than queries lag: else it may be made twice. Never `0s`.',
  }),
  PAYMENTS_PATIENCE: pause.prefault('10m').register(settingDocs, {
    readBy: 'worker',
    meaning: 'How long the gateway may stay silent, or deny a trade that should exist, before a person is asked.',
  }),
  PAYMENTS_OVERDUE: pause.prefault('4h').register(settingDocs, {
    readBy: 'worker, commands',
    meaning:
      'What waits for a person longer than this is told once by the event `attention.overdue`, and lists mark it.',
  }),
  PAYMENTS_CREATE_WITHIN: pause.prefault('1h').register(settingDocs, {
    readBy: 'worker',
    meaning:
      'How long an order, or the creation of a virtual account, may wait until the gateway can be reached. An order’s own `timeout_express` is a limit, too.',
  }),
  // Past the last retry of a notification, which comes 840 minutes after the first.
  PAYMENTS_GRACE: durationText.prefault('850m').register(settingDocs, {
    readBy: 'worker',
    meaning: 'How long to watch after the last deadline. It should cover the last retry of a notification.',
  }),
  PAYMENTS_CONFIRM_BY_QUERY: flag.prefault('true').register(settingDocs, {
    readBy: 'worker',
    meaning:
      'With `false`, a notified SUCCESS is believed without a query. Never without encryption keys: who may send to Temporal could then call an order paid.',
  }),
  PAYMENTS_LATE: z.enum(['attention', 'accept', 'refund']).prefault('attention').register(settingDocs, {
    readBy: 'worker',
    meaning:
      'Money after a payment ended unpaid: ask a person (`attention`), `accept` it, or `refund` it where that needs no account of the buyer’s.',
  }),
  PAYMENTS_RISK_CONTROL: durationText.prefault('97h').register(settingDocs, {
    readBy: 'worker',
    meaning: 'How long the gateway’s risk control may hold a trade before we stop waiting.',
  }),
  PAYMENTS_WATCH_WINDOW: durationText.prefault('0s').register(settingDocs, {
    readBy: 'worker',
    meaning: 'How long after a sale to poll for disputes and chargebacks, such as `90d`.',
  }),
  PAYMENTS_DISPUTE_DEADLINE: pause.prefault('7d').register(settingDocs, {
    readBy: 'worker',
    meaning:
      'How long a dispute may wait for its answer from when it was heard. The gateway names no date here: its dashboard does.',
  }),
  PAYMENTS_REFUND_WATCH: durationText.prefault('3d').register(settingDocs, {
    readBy: 'worker',
    meaning: 'How long after a refund was taken to poll for its end, so that a refusal that nobody notifies is seen.',
  }),
  PAYMENTS_EVENTS_URL: eventUrls.optional().register(settingDocs, {
    fromFile: true,
    readBy: 'worker',
    meaning: 'Where every event is posted to, signed as Standard Webhooks say. Several by commas.',
  }),
  PAYMENTS_EVENTS_SECRETS: eventSecrets.optional().register(settingDocs, {
    fromFile: true,
    readBy: 'worker',
    meaning: 'Secrets that sign events: `whsec_…`, by commas. Each signs, so that receivers can change over.',
  }),
  PAYMENTS_EVENTS_GIVE_UP: pause.prefault('3d').register(settingDocs, {
    readBy: 'worker',
    meaning: 'After this time, an event that an address does not take waits for a person.',
  }),
  PAYMENTS_NEXUS: flag.prefault('false').register(settingDocs, {
    readBy: 'worker',
    meaning: '`true` answers workflows of other namespaces through a Nexus endpoint: docs/nexus.md.',
  }),
  PAYMENTS_ACCOUNT_CHECK_EVERY: pause.prefault('1d').register(settingDocs, {
    readBy: 'worker',
    meaning: 'How often a virtual account is queried: it may have been canceled elsewhere.',
  }),
  PAYMENTS_ACCOUNT_UNKNOWN: z.enum(['attention', 'again']).prefault('attention').register(settingDocs, {
    readBy: 'worker',
    meaning:
      'If nobody knows whether an account was created: ask a person, or create it `again`, once, where `quantity` certainly has not fallen.',
  }),
  PAYMENTS_ACCOUNTS_LOW: z.coerce.number().int().min(0).prefault('10').register(settingDocs, {
    readBy: 'worker',
    meaning: 'With fewer virtual accounts left than this, a person is asked.',
  }),
};
