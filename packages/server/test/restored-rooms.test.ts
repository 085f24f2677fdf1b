/** Rooms that go on in the next server, over real sockets. */
import { Client, defineEntity, type Room as ClientRoom } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import { uint, vec2 } from "@paceline/protocol";
import { createRelay, fileStore, memoryStore, silentLog, type RoomStore } from "@paceline/relay";
import { defineServer, Room, type Player, type RoomClass, type Server } from "@paceline/server";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { KeptRooms } from "./kept-rooms.js";
import { eventually } from "./stage.js";

const Score = defineEntity("score", { goals: uint({ range: [0, 1000] }) });
const Ball = defineEntity("ball", { position: vec2({ range: [-100, 100], precision: 0.01, unit: "m" }) });

class Match extends Room {
  static override readonly persistent = { everySeconds: 0.1 };
  override readonly entities = [Score, Ball];
  override readonly tickHz = 60;
  readonly log: string[] = [];

  override onCreate(): void {
    const ball = this.spawn(Ball);
    ball.position.set(1, 2);
    this.onMessage("goal", (player, text) => {
      this.only(Score).goals += 1;
      this.log.push(`${player.number} ${String(text)}`);
      this.broadcast("goals", this.only(Score).goals);
    });
  }

  override onJoin(player: Player): void {
    player.userData = { joinedAt: player.number };
  }

  override onSave(): unknown {
    return { log: this.log };
  }

  override onRestore(saved: { readonly log: readonly string[] }): void {
    this.log.push(...saved.log);
  }
}

async function started(
  store: RoomStore,
  port = 0,
): Promise<{ server: Server<{ match: RoomClass }>; port: number }> {
  const server = defineServer({ rooms: { match: Match }, store, log: silentLog });
  const url = await server.listen(port);
  return { server, port: Number(new URL(url).port) };
}

function join(port: number): Promise<ClientRoom> {
  const client = new Client(`http://127.0.0.1:${port}`, {
    profile: "racing",
    webSocket: NodeWebSocket,
    transports: ["websocket"],
  });
  return client.joinOrCreate("match");
}

test("a server that stops hands its room over: players resume, each message arrives once", async () => {
  const store = new KeptRooms();
  const first = await started(store);
  const room = await join(first.port);
  const goals: unknown[] = [];
  const returns: unknown[] = [];
  room.onMessage("goals", (count) => goals.push(count));
  room.onReconnect((info) => returns.push(info));
  room.send("goal", "a");
  await eventually(() => expect(goals).toEqual([1]));
  const { myNumber, sessionId, roomId } = room;
  const stopped = first.server.stop();
  room.send("goal", "b");
  await stopped;
  expect(store.saves.size).toBe(1);
  room.send("goal", "c");
  const second = await started(store, first.port);
  await eventually(() => expect(goals).toEqual([1, 2, 3]));
  expect(returns).toEqual([{ resumed: true, restored: false, unacknowledged: 0 }]);
  expect([room.myNumber, room.sessionId, room.roomId]).toEqual([myNumber, sessionId, roomId]);
  const [report] = second.server.reports();
  expect(report).toMatchObject({ roomId, players: 1, entities: 2 });
  await room.leave();
  await second.server.stop();
});

test("after a crash the player has its seat in the room as it was saved", async () => {
  const store = new KeptRooms();
  const first = await started(store);
  const room = await join(first.port);
  const returns: unknown[] = [];
  const goals: unknown[] = [];
  room.onMessage("goals", (count) => goals.push(count));
  room.onReconnect((info) => returns.push(info));
  room.send("goal", "a");
  await eventually(() => expect(goals).toEqual([1]));
  await new Promise((resolve) => setTimeout(resolve, 300));
  // What a killed process leaves behind.
  const left = new KeptRooms();
  for (const [id, saves] of store.saves) left.saves.set(id, [...saves]);
  const { myNumber, roomId } = room;
  await first.server.stop();
  const second = await started(left, first.port);
  await eventually(() => expect(returns).toEqual([{ resumed: false, restored: true, unacknowledged: 0 }]));
  room.send("goal", "b");
  await eventually(() => expect(goals).toEqual([1, 2]));
  expect([room.myNumber, room.roomId]).toEqual([myNumber, roomId]);
  expect(second.server.reports()).toMatchObject([{ roomId, players: 1, entities: 2 }]);
  await room.leave();
  await second.server.stop();
  expect(left.saves.size).toBe(0);
});

test("the guide's table of options says what the code takes", () => {
  const guide = readFileSync(new URL("../../../docs/guides/rooms-that-live-on.md", import.meta.url), "utf8");
  const [, section = ""] = /^## Options$([^]*?)^## /m.exec(guide) ?? [];
  const rows = [...section.matchAll(/^\| `([^`]+)` +\| (.*?) +\| (.*?) +\|/gm)].map(([, ...cells]) => cells);
  expect(rows.map(([name]) => name)).toEqual(["persistent.everySeconds", "store"]);
  const refusalOf = (options: object): string => {
    try {
      defineServer({ rooms: { race: { persistent: { everySeconds: 1 } } }, ...options });
    } catch (error) {
      return (error as Error).message;
    }
    return "";
  };
  const store = new KeptRooms();
  const refused = refusalOf({ store, rooms: { race: { persistent: { everySeconds: 0 } } } });
  expect(refused).toContain("rooms.race.persistent.everySeconds: expected");
  expect(refused).toContain(rows[0]![2]);
  expect(() => createRelay({ rooms: { race: { persistent: { everySeconds: 1 } } } })).toThrow(
    `store: expected ${rows[1]![2]}`,
  );
  expect(refusalOf({ store: Object.assign(new KeptRooms(), { list: 1 }) })).toMatch(/^store\.list/);
  expect(refusalOf({ store })).toBe("");
});

describe("a start", () => {
  test("ends if another process has the store open, and begins once it is free", async () => {
    const directory = mkdtempSync(path.join(tmpdir(), "paceline-locked-"));
    const [one, other] = [fileStore(directory, { log: silentLog }), fileStore(directory, { log: silentLog })];
    const first = await started(one);
    const errors: string[] = [];
    const log = { ...silentLog, error: (message: string) => void errors.push(message) };
    const second = defineServer({ rooms: { match: Match }, store: other, log });
    await expect(second.listen(0)).rejects.toMatchObject({ code: "store/locked" });
    // The caller has the sentence: the log does not say it again.
    expect(errors).toEqual([]);
    await first.server.stop();
    await one.close?.();
    await expect(second.listen(0)).resolves.toMatch(/^http/);
    await second.stop();
    await other.close?.();
    rmSync(directory, { recursive: true });
  });

  test("goes on after any other fault of the store, which is counted and told once", async () => {
    const errors: string[] = [];
    const log = { ...silentLog, error: (message: string) => void errors.push(message) };
    const store = Object.assign(memoryStore(), { list: () => Promise.reject(new Error("no answer")) });
    const server = defineServer({ rooms: { match: Match }, store, log });
    await expect(server.restore()).resolves.toBe(0);
    expect(server.counts.store).toMatchObject({ failed: 1 });
    expect(errors).toHaveLength(1);
    await server.stop();
  });
});
