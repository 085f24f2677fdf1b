/** The messages of a race among players, and the functions that check received ones. */
import { GATE_COUNT, type LapPlace } from "./lap-counter.js";

export type Phase = "countdown" | "racing" | "results";

/** Laps and times of one participant in this race. */
export interface RaceEntry {
  readonly number: number;
  readonly laps: number;
  /** Sum of its lap times, ms. */
  readonly totalMs: number;
  /** Fastest lap, ms; 0 before the first. */
  readonly bestMs: number;
  /** True once it has driven every lap of the race. */
  readonly finished: boolean;
}

/** The race director's announcement. */
export interface RaceAnnouncement {
  readonly race: number;
  readonly phase: Phase;
  /** Age of the phase when the message was sent, ms. */
  readonly elapsedMs: number;
  readonly laps: number;
  /** Participants' numbers in the order of the grid. */
  readonly grid: readonly number[];
  readonly entries: readonly RaceEntry[];
}

export interface LapMessage {
  readonly race: number;
  readonly lap: number;
  readonly timeMs: number;
  readonly totalMs: number;
}

/** The sender's own entry, for newcomers. After a server's restart nobody else knows it. */
export interface EntryMessage {
  readonly race: number;
  readonly entry: RaceEntry;
}

export interface DriverCard {
  readonly name: string;
  /** #rrggbb */
  readonly color: string;
  readonly isComputer: boolean;
  /** True for a spectator, who has no car. */
  readonly isSpectator?: boolean;
}

export const MAX_NAME_LENGTH = 16;
export const MAX_CHAT_LENGTH = 160;
const MAX_PARTICIPANTS = 64;
const MAX_LAPS = 99;
const MAX_TIME_MS = 3_600_000;
/** Fastest possible lap, ms. A message with a faster one is dropped. */
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

/**
 * Returns text that can be shown: control characters and repeated spaces become one space. Undefined if it is
 * empty.
 */
export function readText(value: unknown, maxLength: number): string | undefined {
  if (typeof value !== "string") return undefined;
  // Reads only the beginning, because a peer may send much more than is shown.
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

/** The car that a computer driver gives to a newcomer: its pose, its lap and its time. */
export interface GivenCar {
  readonly race: number;
  readonly x: number;
  readonly y: number;
  readonly headingRad: number;
  readonly velocityX: number;
  readonly velocityY: number;
  readonly place: LapPlace;
  /** Time of the completed laps and of a late start, ms. */
  readonly totalMs: number;
}

/** Messages between the participants of a race among players. */
export interface PeerMessages {
  race: RaceAnnouncement;
  lap: LapMessage;
  entry: EntryMessage;
  driver: DriverCard;
  /** Asks for the other's `driver`. */
  ask: Record<string, never>;
  chat: { text: string };
  /** A newcomer's request for a computer driver's car. */
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
