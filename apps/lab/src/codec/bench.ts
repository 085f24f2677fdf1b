import { decodeAllocations, encodeAllocations, evenTrace } from "./allocations.js";
import { defineCar } from "./car.js";
import { crowdRows } from "./crowd.js";
import { entropyBytes } from "./entropy-reference.js";
import { generateTrace } from "./generated-trace.js";
import { measure, type Measured } from "./measure.js";
import { AcknowledgedSystem, WholeSystem } from "./paceline-system.js";
import { ColyseusSystem, Int16System, JsonSystem, MsgpackrSystem } from "./rival-systems.js";
import { reckonedRows } from "./reckoned.js";
import type { CodecSystem, Rotation } from "./system.js";
import { CARS, readTrace, traceNames, type Trace } from "./trace.js";

/** One printed row: labels and figures by column. */
export type Row = Record<string, string | number>;

export interface BenchResult {
  readonly rows: readonly Row[];
  /** Sentences about the missed bounds. */
  readonly faults: readonly string[];
}

const ACKNOWLEDGED_MS = [100, 200, 400] as const;
const INT16_BOUND_M = 327.67;
/** Limits of the mean bytes per tick over the recorded traces. */
const BOUNDS: Readonly<Record<Rotation, Readonly<Record<string, number>>>> = {
  yaw: { ordered: 35, "acked-200": 61 },
  full: { ordered: 37, "acked-200": 69 },
};
const PRECISION = {
  positionErrorMaxM: 0.00501,
  headingErrorMaxDeg: { yaw: 0.0028, full: 0.28 },
  velocityErrorMaxMps: 0.00501,
};

interface BenchOptions {
  readonly directory: string | undefined;
  readonly isQuick: boolean;
  readonly progress: (text: string) => void;
}

export function benchCodec(options: BenchOptions): BenchResult {
  const rows: Row[] = [];
  const faults: string[] = [];
  for (const trace of tracesOf(options.directory, options.isQuick ? 20 : 120)) {
    for (const rotation of ["yaw", "full"] as const) {
      options.progress(`${trace.name}, ${rotation}, ${trace.frames.length} ticks`);
      const result = benchTrace(trace, rotation);
      rows.push(...result.rows);
      faults.push(...result.faults);
    }
  }
  faults.push(...sizeFaults(rows));
  const crowd = crowdRows(firstTrace(options.directory), options.isQuick);
  return { rows: [...rows, ...crowd.rows], faults: [...faults, ...crowd.faults] };
}

function firstTrace(directory: string | undefined): Trace {
  return directory === undefined ? generateTrace(1, 60) : readTrace(directory, traceNames(directory)[0]!, 60);
}

function sizeFaults(rows: readonly Row[]): string[] {
  return (["yaw", "full"] as const).flatMap((rotation) =>
    Object.entries(BOUNDS[rotation]).flatMap(([mode, bound]) => {
      const sizes = rows.flatMap((row) => {
        const isOne = row.system === "paceline" && row.mode === mode && row.rotation === rotation;
        return isOne && !String(row.trace).startsWith("generated") ? [Number(row.bytesPerTick)] : [];
      });
      const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
      return mean > bound
        ? [`${rotation}, ${mode}: ${mean.toFixed(1)} bytes per tick, at most ${bound}`]
        : [];
    }),
  );
}

function benchTrace(trace: Trace, rotation: Rotation): BenchResult {
  const results = measure(trace, rotation, systemsFor(trace, rotation));
  const entropies = entropyRows(trace, rotation);
  const ours = results.filter(({ system }) => system === "paceline");
  return {
    rows: [
      ...results.map((result) => rowOf(trace, rotation, result)),
      ...[...entropies].map(([mode, bytesPerTick]) => ({
        system: "entropy",
        trace: trace.name,
        rotation,
        mode,
        entities: CARS,
        bytesPerTick,
      })),
    ],
    faults: ours.flatMap((result) => faultsOf(trace, rotation, result)),
  };
}

function* tracesOf(directory: string | undefined, seconds: number): Iterable<Trace> {
  yield generateTrace(1, seconds);
  if (directory === undefined) return;
  for (const name of traceNames(directory)) yield readTrace(directory, name, seconds);
}

