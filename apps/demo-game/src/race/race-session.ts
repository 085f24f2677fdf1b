import type { EntryMessage, LapMessage, Phase, RaceAnnouncement, RaceEntry } from "./race-messages.js";
import type { RacePeer, RaceRoom } from "./race-room.js";
import { compareEntries } from "./standings.js";

const RACE_LAPS = 3;
/** Five lamps, one a second, then a moment of suspense. */
const LAMP_MS = 900;
export const COUNTDOWN_MS = 6_000;
const RESULTS_MS = 8_000;
/** The race's length after the first car has finished, and its greatest length. */
const AFTER_WINNER_MS = 30_000;
const LONGEST_RACE_MS = 300_000;
/** A newcomer who hears nothing from the director for this long, and is the oldest, starts a race itself. */
const SETTLE_MS = 600;

export interface RaceSessionEvents {
  /** A new race: everybody to the grid. */
  onGrid?: () => void;
  onGreen?: () => void;
  onResults?: () => void;
}

/**
 * The race as one participant knows it. The relay holds no game state: the participant with the lowest number is the
 * race director; it decides the phases and announces them, everybody follows. All keep the same books from the same
 * messages, so that the next lowest can go on when the director leaves.
 */
export class RaceSession<P extends RacePeer = RacePeer> {
  readonly #room: RaceRoom<P>;
  readonly #events: RaceSessionEvents;
  readonly #entries = new Map<number, RaceEntry>();
  #phase: Phase | "waiting" = "waiting";
  #phaseStartMs: number;
  #race = 0;
  #laps = RACE_LAPS;
  #grid: readonly number[] = [];
  #winnerAtMs: number | undefined;

  constructor(room: RaceRoom<P>, nowMs: number, events: RaceSessionEvents = {}) {
    this.#room = room;
    this.#phaseStartMs = nowMs;
    this.#events = events;
  }

  get phase(): Phase | "waiting" {
    return this.#phase;
  }

  get race(): number {
    return this.#race;
  }

  get laps(): number {
    return this.#laps;
  }

