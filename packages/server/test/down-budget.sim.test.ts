import { Room, angle, defineEntity, scalar, vec3, type ServerEntity } from "@paceline/server";
import { silentLog } from "@paceline/relay";
import { genres, profiles, type Genre } from "@paceline/transport";
import { seededRandom } from "@paceline/testkit";
import { roomStage } from "@paceline/testkit/room";
import { describe, expect, test, vi } from "vitest";

const Animal = defineEntity(
  "animal",
  {
    position: vec3({ range: [-4096, 4096], precision: 0.01, unit: "m" }),
    heading: angle({ precision: 0.001, unit: "rad" }),
    health: scalar({ range: [0, 100], precision: 1 }),
  },
  { motion: "velocity" },
);
const ANIMALS = 64;
const SECONDS = 6;

/** A room whose animals hop about: nothing predicts their next place, and each state is as large as can be. */
class Meadow extends Room {
  override readonly entities = [Animal];
  readonly animals: ServerEntity<typeof Animal>[] = [];
  readonly #random = seededRandom(5);

  override onCreate(): void {
    for (let animal = 0; animal < ANIMALS; animal++) this.animals.push(this.spawn(Animal));
  }

  override onTick(): void {
    const next = (): number => this.#random.next();
    for (const animal of this.animals) {
      animal.position.set(1000 * next(), 1000 * next(), 100 * next());
      animal.heading = Math.PI * (2 * next() - 1);
      animal.health = Math.floor(100 * next());
    }
  }
}

/** Returns the states per second of each animal at a player with a clean line, and the bytes per second. */
async function sentTo(genre: Genre): Promise<{ readonly hz: readonly number[]; readonly bytes: number }> {
  class OwnRate extends Meadow {
    override readonly tickHz = profiles[genre].tickHz;
  }
  const stage = roomStage(OwnRate);
  const { room } = await stage.join({ network: { delayMs: 25 }, client: { profile: genre } });
  expect([...room.entities(Animal)]).toBeDefined();
  await stage.advance(2000);
  const states = new Map<number, number>();
  room.onStateChange((tick) => {
    for (const { id, lastTick } of room.entities(Animal))
      if (lastTick === tick) states.set(id, (states.get(id) ?? 0) + 1);
  });
  await stage.advance(SECONDS * 1000);
  const hz = [...states.values()].map((count) => count / SECONDS);
  const bytes = room.transport.server.bytesInPerSecond;
  expect(bytes).toBeLessThan(room.transport.plan.numbers.stateBytesPerSecond);
  await stage.stop();
  return { hz, bytes };
}

describe.each([
  ["the room's budget", 2000, 131_072, "the room's limit", 0],
  ["the profile's budget", 131_072, 2000, "the profile's number", 1],
] as const)("if %s is too small,", (_name, ofRoom, ofProfile, whose, warnings) => {
  test("explain() says how many wait and the number that would do, which does", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const play = async (roomBytes: number, profileBytes: number) => {
      class NarrowMeadow extends Meadow {
        override readonly stateBytesPerSecond = roomBytes;
      }
      const stage = roomStage(NarrowMeadow);
      const numbers = { stateBytesPerSecond: profileBytes };
      const client = { profile: { base: "racing", numbers } } as const;
      const { room } = await stage.join({ network: { delayMs: 25 }, client });
      expect([...room.entities(Animal)]).toBeDefined();
      await stage.advance(5000);
      const row = (await room.transport.explain()).find(({ about }) => about === "budget")!;
      await stage.stop();
      return row;
    };
    const { choice, reason } = await play(ofRoom, ofProfile);
    const said = /states get 2000 bytes\/s: (\d+) entities wait, (\d+) bytes\/s would do$/.exec(choice);
    expect(Number(said?.[1])).toBeGreaterThan(ANIMALS / 2);
    expect(reason).toContain(`stateBytesPerSecond is ${whose}`);
    // What the room limits, its server logs.
    const about = warn.mock.calls.filter(([text]) => String(text).includes("would do"));
    expect(about).toHaveLength(warnings);
    const needed = Number(said?.[2]);
    const enough = await play(Math.max(ofRoom, needed), Math.max(ofProfile, needed));
    expect(enough.choice).not.toContain("wait,");
    warn.mockRestore();
  });
});

test("a room whose budget is too small warns once, with the number that would do", async () => {
  class NarrowMeadow extends Meadow {
    override readonly stateBytesPerSecond = 2000;
  }
  const lines: unknown[][] = [];
  const log = { ...silentLog, warn: (...line: unknown[]) => void lines.push(line) };
  const stage = roomStage(NarrowMeadow, { log });
  const { room } = await stage.join({ network: { delayMs: 25 } });
  expect([...room.entities(Animal)]).toBeDefined();
  await stage.advance(4000);
  await stage.stop();
  const about = lines.filter(([text]) => String(text).includes("stateBytesPerSecond"));
  expect(about).toEqual([
    [
      "stateBytesPerSecond is too small for what moves in the room: entities wait",
      {
        room: "staged",
        waiting: expect.any(Number),
        stateBytesPerSecond: 2000,
        neededBytesPerSecond: expect.any(Number),
      },
    ],
  ]);
});

describe("a room that decides, with 64 moving entities", () => {
  test.each(genres)("sends each at the rate of the profile %s", { timeout: 600_000 }, async (genre) => {
    const { hz, bytes } = await sentTo(genre);
    const { stateHz } = profiles[genre];
    expect(hz).toHaveLength(ANIMALS);
    for (const each of hz) expect(Math.abs(each / stateHz - 1)).toBeLessThan(0.1);
    // The profile's budget is derived from this size, with room for more fields.
    expect(bytes / (ANIMALS * stateHz)).toBeCloseTo(10, 0);
  });
});
