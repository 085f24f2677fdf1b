import {
  bytes,
  defineEntity,
  enumOf,
  flag,
  group,
  int,
  list,
  quat,
  scalar,
  string,
  uint,
  vec2,
  vec3,
  type EntityDefinition,
  type Fields,
  type OwnedEntity,
  type Entity,
} from "@paceline/client";
import { describe, expect, test } from "vitest";
import { VirtualHub } from "./virtual-hub.js";

const FRAME_MS = 1000 / 60;

async function shared<F extends Fields>(definition: EntityDefinition<F>, participants: number) {
  const hub = new VirtualHub({ delayMs: 30, loss: { kind: "uniform", ratio: 0.05 } }, { startMs: 5000 });
  const [owner, ...others] = await hub.meet(participants);
  const mine: OwnedEntity<EntityDefinition<F>> = owner!.spawn(definition);
  const run = async (frames: number, step: (frame: number) => void = () => undefined): Promise<void> => {
    for (let frame = 0; frame < frames; frame++) {
      step(frame);
      owner!.advance();
      await hub.advance(FRAME_MS, FRAME_MS);
    }
  };
  const seen = (): Entity<EntityDefinition<F>>[] =>
    others.map(
      (room) => [...room.entities(definition)].find((each) => !each.isMine) as Entity<EntityDefinition<F>>,
    );
  seen();
  await run(30);
  return { mine, run, seen };
}

/** To one receiver, states are differences from acknowledged ones; to two, they are whole. */
describe.each([2, 3])("fields arrive in a room of %i", (participants) => {
  const Robot = defineEntity("robot", {
    place: vec3({ range: [-100, 100], precision: 0.01, unit: "m" }),
    facing: quat({ precision: 0.002, unit: "rad" }),
    mood: enumOf(["calm", "alert", "angry"]),
    ammo: uint({ range: [0, 500] }),
    lift: int({ range: [-20, 20] }),
    lamps: list(flag(), 4),
    gauges: list(scalar({ range: [0, 1], precision: 0.01 }), 3),
    arm: group({ bend: scalar({ range: [0, 2], precision: 0.1 }), isHolding: flag() }),
    name: string({ maxBytes: 24, default: "R" }),
    badge: bytes({ maxBytes: 8 }),
  });

  test("of every kind without motion, with their initial values and their changes", async () => {
    const { mine, run, seen } = await shared(Robot, participants);
    for (const robot of seen()) {
      expect([robot.mood, robot.ammo, robot.lift, robot.name]).toEqual(["calm", 0, 0, "R"]);
      expect([...robot.badge]).toEqual([]);
    }
    const half = Math.SQRT1_2;
    mine.place.set(1, 2, 3);
    mine.facing.set(0, 0, half, -half);
    mine.mood = "angry";
    mine.ammo = 317;
    mine.lift = -7;
    mine.lamps[2] = true;
    mine.gauges[1] = 0.5;
    mine.arm.bend = 1.5;
    mine.arm.isHolding = true;
    mine.name = "Žofie 🤖";
    mine.badge = Uint8Array.of(9, 0, 255);
    await run(120);
    for (const robot of seen()) {
      expect({ ...robot.place }).toMatchObject({ x: 1, y: 2, z: 3 });
      const { z, w } = robot.facing;
      // A quaternion with all signs changed is the same rotation.
      expect(Math.abs(z * half - w * half)).toBeCloseTo(1, 5);
      expect([robot.mood, robot.ammo, robot.lift, robot.name]).toEqual(["angry", 317, -7, "Žofie 🤖"]);
      expect([...robot.lamps]).toEqual([false, false, true, false]);
      expect([...robot.gauges].map((value) => Math.round(value * 100))).toEqual([0, 50, 0]);
      expect([Math.round(robot.arm.bend * 10), robot.arm.isHolding]).toEqual([15, true]);
      expect([...robot.badge]).toEqual([9, 0, 255]);
    }
  });

  test("after changes at every tick, with their last values", async () => {
    const { mine, run, seen } = await shared(Robot, participants);
    const moods = ["calm", "alert", "angry"] as const;
    await run(180, (frame) => {
      mine.ammo = (frame * 37) % 501;
      mine.mood = moods[frame % 3]!;
      mine.lamps[frame % 4] = frame % 3 === 0;
      if (frame % 20 === 0) mine.name = `robot ${frame}`;
    });
    await run(120);
    for (const robot of seen()) {
      expect([robot.ammo, robot.mood, robot.name]).toEqual([mine.ammo, mine.mood, "robot 160"]);
      expect([...robot.lamps]).toEqual([...mine.lamps]);
    }
  });

  test("except a derived velocity, which receivers compute", async () => {
    const Drone = defineEntity(
      "drone",
      {
        position: vec2({ range: [-1000, 1000], precision: 0.01, unit: "m" }),
        velocity: vec2({ range: [-50, 50], precision: 0.01, unit: "m/s", derivedFrom: "position" }),
      },
      { motion: "velocity" },
    );
    const { mine, run, seen } = await shared(Drone, participants);
    await run(240, (frame) => mine.position.set(frame / 6, -frame / 12));
    for (const drone of seen()) {
      expect(drone.velocity.x).toBeCloseTo(10, 0);
      expect(drone.velocity.y).toBeCloseTo(-5, 0);
      expect(Math.abs(drone.shown.position.x - mine.position.x)).toBeLessThan(0.5);
    }
  });
});
