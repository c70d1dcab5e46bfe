// A chess clock: a number of seconds each, and an increment for every move.

export class Clock {
  constructor(seconds, increment, onFlag) {
    this.rest = { black: seconds, white: seconds };
    this.increment = increment;
    this.onFlag = onFlag;
    this.side = null;
    this.since = 0;
    this.timer = 0;
  }

  left(side) {
    const used = side === this.side ? (performance.now() - this.since) / 1000 : 0;
    return this.rest[side] - used;
  }

  /** The clock of `side` runs, the other one stands. */
  run(side) {
    this.stop();
    this.side = side;
    this.since = performance.now();
    this.timer = setTimeout(() => {
      this.stop();
      this.onFlag(side);
    }, Math.max(0, this.rest[side] * 1000));
  }

  /** `side` has moved. */
  press(side) {
    if (this.side === side) {
      this.stop();
      this.rest[side] += this.increment;
    }
  }

  stop() {
    clearTimeout(this.timer);
    if (this.side) this.rest[this.side] = this.left(this.side);
    this.side = null;
  }

  toRecord() {
    return { black: this.left("black"), white: this.left("white"), increment: this.increment };
  }

  static fromRecord(record, onFlag) {
    const clock = new Clock(0, record.increment, onFlag);
    clock.rest = { black: record.black, white: record.white };
    return clock;
  }
}
