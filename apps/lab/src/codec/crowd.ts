import { defineCar } from "./car.js";
import type { BenchResult } from "./bench.js";
import { measure } from "./measure.js";
import { AcknowledgedSystem } from "./paceline-system.js";
import { ColyseusSystem } from "./rival-systems.js";
import { CARS, type Trace } from "./trace.js";

/** Limits as shares of Colyseus' time, by the number of cars. 512 cars have no limit. */
const BOUNDS: readonly { readonly cars: number; readonly encode: number; readonly decode: number }[] = [
  { cars: 8, encode: 0.8, decode: 0.5 },
  { cars: 64, encode: 0.7, decode: 0.5 },
  { cars: 512, encode: Number.POSITIVE_INFINITY, decode: Number.POSITIVE_INFINITY },
];
/** Long enough for the engine to compile also on a busy machine. The trace begins again at its end. */
const TICKS = 3600;
/** Time shift between two groups of eight cars, which drive the same way. */
const LATER_TICKS = 37;

/** Measures the codec for one client beside Colyseus, in alternating slices. */
export function crowdRows(trace: Trace, isQuick: boolean): BenchResult {
  const results = BOUNDS.map(({ cars, encode, decode }) => {
    const frames = crowded(trace, cars, isQuick ? TICKS / 3 : TICKS);
    const definition = defineCar("yaw", frames);
    const common = { definition, rotation: "yaw", hz: trace.hz, cars, clients: 1 } as const;
    const [ours, rival] = measure({ ...trace, frames }, "yaw", [
      () => new AcknowledgedSystem({ ...common, mode: "ordered", ageTicks: 1, lossRatio: 0 }),
      () => new ColyseusSystem("yaw", cars),
    ]);
    const row = {
      section: "crowd",
      trace: trace.name,
      entities: cars,
      bytesPerEntity: ours!.bytesPerTick / cars,
      colyseusBytesPerEntity: rival!.bytesPerTick / cars,
      encodeUsPerEntity: ours!.encodeUsPerEntity,
      decodeUsPerEntity: ours!.decodeUsPerEntity,
      encodeOfColyseus: ours!.encodeUsPerTick / rival!.encodeUsPerTick,
      decodeOfColyseus: ours!.decodeUsPerTick / rival!.decodeUsPerTick,
    };
    const faults: string[] = [];
    if (row.encodeOfColyseus > encode)
      faults.push(
        `${cars} cars: encodes at ${row.encodeOfColyseus.toFixed(2)} x Colyseus, at most ${encode}`,
      );
    if (row.decodeOfColyseus > decode)
      faults.push(
        `${cars} cars: decodes at ${row.decodeOfColyseus.toFixed(2)} x Colyseus, at most ${decode}`,
      );
    return { row, faults };
  });
  return { rows: results.map(({ row }) => row), faults: results.flatMap(({ faults }) => faults) };
}

function crowded({ frames }: Trace, cars: number, ticks: number) {
  return Array.from({ length: ticks }, (_, tick) =>
    Array.from({ length: cars }, (__, car) => {
      const at = (tick + Math.floor(car / CARS) * LATER_TICKS) % frames.length;
      return frames[at]![car % CARS]!;
    }),
  );
}
