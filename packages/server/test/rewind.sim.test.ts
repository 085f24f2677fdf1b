import { Room, type Past, type Player, type ServerEntity } from "@paceline/server";
import type { ClientOptions } from "@paceline/client";
import { roomStage, type RoomStage, type StagePlayer } from "@paceline/testkit/room";
import { afterEach, describe, expect, it } from "vitest";
import { Car, Gate } from "./race.js";

type CarEntity = ServerEntity<typeof Car>;
interface Shot {
  readonly at: number;
  readonly x: number;
  readonly y: number;
}
/** Largest miss that still hits the target. */
const RADIUS_M = 0.5;

/** A room with a target that drives in circles. Players shoot at its shown position. */
class ShootingRoom extends Room<{ messages: { shoot: Shot } }> {
  override readonly entities = [Car, Gate];
  override readonly maxRewindMs: number = 400;
  target!: CarEntity;
  /** Misses of shots, m: from the position that the shooter saw, and from the present one. */
  readonly misses: { seen: number; now: number; past: Pick<Past, "tick" | "isCapped">; tick: number }[] = [];

  override onCreate(): void {
    this.target = this.spawn(Car);
    this.onMessage("shoot", (player, { at, x, y }) => this.judge(player, { at, x, y }));
  }

  override onTick(_seconds: number, tick: number): void {
    const angle = (tick / this.tickHz) * 0.8;
    this.target.position.set(20 * Math.cos(angle), 20 * Math.sin(angle));
    this.target.velocity.set(-16 * Math.sin(angle), 16 * Math.cos(angle));
  }

  judge(player: Player, { at, x, y }: Shot): void {
    const missOf = ({ position }: { position: { x: number; y: number } }): number =>
      Math.hypot(position.x - x, position.y - y);
    this.rewind(player, at, (past) => {
      const { tick, isCapped } = past;
      const seen = missOf(past.of(this.target)!);
      this.misses.push({ seen, now: missOf(this.target), past: { tick, isCapped }, tick: this.tick });
    });
  }
}

let stage: RoomStage<ShootingRoom>;
afterEach(() => stage.stop());

async function shooter(delayMs: number, client: Partial<ClientOptions> = {}): Promise<StagePlayer> {
  const player = await stage.join({ network: { delayMs, jitterMs: 3 }, client });
  player.room.entities(Car)[Symbol.iterator]().next();
  await stage.advance(3000);
  return player;
}

/** Shoots at the shown position of the target. `at` is the tick that the shooter claims. */
function shoot({ room }: StagePlayer, at = room.clock.shownTick): void {
  for (const car of room.entities(Car)) {
    if (car.isMine) continue;
    const { x, y } = car.shown.position;
    room.send("shoot", { at, x, y });
  }
}

describe("a shot", () => {
  it.each([30, 60, 120])("hits what the shooter saw, %i ms away from the server", async (delayMs) => {
    stage = roomStage(ShootingRoom);
    const player = await shooter(delayMs);
    for (let shot = 0; shot < 10; shot++) {
      shoot(player);
      await stage.advance(137);
    }
    await stage.advance(500);
    const { misses } = stage.room;
    expect(misses).toHaveLength(10);
    const worst = (of: "seen" | "now"): number => Math.max(...misses.map((miss) => miss[of]));
    expect(worst("seen")).toBeLessThan(RADIUS_M);
    // Without a rewind the shooter would have to lead the target by the delay of the message.
    expect(worst("now")).toBeGreaterThan((0.8 * 16 * delayMs) / 1000);
    expect(worst("seen")).toBeLessThan(worst("now"));
    expect(misses.some(({ past }) => past.isCapped)).toBe(false);
    expect(stage.server.reports()[0]!.counters).toMatchObject({ rewinds: 10, rewindsCapped: 0 });
  });

  it("is judged at most a round trip back, whatever it claims, and never in the future", async () => {
    stage = roomStage(ShootingRoom);
    const player = await shooter(20);
    for (const said of [0, -1e300, 1e300]) {
      shoot(player, said);
      await stage.advance(100);
    }
    const behindMs = stage.room.misses.map(({ past, tick }) => ((tick - past.tick) / 30) * 1000);
    // A round trip of 40 ms, jitter and the tolerance.
    expect(behindMs[0]).toBeGreaterThan(100);
    expect(behindMs[0]).toBeLessThan(200);
    expect(behindMs[1]).toBeLessThan(200);
    expect(behindMs[2]).toBe(0);
    expect(stage.server.reports()[0]!.counters).toMatchObject({ rewinds: 3, rewindsCapped: 3 });
  });

  it("is judged no farther back than the room allows, however slow the link is", async () => {
    stage = roomStage(ShootingRoom);
    const player = await shooter(450);
    shoot(player);
    await stage.advance(1000);
    const [{ past, tick }] = stage.room.misses as [(typeof stage.room.misses)[0]];
    expect(((tick - past.tick) / 30) * 1000).toBeCloseTo(400, 6);
    expect(past.isCapped).toBe(true);
  });

  it("names a tick that never goes back with interpolated entities, also while the line becomes much slower", async () => {
    stage = roomStage(ShootingRoom);
    const player = await shooter(20, { profile: "shooter" });
    const ticks: number[] = [];
    for (const delayMs of [20, 420, 20, 320]) {
      player.change({ delayMs });
      for (let frame = 0; frame < 100; frame++) {
        for (const car of player.room.entities(Car)) void car.shown.position.x;
        ticks.push(player.room.clock.shownTick);
        await stage.advance(20);
      }
    }
    expect(ticks).toEqual(ticks.toSorted((a, b) => a - b));
    expect(ticks.at(-1)! - ticks[0]!).toBeGreaterThan(200);
  });

  it("does not see entities before their spawn, without a position, or between two places of a teleport", async () => {
    stage = roomStage(ShootingRoom);
    await shooter(20);
    const { room } = stage;
    const [player] = room.players.values();
    const [gate, young] = [room.spawn(Gate), room.spawn(Car, { position: { x: 5, y: 0 } })];
    await stage.advance(70);
    room.rewind(player!, room.tick - 4, (past) => {
      expect([past.of(gate), past.of(young)]).toEqual([undefined, undefined]);
    });
    young.position.set(500, 0);
    young.teleport();
    const jumped = room.tick + 1;
    await stage.advance(70);
    room.rewind(player!, jumped - 0.5, (past) => expect(past.of(young)!.position.x).toBe(5));
    room.despawn(young);
    room.rewind(player!, room.tick, (past) => expect(past.of(young)).toBeUndefined());
    expect(() => young.teleport()).not.toThrow();
  });

  it("throws if the room keeps no history, or if the claimed tick is no number", async () => {
    class Forgetful extends ShootingRoom {
      override readonly maxRewindMs = 0;
    }
    stage = roomStage(Forgetful);
    const player = await shooter(20);
    shoot(player);
    await stage.advance(200);
    expect(stage.server.reports()[0]!.counters.hookErrors).toEqual({ onMessage: 1 });
    await stage.stop();
    stage = roomStage(ShootingRoom);
    shoot(await shooter(20), "now" as never);
    await stage.advance(200);
    expect(stage.server.reports()[0]!.counters.hookErrors).toEqual({ onMessage: 1 });
  });
});
