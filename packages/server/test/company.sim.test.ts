import { roomStage, type RoomStage, type StagePlayer } from "@paceline/testkit/room";
import { expect, test } from "vitest";
import { BusyLoop } from "../../transport/test/busy-loop.js";
import { Arena, Car, PERIOD_MS, TICK_HZ, watchLinks } from "./arena.js";

const WARM_UP_MS = 3000;
const WATCHED_MS = 6000;
const LINE = { delayMs: 20 } as const;

type Company = (stage: RoomStage<Arena>) => Promise<StagePlayer>;

interface Heard {
  /** How long after its tick each state came to an honest player, by tick, ms. */
  readonly agesMs: ReadonlyMap<number, number>;
  /** States that did not say what they had to. */
  readonly wrong: number;
}

async function heardWith(company: Company | undefined): Promise<Heard> {
  const stage = roomStage(Arena);
  const honest = await stage.join({ network: LINE });
  const bad = await company?.(stage);
  // To ask for them is what makes the server tell of them.
  const early = [honest, bad].map((player) => [...(player?.room.entities(Car) ?? [])]);
  expect(early).toEqual([[], []]);
  await stage.advance(WARM_UP_MS);
  const agesMs = new Map<number, number>();
  let wrong = 0;
  const { room: arena, scheduler } = stage;
  const firstTick = arena.tick;
  arena.nowMs = () => scheduler.nowMs();
  honest.room.onStateChange((tick) => {
    const tickedAtMs = arena.tickedAtMs.get(tick);
    if (tick > firstTick) agesMs.set(tick - firstTick, scheduler.nowMs() - tickedAtMs!);
    wrong += arena.countWrong(honest, tick);
  });
  for (let passedMs = 0; passedMs < WATCHED_MS; passedMs += 1000) {
    // The stalled one hangs for a second, and comes back.
    bad?.change({ delayMs: passedMs % 2000 === 0 ? 1000 : LINE.delayMs });
    await stage.advance(1000);
  }
  await stage.stop();
  return { agesMs, wrong };
}

const alone = heardWith(undefined);

test.each<readonly [string, Company]>([
  ["a receiver that reads too slowly", (stage) => stage.join({ network: { ...LINE, rateBps: 4000 } })],
  [
    "a receiver that never reads",
    async (stage) => {
      const player = await stage.join({ network: LINE });
      player.change({ rateBps: 1 });
      return player;
    },
  ],
  [
    "one whose loop is late again and again",
    (stage) => {
      const loop = new BusyLoop(stage.scheduler);
      stage.scheduler.every(400, () => loop.stall(250));
      return stage.join({ network: LINE, client: { scheduler: loop } });
    },
  ],
  ["one whose link hangs for a second again and again", (stage) => stage.join({ network: LINE })],
  ["one with several sockets", (stage) => stage.join({ network: { ...LINE, jitterMs: 15 }, sockets: 3 })],
])("%s changes nobody else's values, and their times by less than a period", async (_name, company) => {
  const [usual, heard] = [await alone, await heardWith(company)];
  expect(usual.agesMs.size).toBeGreaterThan((WATCHED_MS / PERIOD_MS) * 0.95);
  expect([usual.wrong, heard.wrong]).toEqual([0, 0]);
  for (const [tick, ageMs] of usual.agesMs) {
    // States that were still on their way at the end are not lost.
    if (tick > usual.agesMs.size - 3) continue;
    expect(Math.abs((heard.agesMs.get(tick) ?? Infinity) - ageMs)).toBeLessThan(PERIOD_MS);
  }
});

test.each([
  { sockets: 1, seed: 1 },
  { sockets: 3, seed: 1 },
  { sockets: 3, seed: 2 },
  { sockets: 3, seed: 3 },
] as const)(
  "a client whose link hung for a second is told the same as others within two seconds after (sockets: $sockets, seed $seed)",
  async ({ sockets, seed }) => {
    const stage = roomStage(Arena, { seed });
    const links = watchLinks(stage);
    const join = (): Promise<StagePlayer> => stage.join({ network: { ...LINE, jitterMs: 5 }, sockets });
    const [other, hung] = [await join(), await join()];
    expect([...other.room.entities(Car), ...hung.room.entities(Car)]).toEqual([]);
    await stage.advance(WARM_UP_MS);
    hung.change({ delayMs: 1000 });
    await stage.advance(1000);
    hung.change(LINE);
    const resumedTick = stage.room.tick;
    await stage.advance(3000);
    await stage.stop();
    // Stripes of both are among the links, in the order of their opening.
    const isShared = (tick: number): boolean => {
      const bodies = links.flatMap(({ tails }) => tails.get(tick) ?? []);
      return bodies.length === 2 && bodies[0] === bodies[1];
    };
    const ticks = Array.from({ length: TICK_HZ }, (_, index) => resumedTick + 2 * TICK_HZ + index);
    expect(ticks.filter((tick) => !isShared(tick))).toEqual([]);
  },
);
