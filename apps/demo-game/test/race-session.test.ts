import { describe, expect, test } from "vitest";
import { readAnnouncement, type LapMessage } from "../src/race/race-messages.js";
import { firstNumber } from "@paceline/client";
import { COUNTDOWN_MS, RaceSession, type RacePeer, type RaceRoom } from "../src/race/race-session.js";
import { compareEntries, formatTime, runningOrder } from "../src/race/standings.js";

interface Seat extends RacePeer {
  readonly session: RaceSession;
  readonly events: string[];
}

/** Participants in one room. Their messages arrive at once; the test advances the clock. */
class Paddock {
  readonly seats: Seat[] = [];
  nowMs = 0;

  enter(number: number): Seat {
    const events: string[] = [];
    const { seats } = this;
    const room: RaceRoom = {
      myNumber: number,
      get director() {
        return firstNumber(seats.map((seat) => seat.number));
      },
      get peers() {
        return seats.filter((seat) => seat.number !== number);
      },
      send: (type, message, to) => {
        expect(type).toBe("race");
        for (const seat of seats) {
          if (seat.number === number || (to !== undefined && to.number !== seat.number)) continue;
          const announcement = readAnnouncement(structuredClone(message));
          if (announcement === undefined)
            throw new Error("the session sent an announcement that readAnnouncement refuses");
          seat.session.hear(announcement, { number, rttMs: 0 }, this.nowMs);
        }
      },
    };
    const session = new RaceSession(room, this.nowMs, {
      onGrid: () => events.push("grid"),
      onGreen: () => events.push("green"),
      onResults: () => events.push("results"),
    });
    const seat: Seat = { number, rttMs: 0, session, events };
    seats.push(seat);
    for (const other of seats) if (other !== seat) other.session.introduce(this.nowMs, seat);
    return seat;
  }

  leave(number: number): void {
    this.seats.splice(
      this.seats.findIndex((seat) => seat.number === number),
      1,
    );
    for (const seat of this.seats) seat.session.forget(number);
  }

  lap(number: number, lap: number, totalMs: number): void {
    const race = this.seats[0]?.session.race ?? 0;
    const message: LapMessage = { race, lap, timeMs: 40_000, totalMs };
    for (const seat of this.seats) seat.session.recordLap(number, message, this.nowMs);
  }

  run(ms: number): void {
    for (const end = this.nowMs + ms; this.nowMs < end; this.nowMs += 50) {
      for (const seat of this.seats) seat.session.update(this.nowMs);
    }
  }
}

function phases(paddock: Paddock): string[] {
  return paddock.seats.map((seat) => seat.session.phase);
}

