/** A whole simulation in this process: Temporal, a worker, a gateway and the webhook. Days pass in milliseconds. */
import type { Duration } from '@temporalio/common';
import { PaymentsClient } from '../client';
import { newSealingKeys } from '../gateway';
import { loadConfig, ruleSettings } from '../process/settings';
import { parseStory, type StoryEnd } from '../temporal/story';
import { createWebhook, webhookHandler } from '../webhook';
import { FakeGateway } from './fake-gateway/fake-gateway';
import { endOfPlayed, playStory, startOfStory } from './play-story';
import type { TestNotification } from './signed-notification';
import { SimulatedEnvironment, type SimulatedEnvironmentOptions } from './simulated-temporal/environment';
import { APP } from './stack';
import { storyActivities } from './story-gateway';
import { type FakeWorkerOptions, fakeWorkerActivities } from './worker-activities';

export type SimulationOptions = SimulatedEnvironmentOptions & Pick<FakeWorkerOptions, 'env' | 'onEvent'>;

export interface Simulation {
  temporal: SimulatedEnvironment;
  gateway: FakeGateway;
  /** For app `test-app`. Time passes while one of its calls waits. */
  payments: PaymentsClient;
  /** Sends a notification to the webhook; answers with its response. */
  notify(notification: TestNotification): Promise<Response>;
  /** Lets time pass: ms, or a text such as `3 days`. */
  sleep(duration: Duration): Promise<void>;
  /** Ends the simulation. */
  close(): Promise<void>;
}

/** A simulation in which a story was played. Its gateway keeps giving its last answers. */
export interface PlayedStory extends Simulation {
  /** What the order has come to, in the form of the story's own `end`. */
  end(): Promise<StoryEnd>;
}

/**
 * Starts a simulation. Each one has its own Temporal, gateway and time. With a story, which `payment-gateway story ORDER` writes, it returns
 * once the story has been played. Throws StoryError for anything that is not a story.
 */
export async function simulate(options: SimulationOptions & { story: unknown }): Promise<PlayedStory>;
export async function simulate(options?: SimulationOptions): Promise<Simulation>;
export async function simulate({
  story,
  ...options
}: SimulationOptions & { story?: unknown } = {}): Promise<Simulation> {
  if (story === undefined) return started(options);
  const told = parseStory(story);
  const startTime = startOfStory(told);
  // The story's times already include what the network took.
  const simulation = await started({ ...options, startTime, delay: () => 0 });
  simulation.temporal.work(storyActivities(told, { app_id: APP.app_id, began: startTime.getTime() }));
  await playStory(told, simulation);
  const played: PlayedStory = { ...simulation, end: () => endOfPlayed(told, simulation) };
  return played;
}

async function started({ env, onEvent, ...options }: SimulationOptions): Promise<Simulation> {
  const temporal = await SimulatedEnvironment.create(options);
  const rules = ruleSettings(loadConfig(env ?? {}));
  const gateway = new FakeGateway(() => temporal.currentTimeMs(), rules);
  const sealing = await newSealingKeys('simulated');
  const { client } = temporal;
  const { app_id } = APP;
  temporal.work(fakeWorkerActivities({ app_id, gateway, env, onEvent, sealingKeys: sealing.privateJwks.keys }));
  const taskQueue = 'simulated';
  const handle = webhookHandler(
    createWebhook({
      client,
      taskQueue,
      apps: [APP],
      signature: { header: 'Service-Signature', scheme: 'hex' },
      log: { info: () => undefined, warn: () => undefined, error: console.error },
    }),
  );
  return {
    temporal,
    gateway,
    payments: new PaymentsClient({ client, app_id, taskQueue, rules, sealingKey: sealing.publicJwk }),
    notify: (notification) =>
      handle(new Request(`http://webhook.test/ipn/${app_id}`, { method: 'POST', ...notification })),
    sleep: (duration) => temporal.sleep(duration),
    close: () => temporal.teardown(),
  };
}
