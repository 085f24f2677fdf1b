import { writeEvent, writePeerPayload } from "@paceline/protocol";
import { roomStage, type RoomStage } from "@paceline/testkit/room";
import { Room, type Player } from "@paceline/server";
import { silentLog } from "@paceline/relay";
import { afterEach, describe, expect, it } from "vitest";
import { PausableLink } from "./pausable-link.js";
import { RawPlayer } from "./raw-player.js";

/** Sends per second that the messages of one room may cause. */
const RATE = 10_000;
const PLAYERS = 16;
const STEP_MS = 5;
/** The bursts of the room and of its members. */
const BURSTS = 64 * 64 + PLAYERS * 64 * 2;

/** A room whose handlers send to everybody, each in another way. */
class Hall extends Room {
  override maxPlayers = PLAYERS;
  override messageLimits = { perSecond: 1000, burst: 1000 };
  sends = 0;

  override onCreate(): void {
    const told = (message: unknown): void => {
      this.sends += this.players.size;
      this.broadcast("told", message);
    };
    this.onMessage("broadcast", (_, message) => told(message));
    this.onMessage("send", (_, message) => {
      for (const player of this.players.values()) this.send(player, "told", message);
      this.sends += this.players.size;
    });
    this.onMessage("event", (_, message) => {
      for (const player of this.players.values()) this.sendEvent(player, "told", message);
      this.sends += this.players.size;
    });
    this.onMessage("later", async (_, message) => {
      await Promise.resolve();
      told(message);
    });
    this.onRequest("request", async (_, message) => {
      await new Promise((resolve) => this.clock.setTimeout(() => resolve(undefined), 1));
      told(message);
    });
    this.onMessage("much", (_, message) => {
      for (let sent = 0; sent < (message as number); sent++) told(sent);
    });
    this.onMessage("timer", () => {
      this.clock.setInterval(() => {
        for (let sent = 0; sent < 20; sent++) told(0);
      }, 20);
    });
  }

  override onAnyMessage(_player: Player, _type: string, message: unknown): void {
    this.sends += this.players.size;
    this.broadcast("told", message);
  }
}

let stage: RoomStage<Hall>;
afterEach(() => stage.stop());

function hall(limits: object = { forwardsPerSecondPerRoom: RATE }): void {
  stage = roomStage(Hall, { limits, log: silentLog });
}

async function players(count: number, isPausable = true): Promise<RawPlayer[]> {
  const joined: RawPlayer[] = [];
  for (let index = 0; index < count; index++) joined.push(await RawPlayer.join(stage, {}, isPausable));
  return joined;
}

function say({ session }: RawPlayer, type: string, message: number): void {
  const isRequest = type === "request";
  const payload = isRequest
    ? ({ kind: "request", id: message, type, message } as const)
    : ({ kind: "command", type, message } as const);
  session.sendReliable(writePeerPayload(payload));
}

/** Lets each of these players send at this rate; returns how much the room sent meanwhile. */
async function run(senders: readonly RawPlayer[], type: string, hz: number, ms: number): Promise<number> {
  const before = stage.rooms.reduce((sum, { sends }) => sum + sends, 0);
  let number = 0;
  for (let atMs = 0; atMs < ms; atMs += STEP_MS) {
    const end = Math.floor(((atMs + STEP_MS) * hz) / 1000);
    for (; number < end; number++) for (const sender of senders) say(sender, type, number);
    await stage.advance(STEP_MS);
  }
  return stage.rooms.reduce((sum, { sends }) => sum + sends, -before);
}

const toldTo = ({ replies }: RawPlayer): unknown[] =>
  replies.flatMap((reply) => (reply.kind === "command" && reply.type === "told" ? [reply.message] : []));
const unreadOf = ({ serverLink }: RawPlayer): number =>
  serverLink instanceof PausableLink ? (serverLink.unread?.length ?? 0) : 0;
const counts = () => stage.server.counts;

