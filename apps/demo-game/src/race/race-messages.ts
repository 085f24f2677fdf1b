/** Shapes of what participants tell each other, and the checks of what peers claim: nothing is believed unchecked. */
import { GATE_COUNT, type LapPlace } from "./lap-counter.js";

export type Phase = "countdown" | "racing" | "results";

/** One participant's race so far. */
export interface RaceEntry {
  readonly number: number;
  readonly laps: number;
  /** Sum of its lap times. */
  readonly totalMs: number;
  /** 0 before the first lap. */
  readonly bestMs: number;
  /** True once it has driven every lap of the race. */
  readonly finished: boolean;
}

/** The race director's announcement. */
export interface RaceAnnouncement {
  readonly race: number;
  readonly phase: Phase;
  /** Age of the phase at the moment of sending. */
  readonly elapsedMs: number;
  readonly laps: number;
  /** Participants' numbers, pole first. */
  readonly grid: readonly number[];
  readonly entries: readonly RaceEntry[];
}

export interface LapMessage {
  readonly race: number;
  readonly lap: number;
  readonly timeMs: number;
  readonly totalMs: number;
}

/** One's own entry in the books, told to whoever joins: after a server's restart nobody else knows it any more. */
export interface EntryMessage {
  readonly race: number;
  readonly entry: RaceEntry;
}

export interface DriverCard {
  readonly name: string;
  /** #rrggbb */
  readonly color: string;
  readonly isComputer: boolean;
  /** Has no car: looks on. */
  readonly isSpectator?: boolean;
}

export const MAX_NAME_LENGTH = 16;
export const MAX_CHAT_LENGTH = 160;
const MAX_PARTICIPANTS = 64;
const MAX_LAPS = 99;
const MAX_TIME_MS = 3_600_000;
/** No car drives a lap faster than this; who says so is not believed. */
const MIN_LAP_MS = 15_000;

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isIntegerIn(value: unknown, low: number, high: number): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= low && value <= high;
}

function isNumberIn(value: unknown, low: number, high: number): value is number {
  return typeof value === "number" && value >= low && value <= high;
}

/** Text for the screen: control characters and runs of space become one space; undefined if nothing is left. */
export function readText(value: unknown, maxLength: number): string | undefined {
  if (typeof value !== "string") return undefined;
  // Only the beginning is looked at: a peer may send far more than anyone would show.
  const cleaned = value
    .slice(0, maxLength * 8)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
  const text = Array.from(cleaned).slice(0, maxLength).join("").trim();
  return text === "" ? undefined : text;
}

export function readColor(value: unknown): string | undefined {
  return typeof value === "string" && /^#[0-9a-f]{6}$/i.test(value) ? value.toLowerCase() : undefined;
}

/** A computer driver's car as it hands it to a newcomer: its pose, its lap, its time. */
export interface GivenCar {
  readonly race: number;
  readonly x: number;
  readonly y: number;
  readonly headingRad: number;
  readonly velocityX: number;
  readonly velocityY: number;
  readonly place: LapPlace;
  /** Time of the laps that are done, with the time that was lost at the start. */
  readonly totalMs: number;
}

/** All that players of a race without a server's decisions say to each other. */
export interface PeerMessages {
  race: RaceAnnouncement;
  lap: LapMessage;
  entry: EntryMessage;
  driver: DriverCard;
  /** Asks for the other's `driver`. */
  ask: Record<string, never>;
  chat: { text: string };
  /** A newcomer asks a computer driver for its car. */
  take: Record<string, never>;
  give: GivenCar;
}

const FAR_M = 2048;
const FASTEST_MPS = 120;
const STEPS_PER_HOUR = 216_000;

