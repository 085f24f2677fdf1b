/** Servers whose welcome is wrong or never comes: a join, and a return, end in bounded time with a clear reason. */
import { Client, type NetError, type Room } from "@paceline/client";
import { CloseCode, PayloadKind, writeControl, type AuthorityInfo } from "@paceline/protocol";
import { beforeAll, describe, expect, test } from "vitest";
import { ScriptedServer, welcomeOf } from "./scripted-server.js";

/** A welcome of a kind of rooms that no build of today has. */
const unreadable = writeControl(welcomeOf(1, { authority: { mode: "hybrid" } as unknown as AuthorityInfo }));

/** A join at a scripted server. */
class Join {
  readonly server = new ScriptedServer();
  room: Room | undefined;
  error: NetError | undefined;

  constructor() {
    const { scheduler, webSocket } = this.server;
    const client = new Client("http://scripted.example", {
      ...{ profile: "racing", transports: ["websocket"], sockets: 1, webSocket, scheduler },
    });
    client.joinOrCreate("race").then(
      (room) => (this.room = room as Room),
      (error: NetError) => (this.error = error),
    );
  }

  async joined(): Promise<Room> {
    const link = await this.server.connection(1);
    link.tell(welcomeOf(1));
    await this.server.advance(100);
    return this.room!;
  }
}

beforeAll(() => Client.preload("racing"));

describe("a join", () => {
  test("ends at once at a welcome of a mode that this build does not have, and gives the seat back", async () => {
    const join = new Join();
    const link = await join.server.connection(1);
    link.reliable(unreadable);
    await join.server.advance(100);
    expect(join.error).toMatchObject({ code: "session/version", retryable: false });
    expect(join.error!.message).toMatch("update client or server");
    expect(link.ends).toEqual([CloseCode.left]);
  });

  test("ends after a minute at a server that answers pings and sends no welcome", async () => {
    const join = new Join();
    const link = await join.server.connection(1);
    await join.server.advance(59_000);
    expect(join.error).toBeUndefined();
    await join.server.advance(2000);
    expect(join.error).toMatchObject({ code: "session/timeout", retryable: true });
    expect(link.ends).toEqual([CloseCode.left]);
  });

  test("ends at a server that sends messages without end instead of a welcome", async () => {
    const join = new Join();
    const link = await join.server.connection(1);
    for (let sent = 0; sent < 4000 && !join.error; sent++) {
      link.reliable(Uint8Array.of(PayloadKind.authority, sent));
      if (sent % 100 === 0) await join.server.advance(5);
    }
    await join.server.advance(100);
    expect(join.error).toMatchObject({ code: "session/ended" });
    expect(link.ends).toEqual([CloseCode.protocolViolation]);
  });
});

describe("a return to a server that has dropped the session", () => {
  test("ends at once at a welcome that is unreadable", async () => {
    const join = new Join();
    const room = await join.joined();
    const ends: unknown[] = [];
    room.onLeave((code, reason) => ends.push([code, reason]));
    join.server.link.end(CloseCode.sessionUnknown);
    const link = await join.server.connection(2);
    link.reliable(unreadable);
    await join.server.advance(100);
    expect(ends).toEqual([[CloseCode.versionMismatch, expect.stringContaining("update client or server")]]);
    expect(link.ends).toEqual([CloseCode.left]);
  });

  test("ends after a minute if the server answers pings and sends no welcome", async () => {
    const join = new Join();
    const room = await join.joined();
    const ends: unknown[] = [];
    room.onLeave((code, reason) => ends.push([code, reason]));
    join.server.link.end(CloseCode.sessionUnknown);
    await join.server.connection(2);
    await join.server.advance(58_000);
    expect([room.state, ends]).toEqual(["dropped", []]);
    await join.server.advance(4000);
    expect(ends).toEqual([[CloseCode.timeout, "no connection for 60 s"]]);
  });
});
