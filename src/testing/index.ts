/**
 * testing/: tools to test your own payments: a simulated Temporal in which days pass in milliseconds, a fake gateway,
 * signed notifications, and a whole stack on free ports. It may import every other room, and no other room imports it.
 */
import './requires-sdk';

export { type Story, type StoryEnd, StoryError } from '../temporal/story';
export { devServer } from './dev-server';
export { FakeAccounts } from './fake-gateway/fake-accounts';
export { FakeGateway } from './fake-gateway/fake-gateway';
export type { FakeRefund, RefundEnd, RefundPlan } from './fake-gateway/fake-refunds';
export type { FakeTrade, StatusAt } from './fake-gateway/fake-trade';
export type { Mishap } from './fake-gateway/mishaps';
export { signTestNotification, type TestNotification, type TestNotificationFields } from './signed-notification';
export { SimulatedEnvironment, type SimulatedEnvironmentOptions } from './simulated-temporal/environment';
export { NotSimulatedError } from './simulated-temporal/not-simulated';
export { type PlayedStory, type Simulation, type SimulationOptions, simulate } from './simulation';
export { APP, type Stack, type StackOptions, startStack } from './stack';
export { type FakeWorkerOptions, fakeWorkerActivities } from './worker-activities';
