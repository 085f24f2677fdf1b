import { make } from "./dom.js";
import { inWords } from "./numbers.js";
import { trafficClasses, type RawRoundTrip, type TrafficClass } from "./traffic.js";

/** Measurements of half a second of a room. */
export interface TimelineSample {
  readonly atMs: number;
  /** Round trip of the worst path shown, ms. */
  readonly rttMs: number | undefined;
  readonly lossRatio: number | undefined;
  readonly roundTrips: readonly RawRoundTrip[];
  /** Sum of both directions. */
  readonly bytesPerSecond: Readonly<Record<TrafficClass, number>>;
  /** Largest shown error, m. */
  readonly errorM: number | undefined;
  /** Share of direct paths, and of relayed ones. The rest has no connection. */
  readonly direct: number;
  readonly relayed: number;
}

export interface TimelineChange {
  readonly atMs: number;
}

const SPAN_MS = 60_000;
const MAX_SAMPLES = 125;
const [LEFT, RIGHT, BAND, AXIS] = [64, 6, 7, 15];
const GAP_MS = 1500;

const classColors: Readonly<Record<TrafficClass, string>> = {
  states: "#3b82f6",
  messages: "#f59e0b",
  events: "#a78bfa",
  inputs: "#14b8a6",
  bulk: "#ec4899",
  upkeep: "#8b95a5",
};

interface Lane {
  readonly name: string;
  readonly least: number;
  readonly unit: (value: number) => string;
  readonly valueOf: (sample: TimelineSample) => number | undefined;
  /** Colour of the line; without one, the bytes are stacked. */
  readonly color?: string;
}

interface Pen {
  readonly context: CanvasRenderingContext2D;
  readonly x: (atMs: number) => number;
  readonly y: (value: number) => number;
  readonly color: (name: string) => string;
}

/**
 * Draws the last minute: round trip, loss, bytes and shown error over one time axis, with a band of the paths
 * above.
 */
export class Timeline {
  readonly root: HTMLElement;
  readonly #canvas = make("canvas", { class: "timeline", attributes: { role: "img" } });
  readonly #samples: TimelineSample[] = [];

