import type { SimulatorClock } from '../clock';
import type { JsonObject } from '../json';
import type { GatewayApp, Settings } from '../options';
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
  clock: SimulatorClock;
  settings: Settings;
  publicUrl: string;
}

/** What came of a call: an answer or a refusal, and the trade that was made or found. */
export interface Outcome {
  answer: Answer | Refusal;
  trade?: Trade | undefined;
  /** A trade exists now that did not before. */
  created?: true;
}

/** One operation of the interface. */
export type Operation = (call: Call, gateway: Gateway) => Outcome;
