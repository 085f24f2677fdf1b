import { Decoder, Encoder, schema, t } from "@colyseus/schema";
import { Packr } from "msgpackr";
import { blankCars, type CodecSystem, type Rotation, type SeenCar } from "./system.js";
import type { CarState } from "./trace.js";

/** Enough for 512 cars. */
Encoder.BUFFER_SIZE = 64 * 1024;

const TURN = 65_536;
const TURN_RAD = TURN / (2 * Math.PI);
const RATE = 100;
const QUAT_STEPS = 1023;

/**
 * The integers that a careful user of these libraries sends: 1 cm, 65536 steps a turn or smallest three, 1
 * cm/s.
 */
interface WireCar {
  id: number;
  x: number;
  y: number;
  z: number;
  r: number;
  vx: number;
  vy: number;
  vz: number;
  steer: number;
  throttle: number;
  flags: number;
}

function wireOf(car: CarState, id: number, rotation: Rotation): WireCar {
  return {
    id,
    x: Math.round(car.x * RATE),
    y: Math.round(car.y * RATE),
    z: Math.round(car.z * RATE),
    r: rotation === "yaw" ? Math.round(car.heading * TURN_RAD) & (TURN - 1) : packedQuat(car.quat),
    vx: Math.round(car.vx * RATE),
    vy: Math.round(car.vy * RATE),
    vz: Math.round(car.vz * RATE),
    steer: car.steer,
    throttle: car.throttle,
    flags: car.flags,
  };
}

function fromWire(wire: WireCar, rotation: Rotation, car: SeenCar): void {
  car.id = wire.id;
  car.x = wire.x / RATE;
  car.y = wire.y / RATE;
  car.z = wire.z / RATE;
  if (rotation === "yaw") car.heading = wire.r / TURN_RAD;
  else unpackQuat(wire.r, car.quat);
  car.vx = wire.vx / RATE;
  car.vy = wire.vy / RATE;
  car.vz = wire.vz / RATE;
  car.steer = wire.steer;
  car.throttle = wire.throttle;
  car.flags = wire.flags;
}

function packedQuat(quat: CarState["quat"]): number {
  let largest = 0;
  for (let axis = 1; axis < 4; axis++) if (Math.abs(quat[axis]!) > Math.abs(quat[largest]!)) largest = axis;
  const sign = quat[largest]! < 0 ? -1 : 1;
  let packed = largest;
  for (let axis = 0; axis < 4; axis++) {
    if (axis === largest) continue;
    const steps = Math.round((sign * quat[axis]! * Math.SQRT1_2 + 0.5) * QUAT_STEPS);
    packed = packed * (QUAT_STEPS + 1) + Math.min(Math.max(steps, 0), QUAT_STEPS);
  }
  return packed >>> 0;
}

function unpackQuat(packed: number, into: [number, number, number, number]): void {
  const largest = packed >>> 30;
  let left = 1;
  for (let axis = 0, shift = 20; axis < 4; axis++) {
    if (axis === largest) continue;
    const value = (((packed >>> shift) & QUAT_STEPS) / QUAT_STEPS - 0.5) * Math.SQRT2;
    into[axis] = value;
    left -= value * value;
    shift -= 10;
  }
  into[largest] = Math.sqrt(Math.max(0, left));
}

/** Base of the systems that encode a whole frame at once: one packet for all clients. */
abstract class WholeFrame implements CodecSystem {
  abstract readonly system: string;
  readonly mode = "ordered";
  protected readonly cars = blankCars(8);
  protected readonly rotation: Rotation;
  #packet: Uint8Array = new Uint8Array(0);

  constructor(rotation: Rotation) {
    this.rotation = rotation;
  }

  join(frame: readonly CarState[]): number {
    return this.encode(frame);
  }

  encode(frame: readonly CarState[]): number {
    this.#packet = this.pack(frame);
    return this.#packet.length;
  }

  takePackets(): readonly Uint8Array[] {
    return [this.#packet.slice()];
  }

  decode(packets: readonly Uint8Array[]): readonly SeenCar[] {
    this.unpack(packets[0]!);
    return this.cars;
  }

  protected abstract pack(frame: readonly CarState[]): Uint8Array;
  protected abstract unpack(packet: Uint8Array): void;
}

export class JsonSystem extends WholeFrame {
  readonly system = "json";
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder();

  protected pack(frame: readonly CarState[]): Uint8Array {
    return this.#encoder.encode(JSON.stringify(frame.map((car, id) => wireOf(car, id, this.rotation))));
  }

  protected unpack(packet: Uint8Array): void {
    const cars = JSON.parse(this.#decoder.decode(packet)) as WireCar[];
    for (const [index, wire] of cars.entries()) fromWire(wire, this.rotation, this.cars[index]!);
  }
}

export class MsgpackrSystem extends WholeFrame {
  readonly system = "msgpackr";
  readonly #structures: [] = [];
  readonly #packr = new Packr({ structures: this.#structures });

  protected pack(frame: readonly CarState[]): Uint8Array {
    return this.#packr.pack(frame.map((car, id) => wireOf(car, id, this.rotation)));
  }

  protected unpack(packet: Uint8Array): void {
    const cars = this.#packr.unpack(packet) as WireCar[];
    for (let index = 0; index < cars.length; index++)
      fromWire(cars[index]!, this.rotation, this.cars[index]!);
  }
}

/**
 * A hand-written code with fixed offsets. Positions beyond 327 m do not fit into 16 bits: the bench leaves
 * those traces out.
 */
export class Int16System extends WholeFrame {
  readonly system = "int16-full";
  readonly #size = this.rotation === "yaw" ? 18 : 20;
  readonly #bytes = new Uint8Array(8 * this.#size);
  readonly #data = new DataView(this.#bytes.buffer);

