import { defineEntity, vec2, type OwnedEntity, type Room } from "@paceline/client";
import { seededRandom } from "@paceline/testkit";
import { expect, test } from "vitest";
import { RelayStage } from "./relay-stage.js";

const GROUP = 20;
const GROUP_DISTANCE_M = 1000;
const STEP_MS = 50;
const DELAY_MS = 20;

const Walker = defineEntity(
  "crowd-walker",
  { position: vec2({ range: [-10_000, 10_000], precision: 0.01, unit: "m" }) },
  { motion: "velocity" },
);

interface Crowd {
  /** Mean upload of a member, bytes a second. */
  readonly uploadBytes: number;
  /** Errors of what members see of those near, m, ascending. */
  readonly errorsM: readonly number[];
  /** Time until all members of another group see one who jumps there, ms. */
  readonly enteredMs: number;
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
  const walk = async (seconds: number, compares: boolean): Promise<void> => {
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
      await stage.advance(STEP_MS);
      if (!compares) continue;
      const seen = [...rooms[step % members]!.entities(Walker)].filter(({ isMine }) => !isMine);
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
  const comer = mine[0]!;
  const comerNumber = rooms[0]!.myNumber;
  comer.position.set(centres.at(-1)!, 5);
  rooms[0]!.advance();
  const startMs = stage.scheduler.nowMs();
  const last = rooms.filter((room, index) => centres[index] === centres.at(-1) && room !== rooms[0]);
  const sees = (room: Room): boolean =>
    [...room.entities(Walker)].some(
      ({ owner, position }) => owner?.number === comerNumber && Math.abs(position.x - centres.at(-1)!) < 1,
    );
  while (!last.every(sees) && stage.scheduler.nowMs() - startMs < 3000) await stage.advance(5);
  return {
    uploadBytes,
    errorsM: errorsM.toSorted((a, b) => a - b),
    enteredMs: stage.scheduler.nowMs() - startMs,
  };
}

test("a relayed room of 100 with 20 near each costs a member the upload of a room of 20", async () => {
  const [few, many] = [await crowd(GROUP), await crowd(100)];
  process.stdout.write(
    `${JSON.stringify({
      uploadBytesOf20: Math.round(few.uploadBytes),
      uploadBytesOf100: Math.round(many.uploadBytes),
      errorM: { p95: many.errorsM[Math.floor(many.errorsM.length * 0.95)], max: many.errorsM.at(-1) },
      enteredMs: many.enteredMs,
    })}\n`,
  );
  expect(many.uploadBytes).toBeLessThan(1.1 * few.uploadBytes);
  expect(many.errorsM.length).toBeGreaterThan(1000);
  expect(many.errorsM.at(-1)).toBeLessThan(0.5);
  // Both ways between two members, and the period of states.
  expect(many.enteredMs).toBeLessThanOrEqual(4 * DELAY_MS + 100);
}, 600_000);
