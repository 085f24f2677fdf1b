import type { Wire } from "../network/wire.js";
import { machineMs } from "./clock.js";
import type { Window } from "./age-meter.js";
import { runAge } from "./run-age.js";
import { ageSystems, isWebRtc, type AgeSystem } from "./systems.js";

export interface AgeRow {
  readonly system: AgeSystem;
  /** `control`: the turns without loss in the same run. */
  readonly network: "control" | "loss" | "overload" | "after-outage";
  readonly lossPercent: number;
  readonly rttMs: number;
  readonly rateKbps?: number;
  readonly statesPerSecond: number;
  readonly samples: number;
  readonly ageMsP50: number;
  readonly ageMsP95: number;
  readonly ageMsP99: number;
  readonly ageMsP999: number;
}

const RTT_MS = 50;
const STATES_PER_SECOND = 30;
const STREAMS = 4;
const WARM_UP_MS = 3000;
/**
 * Measured time of a turn. Turns with and without loss alternate; `SETTLE_MS` before each is not measured.
 */
const TURN_MS = 6000;
const SETTLE_MS = 1000;
const TURNS = 6;

const RATE_KBPS = 64;
/** One second of traffic: a typical router queue. */
const QUEUE_BYTES = (RATE_KBPS * 1000) / 8;
/** With headers, these entities need two to four times the rate of the link. */
const NARROW_ENTITIES = 8;
const OVERLOAD_MS = 12_000;
const OUTAGE_MS = 1000;
const AFTER_OUTAGE_MS = 10_000;

/** Measures all systems at once on one wire, in turns with and without loss. */
export async function lossRows(lossPercent: number, share: number): Promise<AgeRow[]> {
  const ages = await runAge({
    rttMs: RTT_MS,
    entities: 1,
    statesPerSecond: STATES_PER_SECOND,
    systems: ageSystems.filter((system) => system !== "webrtc-naive"),
    streams: STREAMS,
    play: (wire) => turns(wire, lossPercent, Math.max(1, Math.round(TURNS * share))),
  });
  return ages.map(({ label, ...age }) => ({
    ...age,
    network: label as AgeRow["network"],
    lossPercent: label === "loss" ? lossPercent : 0,
    rttMs: RTT_MS,
    statesPerSecond: STATES_PER_SECOND,
  }));
}

async function turns(wire: Wire, lossPercent: number, count: number): Promise<Window[]> {
  await pause(WARM_UP_MS);
  const windows: Window[] = [];
  for (let turn = 0; turn < 2 * count; turn++) {
    const label = turn % 2 === 0 ? "control" : "loss";
    await wire.set({ lossPercent: label === "loss" ? lossPercent : 0 });
    windows.push(await looked(label, SETTLE_MS, TURN_MS));
  }
  return windows;
}

/** Measures one system at a time: on a narrow link, systems that run together would compete for it. */
export async function narrowRows(share: number): Promise<AgeRow[]> {
  const rows: AgeRow[] = [];
  for (const system of ageSystems.filter((name) => isWebRtc(name) || !name.includes("striped"))) {
    const ages = await runAge({
      rttMs: RTT_MS,
      entities: NARROW_ENTITIES,
      statesPerSecond: STATES_PER_SECOND,
      systems: [system],
      streams: 1,
      play: (wire) => narrow(wire, share),
    });
    rows.push(
      ...ages.map(({ label, ...age }) => ({
        ...age,
        network: label as AgeRow["network"],
        lossPercent: 0,
        rttMs: RTT_MS,
        rateKbps: RATE_KBPS,
        statesPerSecond: STATES_PER_SECOND * NARROW_ENTITIES,
      })),
    );
  }
  return rows;
}

async function narrow(wire: Wire, share: number): Promise<Window[]> {
  await pause(SETTLE_MS);
  await wire.set({ rateKbps: RATE_KBPS, queueBytes: QUEUE_BYTES });
  const overload = await looked("overload", WARM_UP_MS, WARM_UP_MS + OVERLOAD_MS * share);
  await wire.set({ isCut: true });
  await pause(OUTAGE_MS);
  await wire.set({ isCut: false });
  return [overload, await looked("after-outage", 0, AFTER_OUTAGE_MS)];
}

/** Waits for `durationMs`; the returned window begins `afterMs` after the start. */
async function looked(label: string, afterMs: number, durationMs: number): Promise<Window> {
  const startMs = machineMs();
  await pause(durationMs);
  return { label, fromMs: startMs + afterMs, toMs: startMs + durationMs };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
