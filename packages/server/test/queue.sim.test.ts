import { ConfigError, type Client, type NetError, type Queueing } from "@paceline/client";
import { Room, defineServer, type AuthRequest, type Player, type QueueOptions } from "@paceline/server";
import { roomStage, type RoomStage } from "@paceline/testkit/room";
import { afterEach, describe, expect, it } from "vitest";
import { writePeerPayload } from "@paceline/protocol";
import { queueSettings } from "../src/queue/queue-options.js";
import { queueFor } from "../src/queue/queue-room.js";
import { FakeParticipant, attachFake, fakeHosted } from "./fake-relay.js";
import { RaceRoom } from "./race.js";

class RankedRoom extends RaceRoom {
  override maxPlayers = 4;
  readonly came: string[] = [];

  static override onAuth({ options }: AuthRequest): unknown {
    return options.name === "cheat" ? undefined : { elo: Number(String(options.name).slice(1)) };
  }

  override onJoin(player: Player): void {
    this.came.push(`${String(player.options.name)} ${(player.auth as { elo: number }).elo}`);
    super.onJoin(player);
  }
}

const QUEUE: QueueOptions = { players: 2, spread: 100, spreadPerSecond: 50, maxWaitSeconds: 20 };

let stage: RoomStage<RankedRoom>;
afterEach(() => stage.stop());

function staged(queue: Partial<QueueOptions> = {}, options = {}): void {
  stage = roomStage(RankedRoom, { queues: { staged: { ...QUEUE, ...queue } }, ...options });
}

const seat = { options: {}, auth: true, replaces: undefined, isSpectator: false, address: "" };
type Wish = Parameters<Client["queue"]>[1];

async function waiting(wish: Wish = {}): Promise<Queueing> {
  const name = `x${wish.rank ?? 0}`;
  return stage.until(stage.client().queue("staged", { options: { name, track: "loop" }, ...wish }));
}

/** Returns the error that ended the wait: its code and its message. */
const failure = (queueing: Queueing): Promise<string> =>
  queueing.room.then(
    () => "there was a match",
    ({ code, message, retryable }: NetError) => {
      expect([message, retryable]).toEqual([message, !message.startsWith("cancelled")]);
      return message.replace(` [${code}]`, "");
    },
  );

