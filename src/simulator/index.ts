/**
 * A payment gateway written from the interface alone, as a real HTTP server: for `npm start`, for end-to-end tests, and
 * for merchants' own tests. Nothing of `../gateway` may come in here, so that a misreading of the interface fails a test
 * rather than being made twice.
 */
import type { SimulatorOptions } from './options';
import { Simulator } from './simulator';

export type { Deposit } from './accounts/accounts';
export { type ClockReading, SimulatorClock } from './clock';
export type { AccountView, NotificationView, RefundView, RequestView, TradeView } from './control/views';
export type { Fault, FaultOrder, FaultPlace, NotificationFault, RequestFault } from './faults/faults';
export type { DepositLedger, LedgerEntry } from './ledger';
export type { Delivery } from './notifications/post';
export {
  type GatewayApp,
  type LogDetails,
  type Settings,
  type SettingsChange,
  type SimulatorOptions,
  settingsFrom,
} from './options';
export type { RefundStatus } from './refunds/refund';
export type { RefundAction } from './refunds/refunds';
export type { Filter } from './simulator';
export { IllegalAction, UnknownAccount, UnknownRefund, UnknownTrade } from './trades/errors';
export type { BankAction, BuyerAction, TradeStatus } from './trades/states';
export type { Simulator };

/** Starts a simulated gateway. Resolves when it listens, with all that its data file remembers. */
export function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  return Simulator.start(options);
}

/** What {@link runSimulator} takes besides the simulator's own options. */
export interface RunOptions extends SimulatorOptions {
  /** Ends the run: abort it on SIGINT or SIGTERM. */
  signal: AbortSignal;
  /** Hears of the running simulator once it listens. */
  ready?: ((simulator: Simulator) => void) | undefined;
}

/** Runs a simulated gateway until the signal is aborted; resolves when it is closed. For a command line. */
export async function runSimulator({ signal, ready, ...options }: RunOptions): Promise<void> {
  const simulator = await startSimulator(options);
  try {
    ready?.(simulator);
    if (!signal.aborted)
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  } finally {
    await simulator.close();
  }
}
