import type { CodecSystem, Rotation, SeenCar } from "./system.js";
import { Spread, quantile } from "./spread.js";
import type { CarState, Trace } from "./trace.js";

/** Ticks of one turn. Systems alternate, so that all see the same load of the machine. */
const SLICE_TICKS = 30;
/** Ticks at the start that do not count: whole states until the first acknowledgement, and compiling. */
const WARM_TICKS = 120;

/** Result of one system's run over one trace. */
export interface Measured {
  readonly system: string;
  readonly mode: string;
  bytesPerTick: number;
  bytesPerTickP99: number;
  joinBytes: number;
  positionErrorMeanM: number;
  positionErrorP99M: number;
  positionErrorMaxM: number;
  headingErrorMeanDeg: number;
  headingErrorP99Deg: number;
  headingErrorMaxDeg: number;
  velocityErrorMeanMps: number;
  velocityErrorP99Mps: number;
  velocityErrorMaxMps: number;
  encodeUsPerTick: number;
  decodeUsPerTick: number;
  /** Encoding for all clients, decoding by one. */
  encodeUsPerEntity: number;
  decodeUsPerEntity: number;
}

class Errors {
  readonly positionM = new Spread();
  readonly headingDeg = new Spread();
  readonly velocityMps = new Spread();

  get row() {
    return {
      ...this.positionM.row("positionError", "M"),
      ...this.headingDeg.row("headingError", "Deg"),
      ...this.velocityMps.row("velocityError", "Mps"),
    };
  }
}

class Run {
  readonly #cars: number;
  readonly system: CodecSystem;
  readonly result: Measured;
  readonly sizes: number[] = [];
  readonly encodeUs: number[] = [];
  readonly decodeUs: number[] = [];
  readonly errors = new Errors();

  constructor(system: CodecSystem, first: readonly CarState[]) {
    this.system = system;
    this.#cars = first.length;
    this.result = {
      system: system.system,
      mode: system.mode,
      bytesPerTick: 0,
      bytesPerTickP99: 0,
      joinBytes: system.join(first),
      ...new Errors().row,
      encodeUsPerTick: 0,
      decodeUsPerTick: 0,
      encodeUsPerEntity: 0,
      decodeUsPerEntity: 0,
    };
    // Colyseus reads its join at once. Paceline decodes its packets of tick 0 like those of any other tick.
    const packets = system.takePackets();
    if (system.system === "paceline") system.decode(packets, 0);
  }

  slice(trace: Trace, from: number, to: number): void {
    const packets: (readonly Uint8Array[])[] = [];
    const sizes: number[] = [];
    const startedMs = performance.now();
    for (let tick = from; tick < to; tick++) {
      sizes.push(this.system.encode(trace.frames[tick]!, tick));
      packets.push(this.system.takePackets());
    }
    const encodedMs = performance.now();
    for (let tick = from; tick < to; tick++) {
      if (packets[tick - from]!.length > 0) this.system.decode(packets[tick - from]!, tick);
    }
    const decodedMs = performance.now();
    if (from < WARM_TICKS) return;
    this.sizes.push(...sizes);
    this.encodeUs.push(((encodedMs - startedMs) * 1000) / (to - from));
    this.decodeUs.push(((decodedMs - encodedMs) * 1000) / (to - from));
  }

  check(cars: readonly SeenCar[], frame: readonly CarState[], rotation: Rotation): void {
    for (const [index, sent] of frame.entries()) {
      const seen = cars[index]!;
      const isExact =
        seen.steer === sent.steer && seen.throttle === sent.throttle && seen.flags === sent.flags;
      if (!isExact || seen.id !== index)
        throw new Error(`${this.system.system}: car ${index} came back wrong`);
      const apart = Math.max(Math.abs(seen.x - sent.x), Math.abs(seen.y - sent.y), Math.abs(seen.z - sent.z));
      const faster = Math.max(
        Math.abs(seen.vx - sent.vx),
        Math.abs(seen.vy - sent.vy),
        Math.abs(seen.vz - sent.vz),
      );
      this.errors.positionM.add(apart);
      this.errors.velocityMps.add(faster);
      this.errors.headingDeg.add(turnDeg(seen, sent, rotation));
    }
  }

  finish(): Measured {
    const { result, sizes } = this;
    result.bytesPerTick = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
    result.bytesPerTickP99 = quantile(sizes, 0.99);
    result.encodeUsPerTick = quantile(this.encodeUs, 0.5);
    result.decodeUsPerTick = quantile(this.decodeUs, 0.5);
    result.encodeUsPerEntity = result.encodeUsPerTick / this.#cars;
    result.decodeUsPerEntity = result.decodeUsPerTick / this.#cars;
    return result;
  }
}

/**
 * Checks every car of every tick in a first run; then times all systems in slices, forwards and backwards in
 * turn.
 */
export function measure(
  trace: Trace,
  rotation: Rotation,
  systems: readonly (() => CodecSystem)[],
): Measured[] {
  const first = trace.frames[0]!;
  const checked = systems.map((make) => {
    const run = new Run(make(), first);
    for (let tick = 1; tick < trace.frames.length; tick++) {
      run.system.encode(trace.frames[tick]!, tick);
      const packets = run.system.takePackets();
      if (packets.length > 0) run.check(run.system.decode(packets, tick), trace.frames[tick]!, rotation);
    }
    return run.errors.row;
  });
  const runs = systems.map((make) => new Run(make(), first));
  const order = [...runs];
  for (let from = 1; from + SLICE_TICKS <= trace.frames.length; from += SLICE_TICKS) {
    for (const run of order) run.slice(trace, from, from + SLICE_TICKS);
    // The garbage of one system slows the next one down.
    order.reverse();
  }
  return runs.map((run, index) => ({ ...run.finish(), ...checked[index]! }));
}

function turnDeg(seen: SeenCar, sent: CarState, rotation: Rotation): number {
  if (rotation === "yaw") {
    const apart = seen.heading - sent.heading;
    return (Math.abs(Math.atan2(Math.sin(apart), Math.cos(apart))) * 180) / Math.PI;
  }
  const [ax, ay, az, aw] = sent.quat;
  const [bx, by, bz, bw] = seen.quat;
  const x = aw * -bx + ax * bw + ay * -bz - az * -by;
  const y = aw * -by - ax * -bz + ay * bw + az * -bx;
  const z = aw * -bz + ax * -by - ay * -bx + az * bw;
  return (2 * Math.asin(Math.min(1, Math.hypot(x, y, z))) * 180) / Math.PI;
}
