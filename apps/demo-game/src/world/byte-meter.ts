const WINDOW_S = 30;

/** The bytes a second of a connection, over the last half minute. */
export class ByteMeter {
  readonly perSecond: number[] = [];

  add(bytesPerSecond: number): void {
    this.perSecond.push(bytesPerSecond);
    if (this.perSecond.length > WINDOW_S) this.perSecond.shift();
  }

  /** Mean of the last five seconds. */
  get now(): number {
    const last = this.perSecond.slice(-5);
    return last.length === 0 ? 0 : last.reduce((sum, each) => sum + each, 0) / last.length;
  }
}
