import type { SimulatorClock } from './clock';
import type { SettingsChange } from './settings';

/** An application that may call the gateway. */
export interface SimulatorApp {
  app_id: string;
  secret_key: string;
  /** A Global app must give a `region` in its requests. */
  global?: boolean | undefined;
}

/** Details of a log line: plain values only. */
export type LogDetails = { [name: string]: string | number | boolean | null };
/** Receives log lines, which have no secrets and no personal data. */
export type Log = (message: string, details: LogDetails) => void;

/** What `startSimulator` takes: these options, and any setting. */
export interface SimulatorOptions extends SettingsChange {
  /** The address to listen on, default 127.0.0.1. */
  host?: string | undefined;
  /** The port to listen on. 0, the default, takes a free one. */
  port?: number | undefined;
  apps: readonly SimulatorApp[];
  /** A clock to share, or how to start one. */
  clock?: SimulatorClock | { start?: number | Date | undefined; speed?: number | undefined } | undefined;
  /** A JSON file that keeps trades, refunds, accounts and notifications over restarts. */
  dataFile?: string | undefined;
  /** The address that buyers' browsers reach, if it is not the address listened on. */
  publicUrl?: string | undefined;
  log?: Log | undefined;
  /** Lets the control API answer other machines. Whoever reaches it can pay every order. */
  allowRemoteControl?: boolean | undefined;
}
