import { roomStage, type RoomStage } from "@paceline/testkit/room";
import { afterEach, describe, expect, it } from "vitest";
import { Room } from "@paceline/server";
import { RaceRoom } from "./race.js";

let stage: RoomStage<Room>;
afterEach(() => stage.stop());

/** A room that opens after 100 ms, and then takes fewer players. */
class SlowRoom extends Room {
  override maxPlayers = 3;
  override onCreate(): unknown {
    return new Promise<void>((resolve) => stage.scheduler.after(100, resolve)).then(
      () => (this.maxPlayers = 2),
    );
  }
}

describe("a storm of joins at a room that is still being opened", () => {
  it("fills rooms to their limit and opens the next", async () => {
    stage = roomStage(SlowRoom);
    const players = await Promise.all(Array.from({ length: 9 }, () => stage.join()));
    const rooms = new Map<string, number>();
    for (const { room } of players) rooms.set(room.roomId, (rooms.get(room.roomId) ?? 0) + 1);
    expect(Math.max(...rooms.values())).toBe(2);
    expect(rooms.size).toBeLessThanOrEqual(6);
    for (const { players: inside } of stage.server.reports()) expect(inside).toBeLessThanOrEqual(2);
  });

  it("keeps friends together, although strangers take seats meanwhile", async () => {
    stage = roomStage(RaceRoom);
    const group = { key: "ours", size: 4 };
    const join = (index: number) => stage.join(index % 3 === 0 ? { terms: { group } } : {});
    const players = await Promise.all(Array.from({ length: 12 }, (_, index) => join(index)));
    const friends = players.filter((_, index) => index % 3 === 0).map(({ room }) => room.roomId);
    expect(new Set(friends).size).toBe(1);
    expect(stage.rooms).toHaveLength(2);
  });
});
