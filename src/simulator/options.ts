import { z } from 'zod';
import type { SimulatorClock } from './clock';
import { tradeStatuses } from './trades/states';

/** An application of the gateway's dashboard. */
export interface GatewayApp {
  app_id: string;
  secret_key: string;
  /** A Global app must say a `region` in its requests. */
  global?: boolean | undefined;
}

/**
 * What the interface leaves open and a test may want otherwise. Each can be given to `startSimulator` and changed while
 * it runs (`POST /simulator/settings`).
 */
export const settingsSchema = z.strictObject({
  /**
   * How a direct creation starts. `field`: codes and vouchers are PROCESSING at once, as gateways of this family do.
   * `interface`: only PSE and Efecty are, as the interface says; everything else is INITIAL.
   */
  directStatus: z.enum(['field', 'interface']),
  /**
   * Whether a PIX order must carry `customer.identify`. The interface's table requires it, the published PIX order has
   * none and must pass; `required` follows the letter of the table.
   */
  pixIdentify: z.enum(['optional', 'required']),
  /** HTTP status of refusals. */
  refusalStatus: z.int().min(200).max(599),
  /** HTTP status where the credentials are wrong. */
  credentialsStatus: z.int().min(200).max(599),
  /** How a query for an unknown order is answered. */
  unknownOrderSubCode: z.string().min(1),
  /** How a query writes `order_amount`: an exact number literal, or a string. */
  queryAmount: z.enum(['number', 'string']),
  /** Whether notifications are sent at all; the callback button works in either case. */
  notifications: z.boolean(),
  /** The states that are notified; SUCCESS always is. */
  notifyStatuses: z.array(z.enum(tradeStatuses)).readonly(),
  /** Name of the header that carries a notification's signature. */
  signatureHeader: z.string().regex(/^[A-Za-z0-9-]+$/),
  /** `hex`: the signature alone. `t-v2`: `t=<unix seconds>,v2=<signature>`. */
  signatureScheme: z.enum(['hex', 't-v2']),
  /** How long a merchant may take to acknowledge, in real milliseconds: it answers by a real clock. */
  ackTimeoutMs: z.int().min(1).max(600_000),
});

/** What holds unless told otherwise. */
export const defaultSettings: Settings = {
  directStatus: 'field',
  pixIdentify: 'optional',
  refusalStatus: 400,
  credentialsStatus: 400,
  unknownOrderSubCode: 'trade-not-exist',
  queryAmount: 'number',
  notifications: true,
  notifyStatuses: [
    'SUCCESS',
    'CANCEL',
    'EXPIRED',
    'REFUSED',
    'CHARGEBACK',
    'CHARGEBACK_REVERSED',
    'REFUND_REVOKE',
    'REFUND_REFUSED',
    'REFUNDED',
    'DISPUTE',
  ],
  signatureHeader: 'Service-Signature',
  signatureScheme: 'hex',
  ackTimeoutMs: 10_000,
};

/** The simulator's settings in force. */
export type Settings = z.output<typeof settingsSchema>;

/** A change of some settings; what is left out stays as it is. */
export type SettingsChange = { [Name in keyof Settings]?: Settings[Name] | undefined };

/** What {@link startSimulator} takes: where and for whom, and any setting. */
export interface SimulatorOptions extends SettingsChange {
  /** Address to listen on, default 127.0.0.1. */
  host?: string | undefined;
  /** Port to listen on; 0, the default, takes a free one. */
  port?: number | undefined;
  /** The applications that may call. */
  apps: readonly GatewayApp[];
  /** A clock to share, or how to start one. */
  clock?: SimulatorClock | { start?: number | Date | undefined; speed?: number | undefined } | undefined;
  /** A JSON file in which trades and notifications outlive the process. */
  dataFile?: string | undefined;
  /** The address that buyers' browsers reach, where it is not the one listened on. */
  publicUrl?: string | undefined;
  /** Hears what happens, without secrets and personal data. */
  log?: ((message: string, details: LogDetails) => void) | undefined;
  /** Lets the control API answer to other machines. Whoever reaches it can pay every order. */
  allowRemoteControl?: boolean | undefined;
}

/** Details of a log line: plain values only. */
export type LogDetails = { [name: string]: string | number | boolean | null };

/** Settings with a change applied; other options are left alone, and values that no setting has are refused. */
export function withChange(settings: Settings, change: SettingsChange): Settings {
  const given = Object.entries(change).filter(([name, value]) => value !== undefined && name in settings);
  return settingsSchema.parse({ ...settings, ...Object.fromEntries(given) });
}
