import type { Room } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import { defineServer } from "@paceline/server";
import { expect, onTestFinished, test, vi } from "vitest";
import { GRAND_PRIX } from "../src/net/grand-prix.js";
import { ROOM_NAME, joinRace, type JoinOptions } from "../src/net/join-race.js";
import { RaceRoom } from "../src/server/race-room.js";

class SmallRace extends RaceRoom {
  override maxPlayers = 2;
}

/** Returns a way to join races with two places. */
async function races() {
  vi.stubGlobal("WebSocket", NodeWebSocket);
  const rooms = { [GRAND_PRIX]: SmallRace, [ROOM_NAME]: { maxPlayers: 2 } };
  const server = defineServer({ rooms });
  const url = await server.listen(0);
  const joined: Room[] = [];
  onTestFinished(async () => {
    for (const room of joined) room.leave();
    await server.stop({ drainMs: 10 });
  });
  const join = async (
    name: string,
    more: Pick<JoinOptions, "mode"> & Partial<JoinOptions>,
  ): Promise<Room> => {
    const room = await joinRace({
      driver: { name, color: "#e5484d", isComputer: false },
      ...{ isSpectator: false, invitation: undefined, server: url, profile: "racing" },
      transports: ["websocket"],
      ...more,
    });
    joined.push(room);
    return room;
  };
  return { server, join };
}

const invitations = { anybody: undefined, friends: { friends: "fox-42" } };

test.each(Object.entries(invitations))(
  "a spectator of a full race of %s that the server decides watches it, also by its id",
  async (_, invitation) => {
    const { server, join } = await races();
    const ann = await join("Ann", { mode: "server", invitation });
    await join("Ben", { mode: "server", invitation });
    for (const asked of [invitation, { roomId: ann.roomId }]) {
      const sue = await join("Sue", { mode: "server", invitation: asked, isSpectator: true });
      expect([sue.roomId, sue.isSpectator]).toEqual([ann.roomId, true]);
    }
    expect(server.health().rooms).toBe(1);
  },
);

test.each(["mesh", "relay"] as const)(
  "a spectator of a full race among players in mode %s is refused, and opens no second one",
  async (mode) => {
    const { server, join } = await races();
    const first = await join("Sue", { mode, isSpectator: true });
    await join("Ann", { mode });
    await expect(join("Tom", { mode, isSpectator: true })).rejects.toMatchObject({ code: "match/full" });
    await expect.poll(() => server.health().rooms).toBe(1);
    // A race that drives beside the full one can be watched.
    const ben = await join("Ben", { mode });
    expect(ben.roomId).not.toBe(first.roomId);
    expect((await join("Tom", { mode, isSpectator: true })).roomId).toBe(ben.roomId);
  },
);