describe("waiting for a match", () => {
  it("ends with the reason of a signal, whenever that is aborted", async () => {
    staged();
    const reason = new Error("back to the menu");
    const [early, late] = [new AbortController(), new AbortController()];
    const place = await waiting({ rank: 1000, signal: late.signal });
    const ended = place.room.catch((error: unknown) => error);
    const entering = stage
      .client()
      .queue("staged", { options: { name: "x7" }, signal: early.signal })
      .catch((error: unknown) => error);
    early.abort(reason);
    expect(await entering).toBe(reason);
    late.abort(reason);
    expect(await ended).toBe(reason);
    await stage.advance(500);
    expect(stage.server.health().sessions).toBe(0);
  });

  it("[M4] ends in a room of the matched players, which nobody else finds", async () => {
    staged();
    const [a, far, b] = [
      await waiting({ rank: 1000 }),
      await waiting({ rank: 5000 }),
      await waiting({ rank: 1050 }),
    ];
    const [one, two] = await stage.until(Promise.all([a.room, b.room]));
    expect(one.roomId).toBe(two.roomId);
    expect(stage.room.came.sort()).toEqual(["x1000 1000", "x1050 1050"]);
    expect(one.authority).toMatchObject({ number: 0 });
    const stranger = await stage.join({ options: { name: "x1", track: "loop" } });
    expect(stranger.room.roomId).not.toBe(one.roomId);
    far.cancel();
    await stage.advance(100);
    expect(await failure(far)).toBe("cancelled");
    await expect(far.room).rejects.toMatchObject({ code: "match/queue-ended" });
    const queue = stage.server.classReports().find(({ roomName }) => roomName === "staged.queue")!;
    expect(queue.counters).toMatchObject({ queueMatches: 1, queueTimeouts: 0 });
    expect(queue.players).toBe(0);
  });

  it("widens the spread with time, and reports progress", async () => {
    staged();
    const a = await waiting({ rank: 1000 });
    const b = await waiting({ rank: 1400 });
    const told: [number, number][] = [];
    a.onProgress((progress) => told.push([progress.waiting, progress.spread]));
    await stage.advance(4000);
    expect(stage.rooms).toEqual([]);
    expect(told.length).toBeGreaterThanOrEqual(3);
    expect(told[0]![0]).toBe(2);
    const spreads = told.map(([, spread]) => spread);
    expect(spreads).toEqual([...spreads].sort((one, two) => one - two));
    expect(spreads.at(-1)).toBeGreaterThan(230);
    // The ranks are 400 apart: the spread needs to grow by 300, at 50 a second.
    await stage.advance(3000);
    const rooms = await stage.until(Promise.all([a.room, b.room]));
    expect(rooms[0].roomId).toBe(rooms[1].roomId);
  });

  it("keeps friends together, and waits until all of them are there", async () => {
    staged({ players: 4 });
    const group = { key: "ours", size: 2 };
    const [first, alone] = [await waiting({ rank: 1000, group }), await waiting({ rank: 1000 })];
    const others = [await waiting({ rank: 1010 }), await waiting({ rank: 1020 })];
    await stage.advance(1000);
    expect(stage.rooms).toEqual([]);
    const friends: number[] = [];
    first.onProgress((progress) => friends.push(progress.friends));
    const second = await waiting({ rank: 1100, group });
    // The match has two friends and two of the three others.
    const [one, two] = await stage.until(Promise.all([first.room, second.room]));
    expect(one.roomId).toBe(two.roomId);
    expect(stage.room.came).toHaveLength(4);
    expect(friends.every((count) => count === 1)).toBe(true);
    for (const each of [alone, ...others]) each.cancel();
    await stage.advance(100);
  });

  it("a friend who leaves, or is cut off, holds the others back", async () => {
    staged({ players: 3 });
    const group = { key: "ours", size: 2 };
    const [first, second] = [await waiting({ rank: 0, group }), await waiting({ rank: 0, group })];
    second.cancel();
    await stage.advance(100);
    const third = await waiting({ rank: 0 });
    await stage.advance(2000);
    expect(stage.rooms).toEqual([]);
    // No stranger takes the friend's place. The friend takes it after its return.
    const back = await waiting({ rank: 0, group });
    const rooms = await stage.until(Promise.all([first.room, third.room, back.room]));
    expect(new Set(rooms.map(({ roomId }) => roomId)).size).toBe(1);
  });

  it("ends after the longest wait", async () => {
    staged();
    const [near, late] = [await waiting({ rank: 0 }), await waiting({ rank: 1e6 })];
    const half = await waiting({ rank: 0, group: { key: "never", size: 2 } });
    await stage.advance(21_000);
    for (const [each, why] of [
      [near, "nobody was found in time"],
      [late, "nobody was found in time"],
      [half, "the group was not complete in time"],
    ] as const) {
      expect(await failure(each)).toBe(why);
    }
    expect(stage.server.classReports()[1]!.counters.queueTimeouts).toBe(3);
    await stage.advance(1000);
    expect(stage.server.health()).toMatchObject({ sessions: 0, rooms: 0 });
  });

  it("ends at once, with a reason, when the server takes no more players", async () => {
    staged();
    const waits = await waiting({ rank: 0 });
    const drained = stage.server.drain({ timeoutMs: 1000 });
    await stage.advance(200);
    expect(await failure(waits)).toBe("the server takes nobody new");
    expect(await stage.until(drained)).toBe(0);
    await expect(waiting()).rejects.toMatchObject({ code: "match/full" });
  });

  it("ends with the reason of a kick, which is not retryable", async () => {
    staged();
    const place = await waiting({ rank: 0 });
    const [room] = stage.server.rooms();
    expect(room!.sessions).toHaveLength(1);
    expect(stage.server.kick(room!.sessions[0]!.sessionId, "no bots here")).toBe(true);
    await stage.advance(200);
    await expect(place.room).rejects.toMatchObject({
      code: "match/queue-ended",
      retryable: false,
      message: "no bots here [match/queue-ended]",
    });
    await stage.advance(1000);
    expect(stage.server.health()).toMatchObject({ sessions: 0, rooms: 0 });
  });

  it("continues if no room can be opened at that time", async () => {
    let isBroken = true;
    class Broken extends RankedRoom {
      override onCreate(): void {
        if (isBroken) throw new Error("no map");
        super.onCreate();
      }
    }
    stage = roomStage(Broken, { queues: { staged: QUEUE } });
    const [a, b] = [await waiting({ rank: 0 }), await waiting({ rank: 0 })];
    await stage.advance(2000);
    isBroken = false;
    const rooms = await stage.until(Promise.all([a.room, b.room]));
    expect(rooms[0].roomId).toBe(rooms[1].roomId);
    expect(stage.server.classReports()[0]!.counters.hookErrors.onCreate).toBeGreaterThanOrEqual(2);
  });

  it("is for players whom the room's onAuth lets in, with the rank that the server knows", async () => {
    staged({ rankOf: ({ auth }) => (auth as { elo: number }).elo });
    await expect(waiting({ options: { name: "cheat" } })).rejects.toMatchObject({ code: "match/refused" });
    const weak = await waiting({ rank: 9000, options: { name: "x10", track: "loop" } });
    const strong = await waiting({ rank: 9000, options: { name: "x9000", track: "loop" } });
    await stage.advance(2000);
    expect(stage.rooms).toEqual([]);
    const peer = await waiting({ rank: 0, options: { name: "x20", track: "loop" } });
    const rooms = await stage.until(Promise.all([weak.room, peer.room]));
    expect(rooms[0].roomId).toBe(rooms[1].roomId);
    strong.cancel();
  });

  it("matches only players with the same join options", async () => {
    staged();
    const a = await waiting({ rank: 0, options: { name: "x1", track: "loop" } });
    const b = await waiting({ rank: 0, options: { name: "x2", track: "oval" } });
    await stage.advance(2000);
    expect(stage.rooms).toEqual([]);
    a.cancel();
    b.cancel();
  });

  it("is limited per address, and to valid requests", async () => {
    staged({ maxPerAddress: 3, players: 4 });
    const all = [await waiting({ rank: 0 }), await waiting({ rank: 0 }), await waiting({ rank: 0 })];
    await expect(waiting({ rank: 0 })).rejects.toThrow("too many wait from this address");
    for (const each of all) each.cancel();
    await stage.advance(100);
    const large = await waiting({ rank: 0, group: { key: "many", size: 5 } });
    await stage.advance(200);
    expect(await failure(large)).toBe("the group is larger than a match");
    const client = stage.client();
    await expect(client.queue("staged", { group: { key: "", size: 2 } })).rejects.toThrow(ConfigError);
    await expect(client.queue("staged", { rank: Number.NaN })).rejects.toThrow(
      "rank: expected a finite number",
    );
  });

  it.each([
    undefined,
    7,
    {},
    { rank: "best" },
    { rank: 1, group: 5 },
    { rank: 1, group: { key: "x", size: 0 } },
  ])("removes a player that sends %j", async (said) => {
    staged();
    const room = new (queueFor("staged", RankedRoom, queueSettings("staged", QUEUE)))();
    const { parts } = attachFake(room, stage.scheduler, fakeHosted("staged.queue"));
    const [callbacks] = await Promise.all([Room.open(room, {}), stage.advance(10)]);
    const [strange, silent] = [new FakeParticipant(1), new FakeParticipant(2)];
    for (const participant of [strange, silent]) {
      await Promise.all([parts.lifecycle.join(participant, seat), stage.advance(10)]);
    }
    if (said !== undefined) {
      strange.callbacks?.receive(writePeerPayload({ kind: "command", type: "enter", message: said }));
    }
    await stage.advance(100);
    const isSense = said !== undefined && Object.keys(said).length === 0;
    const nonsense = "the client wants what makes no sense";
    expect(strange.ended).toBe(said === undefined || isSense ? undefined : nonsense);
    await stage.advance(10_000);
    expect(silent.ended).toBe("the client has not said what it wants");
    callbacks?.close();
  });

  it("ends with a reason if the game's own rankOf fails", async () => {
    staged({ rankOf: () => Promise.reject(new Error("the database is away")) });
    const waits = await waiting({ rank: 0 });
    await stage.advance(200);
    expect(await failure(waits)).toBe("the player's rank could not be read");
    expect(stage.server.classReports()[1]!.counters.hookErrors).toEqual({ onMessage: 1 });
  });
});

it("a queue for a kind of room that is not a class throws", () => {
  const rooms = { party: { maxPlayers: 8 }, race: Room as never };
  expect(() => defineServer({ rooms, queues: { party: QUEUE } })).toThrow(
    "queues: expected the name of a kind",
  );
  expect(() => defineServer({ rooms, queues: { rase: QUEUE } as never })).toThrow(ConfigError);
  stage = roomStage(RankedRoom);
});
