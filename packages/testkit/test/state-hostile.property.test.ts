import {
  SnapshotWriter,
  SnapshotReader,
  dropReasons,
  restore,
  type DropReason,
  type EntityDefinition,
  type SnapshotListener,
} from "@paceline/protocol";
import { definitionArbitrary, seededRandom, walkArbitrary, type Random } from "@paceline/testkit";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { StateWorld } from "./state-world.js";

/** Number of packets. For a long run: PACELINE_FUZZ_PACKETS=1000000. */
const PACKETS = Number(process.env.PACELINE_FUZZ_PACKETS ?? 50_000);
const WORLDS = 25;
const TICKS = 6;

function mutated(body: Uint8Array, random: Random): Uint8Array {
  const kind = random.int(0, 4);
  if (kind === 0) return body.slice(0, random.int(0, body.length));
  if (kind === 1) return Uint8Array.of(...body, ...random.bytes(random.int(1, 40)));
  if (kind === 2) return random.bytes(random.int(0, 1200));
  const copy = body.slice();
  for (let count = random.int(1, 4); count > 0 && copy.length > 0; count--) {
    copy[random.int(0, copy.length - 1)]! ^= 1 << random.int(0, 7);
  }
  return copy;
}

/** Checks every state that the reader accepts. */
function watching(definition: EntityDefinition): SnapshotListener & { taken: number } {
  const values = new Float64Array(definition.components.length);
  return {
    taken: 0,
    onState(entity, _tick, place) {
      this.taken += 1;
      restore(entity.plan, entity.rows, place, values);
      for (const [index, { min, max, isSent, kind }] of definition.components.entries()) {
        const value = values[index]!;
        const isFine = kind === "quat" ? value >= -1 && value <= 1 : value >= min && value <= max;
        if (isSent && !isFine) throw new Error(`${definition.components[index]!.name}: ${value}`);
      }
    },
    onRemoved: () => undefined,
    onDesync: () => undefined,
  };
}

/** Gives a reader all packets but the last. */
function warmed(
  reader: SnapshotReader,
  bodies: readonly Uint8Array[],
  listener: SnapshotListener,
): SnapshotReader {
  for (const [tick, body] of bodies.slice(0, TICKS - 1).entries()) reader.read(body, tick, listener);
  return reader;
}

test(
  `${PACKETS} mutated packets: none throws, none brings a value that is out of range`,
  { timeout: 3_600_000 },
  () => {
    const drawn = fc.sample(
      definitionArbitrary().chain((definition) =>
        fc.tuple(fc.constant(definition), walkArbitrary(definition, TICKS)),
      ),
      { numRuns: WORLDS, seed: 11 },
    );
    const random = seededRandom(12);
    const outcomes = new Map<DropReason | undefined, number>();
    for (const [definition, walk] of drawn) {
      const world = new StateWorld([definition], 64);
      const sender = world.sender();
      const entities = [0, 1, 2, 9].map((id) => world.history.spawn(id, world.plans[0]!));
      const bodies: Uint8Array[] = [];
      for (const [tick, state] of walk.entries()) {
        for (const entity of entities) world.put(entity, tick, state);
        sender.write(tick, entities, ({ body }) => (bodies.push(body.slice()), tick));
        sender.acknowledge(tick);
      }
      const limits = { plans: world.plans, historyTicks: 64, maxEntities: 64 };
      const fresh = () => new SnapshotReader(limits);
      const listener = watching(definition);
      let reader = fresh();
      for (let count = 0; count < PACKETS / WORLDS; count++) {
        if (count % 50 === 0) reader = warmed(fresh(), bodies, listener);
        const body = random.bool(0.5) ? bodies[TICKS - 1]! : bodies[0]!;
        const reason = reader.read(mutated(body, random), random.int(0, 9), listener);
        outcomes.set(reason, (outcomes.get(reason) ?? 0) + 1);
        expect(reader.entities.size).toBeLessThanOrEqual(64);
      }
    }
    const taken = outcomes.get(undefined) ?? 0;
    outcomes.delete(undefined);
    expect([...outcomes.keys()].filter((reason) => !dropReasons.includes(reason!))).toEqual([]);
    expect([...outcomes.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(taken);
  },
);

test("acknowledgements from the future or of nothing change nothing", () => {
  const [definition, walk] = fc.sample(
    definitionArbitrary().chain((drawn) => fc.tuple(fc.constant(drawn), walkArbitrary(drawn, 3))),
    { numRuns: 1, seed: 4 },
  )[0]!;
  const world = new StateWorld([definition]);
  const receiver = world.receiver();
  const sender = world.sender();
  const entity = world.history.spawn(1, world.plans[0]!);
  for (const [tick, state] of walk.entries()) {
    world.put(entity, tick, state);
    sender.write(tick, [entity], ({ body }) => (receiver.take(body.slice(), tick), tick));
    for (const wrong of [60_000, tick + 1, 1e9, -1, Number.NaN]) sender.acknowledge(wrong);
  }
  expect(receiver.drops).toEqual([]);
  expect(world.writer).toBeInstanceOf(SnapshotWriter);
});
