import {
  NetworkSimulator,
  type NetworkSimulatorOptions,
  seededRandom,
  VirtualScheduler,
} from "../src/index.js";

/** One arrival at the end of a simulated path. */
interface Arrival {
  /** The packet's position in the order of sending. */
  readonly index: number;
  readonly sentAtMs: number;
  readonly atMs: number;
}

/** Result of a run of packets of equal size at a constant interval. */
export interface SimulatedRun {
  readonly path: NetworkSimulator;
  readonly scheduler: VirtualScheduler;
  readonly arrivals: readonly Arrival[];
}

interface RunOptions extends Omit<NetworkSimulatorOptions, "scheduler" | "random" | "deliver"> {
  readonly seed?: number;
  readonly packets: number;
  readonly intervalMs: number;
  /** At least 4, for the index inside. */
  readonly packetBytes?: number;
  /** Time to wait after the last packet, ms. */
  readonly settleMs?: number;
}

/** Sends numbered packets through a path in virtual time and records their arrivals. */
export function simulate(options: RunOptions): SimulatedRun {
  const { seed = 1, packets, intervalMs, packetBytes = 100, settleMs = 60_000, ...path } = options;
  const scheduler = new VirtualScheduler();
  const arrivals: Arrival[] = [];
  const simulator = new NetworkSimulator({
    ...path,
    scheduler,
    random: seededRandom(seed),
    deliver(packet) {
      const index = new DataView(packet.buffer).getUint32(0);
      arrivals.push({ index, sentAtMs: index * intervalMs, atMs: scheduler.nowMs() });
    },
  });
  const packet = new Uint8Array(packetBytes);
  for (let index = 0; index < packets; index += 1) {
    scheduler.runUntil(index * intervalMs);
    new DataView(packet.buffer).setUint32(0, index);
    simulator.send(packet);
  }
  scheduler.advance(settleMs);
  return { path: simulator, scheduler, arrivals };
}
