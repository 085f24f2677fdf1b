import type { Room } from "@paceline/client";
import { LockstepSession, StateHash, type Desync } from "@paceline/client/netcode";
import { describe, expect, test } from "vitest";
import { VirtualHub } from "./virtual-hub.js";

interface Move {
  readonly unit: number;
  readonly by: number;
}

const FRAME_MS = 20;

/** A game of three numbers that players push about: the order of commands matters. */
class Skirmish {
  readonly room: Room;
  readonly session: LockstepSession<Move>;
  readonly hashes: number[] = [];
  readonly desyncs: Desync[] = [];
  readonly gone: number[] = [];
  readonly units = [1, 2, 3];
  isAsleep = false;
  #frames = 0;

  constructor(room: Room, players: number, cheats = false) {
    this.room = room;
    this.session = new LockstepSession<Move>(room, {
      players,
      readCommand: (value) => {
        const { unit, by } = (value ?? {}) as Partial<Move>;
        return Number.isInteger(unit) && Number.isFinite(by) ? { unit: unit!, by: by! } : undefined;
      },
      onTurn: ({ turn, commands }) => {
        for (const { commands: given } of commands) {
          for (const { unit, by } of given) this.units[unit % 3] = (this.units[unit % 3]! * 31 + by) % 1009;
        }
        if (cheats && turn === 40) this.units[0]! += 1;
        const hash = new StateHash().numbers(this.units).digest();
        this.hashes[turn] = hash;
        return hash;
      },
      onDesync: (desync) => this.desyncs.push(desync),
      onGone: (player) => this.gone.push(player),
    });
  }

  frame(): void {
    if (this.isAsleep) return;
    this.#frames += 1;
    if (this.#frames % 7 === this.room.myNumber % 7) {
      this.session.give({ unit: this.#frames, by: this.room.myNumber * 100 + this.#frames });
    }
    this.session.update();
  }
}

async function play(count: number, cheat = -1) {
  const hub = new VirtualHub({ delayMs: 60, jitterMs: 5 }, { seed: count });
  const rooms = await hub.meet(count, { profile: "strategy" });
  const games = rooms.map((room, index) => new Skirmish(room, count, index === cheat));
  const run = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= FRAME_MS) {
      for (const game of games) game.frame();
      await hub.advance(FRAME_MS, FRAME_MS);
    }
  };
  return { hub, games, run };
}

/** All that were simulated by everybody came out the same. */
function expectAgreement(games: readonly Skirmish[], leastTurns: number): void {
  const turns = Math.min(...games.map(({ session }) => session.turn));
  expect(turns).toBeGreaterThan(leastTurns);
  const [first, ...others] = games.map(({ hashes }) => hashes.slice(1, turns + 1));
  for (const other of others) expect(other).toEqual(first);
  expect(games.flatMap(({ desyncs }) => desyncs)).toEqual([]);
}

describe("lockstep over a room", () => {
  test.each([2, 3, 4])("%i players simulate the same, at the pace that the path allows", async (count) => {
    const { games, run } = await play(count);
    await run(10_000);
    expectAgreement(games, 60);
    expect(games[0]!.units).not.toEqual([1, 2, 3]);
    expect(games[0]!.session.turnLengthMs).toBeGreaterThan(60);
    expect(games[0]!.session.turnLengthMs).toBeLessThan(160);
  });

  test("a player who stands still is waited for, and named; then all go on together", async () => {
    const { games, run } = await play(3);
    await run(3000);
    const [first, , third] = games as [Skirmish, Skirmish, Skirmish];
    third.isAsleep = true;
    await run(2000);
    expect(first.session.waitingFor).toEqual([third.room.myNumber]);
    expect(first.session.stalledMs).toBeGreaterThan(1500);
    const stoodAt = first.session.turn;
    third.isAsleep = false;
    await run(3000);
    expect(first.session.turn).toBeGreaterThan(stoodAt + 15);
    expectAgreement(games, stoodAt);
  });

  test("a player who leaves is missed after the same turn by all, whoever heard its last commands", async () => {
    const { games, run } = await play(4);
    await run(3000);
    const [leaver, ...staying] = games as [Skirmish, Skirmish, Skirmish, Skirmish];
    leaver.room.leave();
    await run(4000);
    expectAgreement(staying, 60);
    for (const { gone, session } of staying) {
      expect(gone).toEqual([leaver.session.players[0]]);
      expect(session.waitingFor).not.toContain(leaver.session.players[0]);
      expect(session.stalledMs).toBeLessThan(200);
    }
  });

  test("two players who leave at the same moment are missed after the same turns by all", async () => {
    const { games, run } = await play(5);
    await run(3000);
    const [first, , third] = games as [Skirmish, Skirmish, Skirmish, Skirmish, Skirmish];
    const leavers = [first, third].map(({ room }) => ({ number: room.myNumber }));
    const staying = games.filter((game) => game !== first && game !== third);
    const turn = staying[0]!.session.turn;
    for (const { room } of [first, third]) room.leave();
    await run(4000);
    expectAgreement(staying, turn + 20);
    for (const { gone, session } of staying) {
      expect([...gone].sort()).toEqual(leavers.map(({ number }) => number).sort());
      for (const { number } of leavers) expect(session.waitingFor).not.toContain(number);
      expect(session.stalledMs).toBeLessThan(200);
    }
  });

  test("of two who leave the second may go while the others still agree on the first", async () => {
    const { games, run } = await play(4);
    await run(3000);
    const [first, second, ...staying] = games as [Skirmish, Skirmish, Skirmish, Skirmish];
    const { turn } = staying[0].session;
    first.room.leave();
    // Half of a message's way.
    await run(40);
    second.room.leave();
    await run(4000);
    expectAgreement(staying, turn + 20);
    for (const { gone } of staying) expect([...gone].sort()).toEqual([1, 2]);
  });

  test("a player who was given up is told, and the others go on", async () => {
    const { games, run } = await play(3);
    await run(2000);
    const [first, second, third] = games as [Skirmish, Skirmish, Skirmish];
    third.isAsleep = true;
    await run(1000);
    first.session.giveUp(third.room.myNumber);
    await run(2000);
    expect([first.gone, second.gone, third.gone]).toEqual(
      Array.from({ length: 3 }, () => [third.room.myNumber]),
    );
    expectAgreement([first, second], 25);
    // A turn's messages may wait for others of their bundle for a moment.
    expect(first.session.stalledMs).toBeLessThanOrEqual(FRAME_MS);
  });

  test("a state that differs is noticed by the others, with the turn", async () => {
    const { games, run } = await play(2, 1);
    await run(8000);
    expect(games[0]!.desyncs[0]).toMatchObject({ turn: 40, peer: games[1]!.room.myNumber });
  });

  test("what is no message of the session, or a command that makes no sense, is not heard", async () => {
    const { games, run } = await play(2);
    const [first, second] = games as [Skirmish, Skirmish];
    for (const nonsense of [7, null, { turn: "x" }, { turn: 1, commands: [{ unit: "a" }] }, { gone: {} }]) {
      second.room.send("lockstep", nonsense);
    }
    second.room.send("lockstep", { start: [99] });
    await run(3000);
    expectAgreement([first, second], 15);
  });
});
