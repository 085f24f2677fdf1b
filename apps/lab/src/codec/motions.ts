import {
  angle,
  defineEntity,
  flag,
  int,
  quat,
  scalar,
  uint,
  vec2,
  vec3,
  type EntityDefinition,
} from "@paceline/protocol";
import { seededRandom, type Random } from "@paceline/testkit";
import { generateTrace } from "./generated-trace.js";

/** Moving entities of one kind, from which the codec's tables are made. */
export interface Motion {
  readonly definition: EntityDefinition;
  readonly hz: number;
  readonly frames: readonly (readonly Float64Array[])[];
}

const SECONDS = 30;
const ENTITIES = 8;
const range = [-4000, 4000] as const;
const rates = [-400, 400] as const;

/** Returns every kind of motion at several precisions and rates, so that the tables suit any unit. */
export function motions(): Motion[] {
  return [
    ...[0.05, 0.01, 0.002].map((precision, index) => cars(21 + index, precision)),
    ...[0.05, 0.01, 0.002].map((precision, index) => bodies(31 + index, precision, 20 + index * 20)),
    ...[0.1, 0.01].map((precision, index) => pointers(41 + index, precision)),
    counters(51),
    sticks(61),
  ];
}

interface Script<State> {
  readonly definition: EntityDefinition;
  readonly hz: number;
  readonly seed: number;
  readonly make: (index: number) => State;
  readonly step: (state: State, tick: number, random: Random) => void;
  readonly values: (state: State) => readonly number[];
}

function play<State>({ definition, hz, seed, make, step, values }: Script<State>): Motion {
  const random = seededRandom(seed);
  const states = Array.from({ length: ENTITIES }, (_, index) => make(index));
  const frames = Array.from({ length: SECONDS * hz }, (_, tick) => {
    for (const state of states) step(state, tick, random);
    return states.map((state) => Float64Array.from(values(state)));
  });
  return { definition, hz, frames };
}

function cars(seed: number, precision: number): Motion {
  const { hz, frames } = generateTrace(seed, SECONDS);
  const definition = defineEntity(
    "car",
    {
      position: vec3({ range, precision, unit: "m" }),
      velocity: vec3({ range: rates, precision, unit: "m/s" }),
      heading: angle({ precision: precision / 60, unit: "rad" }),
      attitude: quat({ precision: precision / 2, unit: "rad" }),
      steer: int({ range: [-127, 127] }),
      throttle: int({ range: [-127, 127] }),
      flags: uint({ range: [0, 255] }),
    },
    { motion: "acceleration" },
  );
  const valuesOf = (car: (typeof frames)[number][number]) => [
    ...[car.x, car.y, car.z, car.vx, car.vy, car.vz, car.heading],
    ...[...car.quat, car.steer, car.throttle, car.flags],
  ];
  return {
    definition,
    hz,
    frames: frames.map((frame) => frame.map((car) => Float64Array.from(valuesOf(car)))),
  };
}

interface Slide {
  at: number;
  speed: number;
  push: number;
}

/** Returns bodies that are pushed, fall, bounce, brake and rest. */
function bodies(seed: number, precision: number, hz: number): Motion {
  return play({
    seed,
    hz,
    definition: defineEntity(
      "body",
      {
        position: vec3({ range, precision, unit: "m" }),
        velocity: vec3({ range: rates, precision, unit: "m/s" }),
        heading: angle({ precision: precision / 30, unit: "rad" }),
        load: scalar({ range: [0, 1], precision: 0.01 }),
      },
      { motion: "acceleration" },
    ),
    make: () => ({ x: slide(), y: slide(), z: slide(), turn: 0, heading: 0, load: 0 }),
    step: (body, _tick, random) => {
      for (const axis of [body.x, body.y]) push(axis, random, hz);
      if (random.bool(0.02)) for (const axis of [body.x, body.y, body.z]) axis.speed += random.normal(0, 3);
      if (random.bool(0.01) && body.z.at === 0) body.z.speed = 5;
      fall(body.z, hz);
      if (random.bool(0.03)) body.turn = random.bool(0.4) ? 0 : random.normal(0, 2);
      body.heading += body.turn / hz;
      if (random.bool(0.01)) body.load = random.next();
    },
    values: ({ x, y, z, heading, load }) => [x.at, y.at, z.at, x.speed, y.speed, z.speed, heading, load],
  });
}

function slide(): Slide {
  return { at: 0, speed: 0, push: 0 };
}

