import {
  angle,
  defineEntity,
  scalar,
  vec2,
  vec3,
  type Entity,
  type EntityDefinition,
} from "@paceline/client";
import { VirtualScheduler } from "@paceline/testkit";
import { DropCounters } from "@paceline/transport";
import * as fc from "fast-check";
import { beforeAll, expect, test, vi } from "vitest";
import { doors } from "../src/doors/doors.js";
import { loadMotion } from "../src/entities/motion.js";
import { RemoteEntities } from "../src/modes/mesh/remote-entities.js";
import { RoomListeners } from "../src/modes/room-listeners.js";
import { RawStates } from "./raw-states.js";

const RANGE = 100;
const MAX_SPEED = 200;
const range = [-RANGE, RANGE] as const;
const position = vec2({ range, precision: 0.01, unit: "m" });
const velocity = vec2({ range: [-MAX_SPEED, MAX_SPEED], precision: 0.01, unit: "m/s" });
const acceleration = vec2({ range: [-50, 50], precision: 0.1, unit: "m/s²" });
const heading = angle({ precision: 0.01, unit: "rad" });
const fuel = scalar({ range: [0, 1], precision: 0.01 });
const fields = { position, velocity, acceleration, heading, fuel };
const solid = { position: vec3({ range, precision: 0.01, unit: "m" }), fuel };

const kinds: Record<string, unknown> = {
  hold: defineEntity("k", { position, fuel }),
  velocity: defineEntity("k", { position, velocity, fuel }, { motion: "velocity" }),
  acceleration: defineEntity("k", fields, { motion: "acceleration" }),
  turn: defineEntity("k", fields, { motion: "turn" }),
  "derived rates in 3 dimensions": defineEntity("k", solid, { motion: "acceleration" }),
  history: defineEntity("k", { position, heading, fuel }, { motion: "history" }),
  step: defineEntity("k", { position, velocity, fuel }, {
    motion: "step",
    step: (
      state: { position: { x: number; y: number }; velocity: { x: number }; fuel: number },
      seconds: number,
    ) => {
      state.position.x += 400 * seconds;
      state.position.y -= 400 * seconds;
      state.velocity.x += 1000 * seconds;
      state.fuel -= 4 * seconds;
    },
  } as never),
  interpolated: defineEntity("k", { position, velocity, fuel }, { motion: "velocity", show: "interpolate" }),
};

beforeAll(async () => {
  await loadMotion(doors, ["turn"]);
  await import("../src/doors/interpolation.js");
});

/** One entity of a peer, and what a game reads of it. */
async function remoteOf(definition: EntityDefinition, isSteady = false) {
  const clock = new VirtualScheduler({ startMs: 10_000 });
  const listeners = new RoomListeners();
  listeners.use(definition);
  const view = {
    isInterpolated: false,
    extrapolationLimitMs: 500,
    interpolationDelayMs: 100,
    intervalMs: 50,
    lagMs: 100,
    loadInterpolation: () => import("../src/doors/interpolation.js"),
  };
  const loadColumns = () => import("../src/doors/columns.js");
  const owner = {
    number: 3,
    sessionNumber: 3,
    rttMs: 20,
    trySend: () => true,
    takeStates: () => true,
    chargeItems: () => undefined,
  };
  const entities = new RemoteEntities(
    { scheduler: clock, listeners, drops: new DropCounters(), view, loadColumns },
    owner as never,
  );
  const states = new RawStates(definition, 0, { isSteady });
  entities.announce(states.announcement());
  const receive = (tick: number, values: readonly number[]): void =>
    void entities.receive(states.body(tick, [0, ...values]), tick, () => undefined);
  const shown = (): Record<string, number> => {
    const [entity] = entities.store.ofKind(definition) as Iterable<Entity>;
    const fieldsShown = entity!.shown as Record<string, number | Record<"x" | "y" | "z", number>>;
    const numbers: Record<string, number> = {};
    for (const { name } of definition.components.filter(({ isSent }) => isSent)) {
      const [field, axis] = name.split(".") as [string, "x" | undefined];
      numbers[name] = axis ? (fieldsShown[field] as { x: number })[axis] : (fieldsShown[field] as number);
    }
    return numbers;
  };
  return { clock, receive, shown };
}

/** Returns the shown numbers that are out of their ranges. */
function outsideOf({ components }: EntityDefinition, seen: Readonly<Record<string, number>>): string[] {
  return components
    .filter(({ name, min, max }) => seen[name]! < Math.fround(min) || seen[name]! > Math.fround(max))
    .map(({ name }) => `${name} ${seen[name]}`);
}

/** A number within a range, often at one of its ends. */
const within = (min: number, max: number): fc.Arbitrary<number> =>
  fc.oneof(fc.constantFrom(min, max), fc.double({ min, max, noNaN: true }));

test.each(Object.entries(kinds))(
  "what is shown of a remote entity stays in its ranges: %s",
  async (_, kind) => {
    const definition = kind as EntityDefinition;
    // A peer may send any rates.
    const values = fc.tuple(
      ...definition.components.map(({ min, max }) => within(Math.max(min, -300), Math.min(max, 300))),
    );
    const news = fc.record({
      values,
      ticks: fc.integer({ min: 1, max: 30 }),
      looks: fc.integer({ min: 1, max: 6 }),
    });
    await vi.dynamicImportSettled();
    const outside: string[] = [];
    await fc.assert(
      fc.asyncProperty(fc.array(news, { minLength: 2, maxLength: 12 }), async (all) => {
        const { clock, receive, shown } = await remoteOf(definition);
        let tick = 600;
        for (const { values: state, ticks, looks } of all) {
          receive(tick, state);
          await Promise.resolve();
          tick += ticks;
          for (let look = 0; look < looks; look++) {
            const seen = shown();
            outside.push(...outsideOf(definition, seen));
            clock.advance((ticks * 1000) / 60 / looks);
          }
        }
        expect(outside).toEqual([]);
      }),
      { numRuns: 60, seed: 7 },
    );
  },
);

test.each(["velocity", "interpolated"])(
  "what is shown moves on along the border without a jump: %s",
  async (name) => {
    const definition = kinds[name] as EntityDefinition;
    const { clock, receive, shown } = await remoteOf(definition, true);
    const FRAME_MS = 1000 / 240;
    // Until then the estimates of time and delay settle.
    const WARM_UP_FRAMES = 600;
    const SPEED = 30;
    const CORRECTION_SPEED = 9;
    let last: number | undefined;
    let longest = 0;
    let isAtBorder = false;
    for (let frame = 0; frame < 1200; frame++) {
      const seconds = frame / 240;
      // Its states keep a velocity that leads out, as of a car that pushes against a wall.
      if (frame % 24 === 0) receive(600 + frame / 4, [Math.min(RANGE, seconds * SPEED), 0, SPEED, 0, 1]);
      const now = shown()["position.x"]!;
      // The code of interpolation is fetched at the first look.
      if (frame === 0) await vi.dynamicImportSettled();
      if (last !== undefined && frame > WARM_UP_FRAMES) longest = Math.max(longest, Math.abs(now - last));
      isAtBorder ||= Math.abs(now) === RANGE;
      last = now;
      clock.advance(FRAME_MS);
    }
    expect(isAtBorder).toBe(true);
    // Its own speed, that of a correction, and half as much again.
    expect(longest).toBeLessThan(((SPEED + CORRECTION_SPEED) * 1.5 * FRAME_MS) / 1000);
  },
);
