/** What happens when, in slots of 10 ms, until the end: so a million entries cost no more each than ten. */
const SLOT_MS = 10;

export interface Entry {
  /** The calendar's own: the next entry of the slot. */
  next: Entry | undefined;
  happen(now: number): void | Promise<void>;
}

export class Calendar {
  private readonly slots: (Entry | undefined)[];
  private slot = 0;

  /** What is due after `end`, in ms from 0, does not happen. */
  constructor(end: number) {
    this.slots = new Array<Entry | undefined>(Math.ceil(end / SLOT_MS)).fill(undefined);
  }

  /** `due` in ms from 0. */
  add(entry: Entry, due: number): void {
    // Never in the slot that is being emptied.
    const slot = Math.max(Math.ceil(due / SLOT_MS), this.slot);
    if (slot >= this.slots.length) return;
    entry.next = this.slots[slot];
    this.slots[slot] = entry;
  }

  /** Calls `happen` at `due`, in ms from 0. */
  at(due: number, happen: Entry['happen']): void {
    this.add({ next: undefined, happen }, due);
  }

  /** Lets everything happen, in order of time. `tick` hears of each new time. */
  async run(tick: (now: number) => void): Promise<void> {
    while (this.slot < this.slots.length) {
      const now = this.slot * SLOT_MS;
      let entry = this.slots[this.slot];
      this.slots[this.slot] = undefined;
      this.slot += 1;
      if (entry) tick(now);
      while (entry) {
        const { next }: Entry = entry;
        const happened = entry.happen(now);
        if (happened) await happened;
        entry = next;
      }
    }
  }
}
