import {
  type Circumstances,
  favours,
  genres,
  type Measured,
  measuredBands,
  profiles,
  topologies,
} from "../../src/profiles/index.js";

const BOTH = [true, false] as const;

/** Direct links that fit the upload, and those that do not: about that one question asks. */
const uploads: readonly Measured[] = measuredBands.uploadRatio.map((upload) => ({
  lossRatio: 0,
  rttMs: 0,
  jitterMs: 0,
  uploadRatio: upload.from,
}));

/** No measurement, and one in every combination of bands of loss, round trip and jitter. */
const measurements: readonly (Measured | undefined)[] = [
  undefined,
  ...measuredBands.lossRatio.flatMap((loss) =>
    measuredBands.rttMs.flatMap((rtt) =>
      measuredBands.jitterMs.map((jitter) => ({
        lossRatio: loss.from,
        rttMs: rtt.from,
        jitterMs: jitter.from,
      })),
    ),
  ),
];

/** One in every combination of bands of queue and stalls, about which the last questions of the tree are. */
const pressures: readonly Measured[] = [
  ...measuredBands.queuedBytes.flatMap((queue) =>
    measuredBands.stallRatio.map((stalls) => ({
      lossRatio: 0,
      rttMs: 0,
      jitterMs: 0,
      queuedBytes: queue.from,
      stallRatio: stalls.from,
    })),
  ),
];

/** What the browser has and what the server speaks, as far as the tree can tell combinations apart. */
const reaches = BOTH.flatMap((webrtc) =>
  BOTH.flatMap((websocket) =>
    BOTH.flatMap((webtransport) =>
      BOTH.map((serverWebrtc) => ({
        available: { webrtc, websocket, webtransport },
        // WebTransport leads to the server only, so one side without it is as good as both.
        server: { webrtc: serverWebrtc, webtransport },
      })),
    ),
  ),
);

const devices = (["ok", "low"] as const).flatMap((battery) =>
  (["fixed", "mobile"] as const).map((network) => ({ battery, network })),
);

const games = genres.flatMap((genre) =>
  topologies.flatMap((topology) =>
    BOTH.flatMap((freeMovement) => favours.map((favour) => ({ genre, topology, freeMovement, favour }))),
  ),
);

const places = (["https", "http"] as const).flatMap((security) =>
  reaches.flatMap((reach) => devices.map((device) => ({ ...reach, security, device }))),
);

/** One of every combination of bands: a value of each band, all genres, topologies, devices and so on. */
export function* everyCombination(): Generator<Circumstances> {
  for (const game of games) {
    const { maxDirectPeers } = profiles[game.genre];
    for (const place of places) {
      // One receiver or several makes a difference to one question, which asks nothing that was measured.
      yield { ...game, ...place, peers: 1 };
      yield* measuredIn({ ...game, ...place, peers: maxDirectPeers });
      for (const measured of [...pressures, ...uploads])
        yield { ...game, ...place, peers: maxDirectPeers, measured };
      yield* measuredIn({ ...game, ...place, peers: maxDirectPeers + 1 });
    }
  }
}

function* measuredIn(circumstances: Circumstances): Generator<Circumstances> {
  for (const measured of measurements) {
    yield measured === undefined ? circumstances : { ...circumstances, measured };
  }
}
