import type { PageReport, Reading } from "../page-report.js";

/** A joined room, of ours or of a rival's. */
export interface WatchedRoom {
  /** Each reads every entity's position once, and adds the numbers up. */
  readonly readings: Partial<Record<Reading, () => number>>;
  readonly sendInput: (number: number) => void;
  readonly tick: () => number;
  readonly positions: () => [number, number][];
}

const INPUT_PERIOD_MS = 50;
/** The engine may leave out a sum that nobody asks for. */
const sink = { sum: 0 };

/** Reads the room at each frame and writes an input 20 times a second; whoever drives the page calls the global `watch`. */
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
