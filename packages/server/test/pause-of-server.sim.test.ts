import { Room, defineEntity, defineInput, uint, type Player } from "@paceline/server";
import { VirtualScheduler } from "@paceline/testkit";
import { roomStage } from "@paceline/testkit/room";
import type { Cancel, Scheduler } from "@paceline/transport";
import { expect, test, vi } from "vitest";

const Drive = defineInput({ step: uint({ range: [0, 65_535] }) });
const Counter = defineEntity("counter", { steps: uint({ range: [0, 65_535] }) });
const TICK_HZ = 60;

class DriveRoom extends Room {
  override readonly inputs = Drive;
  override readonly tickHz = TICK_HZ;
  override readonly entities = [Counter];
  taken = 0;

  override onTick(): void {
    const [player] = this.players.values() as Iterable<Player<typeof Drive>>;
    if (!player) return;
    this.taken = player.input.step;
    // The states carry the feedback to the player.
    this.only(Counter).steps = this.taken;
  }
}

/** A process that can stand still. Its timers, and then its packets, wait until it goes on. */
class Process implements Scheduler {
  readonly #clock: Scheduler;
  readonly #packets: (() => void)[] = [];
  readonly #timers = new Set<() => void>();
  #isStanding = false;

  constructor(clock: Scheduler) {
    this.#clock = clock;
  }

  nowMs(): number {
    return this.#clock.nowMs();
  }

  after(delayMs: number, fn: () => void): Cancel {
    const run = (): void => (this.#isStanding ? void this.#timers.add(run) : fn());
    const cancel = this.#clock.after(delayMs, run);
    return () => {
      this.#timers.delete(run);
      cancel();
    };
  }

  every(periodMs: number, fn: () => void): Cancel {
    return this.#clock.every(periodMs, () => this.#isStanding || fn());
  }

  receive(packet: () => void): void {
    if (this.#isStanding) this.#packets.push(packet);
    else packet();
  }

  standStill(): void {
    this.#isStanding = true;
  }

  goOn(): void {
    this.#isStanding = false;
    for (const run of [...this.#timers]) run();
    this.#timers.clear();
    for (const packet of this.#packets.splice(0)) packet();
  }
}

/** Plays a pause of the server. Returns the delay of the player's inputs before and after it, in steps. */
async function playPause(pauseMs: number, delayMs: number) {
  const clock = new VirtualScheduler();
  const process = new Process(clock);
  const stage = roomStage(DriveRoom, { scheduler: process } as object);
  // Only the server stands still.
  Object.assign(stage, { scheduler: clock });
  const { room } = await stage.join({ network: { delayMs } });
  const { counters, players } = Room.partsOf(stage.room);
  const [player] = players.players.values();
  const receive = player!.receiveInput.bind(player);
  vi.spyOn(player!, "receiveInput").mockImplementation((body) => process.receive(() => receive(body)));
  room.onSpawn(Counter, () => undefined);
  const input = room.input(Drive);
  let step = 0;
  room.loop(() => void (input.step = ++step));
  const delay = (): number => step - stage.room.taken;
  await stage.advance(5000);
  const before = delay();
  process.standStill();
  await stage.advance(pauseMs);
  process.goOn();
  const { inputsMissing } = counters;
  const atOnce = delay();
  await stage.advance(2000 + 2 * delayMs);
  const after = delay();
  await stage.advance(3000);
  const missing = counters.inputsMissing - inputsMissing;
  await stage.stop();
  return { before, atOnce, after, missing };
}

test.each([
  { pauseMs: 600, delayMs: 20 },
  { pauseMs: 900, delayMs: 20 },
  { pauseMs: 900, delayMs: 100 },
  { pauseMs: 900, delayMs: 250 },
])(
  "2 s after a pause of the server, a player is heard as soon as before (%o)",
  async ({ pauseMs, delayMs }) => {
    const { before, atOnce, after, missing } = await playPause(pauseMs, delayMs);
    expect(atOnce).toBeGreaterThan(before + 30);
    expect(after).toBeLessThanOrEqual(before + 5);
    expect(missing).toBe(0);
  },
);