describe("what a room sends because of its players' messages", () => {
  // 16 players x 100 messages x 16 receivers are 25,600 sends a second.
  it.each(["broadcast", "send", "event", "later", "request", "any"])("is limited: %s", async (type) => {
    hall();
    const all = await players(PLAYERS);
    const sends = await run(all, type, 100, 1000);
    expect(sends).toBeLessThan(RATE + BURSTS);
    expect(sends).toBeGreaterThan(RATE);
    expect(counts().limited.forwardsPerRoom).toBeGreaterThan(100);
    expect(all.map(({ close }) => close)).toEqual(Array(PLAYERS).fill(undefined));
  });

  it("loses no message, and removes nobody: messages wait in sockets that are not read", async () => {
    hall();
    const all = await players(PLAYERS);
    await run(all, "broadcast", 100, 1000);
    expect(Math.max(...all.map(unreadOf))).toBeGreaterThan(20);
    await stage.advance(4000);
    expect(stage.room.sends).toBe(PLAYERS * PLAYERS * 100);
    for (const player of all) expect(toldTo(player)).toHaveLength(PLAYERS * 100);
    expect(counts().sessionEnds).toEqual({});
    expect(counts().backPressure.pauses).toBeGreaterThan(100);
  });

  it("pauses those who cause it: the message of a quiet player passes at once", async () => {
    hall();
    const [quiet, ...loud] = (await players(PLAYERS)) as [RawPlayer, ...RawPlayer[]];
    await run(loud, "broadcast", 200, 500);
    for (let number = 0; number < 20; number++) {
      say(quiet, "broadcast", 10_000 + number);
      await run(loud, "broadcast", 200, 50);
      expect(toldTo(loud[0]!).at(-1)).toBeDefined();
      expect(toldTo(loud[0]!)).toContain(10_000 + number);
      expect(unreadOf(quiet)).toBe(0);
    }
  });

  it("leaves other rooms their part of the server's rate", async () => {
    hall({ forwardsPerSecond: RATE });
    const loud = await players(PLAYERS);
    await run(loud, "broadcast", 200, 500);
    const quiet = await players(4);
    expect(stage.rooms).toHaveLength(2);
    const before = stage.room.sends;
    const startMs = stage.scheduler.nowMs();
    const all = stage.rooms[0]!.sends;
    for (let atMs = 0; atMs < 1000; atMs += 50) {
      for (const player of quiet) say(player, "broadcast", atMs);
      await run(loud, "broadcast", 200, 50);
      expect(quiet.map((player) => toldTo(player).length)).toEqual(Array(4).fill((atMs / 50 + 1) * 4));
    }
    expect(stage.room.sends - before).toBe(20 * 4 * 4);
    const seconds = (stage.scheduler.nowMs() - startMs) / 1000;
    expect(stage.rooms[0]!.sends - all).toBeLessThan(RATE * seconds + 64 * 16);
    expect(counts().limited.forwards).toBeGreaterThan(100);
  });

  it("waits in no link that cannot wait: half a second's sends later messages are refused", async () => {
    hall();
    const all = await players(PLAYERS, false);
    const sends = await run(all, "broadcast", 200, 1000);
    // Besides the rate, half a second of debt.
    expect(sends).toBeLessThan(RATE * 1.5 + BURSTS);
    expect(sends).toBeGreaterThan(RATE);
    expect(stage.server.reports()[0]?.counters.messagesLimited).toBeGreaterThan(1000);
    expect(all[0]!.heard).toContainEqual({ type: "refused", what: "message", reason: "too many messages" });
    expect(counts().sessionEnds).toEqual({});
    // Events, too.
    const before = stage.room.sends;
    for (let number = 0; number < 100; number++) all[0]!.session.sendEvent(writeEvent("broadcast", number));
    await stage.advance(20);
    expect(stage.room.sends - before).toBeLessThan(5 * PLAYERS);
    await stage.advance(1000);
    say(all[0]!, "broadcast", 4711);
    await stage.advance(20);
    expect(toldTo(all[1]!)).toContain(4711);
  });

  it("never pauses a link for longer than half a second, however large the debt is", async () => {
    hall();
    const [player] = (await players(PLAYERS)) as [RawPlayer];
    // 20 x 50 broadcasts are 16,000 sends: more than the room's rate pays in a second.
    say(player, "much", 1000);
    await stage.advance(20);
    say(player, "broadcast", 4711);
    await stage.advance(400);
    expect(unreadOf(player)).toBeGreaterThan(0);
    await stage.advance(120);
    expect(unreadOf(player)).toBe(0);
    expect(player.close).toBeUndefined();
    expect(player.heard).toContainEqual(expect.objectContaining({ type: "refused", what: "message" }));
  });

  it("charges nobody for what a room sends in timers, even if a message began them", async () => {
    hall();
    const [starter] = (await players(PLAYERS)) as [RawPlayer];
    say(starter, "timer", 0);
    await stage.advance(2000);
    // 16,000 a second.
    expect(stage.room.sends).toBeGreaterThan(30_000);
    expect(counts().limited.forwardsPerRoom).toBe(0);
    expect(counts().backPressure.pauses).toBe(0);
  });

  it("does not limit honest rooms: 60 messages a second of each of 16 players to all, at the defaults", async () => {
    hall({});
    const all = await players(PLAYERS);
    expect(await run(all, "broadcast", 60, 1000)).toBe(60 * PLAYERS * PLAYERS);
    expect(counts().limited.forwardsPerRoom).toBe(0);
    expect(counts().backPressure).toEqual({ statesReplaced: 0, pauses: 0, pausedMs: 0 });
  });
});
