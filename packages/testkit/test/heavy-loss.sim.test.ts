import { Room, defineEntity, vec2, type Player } from "@paceline/server";
import { roomStage } from "@paceline/testkit/room";
import { afterEach, describe, expect, test } from "vitest";

const Ball = defineEntity(
  "ball",
  { position: vec2({ range: [-4096, 4096], precision: 0.01 }) },
  { motion: "hold" },
);

/** A ball for each player, of whom everybody is told in every tick. */
class BallRoom extends Room {
  override readonly entities = [Ball];
  readonly #balls: { position: { x: number; y: number; set(x: number, y: number): void } }[] = [];

  override onJoin(player: Player): void {
    this.#balls.push(this.spawn(Ball, {}, player));
  }

  override onTick(): void {
    for (const { position } of this.#balls) position.set((position.x + 3) % 4000, 0);
  }
}

let stop: (() => Promise<void>) | undefined;
afterEach(() => stop?.());

/** A player whose sockets are as many as measured, after so many seconds on such a network. */
async function played(network: object, seconds: number) {
  const stage = roomStage(BallRoom, { seed: 5 });
  stop = () => stage.stop();
  const { room } = await stage.join({ network: { delayMs: 25, ...network }, sockets: "auto" });
  await stage.advance(seconds * 1000);
  return room;
}

describe("a player with a WebSocket alone", () => {
  test("gets three of them where every fifth segment is lost, by measurement, and it is said why", async () => {
    const room = await played({ loss: { kind: "uniform", ratio: 0.2 } }, 60);
    expect(room.transport.plan.stripes).toBe(3);
    const told = room.transport.history.filter(({ about }) => about === "server sockets");
    expect(told.map(({ choice }) => choice)).toContain("3");
    expect(told[0]?.reason).toMatch(/% of the round trips stall behind lost segments/);
    const words = (await room.transport.explain({ details: true })).map(({ reason }) => reason).join("\n");
    expect(words).toContain("or more, stalls behind lost segments");
  });

  test("keeps to one on a clean path", async () => {
    const room = await played({}, 20);
    expect([room.transport.plan.stripes, room.transport.server.sockets]).toEqual([1, 1]);
  });
});
