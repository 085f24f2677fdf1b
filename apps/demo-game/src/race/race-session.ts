import type { EntryMessage, LapMessage, Phase, RaceAnnouncement, RaceEntry } from "./race-messages.js";
import { compareEntries } from "./standings.js";

/** The part of a room that a race needs. `Room` of @paceline/client has most of it, and so have the rooms of tests. */
export interface RacePeer {
  readonly number: number;
  readonly rttMs: number | undefined;
}

export interface RaceRoom<P extends RacePeer = RacePeer> {
  readonly myNumber: number;
  /** Number of the race director. */
  readonly director: number;
  readonly peers: readonly P[];
  /** True while a peer has not introduced itself yet, which may know a race that runs. */
  readonly isMeeting?: boolean;
  /** Numbers of the drivers, if not everybody drives: a server and spectators do not. */
  readonly racers?: readonly number[];
  send(type: string, message: unknown, to?: P): void;
}

const RACE_LAPS = 3;
/** Time between two of the five lamps, ms. The light turns green later, at the end of the countdown. */
const LAMP_MS = 900;
export const COUNTDOWN_MS = 6_000;
const RESULTS_MS = 8_000;
/** Longest time from the first car's finish to the end of the race, and longest race, ms. */
const AFTER_WINNER_MS = 30_000;
const LONGEST_RACE_MS = 300_000;
/** Time without an announcement after which the director starts a race, ms. */
const SETTLE_MS = 600;
/** Longest time for which a director waits for peers that have not introduced themselves, ms. */
const LONGEST_MEETING_MS = 5_000;

export interface RaceSessionEvents {
  /** Called when a new race begins on the grid. */
  onGrid?: () => void;
  onGreen?: () => void;
  onResults?: () => void;
}

/**
 * The race as one participant knows it. The relay holds no game state, so the participant that came first is the
 * race director, who decides the phases and announces them. All participants record the same messages, so that the
 * next one can go on when the director leaves, and tell the race to a director who has reloaded its page.
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

  /** Returns the longest time until the next race, ms; undefined until a car has finished this one. */
  nextRaceInMs(nowMs: number): number | undefined {
    if (this.#phase === "results") return this.remainingMs(nowMs);
    if (this.#phase !== "racing" || this.#winnerAtMs === undefined) return undefined;
    return Math.max(0, this.#winnerAtMs + AFTER_WINNER_MS - nowMs) + RESULTS_MS;
  }

  isDirector(): boolean {
    return this.#room.director === this.#room.myNumber;
  }

  /** Returns a participant's place on the grid: the announced one, or behind all announced ones. */
  slotOf(number: number): number {
    const announced = this.#grid.indexOf(number);
    if (announced >= 0) return announced;
    const newcomers = this.#present().filter((other) => !this.#grid.includes(other) && other < number);
    return this.#grid.length + newcomers.length;
  }

  /** Returns the number of lit lamps, 0 to 5. */
  lamps(nowMs: number): number {
    return this.#phase === "countdown" ? Math.min(5, Math.floor(this.elapsedMs(nowMs) / LAMP_MS)) : 0;
  }

  /** Moves to the next phase when it is due. Called about once per frame. */
  update(nowMs: number): void {
    const elapsed = this.elapsedMs(nowMs);
    if (this.#phase === "countdown" && elapsed >= COUNTDOWN_MS) {
      // Each participant uses its own clock, so that the light is green at the same moment for all.
      this.#enter("racing", this.#phaseStartMs + COUNTDOWN_MS);
      if (this.isDirector()) this.announce(nowMs);
    }
    if (!this.isDirector()) return;
    const settleMs = this.#room.isMeeting === true ? LONGEST_MEETING_MS : SETTLE_MS;
    const pauseMs = this.#phase === "waiting" ? settleMs : this.#phase === "results" ? RESULTS_MS : Infinity;
    // A room with spectators alone has no race.
    if (elapsed >= pauseMs && this.#present().length > 0) this.#startRace(nowMs);
    if (this.#phase === "racing" && this.#isOver(nowMs)) {
      this.#enter("results", nowMs);
      this.announce(nowMs);
    }
  }

  /** Sends the director's announcement to all, or to a newcomer. */
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

  /** Tells a newcomer the race: as its director, or because the newcomer is a director who has reloaded its page. */
  introduce(nowMs: number, newcomer: P): void {
    if (this.isDirector() || newcomer.number === this.#room.director) this.announce(nowMs, newcomer);
  }

  /**
   * Takes the director's announcement. A participant that knows no race takes anybody's: it may be the director
   * itself, after a reload.
   */
  hear(announcement: RaceAnnouncement, from: P, nowMs: number): void {
    if (this.#phase !== "waiting" && from.number !== this.#room.director) return;
    const startMs = nowMs - announcement.elapsedMs - (from.rttMs ?? 0) / 2;
    const sameGrid = announcement.grid.join() === this.#grid.join();
    // After a server's restart, the first race of the new room may have the same number as the one before.
    const isNew = announcement.race !== this.#race || !sameGrid || this.#phase === "waiting";
    this.#race = announcement.race;
    this.#laps = announcement.laps;
    this.#grid = announcement.grid;
    if (isNew) this.#entries.clear();
    for (const entry of announcement.entries) this.#merge(entry);
    if (isNew && announcement.phase !== "countdown") this.#enter("countdown", startMs);
    if (isNew || announcement.phase !== this.#phase) this.#enter(announcement.phase, startMs);
    // A later director has to end the race, too, and may not have seen the winner.
    if (announcement.entries.some(({ finished }) => finished)) this.#winnerAtMs ??= nowMs;
  }

  /** Records a lap of this participant or of a peer. */
  recordLap(number: number, lap: LapMessage, nowMs: number): void {
    if (lap.race !== this.#race) return;
    const before = this.#entries.get(number);
    const bestMs =
      before === undefined || before.bestMs === 0 ? lap.timeMs : Math.min(before.bestMs, lap.timeMs);
    const finished = lap.lap >= this.#laps;
    this.#merge({ number, laps: lap.lap, totalMs: lap.totalMs, bestMs, finished });
    if (finished) this.#winnerAtMs ??= nowMs;
  }

  /** Takes over the laps of another driver as this participant's own. */
  takeOver(entry: RaceEntry): void {
    this.#merge(entry);
  }

  /** Takes a peer's entry. Ignores entries about other participants. */
  hearEntry({ race, entry }: EntryMessage, from: P): void {
    if (race === this.#race && entry.number === from.number) this.#merge(entry);
  }

  /** Called when a participant has left. The result of one that has finished stays until the next race. */
  forget(number: number): void {
    if (this.#entries.get(number)?.finished !== true) this.#entries.delete(number);
  }

  /** Called after a new join, in which all numbers have changed. Keeps only this participant's entry. */
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

  /** Returns the next grid: the last result reversed, so that nobody drives alone in front, then newcomers. */
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
