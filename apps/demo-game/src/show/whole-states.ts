import { wrapAngle } from "../car/angle.js";
import { STEP_MS } from "../car/step-car.js";
import { HEAD_BYTES, readHead, writeHead, type Lane, type Moment } from "./lane.js";
import type { Pose } from "./truth.js";
import type { SimulatedPair } from "@paceline/testkit";

/**
 * About as precise as the fields of Paceline: 1 cm in ±2048 m takes 19 bits, 0.0015 rad takes 12. Velocity is
 * not sent.
 */
const STEP_M = 0.01;
const FAR_M = 2048;
const STEP_RAD = (2 * Math.PI) / 4096;
const STATE_BYTES = 7;
const PACKET_BYTES = HEAD_BYTES + STATE_BYTES;
const PERIOD_MS = 50;
/** Weight of the moving average of the lag, in packets; the delay counts from that average. */
const AVERAGED = 20;
const KEPT = 40;

interface State {
  readonly tick: number;
  readonly x: number;
  readonly y: number;
  readonly headingRad: number;
}

/** Returns how many bytes a lane may have sent by now. */
export type Allowance = () => number;

/**
 * The way of many games: whole quantised states 20 times a second. The receiver draws each as it comes
 * (`delayMs` 0), or interpolates between two of them, `delayMs` after their average arrival.
 */
export class WholeStates implements Lane {
  readonly #pair: SimulatedPair;
  readonly #delayMs: number;
  readonly #allowance: Allowance;
  readonly #states: State[] = [];
  #lagMs: number | undefined;
  #lastSentMs = Number.NEGATIVE_INFINITY;
  #newestTick = 0;
  #nowMs = 0;
  sentBytes = 0;
  sentPackets = 0;

  /**
   * @param allowance how many bytes the lane may have sent by now; Infinity: 20 states a second, without a
   * limit
   */
  constructor(pair: SimulatedPair, delayMs: number, allowance: Allowance) {
    this.#pair = pair;
    this.#delayMs = delayMs;
    this.#allowance = allowance;
    pair.b.onPacket((packet) => this.#receive(packet));
  }

  step(truth: Pose, { tick, nowMs }: Moment): void {
    this.#nowMs = nowMs;
    if (nowMs - this.#lastSentMs < PERIOD_MS - 1) return;
    if (this.#allowance() < this.sentBytes + PACKET_BYTES) return;
    this.#lastSentMs = nowMs;
    const packet = new Uint8Array(PACKET_BYTES);
    writeHead(packet, this.sentPackets, tick);
    const view = new DataView(packet.buffer);
    const heading = Math.round(wrapAngle(truth.headingRad) / STEP_RAD) & 0xfff;
    const x = Math.round((truth.x + FAR_M) / STEP_M);
    const y = Math.round((truth.y + FAR_M) / STEP_M);
    view.setUint32(HEAD_BYTES, x * 0x1000 + heading);
    view.setUint8(HEAD_BYTES + 4, y >>> 16);
    view.setUint16(HEAD_BYTES + 5, y & 0xffff);
    this.sentBytes += packet.length;
    this.sentPackets += 1;
    this.#pair.a.send(packet);
  }

  show(nowMs: number): Pose | undefined {
    this.#nowMs = nowMs;
    const newest = this.#states.at(-1);
    if (!newest) return undefined;
    if (this.#delayMs === 0 || this.#lagMs === undefined) return still(newest);
    const renderTick = (nowMs - this.#lagMs - this.#delayMs) / STEP_MS;
    const at = this.#states.findIndex(({ tick }) => tick > renderTick);
    if (at < 0) return still(newest);
    const next = this.#states[at]!;
    const before = this.#states[at - 1];
    if (!before) return still(next);
    const share = (renderTick - before.tick) / (next.tick - before.tick);
    return still({
      tick: renderTick,
      x: before.x + (next.x - before.x) * share,
      y: before.y + (next.y - before.y) * share,
      headingRad: before.headingRad + wrapAngle(next.headingRad - before.headingRad) * share,
    });
  }

  #receive(packet: Uint8Array): void {
    const { tick } = readHead(packet, this.#newestTick);
    const lagMs = this.#nowMs - tick * STEP_MS;
    this.#lagMs = this.#lagMs === undefined ? lagMs : this.#lagMs + (lagMs - this.#lagMs) / AVERAGED;
    const newest = this.#states.at(-1);
    if (newest && newest.tick >= tick) return;
    this.#newestTick = tick;
    const view = new DataView(packet.buffer, packet.byteOffset);
    const word = view.getUint32(HEAD_BYTES);
    const y = view.getUint8(HEAD_BYTES + 4) * 0x10000 + view.getUint16(HEAD_BYTES + 5);
    this.#states.push({
      tick,
      x: Math.floor(word / 0x1000) * STEP_M - FAR_M,
      y: y * STEP_M - FAR_M,
      headingRad: wrapAngle((word & 0xfff) * STEP_RAD),
    });
    if (this.#states.length > KEPT) this.#states.shift();
  }
}

function still({ x, y, headingRad }: State): Pose {
  return { x, y, velocityX: 0, velocityY: 0, headingRad };
}
