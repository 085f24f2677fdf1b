import { ConfigError, type ProfileChoice, type Room } from "@paceline/client";
import {
  LockstepSession,
  StateHash,
  type Desync,
  type LockstepSessionOptions,
  type LockstepStart,
} from "@paceline/client/lockstep";
import { limits } from "@paceline/protocol";
import type { Scheduler } from "@paceline/transport";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { VirtualHub } from "./virtual-hub.js";

interface Move {
  readonly unit: number;
  readonly by: number;
}

const FRAME_MS = 20;
/** A profile whose turns are as short as the path allows. */
const QUICK = { base: "strategy", numbers: { stateHz: 60, tickHz: 60, sendPeriodMs: 0 } } as const;

/** Timers of a machine that can sleep. Missed timers run when it wakes. */
class SleepyScheduler implements Scheduler {
  isAsleep = false;
  readonly #missed = new Set<() => void>();
  readonly #scheduler: Scheduler;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  nowMs(): number {
    return this.#scheduler.nowMs();
  }

  after(delayMs: number, fn: () => void): () => void {
    const run = (): void => (this.isAsleep ? void this.#missed.add(run) : fn());
    const cancel = this.#scheduler.after(delayMs, run);
    return () => {
      this.#missed.delete(run);
      cancel();
    };
  }

  every(periodMs: number, fn: () => void): () => void {
    return this.#scheduler.every(periodMs, () => this.isAsleep || fn());
  }

  wake(): void {
    this.isAsleep = false;
    for (const run of [...this.#missed]) run();
    this.#missed.clear();
  }
}

/** A game of three numbers that players change. The order of commands matters. */
class Skirmish {
  readonly room: Room;
  readonly machine: SleepyScheduler;
  readonly session: LockstepSession<Move>;
  readonly hashes: number[] = [];
  readonly desyncs: Desync[] = [];
  readonly gone: number[] = [];
  readonly refused: string[] = [];
  readonly starts: LockstepStart[] = [];
  readonly units = [1, 2, 3];
  readonly commandTicks: number[] = [];
  readonly #cheats: boolean;
  #given = 0;

  constructor(
    room: Room,
    players: number,
    { machine, cheats = false }: { machine: SleepyScheduler; cheats?: boolean },
  ) {
    this.room = room;
    this.machine = machine;
    this.#cheats = cheats;
    this.session = new LockstepSession<Move>(room, {
      players,
      readCommand: readMove,
      step: (commands, tick) => {
        for (const { command } of commands) this.#execute(command);
        if (commands.length > 0) this.commandTicks.push(tick);
        this.units[2] = (this.units[2]! + tick) % 1009;
        if (this.#cheats && tick === 70) this.units[0]! += 1;
        this.hashes.push(this.#hash());
      },
      hash: () => this.#hash(),
      onStart: (start) => this.starts.push(start),
      onDesync: (desync) => this.desyncs.push(desync),
      onGone: (player) => this.gone.push(player),
      onRefused: (reason) => this.refused.push(reason),
    });
  }

  frame(): void {
    this.#given += 1;
    if (this.machine.isAsleep || this.#given % 7 !== this.room.myNumber % 7) return;
    this.session.give({ unit: this.#given, by: this.room.myNumber * 100 + this.#given });
  }

  #execute({ unit, by }: Move): void {
    this.units[unit % 3] = (this.units[unit % 3]! * 31 + by) % 1009;
  }

  #hash(): number {
    return new StateHash().numbers(this.units).digest();
  }
}

function readMove(value: unknown): Move | undefined {
  const { unit, by } = (value ?? {}) as Partial<Move>;
  return Number.isInteger(unit) && Number.isFinite(by) ? { unit: unit!, by: by! } : undefined;
}

/** Joins so many participants to a room, without a lockstep session. */
async function lobby(count: number, profile: ProfileChoice = QUICK) {
  const hub = new VirtualHub({ delayMs: 60, jitterMs: 5 }, { seed: count });
  const machines = Array.from({ length: count }, () => new SleepyScheduler(hub.scheduler));
  const rooms: Room[] = [];
  for (const machine of machines) rooms.push(await hub.join({ profile }, machine));
  await hub.advance(1000);
  return { hub, rooms, machines };
}

async function play(count: number, cheat = -1, profile: ProfileChoice = QUICK) {
  const { hub, rooms, machines } = await lobby(count, profile);
  const games = rooms.map(
    (room, index) => new Skirmish(room, count, { machine: machines[index]!, cheats: index === cheat }),
  );
  const run = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= FRAME_MS) {
      for (const game of games) if (game.room.state !== "left") game.frame();
      await hub.advance(FRAME_MS, FRAME_MS);
    }
  };
  return { hub, games, run };
}

/** Lets only one of the others hear what a player sends from now on, as if the rest were cut off. */
function sendOnlyTo({ myNumber }: Room, from: Room): void {
  const toAll = from.send.bind(from);
  const only = from.peers.find(({ number }) => number === myNumber);
  from.send = (type, message) => toAll(type, message, only);
}

/** Checks that all players have equal states in all turns that all have simulated. */
function expectAgreement(games: readonly Skirmish[], leastTurns: number): void {
  const turns = Math.min(...games.map(({ session }) => session.turn));
  expect(turns).toBeGreaterThan(leastTurns);
  const ticks = Math.min(...games.map(({ hashes }) => hashes.length));
  expect(ticks).toBeGreaterThanOrEqual(turns);
  const [first, ...others] = games.map(({ hashes }) => hashes.slice(0, ticks));
  for (const other of others) expect(other).toEqual(first);
  expect(games.flatMap(({ desyncs }) => desyncs)).toEqual([]);
}

describe("lockstep over a room", () => {
  test("goes on without a player whose full queue did not take a turn, and all others simulate the same", async () => {
    const { games, run } = await play(3);
    await run(2000);
    const [first, second, full] = games as [Skirmish, Skirmish, Skirmish];
    const number = full.room.myNumber;
    const to = first.room.peers.find((peer) => peer.number === number);
    for (const bytes of [16_000, 1]) {
      const fill = (): void => {
        for (;;) first.room.send("fill", "x".repeat(bytes), to);
      };
      expect(fill).toThrow(expect.objectContaining({ code: "limit/queue" }));
    }
    const turn = first.session.turn;
    await run(3000);
    expect([first.gone, second.gone]).toEqual([[number], [number]]);
    expectAgreement([first, second], turn + 10);
  });

  test.each([2, 3, 4])("%i players simulate the same, at the pace that the path allows", async (count) => {
    const { games, run } = await play(count);
    await run(10_000);
    expectAgreement(games, 60);
    expect(games[0]!.units).not.toEqual([1, 2, 3]);
    expect(games[0]!.session.turnLengthMs).toBeGreaterThan(60);
    expect(games[0]!.session.turnLengthMs).toBeLessThan(160);
  });

  test("a player who stands still is awaited, and named; then all continue together", async () => {
    const { games, run } = await play(3);
    await run(3000);
    const [first, , third] = games as [Skirmish, Skirmish, Skirmish];
    third.machine.isAsleep = true;
    await run(2000);
    expect(first.session.waitingFor).toEqual([third.room.myNumber]);
    expect(first.session.stalledMs).toBeGreaterThan(1500);
    const stoodAt = first.session.turn;
    third.machine.wake();
    await run(3000);
    expect(first.session.turn).toBeGreaterThan(stoodAt + 15);
    expectAgreement(games, stoodAt);
  });

  test("a player who leaves is dropped after the same turn by all, whoever received its last commands", async () => {
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

  test("all execute the last commands of a player who leaves, even if only one has received them", async () => {
    const { games, run } = await play(3);
    await run(3000);
    const [leaver, heard, other] = games as [Skirmish, Skirmish, Skirmish];
    const { room } = leaver;
    sendOnlyTo(heard.room, room);
    leaver.session.give({ unit: 2, by: 777 });
    await run(600);
    // Players without its commands stand still: nobody knows yet which commands apply.
    expect(other.session.waitingFor).toEqual([room.myNumber]);
    expect(heard.session.turn).toBeGreaterThan(other.session.turn);
    const { turn } = heard.session;
    room.leave();
    await run(3000);
    expectAgreement([heard, other], turn + 15);
  });

  test("two players who leave at the same moment are dropped after the same turns by all", async () => {
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

  test("of two who leave, the second may go while the others still agree on the first", async () => {
    const { games, run } = await play(4);
    await run(3000);
    const [first, second, ...staying] = games as [Skirmish, Skirmish, Skirmish, Skirmish];
    const { turn } = staying[0].session;
    first.room.leave();
    await run(40);
    second.room.leave();
    await run(4000);
    expectAgreement(staying, turn + 20);
    for (const { gone } of staying) expect([...gone].sort()).toEqual([1, 2]);
  });

  test("a player who leaves has told only one of another's last commands, which all execute", async () => {
    const { games, run } = await play(4);
    await run(3000);
    const [leaver, second, heard, other] = games as [Skirmish, Skirmish, Skirmish, Skirmish];
    sendOnlyTo(second.room, leaver.room);
    leaver.session.give({ unit: 2, by: 777 });
    await run(600);
    sendOnlyTo(heard.room, second.room);
    leaver.room.leave();
    await run(80);
    second.room.leave();
    const { turn } = heard.session;
    await run(3000);
    expectAgreement([heard, other], turn + 15);
  });

  test("a player whom the others have dropped is told, and the others continue", async () => {
    const { games, run } = await play(3);
    await run(2000);
    const [first, second, third] = games as [Skirmish, Skirmish, Skirmish];
    third.machine.isAsleep = true;
    await run(1000);
    first.session.giveUp(third.room.myNumber);
    await run(2000);
    expect([first.gone, second.gone, third.gone]).toEqual(
      Array.from({ length: 3 }, () => [third.room.myNumber]),
    );
    expectAgreement([first, second], 25);
    // A turn's messages may wait briefly for others of their bundle.
    expect(first.session.stalledMs).toBeLessThanOrEqual(FRAME_MS);
  });

  test("the others detect a different state, with its turn", async () => {
    const { games, run } = await play(2, 1);
    await run(4000);
    const [honest, cheat] = games as [Skirmish, Skirmish];
    const [desync] = honest.desyncs;
    expect(desync?.peer).toBe(cheat.room.myNumber);
    expect(cheat.desyncs[0]).toEqual({
      turn: desync?.turn,
      peer: honest.room.myNumber,
      mine: desync?.theirs,
      theirs: desync?.mine,
    });
    // Tick 70 is the first that differs.
    expect(honest.hashes.findIndex((hash, index) => hash !== cheat.hashes[index])).toBe(69);
    expect([honest.hashes.indexOf(desync!.mine), cheat.hashes.indexOf(desync!.theirs)]).not.toContain(-1);
    expect(honest.hashes.indexOf(desync!.mine)).toBeGreaterThanOrEqual(69);
    expect(honest.hashes.indexOf(desync!.mine)).toBeLessThan(69 + 20);
  });

  test("anything but a message of the session, and invalid commands, are ignored", async () => {
    const { games, run } = await play(2);
    const [first, second] = games as [Skirmish, Skirmish];
    const turn = { turn: 1, commands: [{ unit: "a" }] };
    for (const nonsense of [
      7,
      null,
      { turn: "x" },
      turn,
      { gone: {} },
      { here: "x" },
      { start: [2], seed: "x" },
    ]) {
      second.room.send("lockstep", nonsense);
    }
    second.room.send("lockstep", { start: [99], seed: 1, tickHz: 60 });
    second.room.send("lockstep", { start: [2, 1], seed: 1, tickHz: 60 });
    await run(3000);
    expectAgreement([first, second], 15);
  });
});

describe("one hostile member beside a match", () => {
  /** Every message of a session, as a member that does not play could send it. */
  const messagesAt = (frame: number, players: readonly number[]): unknown[] => {
    const turns = [frame >> 2, (frame >> 2) + 1].map((turn) => ({
      turn,
      commands: [{ unit: 0, by: 77 }],
      wishMs: 1000,
      hash: { turn: turn - 2, hash: 1 },
    }));
    return [
      { here: 60 },
      { here: 60, answer: true },
      { start: [...players, 3], seed: 1, tickHz: 60 },
      { start: [3], seed: 1, tickHz: 30 },
      ...turns,
      ...players.map((gone) => ({ gone, turns: turns.map((turn) => ({ ...turn, hash: undefined })) })),
      { gone: 3, turns: [] },
      { turn: frame, commands: Array.from({ length: 300 }, () => 0) },
      frame,
    ];
  };

  /** Returns what each of two players has simulated at each frame, with a third member in the room. */
  async function played(attack: (hostile: Room, frame: number, players: readonly number[]) => void) {
    vi.spyOn(Math, "random").mockReturnValue(0.25);
    onTestFinished(() => void vi.restoreAllMocks());
    const { hub, rooms, machines } = await lobby(3);
    const games = [0, 1].map((index) => new Skirmish(rooms[index]!, 2, { machine: machines[index]! }));
    const players = games.map(({ room }) => room.myNumber);
    const ticks: number[][] = [];
    for (let frame = 0; frame < 300; frame++) {
      for (const game of games) game.frame();
      // Before the match begins, a member that is ready becomes a player of it.
      if (games.every(({ session }) => session.turn > 0)) attack(rooms[2]!, frame, players);
      await hub.advance(FRAME_MS, FRAME_MS);
      ticks.push(games.map(({ session }) => session.tick));
    }
    return { games, ticks };
  }

  test("changes no tick that the players simulate, and delays none by more than a turn", async () => {
    const quiet = await played(() => undefined);
    const attacked = await played((hostile, frame, players) => {
      for (const message of messagesAt(frame, players)) hostile.send("lockstep", message);
    });
    expectAgreement(attacked.games, 30);
    for (const [index, { hashes, starts, gone, refused }] of attacked.games.entries()) {
      const usual = quiet.games[index]!;
      expect([starts, gone, refused]).toEqual([usual.starts, [], []]);
      const ticks = Math.min(hashes.length, usual.hashes.length);
      expect(ticks).toBeGreaterThan(200);
      expect(attacked.games[index]!.commandTicks.length).toBeGreaterThan(20);
      const turnTicks = Math.ceil((usual.session.turnLengthMs * 60) / 1000);
      for (const [frame, all] of quiet.ticks.entries())
        expect(Math.abs(attacked.ticks[frame]![index]! - all[index]!)).toBeLessThanOrEqual(turnTicks);
    }
  });
});

describe("a session in lockstep follows the plan", () => {
  const turnsOf = async (profile: ProfileChoice) => {
    const { games, run } = await play(2, -1, profile);
    await run(10_000);
    expectAgreement(games, 5);
    const { turnLengthMs, tick } = games[0]!.session;
    const { periodMs } = games[0]!.room.transport.plan.channels.command;
    return { turnLengthMs: Math.round(turnLengthMs), tick, periodMs };
  };

  test("tick rate, length of turns and bundling come from the profile", async () => {
    const strategy = await turnsOf("strategy");
    expect(strategy.turnLengthMs).toBe(200);
    expect(strategy.tick / 10).toBeGreaterThan(18.5);
    expect(strategy.tick / 10).toBeLessThanOrEqual(20);
    const puzzle = await turnsOf("puzzle");
    expect(puzzle.tick / 10).toBeGreaterThan(28);
    expect(puzzle.tick / 10).toBeLessThanOrEqual(30);
    const slow = await turnsOf({ base: "strategy", numbers: { stateHz: 2 } });
    expect(slow.turnLengthMs).toBe(500);
    const quick = await turnsOf(QUICK);
    expect(quick.turnLengthMs).toBeLessThan(120);
    expect(quick.periodMs).toBe(0);
    const bundled = await turnsOf({ ...QUICK, numbers: { ...QUICK.numbers, sendPeriodMs: 100 } });
    expect(bundled.periodMs).toBeGreaterThan(quick.turnLengthMs);
    expect(bundled.turnLengthMs).toBeGreaterThanOrEqual(bundled.periodMs);
  });

  test("the turns of all become longer when one player's plan needs it", async () => {
    const { games, run } = await play(3);
    await run(2000);
    const numbers = { ...QUICK.numbers, stateHz: 2 };
    games[1]!.room.transport.configure({ profile: { base: "strategy", numbers } });
    await run(4000);
    expectAgreement(games, 20);
    for (const { session } of games) expect(Math.round(session.turnLengthMs)).toBe(500);
  });
});

describe("a session in lockstep begins", () => {
  test("when so many are ready, in any order of joins and calls, with the same seed", async () => {
    const { hub, rooms, machines } = await lobby(3);
    const begin = (index: number) => new Skirmish(rooms[index]!, 3, { machine: machines[index]! });
    const third = begin(2);
    await hub.advance(3000);
    const first = begin(0);
    await hub.advance(3000);
    expect([first.session.players, third.session.players]).toEqual([[], []]);
    const games = [first, begin(1), third];
    await hub.advance(3000);
    expectAgreement(games, 15);
    const { seed } = first.starts[0]!;
    expect(Number.isSafeInteger(seed)).toBe(true);
    for (const { starts } of games) expect(starts).toEqual([{ players: [1, 2, 3], seed }]);
  });

  test("without a player who joins later, which that player learns", async () => {
    const { hub, games, run } = await play(2);
    await run(2000);
    const machine = new SleepyScheduler(hub.scheduler);
    const late = new Skirmish(await hub.join({ profile: QUICK }, machine), 2, { machine });
    await run(2000);
    expect(late.refused).toEqual(["the match has begun with others, and nobody can join it later"]);
    expect(late.starts).toEqual([]);
    expectAgreement(games, 25);
    expect(games.flatMap(({ gone, refused }) => [...gone, ...refused])).toEqual([]);
  });

  test("without a player who simulates at another rate", async () => {
    const hub = new VirtualHub({ delayMs: 60, jitterMs: 5 });
    const games: Skirmish[] = [];
    for (const profile of [QUICK, "strategy", QUICK] as const) {
      const machine = new SleepyScheduler(hub.scheduler);
      games.push(new Skirmish(await hub.join({ profile }, machine), 2, { machine }));
      await hub.advance(500);
    }
    await hub.advance(3000);
    const [first, odd, third] = games as [Skirmish, Skirmish, Skirmish];
    expectAgreement([first, third], 15);
    expect(first.session.players).toEqual([1, 3]);
    expect(odd.refused).toEqual(["the others simulate 60 ticks per second, this player 20"]);
  });

  test("even if the player who should start it leaves before", async () => {
    const { hub, rooms, machines } = await lobby(3);
    const games = [1, 2].map((index) => new Skirmish(rooms[index]!, 2, { machine: machines[index]! }));
    await hub.advance(1000);
    expect(games.map(({ starts }) => starts.length)).toEqual([0, 0]);
    rooms[0]!.leave();
    await hub.advance(3000);
    expectAgreement(games, 15);
  });

  test("with the same players for all, even if the start reaches only one of them", async () => {
    const { hub, rooms, machines } = await lobby(4);
    const games = rooms.map((room, index) => new Skirmish(room, 3, { machine: machines[index]! }));
    const [first, second, third, spare] = games as [Skirmish, Skirmish, Skirmish, Skirmish];
    // Before all have said that they are there.
    await hub.advance(40);
    expect(games.map(({ starts }) => starts.length)).toEqual([0, 0, 0, 0]);
    sendOnlyTo(third.room, first.room);
    await hub.advance(200);
    expect(games.map(({ starts }) => starts.length)).toEqual([1, 0, 1, 0]);
    first.room.leave();
    await hub.advance(4000);
    expect(second.starts).toEqual(third.starts);
    expect(second.starts[0]!.players).toEqual([1, 2, 3]);
    expect(spare.refused).toHaveLength(1);
    expectAgreement([second, third], 15);
  });
});

describe("mistakes of the game", () => {
  test("in the options throw at once", async () => {
    const { rooms } = await lobby(1);
    const good: LockstepSessionOptions<Move> = { players: 2, readCommand: readMove, step: () => undefined };
    const make = (changes: object) => () => new LockstepSession<Move>(rooms[0]!, { ...good, ...changes });
    for (const players of [0, 65, 1.5, "2"]) expect(make({ players })).toThrow("players");
    expect(make({ hahs: () => 1 })).toThrow("hahs");
    expect(make({ step: undefined })).toThrow("step");
    expect(make({ readCommand: 7 })).toThrow(ConfigError);
  });

  test("in a command throw at once, and the match continues", async () => {
    const { games, run } = await play(3);
    const [first, second] = games as [Skirmish, Skirmish, Skirmish];
    await run(1000);
    expect(() => first.session.give({ unit: "a" } as unknown as Move)).toThrow(ConfigError);
    const least = { unit: 1, by: 1 };
    expect(() => {
      for (let count = 0; count < 300; count++) first.session.give(least);
    }).toThrow("limit/queue");
    // As many commands as a turn may hold arrive, also if others have to pass them on.
    for (let left = 20; left > 0; left--) {
      for (const { session } of games) {
        const by = Number.MAX_SAFE_INTEGER;
        expect(() => {
          for (let count = 0; count < 300; count++) session.give({ unit: count, by });
        }).toThrow("limit/queue");
      }
      await run(100);
    }
    expectAgreement(games, 20);
    first.room.leave();
    const { turn } = second.session;
    await run(3000);
    expect(second.session.turn).toBeGreaterThan(turn + 15);
  });

  test("such as a full queue delay a turn, and lose no command", async () => {
    const { games, run } = await play(2);
    const [first] = games as [Skirmish, Skirmish];
    await run(1000);
    const fill = (bytes: number) => () => {
      for (let count = 0; count < limits.pairQueueBytes; count++) first.room.send("fill", "x".repeat(bytes));
    };
    expect(fill(8000)).toThrow("limit/queue");
    expect(fill(0)).toThrow("limit/queue");
    await run(4000);
    expectAgreement(games, 30);
  });
});
