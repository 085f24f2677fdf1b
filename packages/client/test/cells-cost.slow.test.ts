import { defineEntity, vec2, type OwnedEntity, type Room } from "@paceline/client";
import { seededRandom } from "@paceline/testkit";
import { expect, test } from "vitest";
import { RelayStage } from "./relay-stage.js";

const GROUP = 20;
const GROUP_DISTANCE_M = 1000;
const STEP_MS = 50;
const TURN_MS = 5;
const DELAY_MS = 20;
/** Both ways between a member and the relay. */
const ROUND_TRIP_MS = 2 * DELAY_MS;
/** A state belongs to a tick of the profile, of which there are 10 a second. */
const TICK_MS = 100;
const JUMPS = 6;

const Walker = defineEntity(
  "crowd-walker",
  { position: vec2({ range: [-10_000, 10_000], precision: 0.01, unit: "m" }) },
  // What is near is compared with the truth of the same moment: interpolation shows half a second ago. The profile's
  // threshold, 0.6 m, is more than the error that is allowed here.
  { motion: "velocity", show: "extrapolate", threshold: { position: 0.1 } },
);

interface Crowd {
  /** Mean upload of a member, bytes a second. */
  readonly uploadBytes: number;
  /** Errors of what members see of those near, m, ascending. */
  readonly errorsM: readonly number[];
  /** Mean share of those within sight that a member sees. */
  readonly seenShare: number;
  /** Longest time until all members of a group see one who jumps there, and until that one sees all of them, ms. */
  readonly enteredMs: number;
  readonly arrivedMs: number;
}

/** All members come from one address. */
const limits = { matchBurstPerAddress: 1000, linkBurstPerAddress: 1000 };

/** Members in groups of 20 that are far from each other. Each walks, and turns every two seconds. */
async function crowd(members: number): Promise<Crowd> {
  const stage = new RelayStage({ delayMs: DELAY_MS, rooms: { race: { maxPlayers: 100 } }, limits });
  const random = seededRandom(members);
  const between = (low: number, high: number): number => low + (high - low) * random.next();
  const rooms: Room[] = [];
  const mine: OwnedEntity<typeof Walker>[] = [];
  const centres = Array.from({ length: members }, (_, index) => Math.floor(index / GROUP) * GROUP_DISTANCE_M);
  for (const centre of centres) {
    const room = await stage.join(stage.player({}, { profile: "mmo", interest: { radiusM: 80 } }));
    room.onSpawn(Walker, () => undefined);
    rooms.push(room);
    mine.push(room.spawn(Walker, { position: { x: centre + between(-20, 20), y: between(-20, 20) } }));
  }
  const velocities = mine.map(() => ({ x: 0, y: 0 }));
  const errorsM: number[] = [];
  let seenCount = 0;
  let nearCount = 0;
  /** Runs frames of all members, `onTurn` every 5 ms, until that returns true. */
  const walk = async (seconds: number, compares: boolean, onTurn = (): boolean => false): Promise<void> => {
    for (let step = 0; step < (seconds * 1000) / STEP_MS; step++) {
      for (const [index, { position }] of mine.entries()) {
        const velocity = velocities[index]!;
        if ((step + index) % 40 === 0) {
          velocity.x = between(-1.5, 1.5) + (centres[index]! - position.x) / 20;
          velocity.y = between(-1.5, 1.5) - position.y / 20;
        }
        position.set(position.x + velocity.x * (STEP_MS / 1000), position.y + velocity.y * (STEP_MS / 1000));
        rooms[index]!.advance();
      }
      for (let passedMs = 0; passedMs < STEP_MS; passedMs += TURN_MS) {
        await stage.advance(TURN_MS);
        if (onTurn()) return;
      }
      if (!compares) continue;
      const seen = [...rooms[step % members]!.entities(Walker)].filter(({ isMine }) => !isMine);
      seenCount += seen.length;
      nearCount += GROUP - 1;
      for (const { owner, shown } of seen) {
        const truth = mine[rooms.findIndex(({ myNumber }) => myNumber === owner!.number)]!.position;
        errorsM.push(Math.hypot(shown.position.x - truth.x, shown.position.y - truth.y));
      }
    }
  };
  await walk(2, false);
  const sent = (): number => rooms.reduce((sum, _, index) => sum + stage.bytesReceived(index), 0);
  const before = sent();
  await walk(5, true);
  const uploadBytes = (sent() - before) / members / 5;
  const numberOf = (index: number): number => rooms[index]!.myNumber;
  const sees = (viewer: number, index: number): boolean =>
    [...rooms[viewer]!.entities(Walker)].some(
      ({ owner, position }) =>
        owner?.number === numberOf(index) && Math.abs(position.x - centres[viewer]!) < GROUP_DISTANCE_M / 4,
    );
  let [enteredMs, arrivedMs] = [0, 0];
  for (let jump = 0; jump < JUMPS; jump++) {
    const away = centres[0] === 0 ? centres.at(-1)! : 0;
    // At different moments between two turns of its states.
    await walk(0.3 + 0.05 * jump, false);
    centres[0] = away;
    mine[0]!.position.set(away, 5);
    const there = centres.flatMap((centre, index) => (index !== 0 && centre === away ? [index] : []));
    const startMs = stage.scheduler.nowMs();
    const times: { entered?: number; arrived?: number } = {};
    await walk(3, false, () => {
      const sinceMs = stage.scheduler.nowMs() - startMs;
      if (there.every((viewer) => sees(viewer, 0))) times.entered ??= sinceMs;
      if (there.every((index) => sees(0, index))) times.arrived ??= sinceMs;
      return times.entered !== undefined && times.arrived !== undefined;
    });
    enteredMs = Math.max(enteredMs, times.entered ?? Infinity);
    arrivedMs = Math.max(arrivedMs, times.arrived ?? Infinity);
  }
  return {
    uploadBytes,
    errorsM: errorsM.toSorted((a, b) => a - b),
    seenShare: seenCount / nearCount,
    enteredMs,
    arrivedMs,
  };
}

test("a relayed room of 100 with 20 near each costs a member the upload of a room of 20", async () => {
  const [few, many] = [await crowd(GROUP), await crowd(100)];
  process.stdout.write(
    `${JSON.stringify({
      uploadBytesOf20: Math.round(few.uploadBytes),
      uploadBytesOf100: Math.round(many.uploadBytes),
      errorM: { p95: many.errorsM[Math.floor(many.errorsM.length * 0.95)], max: many.errorsM.at(-1) },
      seenShare: many.seenShare,
      enteredMs: many.enteredMs,
      arrivedMs: many.arrivedMs,
    })}\n`,
  );
  expect(many.uploadBytes).toBeLessThan(1.1 * few.uploadBytes);
  expect(many.errorsM.length).toBeGreaterThan(1000);
  expect(many.errorsM.at(-1)).toBeLessThan(0.5);
  expect(many.seenShare).toBe(1);
  expect(many.arrivedMs).toBeLessThanOrEqual(ROUND_TRIP_MS + TURN_MS);
  expect(many.enteredMs).toBeLessThanOrEqual(TICK_MS + ROUND_TRIP_MS + TURN_MS);
}, 600_000);
