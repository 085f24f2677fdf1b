import type { PageReport, Reading } from "../page-report.js";

/** A joined room, of Paceline or of a rival. */
export interface WatchedRoom {
  /** Functions that read every entity's position once, and return the sum of the numbers. */
  readonly readings: Partial<Record<Reading, () => number>>;
  readonly sendInput: (number: number) => void;
  readonly tick: () => number;
  readonly positions: () => [number, number][];
}

const INPUT_PERIOD_MS = 50;
/** Keeps the sums: the engine may remove a calculation whose result is not used. */
const sink = { sum: 0 };

/**
 * Reads the room at each frame and sends an input 20 times a second. The benchmark controls it by the global
 * `watch`.
 */
export function watchRoom({ readings, sendInput, tick, positions }: WatchedRoom): void {
  let read: (() => number) | undefined;
  let [frames, inputs] = [0, 0];
  const frame = (): void => {
    frames += 1;
    if (read) sink.sum += read();
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  setInterval(() => sendInput(++inputs & 0xffff), INPUT_PERIOD_MS);
  const watch = {
    read: (reading: Reading) => (read = readings[reading]) !== undefined || reading === "nothing",
    report: (): PageReport => ({ tick: tick(), frames, positions: positions() }),
  };
  Object.assign(globalThis, { watch });
}
