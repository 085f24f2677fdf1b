import { Room, defineEntity, vec2 } from "@paceline/server";
import { roomStage, type RoomStage, type StageJoin, type StagePlayer } from "@paceline/testkit/room";
import { afterEach, expect, test } from "vitest";

const position = vec2({ range: [-4096, 4096], precision: 0.01, unit: "m" });
const Mover = defineEntity("mover", { position });
const Bullet = defineEntity("bullet", { position });
/** A kind that no player's game reads. */
const Trace = defineEntity("trace", { position });

/** A room with one entity that moves in every step. */
class BulletRoom extends Room {
  override readonly entities = [Mover, Bullet, Trace];
  override readonly maxSpectators = 2;
  override readonly spectatorDelayMs = 100;
  /** Runs within the next step. */
  within: () => void = () => undefined;
  #x = 0;
  readonly #mover = () => this.only(Mover);

  override onTick(): void {
    this.#mover().position.set((this.#x = (this.#x + 1) % 4000), 0);
    this.within();
    this.within = () => undefined;
  }

  /** Spawns and despawns many entities within one step. */
  burst(count: number, kind: typeof Bullet | typeof Trace = Bullet): void {
    this.within = () => {
      const bullets = Array.from({ length: count }, () => this.spawn(kind));
      for (const bullet of bullets) this.despawn(bullet);
    };
  }
}

let stage: RoomStage<BulletRoom>;
afterEach(() => stage.stop());

const bytes = (): number => stage.server.reports()[0]!.counters.stateBytes;
/** Returns the bytes of states of a second, and the largest age of the mover at a player meanwhile, ms. */
async function second({ room }: StagePlayer): Promise<{ sent: number; oldestMs: number }> {
  const before = bytes();
  let oldestMs = 0;
  for (let passed = 0; passed < 1000; passed += 20) {
    await stage.advance(20);
    for (const mover of room.entities(Mover)) oldestMs = Math.max(oldestMs, mover.ageMs);
  }
  return { sent: bytes() - before, oldestMs };
}

async function joined(join: StageJoin): Promise<StagePlayer> {
  const player = await stage.join({ network: { delayMs: 50 }, ...join });
  for (const kind of [Mover, Bullet]) player.room.onSpawn(kind, () => undefined);
  return player;
}

test.each<[string, StageJoin]>([
  ["of an ordered link", {}],
  ["of two sockets", { sockets: 2 }],
  ["whose plan skips steps", { client: { profile: "strategy" } }],
])(
  "a player %s hears nothing of entities that came and went within one step",
  async (_name, join) => {
    stage = roomStage(BulletRoom);
    const player = await joined(join);
    await joined({ terms: { spectate: true } });
    await stage.advance(2000);
    const quiet = await second(player);
    stage.room.burst(5000);
    const after = await second(player);
    expect(after.sent).toBeLessThan(1.2 * quiet.sent);
    expect(after.oldestMs).toBeLessThan(quiet.oldestMs + 50);
    expect((await second(player)).sent).toBeLessThan(1.2 * quiet.sent);
  },
  60_000,
);

test("a newcomer hears nothing of entities that ended before its first state, nor a player of a kind that it does not read", async () => {
  class SlowRoom extends BulletRoom {
    override async onJoin(): Promise<void> {
      await new Promise<void>((resolve) => void this.clock.setTimeout(resolve, 1000));
    }
  }
  stage = roomStage(SlowRoom);
  const player = await joined({ sockets: 2 });
  await stage.advance(2000);
  const quiet = await second(player);
  const { room } = stage;
  let traces: object[] = [];
  room.within = () => void (traces = Array.from({ length: 1000 }, () => room.spawn(Trace)));
  await second(player);
  const bullets = Array.from({ length: 1000 }, () => room.spawn(Bullet));
  const joining = stage.join({ sockets: 2 });
  await stage.advance(500);
  room.within = () => {
    for (const entity of [...traces, ...bullets]) room.despawn(entity);
  };
  const newcomer = await joining;
  await stage.advance(500);
  const before = bytes();
  await stage.advance(1000);
  // Two players get the mover now.
  expect(bytes() - before).toBeLessThan(2.4 * quiet.sent);
  expect(newcomer.room.state).toBe("joined");
}, 600_000);

test.each([1, 2] as const)(
  "2000 entities that end at once are announced over several packets, and once acknowledged never again (%i sockets)",
  async (sockets) => {
    stage = roomStage(BulletRoom);
    const player = await joined({ sockets });
    let bullets: object[] = [];
    stage.room.within = () => void (bullets = Array.from({ length: 2000 }, () => stage.room.spawn(Bullet)));
    await stage.advance(6000);
    expect([...player.room.entities(Bullet)]).toHaveLength(2000);
    await stage.advance(5000);
    const quiet = await second(player);
    stage.room.within = () => {
      for (const bullet of bullets) stage.room.despawn(bullet);
    };
    // Somebody joins while removals wait.
    await stage.advance(50);
    const newcomer = stage.client().joinOrCreate("staged");
    const after = await second(player);
    void (await stage.until(newcomer)).leave();
    expect([...player.room.entities(Bullet)]).toEqual([]);
    expect(after.oldestMs).toBeLessThan(quiet.oldestMs + 50);
    // Two bytes each, and again until a round trip is over.
    expect(after.sent).toBeLessThan(quiet.sent + 2000 * 2 * 3);
    expect((await second(player)).sent).toBeLessThan(1.2 * quiet.sent);
  },
  60_000,
);