  get entries(): readonly RaceEntry[] {
    return [...this.#entries.values()].sort(compareEntries);
  }

  entryOf(number: number): RaceEntry | undefined {
    return this.#entries.get(number);
  }

  elapsedMs(nowMs: number): number {
    return Math.max(0, nowMs - this.#phaseStartMs);
  }

  remainingMs(nowMs: number): number {
    const lasts = this.#phase === "countdown" ? COUNTDOWN_MS : RESULTS_MS;
    return Math.max(0, lasts - this.elapsedMs(nowMs));
  }

  /** Until the next race at the latest, ms; undefined while nobody has finished this one. */
  nextRaceInMs(nowMs: number): number | undefined {
    if (this.#phase === "results") return this.remainingMs(nowMs);
    if (this.#phase !== "racing" || this.#winnerAtMs === undefined) return undefined;
    return Math.max(0, this.#winnerAtMs + AFTER_WINNER_MS - nowMs) + RESULTS_MS;
  }

  isDirector(): boolean {
    return this.#room.peers.every((peer) => peer.number > this.#room.myNumber);
  }

  /** Place on the grid: as announced, or behind everybody who was. */
  slotOf(number: number): number {
    const announced = this.#grid.indexOf(number);
    if (announced >= 0) return announced;
    const newcomers = this.#present().filter((other) => !this.#grid.includes(other) && other < number);
    return this.#grid.length + newcomers.length;
  }

  /** Lamps lit, 0 to 5. */
  lamps(nowMs: number): number {
    return this.#phase === "countdown" ? Math.min(5, Math.floor(this.elapsedMs(nowMs) / LAMP_MS)) : 0;
  }

  /** Called every frame or so: moves on when it is time to. */
  update(nowMs: number): void {
    const elapsed = this.elapsedMs(nowMs);
    if (this.#phase === "countdown" && elapsed >= COUNTDOWN_MS) {
      // Everybody by its own clock, so that the light is green at the same moment for all.
      this.#enter("racing", this.#phaseStartMs + COUNTDOWN_MS);
      if (this.isDirector()) this.announce(nowMs);
    }
    if (!this.isDirector()) return;
    const pauseMs = this.#phase === "waiting" ? SETTLE_MS : this.#phase === "results" ? RESULTS_MS : Infinity;
    // Spectators alone start no race.
    if (elapsed >= pauseMs && this.#present().length > 0) this.#startRace(nowMs);
    if (this.#phase === "racing" && this.#isOver(nowMs)) {
      this.#enter("results", nowMs);
      this.announce(nowMs);
    }
  }

  /** As director: says where the race is, to all or to a newcomer. */
  announce(nowMs: number, to?: P): void {
    if (this.#phase === "waiting") return;
    const announcement: RaceAnnouncement = {
      race: this.#race,
      phase: this.#phase,
      elapsedMs: this.elapsedMs(nowMs),
      laps: this.#laps,
      grid: this.#grid,
      entries: this.entries,
    };
    this.#room.send("race", announcement, to);
  }

  /** From the network. Only the director's word counts. */
  hear(announcement: RaceAnnouncement, from: P, nowMs: number): void {
    const lowest = Math.min(this.#room.myNumber, ...this.#room.peers.map((peer) => peer.number));
    if (from.number > lowest) return;
    const startMs = nowMs - announcement.elapsedMs - (from.rttMs ?? 0) / 2;
    const sameGrid = announcement.grid.join() === this.#grid.join();
    // The grid counts too: two rooms' first races, joined after a server's restart, have the same number.
    const isNew = announcement.race !== this.#race || !sameGrid || this.#phase === "waiting";
    this.#race = announcement.race;
    this.#laps = announcement.laps;
    this.#grid = announcement.grid;
    if (isNew) this.#entries.clear();
    for (const entry of announcement.entries) this.#merge(entry);
    if (isNew && announcement.phase !== "countdown") this.#enter("countdown", startMs);
    if (isNew || announcement.phase !== this.#phase) this.#enter(announcement.phase, startMs);
  }

  /** A lap was driven: by us (`number` is ours) or by a peer. */
  recordLap(number: number, lap: LapMessage, nowMs: number): void {
    if (lap.race !== this.#race) return;
    const before = this.#entries.get(number);
    const bestMs =
      before === undefined || before.bestMs === 0 ? lap.timeMs : Math.min(before.bestMs, lap.timeMs);
    const finished = lap.lap >= this.#laps;
    this.#merge({ number, laps: lap.lap, totalMs: lap.totalMs, bestMs, finished });
    if (finished) this.#winnerAtMs ??= nowMs;
  }

  /** This participant goes on with laps that somebody else has driven. */
  takeOver(entry: RaceEntry): void {
    this.#merge(entry);
  }

  /** A peer says how far it has come: it speaks for itself only. */
  hearEntry({ race, entry }: EntryMessage, from: P): void {
    if (race === this.#race && entry.number === from.number) this.#merge(entry);
  }

  /** A participant has gone: its result stays until the next race, unless it had none. */
  forget(number: number): void {
    if (this.#entries.get(number)?.finished !== true) this.#entries.delete(number);
  }

  /** The room was joined again: all participants' numbers have changed, and with them the owners of the entries. */
  renumber(myOldNumber: number): void {
    const mine = this.#entries.get(myOldNumber);
    this.#entries.clear();
    if (mine !== undefined) this.#merge({ ...mine, number: this.#room.myNumber });
  }

  #merge(entry: RaceEntry): void {
    const before = this.#entries.get(entry.number);
    if (before === undefined || entry.laps >= before.laps) this.#entries.set(entry.number, entry);
  }

  #present(): number[] {
    const { racers } = this.#room;
    if (racers) return [...racers].sort((a, b) => a - b);
    return [this.#room.myNumber, ...this.#room.peers.map((peer) => peer.number)].sort((a, b) => a - b);
  }

  #startRace(nowMs: number): void {
    this.#grid = this.#nextGrid();
    this.#race = (this.#race + 1) % 0xffff_ffff;
    this.#entries.clear();
    this.#laps = RACE_LAPS;
    this.#enter("countdown", nowMs);
    this.announce(nowMs);
  }

  /** Reversed order of the last result, so that nobody drives alone in front; newcomers at the back. */
  #nextGrid(): number[] {
    const present = this.#present();
    const ranked = this.entries.map((entry) => entry.number).filter((number) => present.includes(number));
    const others = present.filter((number) => !ranked.includes(number));
    return [...ranked.toReversed(), ...others];
  }

  #isOver(nowMs: number): boolean {
    const all = this.#present().every((number) => this.#entries.get(number)?.finished === true);
    const waited = this.#winnerAtMs !== undefined && nowMs - this.#winnerAtMs >= AFTER_WINNER_MS;
    return all || waited || this.elapsedMs(nowMs) >= LONGEST_RACE_MS;
  }

  #enter(phase: Phase, startMs: number): void {
    this.#phase = phase;
    this.#phaseStartMs = startMs;
    if (phase === "countdown") {
      this.#winnerAtMs = undefined;
      this.#events.onGrid?.();
    }
    if (phase === "racing") this.#events.onGreen?.();
    if (phase === "results") this.#events.onResults?.();
  }
}