describe("a race", () => {
  test("waits while only spectators are there, and ends when its drivers have finished", () => {
    let racers: number[] = [];
    const room: RaceRoom = {
      myNumber: 1,
      director: 1,
      peers: [{ number: 2, rttMs: 0 }],
      get racers() {
        return racers;
      },
      send: () => undefined,
    };
    const session = new RaceSession(room, 0);
    let nowMs = 0;
    const run = (ms: number): void => {
      for (const end = nowMs + ms; nowMs < end; nowMs += 50) session.update(nowMs);
    };
    run(20_000);
    expect(session.phase).toBe("waiting");
    racers = [2];
    run(COUNTDOWN_MS + 2000);
    expect(session.phase).toBe("racing");
    expect(session.slotOf(2)).toBe(0);
    session.recordLap(2, { race: session.race, lap: 3, timeMs: 40_000, totalMs: 120_000 }, nowMs);
    run(100);
    expect(session.phase).toBe("results");
  });

  test("starts for a participant who is alone: first the lamps, then green", () => {
    const paddock = new Paddock();
    const seat = paddock.enter(3);
    paddock.run(1000);
    expect(seat.session.phase).toBe("countdown");
    paddock.run(3000);
    expect(seat.session.lamps(paddock.nowMs)).toBeGreaterThan(2);
    paddock.run(COUNTDOWN_MS);
    expect(seat.session.phase).toBe("racing");
    expect(seat.events).toEqual(["grid", "green"]);
  });

  test("has the lowest number as director, and ignores announcements of others", () => {
    const paddock = new Paddock();
    const first = paddock.enter(1);
    const second = paddock.enter(2);
    paddock.run(8000);
    expect(phases(paddock)).toEqual(["racing", "racing"]);
    first.session.hear(
      { race: 99, phase: "results", elapsedMs: 0, laps: 1, grid: [], entries: [] },
      second,
      paddock.nowMs,
    );
    expect(first.session.race).toBe(1);
    expect(first.session.phase).toBe("racing");
  });

  test("puts a late participant on the grid behind the others, free to drive at once", () => {
    const paddock = new Paddock();
    paddock.enter(1);
    paddock.enter(2);
    paddock.run(20_000);
    const late = paddock.enter(5);
    expect(late.events).toEqual(["grid", "green"]);
    expect(late.session.phase).toBe("racing");
    expect(late.session.slotOf(5)).toBe(2);
    expect(late.session.elapsedMs(paddock.nowMs)).toBeGreaterThan(10_000);
  });

  test("ends when all have finished, and the next one follows, with the winner last on the grid", () => {
    const paddock = new Paddock();
    paddock.enter(1);
    paddock.enter(2);
    paddock.run(8000);
    for (const number of [2, 1]) for (const lap of [1, 2, 3]) paddock.lap(number, lap, lap * 40_000 + number);
    paddock.run(100);
    expect(phases(paddock)).toEqual(["results", "results"]);
    expect(paddock.seats[1]?.session.entries.map((entry) => entry.number)).toEqual([1, 2]);
    paddock.run(13_000);
    expect(phases(paddock)).toEqual(["countdown", "countdown"]);
    expect(paddock.seats.map((seat) => seat.session.slotOf(1))).toEqual([1, 1]);
    expect(paddock.seats.map((seat) => seat.session.race)).toEqual([2, 2]);
  });

  test("ends 30 s after the first has finished, even if another has not", () => {
    const paddock = new Paddock();
    paddock.enter(1);
    paddock.enter(2);
    paddock.run(8000);
    for (const lap of [1, 2, 3]) paddock.lap(1, lap, lap * 40_000);
    paddock.run(29_000);
    expect(phases(paddock)).toEqual(["racing", "racing"]);
    paddock.run(2000);
    expect(phases(paddock)).toEqual(["results", "results"]);
  });

  test("goes on under the next lowest number when the director leaves", () => {
    const paddock = new Paddock();
    paddock.enter(1);
    paddock.enter(2);
    paddock.enter(3);
    paddock.run(8000);
    paddock.lap(3, 1, 40_000);
    paddock.leave(1);
    expect(paddock.seats.map((seat) => seat.session.isDirector())).toEqual([true, false]);
    for (const number of [2, 3]) for (const lap of [1, 2, 3]) paddock.lap(number, lap, lap * 41_000);
    paddock.run(14_000);
    expect(phases(paddock)).toEqual(["countdown", "countdown"]);
    const late = paddock.enter(9);
    expect(late.session.race).toBe(2);
  });

  test("goes on when its director comes back without knowing it, also if another newcomer knows it neither", () => {
    const paddock = new Paddock();
    for (const number of [1, 2, 3]) paddock.enter(number);
    paddock.run(20_000);
    paddock.leave(1);
    paddock.leave(2);
    const [first, second] = [paddock.enter(1), paddock.enter(2)];
    expect(first.session.isDirector()).toBe(true);
    paddock.run(5000);
    expect([first, second, paddock.seats[0]!].map(({ session }) => session.race)).toEqual([1, 1, 1]);
    expect(paddock.seats[0]!.events).toEqual(["grid", "green"]);
    expect(first.session.elapsedMs(paddock.nowMs)).toBe(paddock.seats[0]!.session.elapsedMs(paddock.nowMs));
  });

  test("ends 30 s after its director has come back to a race that somebody has won", () => {
    const paddock = new Paddock();
    paddock.enter(1);
    paddock.enter(2);
    paddock.run(8000);
    for (const lap of [1, 2, 3]) paddock.lap(2, lap, lap * 40_000);
    paddock.run(5000);
    paddock.leave(1);
    const first = paddock.enter(1);
    paddock.run(29_000);
    expect(first.session.phase).toBe("racing");
    paddock.run(2000);
    expect(phases(paddock)).toEqual(["results", "results"]);
  });

  test("is not started while a peer has not introduced itself, for 5 s", () => {
    const room = {
      myNumber: 1,
      director: 1,
      peers: [{ number: 2, rttMs: 0 }],
      isMeeting: true,
      send: () => undefined,
    };
    const session = new RaceSession(room, 0);
    session.update(4999);
    expect(session.phase).toBe("waiting");
    session.update(5000);
    expect(session.phase).toBe("countdown");
  });

  test("keeps a participant's own laps under its new number after a restart of the server", () => {
    const paddock = new Paddock();
    const seat = paddock.enter(4);
    paddock.run(8000);
    paddock.lap(4, 1, 40_000);
    paddock.lap(7, 1, 41_000);
    seat.session.renumber(4);
    expect(seat.session.entries.map((entry) => [entry.number, entry.laps])).toEqual([[4, 1]]);
    // The others report their laps again; a report about somebody else is ignored.
    const entry = { number: 9, laps: 2, totalMs: 80_000, bestMs: 40_000, finished: false };
    seat.session.hearEntry({ race: 1, entry }, { number: 8, rttMs: 0 });
    seat.session.hearEntry({ race: 7, entry }, { number: 9, rttMs: 0 });
    expect(seat.session.entryOf(9)).toBeUndefined();
    seat.session.hearEntry({ race: 1, entry }, { number: 9, rttMs: 0 });
    expect(seat.session.entryOf(9)?.laps).toBe(2);
  });
});

test("a result sorts finishers by time, then the others by laps", () => {
  const entry = (number: number, laps: number, totalMs: number, finished: boolean) => ({
    number,
    laps,
    totalMs,
    bestMs: 1,
    finished,
  });
  const sorted = [
    entry(1, 2, 80, false),
    entry(2, 3, 130, true),
    entry(3, 3, 120, true),
    entry(4, 1, 30, false),
  ];
  expect(sorted.sort(compareEntries).map(({ number }) => number)).toEqual([3, 2, 1, 4]);
});

test("in the running order, drivers who have finished stay ahead of those who have not", () => {
  const finished = { number: 1, laps: 3, totalMs: 120, bestMs: 1, finished: true };
  const order = runningOrder([
    { number: 2, progressM: 9000, entry: undefined },
    { number: 1, progressM: 100, entry: finished },
    { number: 3, progressM: 9500, entry: undefined },
  ]);
  expect(order.map(({ number }) => number)).toEqual([1, 3, 2]);
});

test("times have minutes, seconds and milliseconds", () => {
  expect(formatTime(83_456)).toBe("1:23.456");
  expect(formatTime(0)).toBe("0:00.000");
  expect(formatTime(59_999.6)).toBe("1:00.000");
});
