/** Stores that fail, saves that are damaged or of another build, and rooms that cannot be saved. */
import { defineEntity, scalar, uint } from "@paceline/client";
import { createRelay, readSavedRoom, silentLog, writeSavedRoom, type Log } from "@paceline/relay";
import { Room, type Player } from "@paceline/server";
import { afterEach, describe, expect, test } from "vitest";
import { RestoredStage } from "./restored-stage.js";

const Score = defineEntity("score", { goals: uint({ range: [0, 1000] }) });
/** The score of a later build: one field more. */
const LaterScore = defineEntity("score", {
  sets: uint({ range: [0, 9], default: 1 }),
  goals: uint({ range: [0, 2000] }),
});
const Crowd = defineEntity("crowd", {
  x: scalar({ range: [0, 100_000], precision: 0.001 }),
  y: scalar({ range: [0, 100_000], precision: 0.001 }),
});

let room: Match;
let onSave: () => unknown;

class Match extends Room {
  static override readonly persistent: { readonly everySeconds: number } = { everySeconds: 1 };
  override readonly entities = [Score, Crowd];
  override readonly tickHz = 20;
  restored: unknown[] = [];

  constructor() {
    super();
    // oxlint-disable-next-line no-this-alias -- the test looks at the newest room
    room = this;
  }

  override onCreate(): void {
    this.only(Score).goals += 7;
  }

  override onJoin(player: Player): void {
    player.userData = { name: "Ann", cards: [1, 2] };
  }

  override onSave(): unknown {
    return onSave();
  }

  override onRestore(saved: unknown): void {
    this.restored.push(saved);
  }
}
const rooms = Match;

/** A log that keeps the errors: their message, and the words of the error. */
class ErrorLog {
  readonly lines: string[] = [];
  readonly log: Log = {
    ...silentLog,
    error: (message, { error = "", roomName = "" } = {}) =>
      this.lines.push(`${message}: ${roomName} ${error}`),
  };
}

let stage: RestoredStage;
afterEach(() => stage.stop());

async function staged(log = new ErrorLog(), saves: () => unknown = () => ({ laps: 3 })): Promise<ErrorLog> {
  onSave = saves;
  stage = new RestoredStage();
  await stage.start(rooms, { log: log.log });
  return log;
}

/** The newest save of the only room. */
const newest = (): Uint8Array => [...stage.store.saves.values()][0]![0]!;

describe("a save", () => {
  test("that is damaged gives way to the one before, and the log says so once", async () => {
    const log = await staged();
    await stage.join();
    await stage.advance(3000);
    await stage.kill();
    const [id, saves] = [...stage.store.saves][0]!;
    stage.store.saves.set(id, [saves[0]!.slice(0, 100), saves[1]!]);
    await stage.start(rooms, { log: log.log });
    expect(stage.server.counts.saves).toMatchObject({ restored: 1, unreadable: 1 });
    expect(log.lines).toEqual([
      expect.stringMatching(/^a saved room cannot be used: .*ends within its head/),
    ]);
    expect(room.restored).toEqual([{ laps: 3 }]);
  });

  test("of which both are damaged leaves them in the store, and the player joins a new room", async () => {
    const log = await staged();
    const player = await stage.join();
    await stage.advance(3000);
    await stage.kill();
    const [id] = [...stage.store.saves.keys()];
    const bad = [Uint8Array.of(1, 2, 3), Uint8Array.of(9, 0, 0, 0, 0)];
    stage.store.saves.set(id!, bad);
    await stage.start(rooms, { log: log.log });
    expect(log.lines.length).toBe(2);
    expect(log.lines[1]).toContain("format 9");
    await stage.advance(4000);
    expect(player.state).toBe("joined");
    expect(player.roomId).not.toBe(id);
    expect(stage.store.saves.get(id!)).toBe(bad);
  });

  test("that was edited by hand to hold an entity twice is refused with a sentence", async () => {
    const log = await staged();
    await stage.join();
    await stage.advance(1500);
    await stage.kill();
    const saved = readSavedRoom(newest());
    if (typeof saved === "string") throw new Error(saved);
    const id = saved.place.id;
    stage.store.saves.set(id, [writeSavedRoom({ ...saved, states: [...saved.states, ...saved.states] })]);
    await stage.start(rooms, { log: log.log });
    expect(log.lines).toEqual([expect.stringContaining("entity 1 is in it twice")]);
    expect(stage.server.health()).toMatchObject({ rooms: 0, sessions: 0 });
  });

  test("of a room that is not persistent any more stays in the store", async () => {
    const log = await staged();
    await stage.join();
    await stage.advance(1500);
    await stage.terminate();
    await stage.start({ maxPlayers: 4 }, { log: log.log });
    expect(log.lines).toEqual([expect.stringContaining('rooms of kind "kept" are not persistent any more')]);
    expect(stage.store.saves.size).toBe(1);
  });
});

