import type { Circumstances, Measured } from "../../src/profiles/circumstances.js";
import { favours, genres, movements, topologies } from "../../src/profiles/profile.js";
import { measuredBands } from "../../src/profiles/bands.js";
import { profiles } from "../../src/profiles/profiles.js";

const BOTH = [true, false] as const;
const QUIET: Measured = {
  lossRatio: 0,
  rttMs: 0,
  queuedBytes: 0,
  stallRatio: 0,
  uploadRatio: 0,
};

/** Nothing measured, one quantity unknown or in each of its bands, and the pairs that a row uses together. */
const measurements: readonly (Measured | undefined)[] = [
  undefined,
  ...(Object.keys(measuredBands) as (keyof typeof measuredBands)[]).flatMap((name) => {
    const { [name]: _unknown, ...others } = QUIET;
    return [others, ...measuredBands[name].map(({ from }) => ({ ...QUIET, [name]: from }))];
  }),
  ...measuredBands.lossRatio.flatMap((loss) =>
    measuredBands.queuedBytes.flatMap((queue) =>
      measuredBands.stallRatio.map((stalls) => ({
        ...QUIET,
        lossRatio: loss.from,
        queuedBytes: queue.from,
        stallRatio: stalls.from,
      })),
    ),
  ),
];

const reaches = BOTH.flatMap((webrtc) =>
  ([true, false, "unknown"] as const).map((serverWebrtc) => ({
    available: { webrtc },
    server: { webrtc: serverWebrtc },
  })),
);

const devices = (["ok", "low", "unknown"] as const).flatMap((battery) =>
  (["fixed", "mobile", "unknown"] as const).map((network) => ({ battery, network })),
);

const games = genres.flatMap((genre) =>
  topologies.flatMap((topology) =>
    movements.flatMap((movement) =>
      favours.flatMap((favour) =>
        BOTH.map((exposeAddress) => ({ genre, topology, movement, favour, exposeAddress })),
      ),
    ),
  ),
);

const known = { battery: "ok", network: "fixed" } as const;
const places = reaches.flatMap((reach) => [
  ...devices.map((device) => ({ ...reach, security: "https" as const, device })),
  { ...reach, security: "http" as const, device: known },
]);
/** No row uses other facts about the device together with a measurement. */
const measuredPlaces = places.filter(({ device, security }) => device === known || security === "http");

/** Yields one of each combination of bands that a row can distinguish. */
export function* everyCombination(): Generator<Circumstances> {
  for (const game of games) {
    const { maxDirectPeers } = profiles[game.genre];
    for (const place of places) {
      yield { ...game, ...place, peers: 1 };
      yield { ...game, ...place, peers: maxDirectPeers };
      yield { ...game, ...place, peers: maxDirectPeers + 1 };
      yield { ...game, ...place, peers: maxDirectPeers + 1, directPeers: 0 };
    }
    for (const place of measuredPlaces)
      for (const measured of measurements)
        yield { ...game, ...place, peers: maxDirectPeers, ...(measured && { measured }) };
  }
}
