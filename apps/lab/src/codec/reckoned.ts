import {
  DEFAULT_CONVERGENCE,
  Kinematics,
  SendDecision,
  RemoteBody,
  newReckoner,
  type BodyLayout,
} from "@paceline/netcode";
import {
  SnapshotWriter,
  SnapshotReader,
  SoleReceiver,
  StateChange,
  StateHistory,
  angle,
  defineEntity,
  int,
  planState,
  restore,
  scalar,
  uint,
  vec3,
  type EntityDefinition,
  type EntityRows,
  type SnapshotListener,
} from "@paceline/protocol";
import type { Row } from "./bench.js";
import { farthestM } from "./car.js";
import { Spread } from "./spread.js";
import { CARS, type CarState, type Trace } from "./trace.js";

const POLICY = {
  positionThresholdM: 0.1,
  headingThresholdRad: (2 * Math.PI) / 180,
  minIntervalMs: 0,
  heartbeatMs: 5000,
  movingHeartbeatMs: 1000,
  repeatAfterMs: 0,
};
/** One-way delay, ticks of 1/30 s. The acknowledgement takes the same time. */
const DELAY_TICKS = 2;
const RING = 64;
/** A larger distance in one tick is a jump and not movement. */
const JUMP_M = 5;
const LAYOUT: BodyLayout = {
  position: 0,
  dimensions: 3,
  velocity: 3,
  acceleration: 6,
  heading: 9,
  turnRate: 10,
};
/** Number of components for motion; the inputs follow them. */
const MOTION = 11;

/** Defines a car with coarse acceleration and turn rate, by which receivers can continue it. */
function defineReckonedCar(frames: readonly (readonly CarState[])[]): EntityDefinition {
  const far = farthestM(frames);
  const fields = {
    position: vec3({ range: [-far, far], precision: 0.01, unit: "m" }),
    velocity: vec3({ range: [-327.67, 327.67], precision: 0.01, unit: "m/s" }),
    acceleration: vec3({ range: [-500, 500], precision: 0.5, unit: "m/s²" }),
    heading: angle({ precision: (2 * Math.PI) / 65_536, unit: "rad" }),
    turning: scalar({ range: [-100, 100], precision: 0.03, unit: "rad/s" }),
    steer: int({ range: [-127, 127] }),
    throttle: int({ range: [-127, 127] }),
    flags: uint({ range: [0, 255] }),
  };
  return defineEntity("car", fields, { motion: "turn" });
}

interface Sent {
  readonly tick: number;
  readonly sequence: number;
  readonly body: Uint8Array;
}

/**
 * One owner of eight cars and one receiver, 67 ms apart. The owner sends every tick, or only when the
 * receiver's dead
 * reckoning is wrong.
 */
class ReckonedRun {
  readonly #trace: Trace;
  readonly #plan;
  readonly #history;
  readonly #entities: readonly EntityRows[];
  readonly #sender: SoleReceiver;
  readonly #reader: SnapshotReader;
  readonly #kinematics;
  readonly #publications;
  readonly #bodies;
  readonly #values: Float64Array;
  readonly #row = new Float64Array(MOTION);
  readonly #shown = new Float64Array(MOTION);
  readonly #onTheWay: Sent[] = [];
  readonly #tickSeconds: number;
  #now = 0;
  bytes = 0;
  packets = 0;
  states = 0;
  readonly positionM = new Spread();
  readonly headingDeg = new Spread();