export function readGivenCar(value: unknown): GivenCar | undefined {
  if (!isRecord(value) || !isRecord(value["place"])) return undefined;
  const { race, x, y, headingRad, velocityX, velocityY, totalMs } = value;
  const { lapsDone, nextGate, lapSteps } = value["place"];
  if (!isIntegerIn(race, 0, 0xffff_ffff) || !isNumberIn(totalMs, 0, MAX_TIME_MS)) return undefined;
  if (!isNumberIn(x, -FAR_M, FAR_M) || !isNumberIn(y, -FAR_M, FAR_M) || !isNumberIn(headingRad, -7, 7))
    return undefined;
  if (!isNumberIn(velocityX, -FASTEST_MPS, FASTEST_MPS)) return undefined;
  if (!isNumberIn(velocityY, -FASTEST_MPS, FASTEST_MPS)) return undefined;
  if (!isIntegerIn(lapsDone, 0, MAX_LAPS) || !isIntegerIn(nextGate, 1, GATE_COUNT)) return undefined;
  if (!isIntegerIn(lapSteps, 0, STEPS_PER_HOUR)) return undefined;
  const place = { lapsDone, nextGate, lapSteps };
  return { race, x, y, headingRad, velocityX, velocityY, place, totalMs };
}

export function readDriverCard(value: unknown): DriverCard | undefined {
  if (!isRecord(value)) return undefined;
  const name = readText(value["name"], MAX_NAME_LENGTH);
  const color = readColor(value["color"]);
  if (name === undefined || color === undefined) return undefined;
  const isSpectator = value["isSpectator"] === true;
  return { name, color, isComputer: value["isComputer"] === true, ...(isSpectator && { isSpectator }) };
}

export function readChat(value: unknown): string | undefined {
  return isRecord(value) ? readText(value["text"], MAX_CHAT_LENGTH) : undefined;
}

export function readLap(value: unknown): LapMessage | undefined {
  if (!isRecord(value)) return undefined;
  const { race, lap, timeMs, totalMs } = value;
  if (!isIntegerIn(race, 0, 0xffff_ffff) || !isIntegerIn(lap, 1, MAX_LAPS)) return undefined;
  if (!isNumberIn(timeMs, MIN_LAP_MS, MAX_TIME_MS) || !isNumberIn(totalMs, timeMs, MAX_TIME_MS))
    return undefined;
  return { race, lap, timeMs, totalMs };
}

function readEntry(value: unknown): RaceEntry | undefined {
  if (!isRecord(value)) return undefined;
  const { number, laps, totalMs, bestMs, finished } = value;
  if (!isIntegerIn(number, 0, 0xffff) || !isIntegerIn(laps, 0, MAX_LAPS)) return undefined;
  if (!isNumberIn(totalMs, 0, MAX_TIME_MS) || !isNumberIn(bestMs, 0, MAX_TIME_MS)) return undefined;
  return { number, laps, totalMs, bestMs, finished: finished === true };
}

export function readEntryMessage(value: unknown): EntryMessage | undefined {
  if (!isRecord(value) || !isIntegerIn(value["race"], 0, 0xffff_ffff)) return undefined;
  const entry = readEntry(value["entry"]);
  return entry === undefined ? undefined : { race: value["race"], entry };
}

export function readAnnouncement(value: unknown): RaceAnnouncement | undefined {
  if (!isRecord(value)) return undefined;
  const { race, phase, elapsedMs, laps, grid, entries } = value;
  if (phase !== "countdown" && phase !== "racing" && phase !== "results") return undefined;
  if (!isIntegerIn(race, 0, 0xffff_ffff) || !isIntegerIn(laps, 1, MAX_LAPS)) return undefined;
  if (!isNumberIn(elapsedMs, 0, MAX_TIME_MS)) return undefined;
  if (!Array.isArray(grid) || grid.length > MAX_PARTICIPANTS) return undefined;
  if (!grid.every((number) => isIntegerIn(number, 0, 0xffff))) return undefined;
  if (!Array.isArray(entries) || entries.length > MAX_PARTICIPANTS) return undefined;
  const checked = entries.map(readEntry);
  if (checked.includes(undefined)) return undefined;
  return { race, phase, elapsedMs, laps, grid: grid, entries: checked as RaceEntry[] };
}
