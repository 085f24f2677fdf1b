import { seededRandom, virtualSocketPair } from "@paceline/testkit";
import { roomStage, type RoomStage, type StagePlayer } from "@paceline/testkit/room";
import { WebSocketLink } from "@paceline/transport";
import { afterEach, expect, test } from "vitest";
import { someOf } from "../../../packages/testkit/test/some-of.js";
import { GrandPrixParticipant } from "../src/net/grand-prix-participant.js";
import { RACE_TICK_HZ } from "../src/net/grand-prix.js";
import { RaceRoom } from "../src/server/race-room.js";
import { BusyPage } from "./busy-page.js";

// A page that draws slowly handles messages late. It must show the other cars at the present all the same, and
// tell the others the right lead of its own car.

const TICK_MS = 1000 / RACE_TICK_HZ;
const TO_GREEN_MS = 7000;
const SETTLE_MS = 6000;
const DRIVE_MS = 10_000;
const DELAY_MS = 25;
const FRAME_MS = 1000 / 60;
const STANDSTILL_PERIOD_MS = 6000;
/** Time after a standstill until the others show the car right again, ms. */
const SETTLED_AFTER_MS = 1000;
const color = "#2f80ed";

interface Spot {
  readonly atMs: number;
  readonly x: number;
  readonly y: number;
}

let stage: RoomStage<RaceRoom>;
afterEach(() => stage.stop());

/** A player at its page, who records where the page shows both cars. */
class Driver {
  readonly mine: Spot[] = [];
  readonly other: Spot[] = [];
  /** Estimated minus true time of the server's ticks in each frame, ms. */
  readonly tickErrorsMs: number[] = [];
  readonly #player: StagePlayer;
  readonly #participant: GrandPrixParticipant;
  isRecording = false;

  constructor(player: StagePlayer, page: BusyPage, name: string, tickZeroMs: () => number) {
    this.#player = player;
    const card = { name, color, isComputer: false };
    const participant = new GrandPrixParticipant(player.room, card, () => page.nowMs());
    this.#participant = participant;
    page.onFrame = (nowMs) => {
      participant.update();
      const turn = Math.floor(nowMs / 750);
      const steer = nowMs % 750 < 500 ? 0 : turn % 2 === 0 ? 0.6 : -0.6;
      participant.step({ steer, throttle: 1, handbrake: false });
      if (this.isRecording) this.#record(nowMs, tickZeroMs());
    };
  }

  async simulate(delayMs: number): Promise<void> {
    await this.#player.room.transport.simulate({ delayMs });
  }

  #record(atMs: number, tickZeroMs: number): void {
    const { racer, remotes } = this.#participant;
    this.mine.push({ atMs, x: racer.car.x, y: racer.car.y });
    for (const { x, y } of remotes) this.other.push({ atMs, x, y });
    this.tickErrorsMs.push(this.#player.room.clock.shownTick * TICK_MS - (atMs - tickZeroMs));
  }
}

async function join(page: BusyPage, name: string, delayMs: number, seed: number): Promise<StagePlayer> {
  const { scheduler, server } = stage;
  // The client calls it with `new`.
  const webSocket = function socket(_url: string, protocols: readonly string[] = []) {
    const pair = virtualSocketPair({ scheduler, random: seededRandom(seed), settings: { delayMs } });
    server.takeLink(new WebSocketLink(pair.server, { scheduler }), { address: name, protocols });
    return page.socket(pair.player);
  };
  return stage.join({ options: { name, color }, client: { scheduler: page, webSocket } });
}

/** Returns the distances between the shown car and the car on its driver's page at the same times, m. */
function distancesM(own: readonly Spot[], seen: readonly Spot[]): number[] {
  return seen.flatMap(({ atMs, x, y }) => {
    const next = own.findIndex((spot) => spot.atMs >= atMs);
    if (next < 1) return [];
    const [before, after] = [own[next - 1]!, own[next]!];
    const share = (atMs - before.atMs) / (after.atMs - before.atMs);
    return Math.hypot(
      x - before.x - share * (after.x - before.x),
      y - before.y - share * (after.y - before.y),
    );
  });
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(share * sorted.length) - 1]!;
}

interface RaceOptions {
  /** Mean duration of the slow page's frames, ms. */
  readonly frameMs: number;
  readonly workShare: number;
  /** True if the page simulates the delay, with timers of its own, as in the browser tests. */
  readonly isInPage: boolean;
  readonly seed: number;
  /** Duration of a standstill of the slow page each 6 s while both are recorded, ms. Default: none. */
  readonly standstillMs?: number;
}

