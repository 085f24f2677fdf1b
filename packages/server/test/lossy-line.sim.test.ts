import { Room, defineEntity, vec2, type Player } from "@paceline/server";
import { roomStage } from "@paceline/testkit/room";
import { afterEach, expect, test } from "vitest";

const Ball = defineEntity(
  "ball",
  { position: vec2({ range: [-4096, 4096], precision: 0.01 }) },
  { motion: "hold" },
);

class BallRoom extends Room {
  override readonly entities = [Ball];
  override readonly tickHz = 30;
  readonly #balls: { position: { x: number; set(x: number, y: number): void } }[] = [];

  override onJoin(player: Player): void {
    this.#balls.push(this.spawn(Ball, {}, player));
  }

  override onTick(): void {
    for (const { position } of this.#balls) position.set((position.x + 1) % 4000, 0);
  }
}

let stop: (() => Promise<void>) | undefined;
afterEach(() => stop?.());

test.each([1, 2, 3])(
  "a lossy WebSocket to an authority is explained by its stalls (chance %d)",
  async (seed) => {
    const stage = roomStage(BallRoom, { seed });
    stop = () => stage.stop();
    const network = { delayMs: 40, loss: { kind: "uniform", ratio: 0.2 } as const };
    const [clean, lossy] = [
      await stage.join({ network: { delayMs: 40 }, sockets: "auto" }),
      await stage.join({ network, sockets: "auto" }),
    ];
    for (const { room } of [clean, lossy]) expect([...room.entities(Ball)]).toBeDefined();
    await stage.advance(4000);
    const words = async ({ room }: typeof lossy): Promise<number[]> => {
      const row = (await room.transport.explain()).find(({ about }) => about === "measured now")!;
      const said = /^stalls: (\d+) of (\d+) round trips \(\w+\); loss cannot be seen here, /.exec(row.choice);
      expect(row.choice).toBe(said?.input);
      return [Number(said![1]), Number(said![2])];
    };
    const [stalled, roundTrips] = (await words(lossy)) as [number, number];
    expect(stalled).toBeGreaterThan(3);
    expect(roundTrips).toBeGreaterThan(stalled);
    expect((await words(clean))[0]).toBe(0);
  },
);