describe("a room that cannot be saved", () => {
  test.each([
    [
      "onSave throws",
      (): unknown => {
        throw new Error("no laps");
      },
      "no laps",
    ],
    ["onSave gives a function", (): unknown => ({ laps: [1, () => 2] }), "onSave().laps[1]"],
    ["onSave gives a promise", (): unknown => Promise.resolve({ laps: 3 }), "onSave()"],
    ["onSave gives 50 MB", (): unknown => ({ map: new Uint8Array(50_000_000) }), "it has 50000"],
  ])("since %s keeps its last save, and the log says so once", async (_, saves, words) => {
    const log = await staged();
    const player = await stage.join();
    await stage.advance(1500);
    const before = newest();
    onSave = saves;
    await stage.advance(14_000);
    expect(newest()).toBe(before);
    expect(log.lines.filter((line) => line.startsWith("a room cannot be saved"))).toEqual([
      expect.stringContaining(words),
    ]);
    expect(log.lines.find((line) => line.startsWith("a room"))).toContain(": kept ");
    expect(stage.server.counts.saves.refused).toBe(2);
    onSave = () => ({ laps: 4 });
    await stage.advance(12_000);
    expect(newest()).not.toBe(before);
    expect(player.state).toBe("joined");
  });

  test("since a player's userData is no plain data says which player's, and where", async () => {
    const log = await staged();
    await stage.join();
    for (const player of room.players.values()) player.userData = { ship: new Map() };
    await stage.advance(1500);
    expect(log.lines).toEqual([expect.stringContaining("player 1.userData.ship")]);
    for (const player of room.players.values()) player.userData = undefined;
  });
});

describe("a store", () => {
  test("that fails delays no step, and is counted and told once", async () => {
    const log = await staged();
    await stage.join();
    const save = stage.store.save.bind(stage.store);
    stage.store.save = () => Promise.reject(new Error("ENOSPC: no space left"));
    const { tick } = room;
    await stage.advance(5000);
    expect(room.tick - tick).toBe(100);
    expect(stage.server.counts.saves).toMatchObject({ failed: 5, saved: 0 });
    expect(stage.server.counts.store).toMatchObject({ failed: 5, saved: 0 });
    expect(log.lines).toEqual([expect.stringContaining("ENOSPC")]);
    stage.store.save = save;
    await stage.advance(1500);
    expect(stage.server.counts.saves.saved).toBe(1);
  });

  test("that hangs delays no step, and gets no second save meanwhile", async () => {
    await staged();
    await stage.join();
    const save = stage.store.save.bind(stage.store);
    let calls = 0;
    let answer = (): void => undefined;
    stage.store.save = () => {
      calls += 1;
      return new Promise((resolve) => (answer = resolve));
    };
    const { tick } = room;
    await stage.advance(5000);
    expect([room.tick - tick, calls]).toEqual([100, 1]);
    expect(stage.server.counts.saves.skipped).toBe(4);
    await stage.advance(7000);
    expect(stage.server.counts.store).toMatchObject({ timedOut: 1, failed: 0 });
    expect(calls).toBe(2);
    stage.store.save = save;
    answer();
  });

  test("is missed by a relay with persistent rooms", async () => {
    await staged();
    expect(() => createRelay({ rooms: { kept: { persistent: { everySeconds: 1 } } } })).toThrow(
      /store: expected a store, since rooms of kind kept are persistent/,
    );
  });
});