  constructor(trace: Trace) {
    const definition = defineReckonedCar(trace.frames);
    const tickSeconds = 1 / trace.hz;
    this.#trace = trace;
    this.#tickSeconds = tickSeconds;
    this.#plan = planState(definition, { tickHz: trace.hz });
    this.#history = new StateHistory({ plans: [this.#plan], historyTicks: 256 });
    this.#entities = Array.from({ length: CARS }, (_, id) => this.#history.spawn(id, this.#plan));
    this.#sender = new SoleReceiver({ writer: new SnapshotWriter([this.#plan]) });
    this.#reader = new SnapshotReader({ plans: [this.#plan], historyTicks: 256, maxEntities: CARS });
    this.#values = new Float64Array(definition.components.length);
    const each = <T>(make: () => T): T[] => Array.from({ length: CARS }, make);
    this.#kinematics = each(() => new Kinematics(LAYOUT, { isVelocityGiven: true }));
    const turn = () => newReckoner(LAYOUT, "turn");
    this.#publications = each(
      () => new SendDecision({ layout: LAYOUT, sent: turn(), fresh: turn(), tickSeconds }, MOTION),
    );
    const body = {
      layout: LAYOUT,
      convergence: DEFAULT_CONVERGENCE,
      extrapolationLimitMs: 1500,
    };
    this.#bodies = each(() => new RemoteBody({ ...body, reckoner: turn() }, MOTION));
  }

  run(isEveryTick: boolean): void {
    const { frames } = this.#trace;
    for (let tick = 0; tick < frames.length; tick++) {
      this.#now = tick;
      this.#deliver();
      this.#send(frames[tick]!, frames[tick - 1], isEveryTick);
      this.#compare(frames[tick]!);
    }
  }

  #send(frame: readonly CarState[], before: readonly CarState[] | undefined, isEveryTick: boolean): void {
    const tick = this.#now;
    const due: EntityRows[] = [];
    for (const [index, car] of frame.entries()) {
      const entity = this.#entities[index]!;
      const row = this.#row;
      row.set([car.x, car.y, car.z, car.vx, car.vy, car.vz, 0, 0, 0, car.heading, 0]);
      const isJump = before !== undefined && isFar(car, before[index]!);
      if (isJump) {
        this.#kinematics[index]!.restart();
        this.#history.teleport(index);
      }
      this.#kinematics[index]!.derive(row, tick, this.#tickSeconds);
      const publication = this.#publications[index]!;
      const horizonMs = DELAY_TICKS * this.#tickSeconds * 1000;
      const reason = publication.due(row, tick, { ...POLICY, horizonMs });
      if (reason === undefined && !isJump && !isEveryTick) continue;
      this.#values.set(row);
      clamp(this.#values);
      this.#values.set([car.steer, car.throttle, car.flags], MOTION);
      this.#history.write(entity, tick, this.#values);
      restore(this.#plan, entity.rows, entity.find(tick), this.#values);
      publication.sent(this.#values.slice(0, MOTION), tick, reason ?? "position");
      due.push(entity);
    }
    if (due.length === 0) return;
    this.states += due.length;
    this.#sender.write(tick, due, ({ body }) => {
      this.bytes += body.length;
      this.packets += 1;
      this.#onTheWay.push({ tick, sequence: this.packets, body: body.slice() });
      return this.packets;
    });
  }

  #deliver(): void {
    for (const sent of this.#onTheWay) {
      if (sent.tick !== this.#now - DELAY_TICKS) continue;
      const reason = this.#reader.read(sent.body, sent.tick, this.#listener);
      if (reason !== undefined) throw new Error(`tick ${sent.tick}: ${reason}`);
    }
    while (this.#onTheWay[0] && this.#onTheWay[0].tick <= this.#now - 2 * DELAY_TICKS)
      this.#sender.acknowledge(this.#onTheWay.shift()!.sequence);
    if (this.#onTheWay.length > RING) throw new Error("acknowledgements are missing");
  }

  readonly #listener: SnapshotListener = {
    onState: (entity, tick, place, changes) => {
      restore(this.#plan, entity.rows, place, this.#values);
      const isJump = (changes & (StateChange.born | StateChange.teleported)) !== 0;
      const seconds = this.#tickSeconds;
      const row = this.#values.slice(0, MOTION);
      this.#bodies[entity.id]!.receive(row, tick * seconds, this.#now * seconds, isJump);
    },
    onRemoved: () => undefined,
    onDesync: (id) => {
      throw new Error(`car ${id} out of step`);
    },
  };

  #compare(frame: readonly CarState[]): void {
    const shown = this.#shown;
    for (const [index, car] of frame.entries()) {
      if (!this.#bodies[index]!.show(this.#now * this.#tickSeconds, shown)) continue;
      this.positionM.add(Math.hypot(shown[0]! - car.x, shown[1]! - car.y, shown[2]! - car.z));
      const apart = shown[9]! - car.heading;
      this.headingDeg.add((Math.abs(Math.atan2(Math.sin(apart), Math.cos(apart))) * 180) / Math.PI);
    }
  }
}

function isFar(car: CarState, before: CarState): boolean {
  return Math.hypot(car.x - before.x, car.y - before.y, car.z - before.z) > JUMP_M;
}

/** Clamps to the ranges of the fields, which a collision exceeds. */
function clamp(values: Float64Array): void {
  for (let axis = 6; axis < 9; axis++) values[axis] = Math.min(Math.max(values[axis]!, -500), 500);
  values[10] = Math.min(Math.max(values[10]!, -100), 100);
}

/**
 * Returns bytes and errors of cars that are sent every tick, and of cars that are sent when receivers would
 * be wrong by 0.1 m
 * or 2 degrees.
 */
export function reckonedRows(trace: Trace): Row[] {
  const seconds = trace.frames.length / trace.hz;
  return (["every tick", "0.1 m / 2°"] as const).map((due) => {
    const run = new ReckonedRun(trace);
    run.run(due === "every tick");
    return {
      section: "reckoned",
      trace: trace.name,
      due,
      bytesPerSecondPerCar: run.bytes / seconds / CARS,
      statesPerSecondPerCar: run.states / seconds / CARS,
      packetsPerSecond: run.packets / seconds,
      ...run.positionM.row("positionError", "M"),
      ...run.headingDeg.row("headingError", "Deg"),
    };
  });
}
