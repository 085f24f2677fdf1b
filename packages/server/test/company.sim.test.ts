import { Room, defineEntity, vec2, type ServerEntity } from "@paceline/server";
import { roomStage, type RoomStage, type StagePlayer } from "@paceline/testkit/room";
import { expect, test } from "vitest";

const Car = defineEntity("car", {
  position: vec2({ range: [-4096, 4096], precision: 0.01, unit: "m" }),
});
const TICK_HZ = 20;
const PERIOD_MS = 1000 / TICK_HZ;
const CARS = 30;
const WARM_UP_MS = 3000;
const WATCHED_MS = 6000;
const LINE = { delayMs: 20 } as const;

/** Somewhere else at every tick, and never where one could have guessed it. */
function placeOf(car: number, tick: number): { readonly x: number; readonly y: number } {
  const hash = Math.imul(car * 7919 + tick, 0x9e3779b1) >>> 0;
  return { x: (hash % 8000) - 4000, y: ((hash >>> 13) % 8000) - 4000 };
}

class Arena extends Room {
  override readonly entities = [Car];
  override readonly tickHz = TICK_HZ;
  readonly cars: ServerEntity<typeof Car>[] = [];
  readonly tickedAtMs = new Map<number, number>();
  nowMs = (): number => 0;

  override onCreate(): void {
    for (let car = 0; car < CARS; car++) this.cars.push(this.spawn(Car));
  }

  override onTick(_seconds: number, tick: number): void {
    this.tickedAtMs.set(tick, this.nowMs());
    for (const [car, { position }] of this.cars.entries()) {
      const { x, y } = placeOf(car, tick);
      position.set(x, y);
    }
  }
}

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
    for (const { id, lastTick, position } of honest.room.entities(Car)) {
      if (lastTick !== tick) continue;
      const car = arena.cars.findIndex((each) => each.id === id);
      const { x, y } = placeOf(car, tick);
      if (position.x !== x || position.y !== y) wrong += 1;
    }
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
  ["a receiver that never reads", (stage) => stage.join({ network: { ...LINE, rateBps: 4000 } })],
  ["one whose link hangs for a second again and again", (stage) => stage.join({ network: LINE })],
  ["one with several sockets", (stage) => stage.join({ network: { ...LINE, jitterMs: 15 }, sockets: 3 })],
])("%s changes nobody else's values, and their times by less than a period", async (_name, company) => {
  const [usual, heard] = [await alone, await heardWith(company)];
  expect(usual.agesMs.size).toBeGreaterThan((WATCHED_MS / PERIOD_MS) * 0.95);
  expect([usual.wrong, heard.wrong]).toEqual([0, 0]);
  for (const [tick, ageMs] of usual.agesMs) {
    // What was on its way at the end is no loss.
    if (tick > usual.agesMs.size - 3) continue;
    expect(Math.abs((heard.agesMs.get(tick) ?? Infinity) - ageMs)).toBeLessThan(PERIOD_MS);
  }
});

const TAIL_BYTES = 48;

/** The ends of the states' packets by tick, for each link in the order of coming: equal where one encoding went to both. */
function tails(stage: RoomStage<Arena>): Map<number, string>[] {
  const { server } = stage;
  const links: Map<number, string>[] = [];
  const take = server.takeLink.bind(server);
  server.takeLink = (link, request) => {
    const sent = new Map<number, string>();
    links.push(sent);
    const send = link.send.bind(link);
    link.send = (trafficClass, packet, ...rest) => {
      const isState = trafficClass === "state" && packet.length > 2 * TAIL_BYTES;
      if (isState) sent.set(stage.room.tick, Buffer.from(packet.subarray(-TAIL_BYTES)).toString("hex"));
      send(trafficClass, packet, ...rest);
    };
    take(link, request);
  };
  return links;
}

test.each([1, 3] as const)(
  "a client whose link hung for a second is told the same as others within two seconds after (sockets: %d)",
  async (sockets) => {
    const stage = roomStage(Arena);
    const links = tails(stage);
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
      const bodies = links.flatMap((sent) => sent.get(tick) ?? []);
      return bodies.length === 2 && bodies[0] === bodies[1];
    };
    const ticks = Array.from({ length: TICK_HZ }, (_, index) => resumedTick + 2 * TICK_HZ + index);
    expect(ticks.filter((tick) => !isShared(tick))).toEqual([]);
  },
);
