import { Deadlines, type SimulatorClock } from './clock';
import { Faults } from './faults/faults';
import type { Log, SimulatorApp, SimulatorOptions } from './options';
import { defaultSettings, withChange } from './settings';
import type { Store } from './store';

/** What all parts of a simulated gateway share. */
export class Context {
  readonly apps: readonly SimulatorApp[];
  readonly log: Log;
  readonly faults = new Faults();
  readonly deadlines: Deadlines;
  /** Ends all waiting when the simulator closes. */
  readonly closing = new AbortController();
  /** The settings in force. They can change at any time, so read them when you need them. */
  settings = defaultSettings;
  /** The address that it listens on; empty until it listens. */
  url = '';
  readonly #publicUrl: string | undefined;

  constructor(
    options: SimulatorOptions,
    readonly clock: SimulatorClock,
    readonly store: Store,
  ) {
    this.apps = options.apps;
    this.log = options.log ?? (() => undefined);
    this.deadlines = new Deadlines(clock, this.closing.signal);
    this.settings = withChange(defaultSettings, options);
    this.#publicUrl = options.publicUrl?.replace(/\/+$/, '');
  }

  /** The address that buyers' browsers reach, without a slash at its end. */
  get publicUrl(): string {
    return this.#publicUrl ?? this.url;
  }
}