function systemsFor(trace: Trace, rotation: Rotation): (() => CodecSystem)[] {
  const definition = defineCar(rotation, trace.frames);
  const common = { definition, rotation, hz: trace.hz, cars: trace.frames[0]!.length };
  const acknowledged = (mode: string, ageTicks: number, lossRatio: number) => (): CodecSystem =>
    new AcknowledgedSystem({ ...common, mode, ageTicks, lossRatio });
  const fitsInt16 = trace.frames.every((frame) =>
    frame.every(({ x, y, z }) => Math.max(Math.abs(x), Math.abs(y), Math.abs(z)) <= INT16_BOUND_M),
  );
  return [
    acknowledged("ordered", 1, 0),
    ...ACKNOWLEDGED_MS.map((ms) => acknowledged(`acked-${ms}`, Math.round((ms * trace.hz) / 1000), 0)),
    acknowledged("loss-5", Math.round((100 * trace.hz) / 1000), 0.05),
    () => new WholeSystem(common),
    ...(fitsInt16 ? [() => new ColyseusSystem(rotation, common.cars), () => new Int16System(rotation)] : []),
    () => new MsgpackrSystem(rotation),
    () => new JsonSystem(rotation),
  ];
}

function entropyRows(trace: Trace, rotation: Rotation): Map<string, number> {
  const modes: [string, number][] = [
    ["ordered", 1],
    ...ACKNOWLEDGED_MS.map((ms): [string, number] => [`acked-${ms}`, Math.round((ms * trace.hz) / 1000)]),
  ];
  return new Map(modes.map(([mode, age]) => [mode, entropyBytes(trace, rotation, age)]));
}

function rowOf(trace: Trace, rotation: Rotation, result: Measured): Row {
  const { system, mode, ...figures } = result;
  return { system, trace: trace.name, rotation, mode, entities: CARS, ...figures };
}

function faultsOf(trace: Trace, rotation: Rotation, result: Measured): string[] {
  const isPrecise =
    result.positionErrorMaxM <= PRECISION.positionErrorMaxM &&
    result.headingErrorMaxDeg <= PRECISION.headingErrorMaxDeg[rotation] &&
    result.velocityErrorMaxMps <= PRECISION.velocityErrorMaxMps;
  return isPrecise ? [] : [`${trace.name}, ${rotation}, ${result.mode}: less precise than it says`];
}

/**
 * Counts the allocations of all systems. Separate from the timed runs, because compiling allocates as well.
 */
export async function allocationRows(directory: string | undefined): Promise<BenchResult> {
  const recorded = directory === undefined ? undefined : readTrace(directory, traceNames(directory)[0]!, 60);
  const trace = evenTrace(recorded ?? generateTrace(1, 60));
  const rows: Row[] = [];
  const faults: string[] = [];
  for (const rotation of ["yaw", "full"] as const) {
    for (const make of systemsFor(trace, rotation)) {
      const { system, mode } = make();
      const encoding = await encodeAllocations(trace, make());
      const decoding = await decodeAllocations(trace, make());
      const row = {
        section: "allocations",
        system,
        trace: trace.name,
        rotation,
        mode,
        allocationsPerTick: encoding.allocationsPerTick,
        allocatedBytesPerTick: encoding.allocatedBytesPerTick,
        decodeAllocationsPerTick: decoding.allocationsPerTick,
        decodeAllocatedBytesPerTick: decoding.allocatedBytesPerTick,
      };
      rows.push(row);
      const isSteady = /^(ordered|acked)/.test(mode);
      const most = Math.max(row.allocationsPerTick, row.decodeAllocationsPerTick);
      if (system === "paceline" && isSteady && most >= 0.5)
        faults.push(`${rotation}, ${mode}: ${most} new objects per tick`);
    }
  }
  return { rows, faults };
}

/** Returns bytes and errors with dead reckoning, trace by trace. */
export function reckoned(directory: string | undefined, isQuick: boolean): Row[] {
  return [...tracesOf(directory, isQuick ? 20 : 120)].flatMap(reckonedRows);
}
