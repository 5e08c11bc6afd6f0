import type { Account } from '../accounts/account';
import type { Accounts } from '../accounts/accounts';
import type { SimulatorClock } from '../clock';
import type { JsonObject } from '../json';
import type { GatewayApp, Settings } from '../options';
import type { Refunds } from '../refunds/refunds';
import type { Store } from '../store';
import type { Lifecycle } from '../trades/lifecycle';
import type { Trade } from '../trades/trade';
import type { Answer, Refusal } from './answers';

/** A request that passed the door: whose it is, and its body. */
export interface Call {
  app: GatewayApp;
  body: JsonObject;
}

/** What an operation works with. */
export interface Gateway {
  store: Store;
  lifecycle: Lifecycle;
  refunds: Refunds;
  accounts: Accounts;
  clock: SimulatorClock;
  settings: Settings;
  publicUrl: string;
}

/** What came of a call: an answer or a refusal, and what was made or found. */
export interface Outcome {
  answer: Answer | Refusal;
  trade?: Trade | undefined;
  account?: Account | undefined;
  /** Something exists now that did not before: a trade, a refund, an account. */
  created?: true;
  /** Something that existed is another now. */
  changed?: true;
  /** What a gateway that is behind would answer. */
  stale?: Answer | undefined;
}

/** One operation of the interface. */
export type Operation = (call: Call, gateway: Gateway) => Outcome;