test("a clock that went back changes nothing for the players", async () => {
  await staged();
  const player = await stage.join();
  const returns: unknown[] = [];
  player.onReconnect((info) => returns.push(info));
  await stage.advance(3000);
  const before = player.clock.serverNow();
  stage.wallErrorMs = -100_000_000;
  await stage.terminate();
  await stage.start(rooms);
  await stage.advance(3000);
  expect(returns).toEqual([{ resumed: true, restored: false, unacknowledged: 0 }]);
  const passedMs = player.clock.serverNow() - before;
  expect(passedMs).toBeGreaterThan(2900);
  expect(passedMs).toBeLessThan(3500);
});

test("another build finds fields by their names, migrates what onSave gave, and tells old pages", async () => {
  class LaterMatch extends Match {
    override readonly entities = [LaterScore, Crowd] as never;

    override onCreate(): void {
      // This build spawns nothing.
    }

    override migrate(saved: unknown, from: string): unknown {
      return { ...(saved as object), from };
    }
  }
  onSave = () => ({ laps: 3 });
  stage = new RestoredStage();
  await stage.start(rooms, { build: "1" });
  const outdated: unknown[] = [];
  const player = await stage.join({ build: "1", onOutdated: (builds) => outdated.push(builds) });
  const returns: unknown[] = [];
  player.onReconnect((info) => returns.push(info));
  await stage.advance(2000);
  await stage.terminate();
  await stage.start(LaterMatch, { build: "2" });
  expect(room.restored).toEqual([{ laps: 3, from: "1" }]);
  expect(room.only(LaterScore)).toMatchObject({ goals: 7, sets: 1 });
  expect([...room.players.values()].map(({ userData }) => userData)).toEqual([
    { name: "Ann", cards: [1, 2] },
  ]);
  await stage.advance(4000);
  expect(returns).toEqual([{ resumed: false, restored: true, unacknowledged: 0 }]);
  expect(outdated).toEqual([{ mine: "1", current: "2" }]);
  expect([player.myNumber, room.players.size]).toEqual([1, 1]);
});

test("a large room is saved in slices, between which others run", async () => {
  await staged();
  const player = await stage.join();
  for (let number = 0; number < 5000; number++) room.spawn(Crowd, { x: number, y: number });
  await stage.advance(2500);
  const saved = readSavedRoom(newest());
  if (typeof saved === "string") throw new Error(saved);
  expect(saved.states.length).toBeGreaterThan(4);
  expect(saved.game?.kinds.map(({ count }) => count)).toEqual([1, 5000]);
  await stage.kill();
  await stage.start(rooms);
  const xs = [...room.entitiesOf(Crowd)].map(({ x }) => Math.round(x));
  expect(xs.length).toBe(5000);
  expect(new Set(xs).size).toBe(5000);
  await stage.advance(3000);
  expect(player.state).toBe("joined");
});

test("a room without an authority keeps its seats, numbers and code", async () => {
  onSave = () => undefined;
  stage = new RestoredStage();
  const mesh = { maxPlayers: 4, persistent: { everySeconds: 1 } };
  await stage.start(mesh);
  const ann = await stage.join();
  const ben = await stage.join();
  const heard: unknown[] = [];
  ben.onMessage("chat", (text) => heard.push(text));
  await stage.advance(2000);
  const { roomId } = ann;
  const codeOf = (saved = readSavedRoom(newest())): unknown =>
    typeof saved === "string" ? saved : saved.place.code;
  const code = codeOf();
  expect(code).toMatch(/^[A-Z0-9]{6}$/);
  await stage.terminate();
  ann.send("chat", "in between");
  await stage.start(mesh);
  await stage.advance(4000);
  expect([ann.roomId, codeOf(), ann.myNumber, ben.myNumber]).toEqual([roomId, code, 1, 2]);
  expect(heard).toEqual(["in between"]);
  await stage.kill();
  await stage.start(mesh);
  await stage.advance(6000);
  expect([ann.roomId, codeOf(), ann.peers.length, ben.peers.length]).toEqual([roomId, code, 1, 1]);
});

test("seats of players who do not come back end after half a minute, and then the save", async () => {
  await staged();
  const player = await stage.join();
  await stage.advance(2000);
  await stage.kill();
  void player.leave();
  await stage.start(rooms);
  await stage.advance(29_000);
  expect(stage.server.health()).toMatchObject({ rooms: 1, sessions: 1 });
  await stage.advance(3000);
  expect(stage.server.health()).toMatchObject({ rooms: 0, sessions: 0 });
  expect(stage.store.saves.size).toBe(0);
});
