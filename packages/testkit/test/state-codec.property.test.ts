import {
  defineEntity,
  planState,
  quantise,
  quat,
  restore,
  uint,
  type EntityDefinition,
} from "@paceline/protocol";
import { definitionArbitrary, stateArbitrary, walkArbitrary, type DrawnState } from "@paceline/testkit";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { StateWorld, TICK_HZ } from "./state-world.js";

/** Returns the angle between two rotations, by the vector part of their quotient. */
function turnBetween(a: ArrayLike<number>, b: ArrayLike<number>, at: number): number {
  const unit = (q: ArrayLike<number>) => {
    const four = [q[at]!, q[at + 1]!, q[at + 2]!, q[at + 3]!];
    const length = Math.hypot(...four);
    return four.map((value) => value / length);
  };
  const [ax, ay, az, aw] = unit(a) as [number, number, number, number];
  const [bx, by, bz, bw] = unit(b) as [number, number, number, number];
  const x = aw * -bx + ax * bw + ay * -bz - az * -by;
  const y = aw * -by - ax * -bz + ay * bw + az * -bx;
  const z = aw * -bz + ax * -by - ay * -bx + az * bw;
  return 2 * Math.asin(Math.min(1, Math.hypot(x, y, z)));
}

/** Returns the worst error of a component in half steps. Integers, flags and names must be exact. */
function worstError(definition: EntityDefinition, sent: ArrayLike<number>, got: Float64Array): number {
  const errors = definition.components.map(({ name, kind, precision, isSent }, index) => {
    if (!isSent) return 0;
    const apart = got[index]! - sent[index]!;
    if (kind === "quat") return name.endsWith(".x") ? turnBetween(sent, got, index) / (precision / 2) : 0;
    if (kind === "angle") return Math.abs(Math.atan2(Math.sin(apart), Math.cos(apart))) / (precision / 2);
    if (kind === "number") return Math.abs(apart) / (precision / 2);
    return apart === 0 ? 0 : Number.POSITIVE_INFINITY;
  });
  return Math.max(0, ...errors);
}

const ROUNDING = 1e-6;

const definitionAndState = definitionArbitrary().chain((definition) =>
  fc.tuple(fc.constant(definition), stateArbitrary(definition)),
);

test("every field comes back within half a step, and in range", () => {
  fc.assert(
    fc.property(definitionAndState, ([definition, { values }]) => {
      const plan = planState(definition, { tickHz: TICK_HZ });
      const row = new Int32Array(plan.width);
      quantise(plan, values, row, 0);
      const got = new Float64Array(definition.components.length);
      restore(plan, row, 0, got);
      expect(worstError(definition, values, got)).toBeLessThanOrEqual(1 + ROUNDING);
      const outside = definition.components.filter(
        ({ min, max, isSent }, index) => isSent && !(got[index]! >= min && got[index]! <= max),
      );
      expect(outside).toEqual([]);
      const again = new Int32Array(plan.width);
      quantise(plan, got, again, 0);
      const back = new Float64Array(definition.components.length);
      restore(plan, again, 0, back);
      expect(worstError(definition, got, back)).toBeLessThanOrEqual(1 + ROUNDING);
    }),
    { numRuns: 300 },
  );
});

test("an orientation whose columns would all be rounded up comes back within half a step, too", () => {
  const definition = defineEntity("drone", { orientation: quat({ precision: 0.3, unit: "rad" }) });
  const plan = planState(definition, { tickHz: TICK_HZ });
  const [row, got] = [new Int32Array(plan.width), new Float64Array(4)];
  for (const side of [0.4972, 0.498, 0.499, 0.4999]) {
    const values = [side, side, side, Math.sqrt(1 - 3 * side * side)];
    quantise(plan, values, row, 0);
    restore(plan, row, 0, got);
    expect(worstError(definition, values, got)).toBeLessThanOrEqual(1);
  }
});

const TICKS = 24;
const ENTITIES = 5;
interface Script {
  readonly definition: EntityDefinition;
  /** True: an entity has a state at each tick, also if it is not sent. */
  readonly isDense: boolean;
  readonly walks: readonly DrawnState[][];
  /**
   * Fate of the packet of each tick: lost or not, its delay and that of its acknowledgement in ticks, and
   * whether it comes twice.
   */
  readonly fates: readonly { lost: boolean; delay: number; ackDelay: number; twice: boolean; due: number }[];
}

const steps = defineEntity("bar", { health: uint({ range: [0, 100] }) }) as unknown as EntityDefinition;

const script: fc.Arbitrary<Script> = fc.oneof(definitionArbitrary(), fc.constant(steps)).chain((definition) =>
  fc.record({
    definition: fc.constant(definition),
    isDense: fc.boolean(),
    walks: fc.array(walkArbitrary(definition, TICKS), { minLength: ENTITIES, maxLength: ENTITIES }),
    fates: fc.array(
      fc.record({
        lost: fc.boolean(),
        delay: fc.integer({ min: 0, max: 4 }),
        ackDelay: fc.integer({ min: 0, max: 6 }),
        twice: fc.boolean(),
        due: fc.integer({ min: 0, max: 2 ** ENTITIES - 1 }),
      }),
      { minLength: TICKS, maxLength: TICKS },
    ),
  }),
);

test("sender and receiver stay in step under loss, delay, reordering, duplication and any choice of entities", () => {
  fc.assert(
    fc.property(
      script,
      fc.constantFrom(4, 64),
      fc.constantFrom(60, 1184),
      ({ definition, isDense, walks, fates }, depth, max) => {
        const world = new StateWorld([definition], depth);
        const receiver = world.receiver();
        const sender = world.sender(max);
        const entities = walks.map((_, index) => world.history.spawn(index * 3, world.plans[0]!));
        const arrivals: { at: number; sequence: number; body: Uint8Array; tick: number; ackAt: number }[] =
          [];
        const acks: { at: number; sequence: number }[] = [];
        let sequence = 65_530;
        for (let tick = 0; tick < TICKS; tick++) {
          const fate = fates[tick]!;
          for (const ack of acks.filter(({ at }) => at === tick)) sender.acknowledge(ack.sequence);
          const due = entities.filter((_, index) => fate.due & (1 << index)).toReversed();
          for (const [index, entity] of entities.entries())
            if (isDense || due.includes(entity)) world.put(entity, tick, walks[index]![tick]!);
          sender.write(tick, due, ({ body }) => {
            sequence = (sequence + 1) & 0xffff;
            const arrival = { sequence, body: body.slice(), tick, ackAt: fate.ackDelay };
            if (!fate.lost) arrivals.push({ ...arrival, at: tick + fate.delay });
            if (fate.twice) arrivals.push({ ...arrival, at: tick + fate.delay + 1 });
            return sequence;
          });
          for (const { body, sequence: of, tick: sent, ackAt } of arrivals.filter(({ at }) => at === tick)) {
            if (receiver.take(body, sent)) acks.push({ at: tick + 1 + ackAt, sequence: of });
          }
        }
        // A receiver may lack a baseline only if the history is so short that the packet overtook a late one.
        expect(receiver.drops.filter((reason) => depth > 4 || reason !== "no-baseline")).toEqual([]);
        expect(receiver.desyncs).toEqual([]);
      },
    ),
    { numRuns: 150 },
  );
});
