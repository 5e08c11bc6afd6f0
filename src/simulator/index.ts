/**
 * simulator/: a payment gateway that is written from the interface alone, as a real HTTP server: for `npm start`, for
 * tests, and for merchants' own tests. It imports no other room. gateway/ reads the interface a second time, so a mistake
 * in one reading fails a test.
 */
export type { DepositOptions } from './accounts/accounts';
export { type ClockReading, SimulatorClock } from './clock';
export { IllegalAction, UnknownRecord } from './errors';
export type { Fault, FaultOrder, FaultPlace, NotificationFault, RequestFault } from './faults/faults';
export type { AccountLedger, LedgerEntry } from './ledger';
export type { LogDetails, SimulatorApp, SimulatorOptions } from './options';
export type { DeliveryResult, RefundStatus, TradeState } from './records';
export { startSimulator } from './server';
export { type Settings, type SettingsChange, settingsSchema } from './settings';
export type { Simulator } from './simulator';
export type { RefundAction, TradeAction } from './trades/steps';
export type { AccountView, NotificationView, RefundView, RequestView, TradeView } from './views';
