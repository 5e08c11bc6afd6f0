/** Loaded before a program (`node --require`): its clock is SHIFTED_CLOCK_MS ahead of this machine's. */
const shift = Number(process.env.SHIFTED_CLOCK_MS ?? 0);
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + shift);
    else super(...given);
  }

  static now() {
    return RealDate.now() + shift;
  }
};