function push(axis: Slide, random: Random, hz: number): void {
  if (random.bool(0.06)) axis.push = random.bool(0.3) ? 0 : random.normal(0, 8);
  axis.speed += (axis.push + random.normal(0, 0.3) - axis.speed * 0.4) / hz;
  axis.at += axis.speed / hz;
  if (Math.abs(axis.at) > 100) axis.speed *= -0.7;
}

function fall(axis: Slide, hz: number): void {
  if (axis.at === 0 && axis.speed <= 0) return;
  axis.speed -= 9 / hz;
  axis.at += axis.speed / hz;
  if (axis.at >= 0) return;
  axis.at = 0;
  axis.speed = axis.speed < -2 ? -axis.speed * 0.5 : 0;
}

/** Returns positions without a velocity: pointing hands and random walks. */
function pointers(seed: number, precision: number): Motion {
  return play({
    seed,
    hz: 30,
    definition: defineEntity("pointer", {
      at: vec2({ range, precision, unit: "m" }),
      chance: int({ range: [-30_000, 30_000] }),
      drift: scalar({ range, precision }),
    }),
    make: () => ({ from: [0, 0], to: [0, 0], startTick: 0, ticks: 1, share: 1, chance: 0, drift: 0 }),
    step: (hand, tick, random) => {
      const done = Math.min(1, (tick - hand.startTick) / hand.ticks);
      hand.share = done * done * done * (10 - 15 * done + 6 * done * done);
      if (done === 1 && random.bool(0.05)) {
        hand.from = hand.to;
        hand.to = [random.normal(0, 30), random.normal(0, 30)];
        hand.share = 0;
        hand.startTick = tick;
        hand.ticks = random.int(4, 40);
      }
      hand.chance += random.int(-3, 3);
      hand.drift += random.normal(0, 0.05);
    },
    values: ({ from, to, share, chance, drift }) => [
      ...[0, 1].map((axis) => from[axis]! + (to[axis]! - from[axis]!) * share),
      chance,
      drift,
    ],
  });
}

/** Returns numbers that hold and step: health, counters, pieces on a board, switches. */
function counters(seed: number): Motion {
  return play({
    seed,
    hz: 20,
    definition: defineEntity("counter", {
      health: uint({ range: [0, 100] }),
      score: uint({ range: [0, 1_000_000] }),
      clock: uint({ range: [0, 1_000_000] }),
      column: int({ range: [0, 99] }),
      isOn: flag(),
      angle: angle({ precision: 0.01, unit: "rad" }),
    }),
    make: (index) => ({ health: 100, score: 0, clock: 0, column: index, isOn: 0, turn: 0 }),
    step: (state, tick, random) => {
      state.clock = tick;
      if (random.bool(0.02)) state.health = hit(random, state.health);
      else if (state.health < 100 && random.bool(0.2)) state.health += 1;
      if (random.bool(0.02)) state.score += random.int(1, 20) * 10;
      if (random.bool(0.02)) state.column = random.int(0, 99);
      if (random.bool(0.02)) state.isOn = 1 - state.isOn;
      if (random.bool(0.05)) state.turn = random.int(-3, 3) / 2;
    },
    values: ({ health, score, clock, column, isOn, turn }) => [health, score, clock, column, isOn, turn],
  });
}

/** Returns a thumb stick and a trigger, which a thumb and a finger push, hold and let go. */
function sticks(seed: number): Motion {
  return play({
    seed,
    hz: 30,
    definition: defineEntity("stick", {
      across: int({ range: [-127, 127] }),
      along: int({ range: [-127, 127] }),
      trigger: uint({ range: [0, 255] }),
    }),
    make: () => [0, 0, 0].map(() => ({ at: 0, to: 0, most: 1 })),
    step: (axes, _tick, random) => {
      for (const axis of axes) {
        if (random.bool(0.1)) {
          axis.to = random.bool(0.3) ? 0 : Math.min(Math.max(random.normal(0, 0.7), -1), 1);
          axis.most = random.int(1, 10) / 20;
        }
        axis.at += Math.min(Math.max(axis.to - axis.at, -axis.most), axis.most);
      }
    },
    values: ([across, along, trigger]) => [
      Math.round(across!.at * 127),
      Math.round(along!.at * 127),
      Math.round(Math.abs(trigger!.at) * 255),
    ],
  });
}

function hit(random: Random, health: number): number {
  const left = health - random.int(1, 30);
  return left < 0 ? 100 : left;
}
