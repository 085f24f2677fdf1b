import type { Room } from "@paceline/client";
import { preloadRooms } from "@paceline/testkit/room";
import { afterEach, expect, test } from "vitest";
import { Car } from "./definitions.js";
import { RelayStage } from "./relay-stage.js";

const ONE_WAY_MS = 50;
const LOSS = 0.05;
const STEP_MS = 5;
const PAUSE_MS = 400;
const MAX_WAIT_MS = 5000;

const rooms: Room[] = [];
afterEach(() => {
  for (const room of rooms.splice(0)) room.leave();
});

/** Times from the call of `joinOrCreate` to the first decoded state, ms. */
interface Measured {
  /** What a newcomer waits for the car of each player who was there before. */
  readonly byNewcomers: number[];
  /** What those who were there before wait for the newcomer's car. */
  readonly ofNewcomers: number[];
}

function ownersSeenBy(room: Room): Set<number> {
  const cars = [...room.entities(Car)].filter(({ isMine }) => !isMine);
  return new Set(cars.map(({ owner }) => owner!.number));
}

/** Lets a player join a room of the others, who drive, and spawn a car; notes who sees whom when. */
async function measureJoin(stage: RelayStage, others: readonly Room[], measured: Measured): Promise<Room> {
  const { scheduler } = stage;
  const startMs = scheduler.nowMs();
  let newcomer: Room | undefined;
  const joining = stage.player().client.joinOrCreate("race");
  joining.then((room) => (newcomer = room)).catch(() => undefined);
  const seen = new Set<string>();
  while (seen.size < 2 * others.length || !newcomer) {
    await stage.advance(STEP_MS);
    const waitedMs = scheduler.nowMs() - startMs;
    if (waitedMs > MAX_WAIT_MS) break;
    if (!newcomer) continue;
    if (!rooms.includes(newcomer)) {
      rooms.push(newcomer);
      drive(stage, newcomer);
    }
    const note = (key: string, times: number[]): void => {
      if (!seen.has(key)) times.push(waitedMs);
      seen.add(key);
    };
    for (const owner of ownersSeenBy(newcomer)) note(`of ${owner}`, measured.byNewcomers);
    for (const other of others)
      if (ownersSeenBy(other).has(newcomer.myNumber)) note(`by ${other.myNumber}`, measured.ofNewcomers);
  }
  expect(seen.size).toBe(2 * others.length);
  return await joining;
}

function drive({ scheduler }: RelayStage, room: Room): void {
  const car = room.spawn(Car);
  const angle = room.myNumber;
  const startMs = scheduler.nowMs();
  scheduler.every(1000 / 60, () => {
    const seconds = (scheduler.nowMs() - startMs) / 1000;
    if (room.state !== "joined") return;
    car.position.set(50 * Math.cos(seconds + angle), 30 * Math.sin(seconds));
    room.advance();
  });
}

async function measure(players: number, seeds: number): Promise<Measured> {
  const measured: Measured = { byNewcomers: [], ofNewcomers: [] };
  await preloadRooms();
  for (let seed = 1; seed <= seeds; seed++) {
    const network = { loss: { kind: "uniform", ratio: LOSS } } as const;
    const stage = new RelayStage({ delayMs: ONE_WAY_MS, network, seed });
    const present: Room[] = [];
    while (present.length < players) {
      present.push(await measureJoin(stage, present, measured));
      await stage.advance(PAUSE_MS);
    }
    for (const room of rooms.splice(0)) room.leave();
  }
  return measured;
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1]!;
}

// The bounds are what it took when newcomers had three sources of first states.
test.each([
  { players: 2, seeds: 20, byNewcomersMs: 50, ofNewcomersMs: 350 },
  { players: 8, seeds: 3, byNewcomersMs: 50, ofNewcomersMs: 350 },
])(
  "[WF28] $players players see each other no later than $byNewcomersMs and $ofNewcomersMs ms after the call, in the median",
  { timeout: 600_000 },
  async ({ players, seeds, byNewcomersMs, ofNewcomersMs }) => {
    const { byNewcomers, ofNewcomers } = await measure(players, seeds);
    expect(median(byNewcomers)).toBeLessThanOrEqual(byNewcomersMs);
    expect(median(ofNewcomers)).toBeLessThanOrEqual(ofNewcomersMs);
  },
);
