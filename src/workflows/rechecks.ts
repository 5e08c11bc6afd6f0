/** Wishes for a look at the gateway now. Each is answered by a look that began later. Pure. */
export class Rechecks {
  private wanted = 0;
  private answered = 0;

  /** Asks for a look. What it returns tells whether there was one that began later. */
  ask(): () => boolean {
    const mine = ++this.wanted;
    return () => this.answered >= mine;
  }

  /** Whether somebody waits for a look. */
  get wantsCheck(): boolean {
    return this.answered < this.wanted;
  }

  /** Runs a look, which answers everybody who asked before it began. */
  async looking(look: () => Promise<void>): Promise<void> {
    const { wanted } = this;
    await look();
    this.answered = wanted;
  }
}
