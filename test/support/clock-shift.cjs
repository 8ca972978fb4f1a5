/** Loaded before a program (`--require`), it sets the wall clock that the program sees back or forth by CLOCK_SHIFT_MS. */
const shiftMs = Number(process.env.CLOCK_SHIFT_MS);
const Real = Date;

globalThis.Date = class extends Real {
  constructor(...given) {
    super(...(given.length === 0 ? [Real.now() + shiftMs] : given));
  }

  static now() {
    return Real.now() + shiftMs;
  }
};
