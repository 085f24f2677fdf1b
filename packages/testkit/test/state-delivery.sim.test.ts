import {
  ReceiverGroup,
  angle,
  defineEntity,
  flag,
  int,
  vec3,
  type EntityDefinition,
  type EntityRows,
} from "@paceline/protocol";
import {
  NetworkSimulator,
  VirtualScheduler,
  seededRandom,
  type NetworkSettings,
  type Random,
} from "@paceline/testkit";
import { describe, expect, test } from "vitest";
import { StateWorld, type Receiver } from "./state-world.js";

const Car = defineEntity(
  "car",
  {
    position: vec3({ range: [-1000, 1000], precision: 0.01, unit: "m" }),
    velocity: vec3({ range: [-100, 100], precision: 0.01, unit: "m/s" }),
    heading: angle({ precision: 0.001, unit: "rad" }),
    steer: int({ range: [-127, 127] }),
    isBraking: flag(),
  },
  { motion: "turn" },
) as unknown as EntityDefinition;

const TICK_MS = 1000 / 30;

class Driver {
  readonly #random: Random;
  readonly #state = new Float64Array(Car.components.length);
  #steer = 0;

  constructor(random: Random) {
    this.#random = random;
    for (let axis = 0; axis < 3; axis++) this.#state[axis] = random.next() * 400 - 200;
    this.#state[6] = random.next() * 6;
  }