  constructor() {
    const legend = trafficClasses.map((name) => {
      const chip = make("i");
      chip.style.backgroundColor = classColors[name];
      return make("span", {}, [chip, name]);
    });
    this.root = make("figure", {}, [this.#canvas, make("figcaption", { class: "legend" }, legend)]);
  }

  add(sample: TimelineSample): void {
    this.#samples.push(sample);
    if (this.#samples.length > MAX_SAMPLES) this.#samples.shift();
  }

  /** @param nowMs right end of the axis, on the room's clock */
  draw(nowMs: number, changes: readonly TimelineChange[]): void {
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const context = width > 0 ? this.#canvas.getContext("2d") : null;
    if (!context) return;
    const scale = globalThis.devicePixelRatio || 1;
    const pixels = [Math.round(width * scale), Math.round(height * scale)] as const;
    if (this.#canvas.width !== pixels[0]) this.#canvas.width = pixels[0];
    if (this.#canvas.height !== pixels[1]) this.#canvas.height = pixels[1];
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    const style = getComputedStyle(this.#canvas);
    const color = (name: string): string => style.getPropertyValue(`--${name}`);
    const x = (atMs: number): number => width - RIGHT - ((nowMs - atMs) / SPAN_MS) * (width - LEFT - RIGHT);
    const shown = this.#samples.filter(({ atMs }) => atMs > nowMs - SPAN_MS);
    this.#band(shown, { context, x, y: () => 0, color });
    const roundTrips = shown.flatMap((sample) => sample.roundTrips);
    const laneHeight = (height - BAND - AXIS) / LANES.length;
    LANES.forEach(({ name, least, unit, valueOf, color: lineColor }, index) => {
      const dots = index === 0 ? roundTrips : [];
      const highest = Math.max(
        least,
        ...shown.map((sample) => valueOf(sample) ?? 0),
        ...dots.map(({ rttMs }) => rttMs),
      );
      const top = BAND + index * laneHeight;
      const bottom = top + laneHeight - 5;
      const y = (value: number): number => bottom - (Math.min(value, highest) / highest) * (bottom - top - 6);
      context.fillStyle = color("line");
      context.fillRect(LEFT, bottom, width - LEFT - RIGHT, 1);
      context.fillStyle = color("dim");
      context.textAlign = "left";
      context.fillText(name, 0, (top + bottom) / 2 - 5);
      context.fillText(`to ${unit(highest)}`, 0, (top + bottom) / 2 + 8);
      context.save();
      context.beginPath();
      context.rect(LEFT, top, width - LEFT - RIGHT, laneHeight);
      context.clip();
      context.fillStyle = color("dim");
      for (const { atMs, rttMs } of dots) context.fillRect(x(atMs) - 1, y(rttMs) - 1, 2, 2);
      if (lineColor === undefined) stack({ context, x, y, color }, shown);
      else line({ context, x, y, color }, shown, valueOf, color(lineColor));
      context.restore();
    });
    this.#time({ context, x, y: () => height - AXIS / 2, color }, nowMs);
    this.#ticks(
      { context, x, y: () => height - AXIS, color },
      changes.map(({ atMs }) => atMs).filter((atMs) => atMs > nowMs - SPAN_MS),
    );
    this.#describe(shown, changes);
  }

  #band(shown: readonly TimelineSample[], { context, x, color }: Pen): void {
    shown.forEach(({ atMs, direct, relayed }, index) => {
      const from = x(Math.max(shown[index - 1]?.atMs ?? 0, atMs - GAP_MS));
      const width = x(atMs) - from + 0.5;
      const parts = [
        ["good", direct],
        ["fair", relayed],
        ["bad", 1 - direct - relayed],
      ] as const;
      let top = 0;
      for (const [name, share] of parts) {
        context.fillStyle = color(name);
        context.fillRect(from, top, width, share * (BAND - 2));
        top += share * (BAND - 2);
      }
    });
  }

  #time({ context, x, y, color }: Pen, nowMs: number): void {
    context.fillStyle = color("dim");
    for (const [seconds, align] of [
      [60, "left"],
      [30, "center"],
      [0, "right"],
    ] as const) {
      context.textAlign = align;
      context.fillText(seconds === 0 ? "now" : `${seconds} s ago`, x(nowMs - seconds * 1000), y(0));
    }
  }

  #ticks({ context, x, y, color }: Pen, atMs: readonly number[]): void {
    context.fillStyle = color("ink");
    for (const moment of atMs) context.fillRect(Math.round(x(moment)), 0, 1, y(0));
  }

  #describe(shown: readonly TimelineSample[], changes: readonly TimelineChange[]): void {
    const last = shown.at(-1);
    const bytes = last ? inWords.rate(totalOf(last)) : "none";
    const loss = last?.lossRatio === undefined ? "not known" : inWords.percent(last.lossRatio);
    const text =
      `The last minute. Now: round trip ${inWords.ms(last?.rttMs)}, loss ${loss}, ${bytes}, ` +
      `shown error ${inWords.metres(last?.errorM)}. ${changes.length} changes so far.`;
    if (this.#canvas.getAttribute("aria-label") !== text) this.#canvas.setAttribute("aria-label", text);
  }
}

/** From top to bottom. `least` is the least value that the top of a lane stands for. */
const LANES: readonly Lane[] = [
  { name: "round trip", least: 50, unit: inWords.ms, valueOf: ({ rttMs }) => rttMs, color: "accent" },
  { name: "loss", least: 0.05, unit: inWords.percent, valueOf: ({ lossRatio }) => lossRatio, color: "bad" },
  { name: "bytes", least: 2000, unit: inWords.rate, valueOf: totalOf },
  { name: "error", least: 0.5, unit: inWords.metres, valueOf: ({ errorM }) => errorM, color: "fair" },
];

function totalOf({ bytesPerSecond }: TimelineSample): number {
  return trafficClasses.reduce((sum, name) => sum + bytesPerSecond[name], 0);
}

/** Draws a line with gaps where values are unknown or samples are missing. */
function line(
  { context, x, y }: Pen,
  shown: readonly TimelineSample[],
  valueOf: (sample: TimelineSample) => number | undefined,
  color: string,
): void {
  context.strokeStyle = color;
  context.lineWidth = 1.5;
  context.beginPath();
  let lastMs = -Infinity;
  for (const sample of shown) {
    const value = valueOf(sample);
    if (value === undefined) continue;
    if (sample.atMs - lastMs > GAP_MS) context.moveTo(x(sample.atMs) - 1, y(value));
    context.lineTo(x(sample.atMs), y(value));
    lastMs = sample.atMs;
  }
  context.stroke();
}

function stack({ context, x, y }: Pen, shown: readonly TimelineSample[]): void {
  shown.forEach(({ atMs, bytesPerSecond }, index) => {
    const from = x(Math.max(shown[index - 1]?.atMs ?? 0, atMs - GAP_MS));
    let below = 0;
    for (const name of trafficClasses) {
      const above = below + bytesPerSecond[name];
      context.fillStyle = classColors[name];
      context.fillRect(from, y(above), x(atMs) - from + 0.5, y(below) - y(above));
      below = above;
    }
  });
}
