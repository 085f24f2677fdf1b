import { defineEntity, vec2, type Entity, type OwnedEntity, type Room } from "@paceline/client";
import { seededRandom } from "@paceline/testkit";
import type { StagePlayer } from "@paceline/testkit/room";
import { assert, asyncProperty, integer } from "fast-check";
import { expect, test } from "vitest";
import { RelayStage } from "./relay-stage.js";

const RADIUS_M = 60;
const CELL_M = 30;
/** The corner of a cell in view is within the radius and a border; its far corner is a diagonal farther. */
const FARTHEST_M = RADIUS_M + 1.9 * CELL_M;
const STEP_MS = 50;
const STEPS = 600;
const DROP_STEPS = 60;
/** Half of the edge of the field: most are near somebody, and somebody is out of view. */
const FIELD_M = 120;
const DELAY_MS = 20;
/** A period of states, a period of views, both ways through the relay, and what a lost segment takes. */
const LATE_MS = 600;

const Walker = defineEntity(
  "random-walker",
  { position: vec2({ range: [-500, 500], precision: 0.01, unit: "m" }) },
  { motion: "velocity" },
);

interface Walking {
  readonly room: Room;
  readonly player: StagePlayer;
  readonly mine: OwnedEntity<typeof Walker>;
  readonly velocity: { x: number; y: number };
  /** By owner: since when that owner's entity has been near for certain. */
  readonly nearSinceMs: Map<number, number>;
}

test("in random walks with loss, joins, leaves and resumes, members see what is near, and nothing else", async () => {
  await assert(
    asyncProperty(integer({ min: 1, max: 1e6 }), async (seed) => {
      expect(await walk(seed)).toEqual([]);
    }),
    { numRuns: 3, endOnFailure: true },
  );
}, 120_000);

/** Returns what was wrong, in words. */
async function walk(seed: number): Promise<string[]> {
  const wrong: string[] = [];
  const random = seededRandom(seed);
  const between = (low: number, high: number): number => low + (high - low) * random.next();
  const stage = new RelayStage({
    delayMs: DELAY_MS,
    seed,
    network: { loss: { kind: "uniform", ratio: 0.02 } },
    rooms: { race: { maxPlayers: 100 } },
  });
  const all: Walking[] = [];
  const join = async (): Promise<void> => {
    const interest = { radiusM: RADIUS_M, cellM: CELL_M };
    const player = stage.player({}, { profile: "mmo", interest });
    const room = await stage.join(player);
    room.onSpawn(Walker, () => undefined);
    const mine = room.spawn(Walker, {
      position: { x: between(-FIELD_M, FIELD_M), y: between(-FIELD_M, FIELD_M) },
    });
    all.push({ room, player, mine, velocity: { x: 0, y: 0 }, nearSinceMs: new Map() });
  };
  while (all.length < 6) await join();
  let away: StagePlayer | undefined;
  let backAtStep = 0;
  for (let step = 0; step < STEPS; step++) {
    for (const [index, { room, mine, velocity }] of all.entries()) {
      // Longer than a heartbeat, so that nothing but the server tells of an entity soon after a resume.
      if ((step + 10 * index) % 70 === 0) [velocity.x, velocity.y] = [between(-20, 20), between(-20, 20)];
      const { x, y } = mine.position;
      const clamp = (value: number): number => Math.max(-FIELD_M, Math.min(FIELD_M, value));
      const seconds = STEP_MS / 1000;
      mine.position.set(clamp(x + velocity.x * seconds), clamp(y + velocity.y * seconds));
      room.advance();
    }
    if (step === 100) await join();
    if (step === 150) void all.splice(0, 1)[0]!.room.leave();
    if (step >= 200 && step % DROP_STEPS === 0) {
      away = all[(step / DROP_STEPS) % all.length]!.player;
      away.offline();
      backAtStep = step + Math.round(between(5, 40));
    }
    if (step === backAtStep) away?.online();
    await stage.advance(STEP_MS);
    for (const walking of all) wrong.push(...faultsOf(walking, all, stage.scheduler.nowMs()));
  }
  for (const { room } of all) void room.leave();
  await stage.advance(100);
  return wrong;
}

function faultsOf({ room, mine, nearSinceMs }: Walking, all: readonly Walking[], nowMs: number): string[] {
  const faults: string[] = [];
  const others = [...room.entities(Walker)].filter(({ isMine }) => !isMine);
  const owners = others.map((entity) => entity.owner!.number);
  if (new Set(owners).size < owners.length) faults.push(`twice at ${nowMs}: ${owners.join()}`);
  const distanceTo = ({ position }: Pick<Entity<typeof Walker>, "position">): number =>
    Math.hypot(position.x - mine.position.x, position.y - mine.position.y);
  for (const entity of others)
    // The view was measured up to a border ago, while this player walked on.
    if (distanceTo(entity) > FARTHEST_M + 3) faults.push(`too far at ${nowMs}: ${distanceTo(entity)} m`);
  for (const other of all) {
    const { myNumber } = other.room;
    if (other.room === room) continue;
    const isNear = distanceTo(other.mine) < 0.9 * RADIUS_M - 3;
    // Only a member without a link is excused. From the moment when it is back it has the same time as all.
    const isAway = room.state !== "joined" || other.room.state !== "joined";
    if (!isNear || isAway) {
      nearSinceMs.delete(myNumber);
      continue;
    }
    const sinceMs = nearSinceMs.get(myNumber) ?? nowMs;
    nearSinceMs.set(myNumber, sinceMs);
    if (nowMs - sinceMs > LATE_MS && !owners.includes(myNumber)) faults.push(`late at ${nowMs}: ${myNumber}`);
  }
  return faults;
}
