import { Room, defineEntity, defineInput, int, vec2, type ServerEntity } from "@paceline/server";
import { seededRandom, type VirtualScheduler } from "@paceline/testkit";
import { roomStage, StagePlayer, type RoomStage } from "@paceline/testkit/room";
import type { Scheduler } from "@paceline/transport";
import { afterEach, expect, test } from "vitest";

// A page whose player owns no entity wakes up only to send inputs and to maintain its links.

const Ball = defineEntity("ball", { position: vec2({ range: [-100, 100], precision: 0.01, unit: "m" }) });
const Steering = defineInput({ steer: int({ range: [-1, 1] }) });

class BallRoom extends Room {
  override readonly tickHz = 20;
  override readonly entities = [Ball];
  override readonly inputs = Steering;
  override readonly playerEntities = [{ definition: Ball, limits: {} }];
  #ball: ServerEntity<typeof Ball> | undefined;

  override onCreate(): void {
    this.#ball = this.spawn(Ball);
  }

  override onTick(): void {
    this.#ball!.position.set(this.tick % 100, 0);
  }
}

let stage: RoomStage<BallRoom>;
afterEach(() => stage.stop());

class CountingScheduler implements Scheduler {
  runs = 0;
  readings = 0;
  /** Repeated timers that may not share the wake-up of another one. */
  readonly exact = new Set<{ readonly periodMs: number }>();
  readonly #base: Scheduler;

  constructor(base: Scheduler) {
    this.#base = base;
  }

  nowMs(): number {
    this.readings += 1;
    return this.#base.nowMs();
  }

  after(delayMs: number, fn: () => void): () => void {
    return this.#base.after(delayMs, () => this.#run(fn));
  }

  every(periodMs: number, fn: () => void, slackMs = 0): () => void {
    const timer = { periodMs };
    if (slackMs === 0) this.exact.add(timer);
    const cancel = this.#base.every(periodMs, () => this.#run(fn));
    return () => {
      this.exact.delete(timer);
      cancel();
    };
  }

  #run(fn: () => void): void {
    this.runs += 1;
    fn();
  }
}

/** Joins a player whose timers and readings of the clock are counted. */
async function countedPlayer(): Promise<{ scheduler: CountingScheduler; room: StagePlayer["room"] }> {
  stage = roomStage(BallRoom);
  const scheduler = new CountingScheduler(stage.scheduler);
  const player = new StagePlayer({
    // The client uses only the clock and the timers of the scheduler.
    scheduler: scheduler as unknown as VirtualScheduler,
    random: seededRandom(1),
    network: { delayMs: 20 },
    client: { profile: "racing" },
    accept: (accepted, protocols) => stage.server.takeLink(accepted, { address: "stage", protocols }),
  });
  player.enter(await stage.until(player.client.joinOrCreate("staged")));
  const { room } = player;
  // The room sends the kinds that the game reads.
  for (const _ of room.entities(Ball)) expect.unreachable("nothing has come yet");
  await stage.advance(3000);
  return { scheduler, room };
}

test("a page without entities of its own has no timer for their states", async () => {
  const { scheduler, room } = await countedPlayer();
  const perSecond = async (): Promise<number> => {
    const before = scheduler.runs;
    await stage.advance(2000);
    return (scheduler.runs - before) / 2;
  };
  const quiet = await perSecond();
  const mine = room.spawn(Ball);
  await stage.advance(500);
  // The profile sends 30 states a second.
  expect((await perSecond()) - quiet).toBeGreaterThan(25);
  room.despawn(mine);
  await stage.advance(500);
  expect(Math.abs((await perSecond()) - quiet)).toBeLessThan(3);
});

test("a page that sends inputs wakes up for them and for pings, and reads its clock once a packet and step", async () => {
  const { scheduler, room } = await countedPlayer();
  room.input(Steering);
  await stage.advance(1000);
  // Only the pings for the clock share no wake-up: they must not leave in step with the inputs.
  expect([...scheduler.exact]).toEqual([{ periodMs: 487 }]);
  scheduler.readings = 0;
  await stage.advance(5000);
  // The room has 20 ticks a second. The simulated network reads the clock twice for each packet.
  expect(scheduler.readings / (5 * 20)).toBeLessThan(12);
});
