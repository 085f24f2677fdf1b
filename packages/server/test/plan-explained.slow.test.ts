import { genres, topologies } from "@paceline/transport";
import type { NetworkSettings } from "@paceline/transport/simulated";
import { expect, test } from "vitest";
import { differences, inWords } from "./plan-claims.js";
import { probe, type ProbeCell } from "./plan-probe.js";

const networks: Readonly<Record<string, Partial<NetworkSettings>>> = {
  clean: { delayMs: 20 },
  "5 % loss": { delayMs: 20, loss: { kind: "uniform", ratio: 0.05 } },
  "20 % loss": { delayMs: 20, loss: { kind: "uniform", ratio: 0.2 } },
  "100 ms": { delayMs: 100 },
  "64 kbit/s": { delayMs: 20, rateBps: 64_000, queueBytes: 16_000 },
};

/** In lossy rooms whose states go over WebRTC to a relay, no link may change for so long, ms. */
const WATCH_MS = 300_000;
/** Time after which every answer to losses has been given, ms. */
const LOSSES_ANSWERED_MS = 30_000;

const cells = genres.flatMap((profile) =>
  topologies.flatMap((topology) =>
    Object.entries(networks).map(([name, network]): [string, ProbeCell] => [
      `${profile}, ${topology}, ${name}`,
      {
        profile,
        topology,
        network,
        serverHasWebRtc: topology !== "mesh",
        ...(network.loss && { warmUpMs: LOSSES_ANSWERED_MS }),
        ...(network.loss && topology === "relay" && { watchMs: WATCH_MS }),
      },
    ]),
  ),
);

test.each(cells)("what a room says of itself matches the packets: %s", async (_, cell) => {
  const played = await probe(cell);
  expect(inWords(differences(cell, played), played.explained)).toBe("");
});
