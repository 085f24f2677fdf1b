import { Room, defineEntity, vec2, type Player } from "@paceline/server";
import { roomStage } from "@paceline/testkit/room";
import { afterEach, describe, expect, test } from "vitest";

const Ball = defineEntity(
  "ball",
  { position: vec2({ range: [-4096, 4096], precision: 0.01 }) },
  { motion: "hold" },
);

/** A room with a ball for each player, which every tick sends to all. */
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

/** Joins a player on such a network, with as many sockets as the measurement asks for. */
async function joined(network: object, seed = 5) {
  const stage = roomStage(BallRoom, { seed });
  stop = () => stage.stop();
  const player = await stage.join({ network: { delayMs: 25, ...network }, sockets: "auto" });
  return { stage, player, room: player.room };
}

const LOSSY = { loss: { kind: "uniform", ratio: 0.2 } } as const;

describe("a player with a WebSocket alone", () => {
  test("gets three of them where every fifth segment is lost, by measurement, and it is said why", async () => {
    const { stage, room } = await joined(LOSSY);
    await stage.advance(60_000);
    expect(room.transport.plan.stripes).toBe(3);
    const told = room.transport.history.filter(({ about }) => about === "server sockets");
    expect(told.map(({ choice }) => choice)).toContain("3");
    expect(told[0]?.reason).toMatch(/^round trips stalled behind lost segments/);
    const words = (await room.transport.explain({ details: true })).map(({ reason }) => reason).join("\n");
    expect(words).toContain("or more, stalls behind lost segments");
  });

  test("gives the others up when a minute was quiet", async () => {
    const { stage, player, room } = await joined(LOSSY);
    await stage.advance(10_000);
    player.change({ delayMs: 25, loss: { kind: "none" } });
    await stage.advance(55_000);
    expect(room.transport.server.sockets).toBe(3);
    await stage.advance(20_000);
    expect(room.transport.server.sockets).toBe(1);
  });

  test.each([
    ["clean", {}, 0],
    ["narrow", { rateBps: 16_000 }, 0],
    // Jitter may delay three answers together by chance.
    ["narrow and jittery", { rateBps: 64_000, jitterMs: 10 }, 1],
  ])("keeps to one on a path that is %s", async (_, network, mostAlarms) => {
    const alarms: number[] = [];
    for (let seed = 1; seed <= 24; seed++) {
      const { stage, room } = await joined(network, seed);
      await stage.advance(10_000);
      if (room.transport.plan.stripes > 1 || room.transport.server.sockets > 1) alarms.push(seed);
      await stage.stop();
      stop = undefined;
    }
    expect(alarms.length).toBeLessThanOrEqual(mostAlarms);
  });
});