/** Returns the slow driver, the quick one, and the ends of the slow page's standstills. */
async function race(options: RaceOptions): Promise<{ drivers: readonly Driver[]; standstills: number[] }> {
  const { frameMs, workShare, isInPage, seed, standstillMs } = options;
  let tickZeroMs = 0;
  class TimedRoom extends RaceRoom {
    override onTick(seconds: number, tick: number): void {
      super.onTick(seconds, tick);
      tickZeroMs = stage.scheduler.nowMs() - tick * TICK_MS;
    }
  }
  stage = roomStage(TimedRoom, { seed });
  const { scheduler } = stage;
  const random = seededRandom(seed);
  const inFrames = (ms: number): number => Math.max(1, Math.round(ms / FRAME_MS)) * FRAME_MS;
  const standstills: number[] = [];
  const drivers: Driver[] = [];
  const isStandingStill = (): boolean => (standstills.at(-1) ?? 0) > scheduler.nowMs();
  const slow = new BusyPage({
    scheduler,
    frameMs: () => {
      const nowMs = scheduler.nowMs();
      const isDue = drivers[0]?.isRecording && nowMs - (standstills.at(-1) ?? 0) > STANDSTILL_PERIOD_MS;
      if (standstillMs === undefined || !isDue) return inFrames(random.normal(frameMs, 0.2 * frameMs));
      standstills.push(nowMs + standstillMs);
      return standstillMs;
    },
    workMs: () => (isStandingStill() ? standstillMs! : random.normal(workShare * frameMs, 4)),
    phaseMs: 3,
  });
  const quick = new BusyPage({
    scheduler,
    frameMs: () => FRAME_MS,
    workMs: () => random.normal(8, 4),
    phaseMs: 9,
  });
  const networkMs = isInPage ? 0.3 : DELAY_MS;
  for (const [index, page] of [slow, quick].entries()) {
    const name = `Driver ${index}`;
    const player = await join(page, name, networkMs, seed + index);
    drivers.push(new Driver(player, page, name, () => tickZeroMs));
  }
  await stage.advance(TO_GREEN_MS);
  if (isInPage) for (const driver of drivers) await driver.simulate(DELAY_MS);
  await stage.advance(SETTLE_MS);
  for (const driver of drivers) driver.isRecording = true;
  await stage.advance(standstillMs === undefined ? DRIVE_MS : 3 * DRIVE_MS);
  return { drivers, standstills };
}

test.each([
  { title: "20 frames a second", frameMs: 50, isInPage: false, seed: 2 },
  { title: "20 frames a second, and a delay simulated by the pages", frameMs: 50, isInPage: true, seed: 3 },
])(
  "two pages agree about the cars' positions if one of them draws $title",
  async (run) => {
    const { drivers } = await race({ ...run, workShare: 0.9 });
    const [slow, quick] = drivers as [Driver, Driver];
    for (const { tickErrorsMs } of drivers) expect(Math.abs(quantile(tickErrorsMs, 0.5))).toBeLessThan(4);
    // At 15 m/s. A change of the steering arrives late, and causes the largest distances.
    for (const metres of [distancesM(quick.mine, slow.other), distancesM(slow.mine, quick.other)]) {
      expect(quantile(metres, 0.5)).toBeLessThan(0.12);
      expect(quantile(metres, 0.95)).toBeLessThan(0.5);
    }
  },
  60_000,
);

const pauses = [
  { standstillMs: 250, maxP50M: 0.25, maxP95M: 0.6 },
  { standstillMs: 200, maxP50M: 0.2, maxP95M: 0.4 },
];

test.each(someOf(pauses, 1))(
  "1 s after a page stood still for $standstillMs ms, the others show its car where it does",
  async ({ standstillMs, maxP50M, maxP95M }) => {
    const slowly = { frameMs: 33, workShare: 0.5, isInPage: true, seed: 3 };
    const { drivers, standstills } = await race({ ...slowly, standstillMs });
    const [slow, quick] = drivers as [Driver, Driver];
    // The page made up for its steps at once, so its inputs wait at the server for longer. For seconds its steps last
    // longer, until it is no farther ahead than before. Steering takes effect later for the others meanwhile.
    const settled = quick.other.filter(({ atMs }) => {
      const endedAtMs = standstills.findLast((endMs) => endMs - standstillMs <= atMs) ?? 0;
      return atMs - endedAtMs > SETTLED_AFTER_MS;
    });
    expect(standstills.length).toBeGreaterThan(3);
    const metres = distancesM(slow.mine, settled);
    expect(metres.length).toBeGreaterThan(500);
    expect(quantile(metres, 0.5)).toBeLessThan(maxP50M);
    expect(quantile(metres, 0.95)).toBeLessThan(maxP95M);
  },
  60_000,
);