  step(): { values: Float64Array; texts: [] } {
    const state = this.#state;
    if (this.#random.bool(0.05)) this.#steer = this.#random.int(-1, 1);
    const heading = state[6]! + this.#steer * 0.05;
    const speed = 20;
    const [vx, vy] = [Math.cos(heading) * speed, Math.sin(heading) * speed];
    state.set([
      state[0]! + vx / 30,
      state[1]! + vy / 30,
      state[2]!,
      vx,
      vy,
      0,
      heading,
      this.#steer * 127,
      0,
    ]);
    for (let axis = 0; axis < 2; axis++) if (Math.abs(state[axis]!) > 900) state[axis] = 0;
    return { values: Float64Array.from(state), texts: [] };
  }
}

function seat(
  world: StateWorld,
  count: number,
  random: Random,
): { entities: EntityRows[]; step(tick: number): void } {
  const drivers = Array.from({ length: count }, () => new Driver(random));
  const entities = drivers.map((_, id) => world.history.spawn(id, world.plans[0]!));
  const step = (tick: number) => {
    for (const [index, entity] of entities.entries()) world.put(entity, tick, drivers[index]!.step());
  };
  return { entities, step };
}

function newestOf(receiver: Receiver): number[] {
  return [...receiver.reader.entities.values()].map(({ newest }) => newest);
}

test.each<[string, Partial<NetworkSettings>]>([
  ["perfect", {}],
  ["busy", { delayMs: 50, jitterMs: 5, loss: { kind: "uniform", ratio: 0.01 } }],
  ["short, lossy", { delayMs: 0.7, loss: { kind: "uniform", ratio: 0.05 } }],
])("acknowledged baselines over a %s path", (_name, settings) => {
  const random = seededRandom(7);
  const scheduler = new VirtualScheduler();
  const world = new StateWorld([Car]);
  const { entities, step } = seat(world, 8, random);
  const sender = world.sender();
  const receiver = world.receiver();
  const back = new NetworkSimulator({
    scheduler,
    random,
    settings,
    deliver: (packet) => sender.acknowledge(packet[0]! | (packet[1]! << 8)),
  });
  const forth = new NetworkSimulator({
    scheduler,
    random,
    settings,
    deliver: (packet) => {
      if (receiver.take(packet.subarray(4), packet[2]! | (packet[3]! << 8))) back.send(packet.slice(0, 2));
    },
  });
  let sequence = 0;
  let bytes = 0;
  for (let tick = 0; tick < 600; tick++) {
    scheduler.after(tick * TICK_MS, () => {
      step(tick);
      sender.write(tick, entities, ({ body }) => {
        sequence = (sequence + 1) & 0xffff;
        if (tick >= 60) bytes += body.length;
        forth.send(Uint8Array.of(sequence & 255, sequence >> 8, tick & 255, tick >> 8, ...body));
        return sequence;
      });
    });
  }
  scheduler.advance(600 * TICK_MS + 1000);
  expect(receiver.drops).toEqual([]);
  expect(receiver.desyncs).toEqual([]);
  expect(Math.min(...newestOf(receiver))).toBeGreaterThan(590);
  // Whole states would take 8 cars * 22 bytes, so nearly all were sent as differences.
  expect(bytes / 540).toBeLessThan(60);
});

describe("what entities do", () => {
  const deliver = (world: StateWorld, receiver: Receiver, tick: number, entities: readonly EntityRows[]) => {
    const sender = world.sender();
    sender.write(tick, entities, ({ body }) => (receiver.take(body.slice(), tick), tick));
  };

  /** A sender and a receiver of two cars, whose packets wait in `bodies`. */
  const twoCars = () => {
    const world = new StateWorld([Car]);
    const sender = world.sender();
    const bodies: Uint8Array[] = [];
    const write = (tick: number, of: readonly EntityRows[]) =>
      sender.write(tick, of, ({ body }) => (bodies.push(body.slice()), tick));
    return { world, receiver: world.receiver(), sender, bodies, write, ...seat(world, 2, seededRandom(2)) };
  };

  test("a thousand of them fit packets of 1184 bytes, none left out", () => {
    const world = new StateWorld([Car]);
    const { entities, step } = seat(world, 1000, seededRandom(1));
    const receiver = world.receiver();
    const sender = world.sender();
    for (let tick = 0; tick < 3; tick++) {
      step(tick);
      let sequence = tick * 100;
      sender.write(tick, entities, ({ body }) => {
        expect(body.length).toBeLessThanOrEqual(1184);
        receiver.take(body.slice(), tick);
        return sequence++;
      });
      for (let of = tick * 100; of < sequence; of++) sender.acknowledge(of);
      expect(receiver.states.length).toBe(1000 * (tick + 1));
    }
    expect(receiver.drops).toEqual([]);
  });

  test("removals hold even if the states of their packet lack their baselines", () => {
    const { world, receiver, sender, entities, step, bodies, write } = twoCars();
    step(0);
    write(0, entities);
    expect(receiver.take(bodies[0]!, 0)).toBe(true);
    step(1);
    write(1, entities);
    sender.acknowledge(1);
    world.history.remove(1);
    sender.remove(entities[1]!);
    world.put(entities[0]!, 2, new Driver(seededRandom(3)).step());
    write(2, [entities[0]!]);
    expect(receiver.take(bodies[2]!, 2)).toBe(false);
    expect([receiver.drops, receiver.removed]).toEqual([["no-baseline"], [1]]);
  });

  test("removals are told until acknowledged, and late states do not bring an entity back", () => {
    const { world, receiver, sender, entities, step, bodies, write } = twoCars();
    step(0);
    write(0, entities);
    step(1);
    write(1, entities);
    world.history.remove(1);
    sender.remove(entities[1]!);
    world.put(entities[0]!, 2, new Driver(seededRandom(3)).step());
    write(2, [entities[0]!]);
    world.put(entities[0]!, 3, new Driver(seededRandom(3)).step());
    write(3, [entities[0]!]);
    expect(receiver.take(bodies[0]!, 0)).toBe(true);
    expect(receiver.take(bodies[2]!, 2)).toBe(true);
    expect(receiver.removed).toEqual([1]);
    // The late packet's other state is taken, and becomes a baseline.
    expect(receiver.take(bodies[1]!, 1)).toBe(true);
    expect([...receiver.reader.entities.keys()]).toEqual([0]);
    sender.acknowledge(1);
    world.put(entities[0]!, 5, new Driver(seededRandom(3)).step());
    write(5, [entities[0]!]);
    expect(receiver.take(bodies.pop()!, 5)).toBe(true);
    sender.acknowledge(2);
    expect(receiver.take(bodies[3]!, 3)).toBe(true);
    expect([...receiver.reader.entities.keys()]).toEqual([0]);
    bodies.length = 0;
    world.put(entities[0]!, 4, new Driver(seededRandom(3)).step());
    write(4, [entities[0]!]);
    expect(receiver.take(bodies[0]!, 4)).toBe(true);
    expect(receiver.removed).toEqual([1]);
  });

  test("a new owner and a teleport are told", () => {
    const world = new StateWorld([Car]);
    const { entities, step } = seat(world, 1, seededRandom(4));
    const receiver = world.receiver();
    step(0);
    deliver(world, receiver, 0, entities);
    world.history.setOwner(0, 77);
    step(1);
    deliver(world, receiver, 1, entities);
    world.history.teleport(0);
    step(2);
    deliver(world, receiver, 2, entities);
    expect(receiver.owners).toEqual([77]);
    expect(receiver.teleported).toEqual([0]);
  });

  test("a state goes whole when its baseline is gone", () => {
    const world = new StateWorld([Car], 8);
    const { entities, step } = seat(world, 1, seededRandom(5));
    const receiver = world.receiver();
    const sender = world.sender();
    for (let tick = 0; tick < 40; tick++) {
      step(tick);
      sender.write(tick, entities, ({ body }) => {
        if (tick % 13 === 0) receiver.take(body.slice(), tick);
        return tick;
      });
      if (tick % 13 === 0) sender.acknowledge(tick);
    }
    expect(receiver.states).toEqual(["0@0", "0@13", "0@26", "0@39"]);
  });

  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
    "a bit flipped at the receiver, in column %i, is noticed and heals",
    (flipped) => {
      const world = new StateWorld([Car]);
      const { entities, step } = seat(world, 2, seededRandom(6));
      const receiver = world.receiver();
      const quiet = {
        onState: () => undefined,
        onRemoved: () => undefined,
        onDesync: receiver.onDesync.bind(receiver),
      };
      const sender = world.sender();
      let undecodable = 0;
      for (let tick = 1; tick < 200; tick++) {
        step(tick);
        sender.write(tick, entities, ({ body }) => {
          // Gives the receiver at once what it would request over the network.
          if (receiver.reader.read(body.slice(), tick, quiet) !== undefined) undecodable += 1;
          return tick;
        });
        if (undecodable === 1) sender.restart();
        else sender.acknowledge(tick);
        if (tick === 20)
          receiver.reader.entities.get(1)!.rows[receiver.reader.entities.get(1)!.find(20) + 2 + flipped]! ^=
            1;
        if (receiver.desyncs.length === 1) sender.resync(entities[1]!);
      }
      expect(receiver.desyncs.length + undecodable).toBeLessThanOrEqual(2);
      const held = receiver.reader.entities.get(1)!;
      const [at, from] = [held.find(199), entities[1]!.find(199)];
      expect(held.rows.slice(at, at + held.plan.width)).toEqual(
        entities[1]!.rows.slice(from, from + held.plan.width),
      );
    },
  );
});

test("one encoding for all who may lose it: whole states, which one who joins in the middle can read, too", () => {
  const world = new StateWorld([Car]);
  const { entities, step } = seat(world, 8, seededRandom(8));
  const random = seededRandom(9);
  const group = new ReceiverGroup({ writer: world.writer });
  const receivers = [world.receiver(), world.receiver()];
  for (let tick = 0; tick < 300; tick++) {
    step(tick);
    if (tick === 150) receivers.push(world.receiver());
    group.startWhole(tick, entities);
    for (let states = group.next(); states; states = group.next()) {
      expect(states.receivers).toEqual([]);
      const { body } = states;
      for (const receiver of receivers.filter(() => !random.bool(0.2))) receiver.take(body.slice(), tick);
    }
  }
  for (const receiver of receivers) {
    expect(receiver.drops).toEqual([]);
    expect(Math.min(...newestOf(receiver))).toBeGreaterThan(290);
  }
});