  protected pack(frame: readonly CarState[]): Uint8Array {
    const data = this.#data;
    for (let id = 0, at = 0; id < frame.length; id++, at += this.#size) {
      const car = frame[id]!;
      data.setUint8(at, id);
      data.setUint8(at + 1, car.flags);
      data.setInt8(at + 2, car.steer);
      data.setInt8(at + 3, car.throttle);
      data.setInt16(at + 4, Math.round(car.x * RATE), true);
      data.setInt16(at + 6, Math.round(car.y * RATE), true);
      data.setInt16(at + 8, Math.round(car.z * RATE), true);
      data.setInt16(at + 10, Math.round(car.vx * RATE), true);
      data.setInt16(at + 12, Math.round(car.vy * RATE), true);
      data.setInt16(at + 14, Math.round(car.vz * RATE), true);
      if (this.rotation === "yaw")
        data.setUint16(at + 16, Math.round(car.heading * TURN_RAD) & (TURN - 1), true);
      else data.setUint32(at + 16, packedQuat(car.quat), true);
    }
    return this.#bytes;
  }

  protected unpack(packet: Uint8Array): void {
    const data = new DataView(packet.buffer, packet.byteOffset, packet.byteLength);
    for (let id = 0, at = 0; id < 8; id++, at += this.#size) {
      const car = this.cars[id]!;
      car.id = data.getUint8(at);
      car.flags = data.getUint8(at + 1);
      car.steer = data.getInt8(at + 2);
      car.throttle = data.getInt8(at + 3);
      car.x = data.getInt16(at + 4, true) / RATE;
      car.y = data.getInt16(at + 6, true) / RATE;
      car.z = data.getInt16(at + 8, true) / RATE;
      car.vx = data.getInt16(at + 10, true) / RATE;
      car.vy = data.getInt16(at + 12, true) / RATE;
      car.vz = data.getInt16(at + 14, true) / RATE;
      if (this.rotation === "yaw") car.heading = data.getUint16(at + 16, true) / TURN_RAD;
      else unpackQuat(data.getUint32(at + 16, true), car.quat);
    }
  }
}

/** Range of a symmetric quantised type, whose 2^16 - 2 steps are then exactly 1 cm and 1 cm/s. */
const BOUND = 655.34 / 2;

type ColyseusCar = Omit<WireCar, "r"> & { r: number };

/** Colyseus with its quantised types. The schema writes only changed fields. */
export class ColyseusSystem implements CodecSystem {
  readonly system = "colyseus-quantised";
  readonly mode = "ordered";
  readonly #rotation: Rotation;
  readonly #cars: SeenCar[];
  readonly #state: { cars: ColyseusCar[] };
  readonly #encoder: Encoder;
  readonly #decoder: Decoder;
  readonly #seen: { cars: ColyseusCar[] };
  #packet: Uint8Array = new Uint8Array(0);

  constructor(rotation: Rotation, cars: number) {
    this.#rotation = rotation;
    this.#cars = blankCars(cars);
    const metre = () => t.quantized({ min: -BOUND, max: BOUND });
    const Car = schema(
      {
        id: t.uint16(),
        x: metre(),
        y: metre(),
        z: metre(),
        r: rotation === "yaw" ? t.angle() : t.uint32(),
        vx: metre(),
        vy: metre(),
        vz: metre(),
        steer: t.int8(),
        throttle: t.int8(),
        flags: t.uint8(),
      },
      `Car-${rotation}`,
    );
    const Room = schema({ cars: t.array(Car) }, `Room-${rotation}`);
    const state = new Room();
    this.#encoder = new Encoder(state);
    for (let id = 0; id < cars; id++) state.cars.push(new Car());
    this.#state = state as unknown as { cars: ColyseusCar[] };
    const seen = new Room();
    this.#decoder = new Decoder(seen);
    this.#seen = seen as unknown as { cars: ColyseusCar[] };
  }

  join(frame: readonly CarState[]): number {
    this.#put(frame);
    const whole = Uint8Array.from(this.#encoder.encodeAll());
    this.#encoder.discardChanges();
    this.#decoder.decode(Buffer.from(whole));
    return whole.length;
  }

  encode(frame: readonly CarState[]): number {
    this.#put(frame);
    this.#packet = this.#encoder.encode();
    this.#encoder.discardChanges();
    return this.#packet.length;
  }

  takePackets(): readonly Uint8Array[] {
    return [Buffer.from(this.#packet)];
  }

  decode(packets: readonly Uint8Array[]): readonly SeenCar[] {
    this.#decoder.decode(packets[0] as Buffer);
    for (let index = 0; index < this.#cars.length; index++) {
      const from = this.#seen.cars[index]!;
      const car = this.#cars[index]!;
      car.id = from.id;
      car.x = from.x;
      car.y = from.y;
      car.z = from.z;
      if (this.#rotation === "yaw") car.heading = from.r;
      else unpackQuat(from.r, car.quat);
      car.vx = from.vx;
      car.vy = from.vy;
      car.vz = from.vz;
      car.steer = from.steer;
      car.throttle = from.throttle;
      car.flags = from.flags;
    }
    return this.#cars;
  }

  #put(frame: readonly CarState[]): void {
    for (let id = 0; id < frame.length; id++) {
      const car = frame[id]!;
      const into = this.#state.cars[id]!;
      into.id = id;
      into.x = car.x;
      into.y = car.y;
      into.z = car.z;
      into.r = this.#rotation === "yaw" ? car.heading : packedQuat(car.quat);
      into.vx = car.vx;
      into.vy = car.vy;
      into.vz = car.vz;
      into.steer = car.steer;
      into.throttle = car.throttle;
      into.flags = car.flags;
    }
  }
}
