/**
 * The codec as an adapter for peerbench, an external comparison: bundle it with `pnpm bench --adapter FILE`.
 */
import {
  PacketEntries,
  SnapshotReader,
  SnapshotWriter,
  StateHistory,
  planState,
  quantise,
  restore,
  type EntityDefinition,
  type SnapshotContent,
  type SnapshotListener,
} from "@paceline/protocol";
import { defineCar } from "../codec/car.js";

interface Car {
  id: number;
  x: number;
  y: number;
  z: number;
  yaw: number;
  qx: number;
  qy: number;
  qz: number;
  qw: number;
  vx: number;
  vy: number;
  vz: number;
  steer: number;
  throttle: number;
  flags: number;
}

const CARS = 8;
const HZ = 30;

function put(car: Car, isYaw: boolean, into: Float64Array): void {
  into[0] = car.x;
  into[1] = car.y;
  into[2] = car.z;
  into[3] = car.vx;
  into[4] = car.vy;
  into[5] = car.vz;
  let at = 6;
  if (isYaw) into[at++] = car.yaw;
  else {
    into[at++] = car.qx;
    into[at++] = car.qy;
    into[at++] = car.qz;
    into[at++] = car.qw;
  }
  into[at++] = car.steer;
  into[at++] = car.throttle;
  into[at] = car.flags;
}

function take(from: Float64Array, isYaw: boolean, car: Car): void {
  car.x = from[0]!;
  car.y = from[1]!;
  car.z = from[2]!;
  car.vx = from[3]!;
  car.vy = from[4]!;
  car.vz = from[5]!;
  let at = 6;
  if (isYaw) car.yaw = from[at++]!;
  else {
    car.qx = from[at++]!;
    car.qy = from[at++]!;
    car.qz = from[at++]!;
    car.qw = from[at++]!;
  }
  car.steer = from[at++]!;
  car.throttle = from[at++]!;
  car.flags = from[at]!;
}

function makeReader(definition: EntityDefinition, isYaw: boolean) {
  const plan = planState(definition, { tickHz: HZ });
  const reader = new SnapshotReader({ plans: [plan], historyTicks: 64, maxEntities: 64 });
  const values = new Float64Array(definition.components.length);
  const zero = {
    x: 0,
    y: 0,
    z: 0,
    yaw: 0,
    qx: 0,
    qy: 0,
    qz: 0,
    qw: 1,
    vx: 0,
    vy: 0,
    vz: 0,
    steer: 0,
    throttle: 0,
    flags: 0,
  };
  const cars: Car[] = Array.from({ length: CARS }, (_, id) => ({ id, ...zero }));
  const listener: SnapshotListener = {
    onState(entity, _tick, place) {
      restore(plan, entity.rows, place, values);
      take(values, isYaw, cars[entity.id]!);
    },
    onRemoved: () => undefined,
    onDesync: () => undefined,
  };
  let tick = 0;
  const decode = (bytes: Uint8Array): Car[] => {
    const reason = reader.read(bytes, tick++, listener);
    if (reason !== undefined) throw new Error(reason);
    return cars;
  };
  return { join: decode, decode };
}

/** @param ageTicks age of each packet's baseline, ticks: 1 in order, 6 with acknowledgements after 200 ms */
function make(ageTicks: number, rotation: "yaw" | "quat") {
  const isYaw = rotation === "yaw";
  const definition = defineCar(isYaw ? "yaw" : "full", []);
  const plan = planState(definition, { tickHz: HZ });
  const history = new StateHistory({ plans: [plan] });
  const entities = Array.from({ length: CARS }, (_, id) => history.spawn(id, plan));
  const writer = new SnapshotWriter([plan]);
  const values = new Float64Array(definition.components.length);
  const content: SnapshotContent = { tick: 0, entries: new PacketEntries(), removed: [], checked: -1 };
  let tick = 0;
  const encode = (frame: readonly Car[]): Uint8Array => {
    const { entries } = content;
    entries.clear();
    const base = tick - ageTicks;
    for (const [index, entity] of entities.entries()) {
      const at = entity.reserve(tick);
      put(frame[index]!, isYaw, values);
      quantise(plan, values, entity.rows, at);
      const entry = entries.add(entity, 0, at);
      if (base >= 0) entries.setBaselines(entry, base, base > 0 ? base - 1 : -1, base > 1 ? base - 2 : -1);
    }
    content.tick = tick++;
    return writer.write(content);
  };
  return {
    join: (frame: readonly Car[]) => encode(frame).slice(),
    encode,
    newDecoder: () => makeReader(definition, isYaw),
  };
}

const tolerances = { pos: 0.0091, rot: 0.35, vel: 0.0091 };

export default [
  {
    name: "paceline, in order",
    version: "0.1.0",
    delta: true,
    perClient: false,
    tol: tolerances,
    make: (r: "yaw" | "quat") => make(1, r),
  },
  {
    name: "paceline, baseline 200 ms old",
    version: "0.1.0",
    delta: false,
    perClient: false,
    tol: tolerances,
    make: (r: "yaw" | "quat") => make(6, r),
  },
];
