import { describe, expect, test } from "vitest";
import {
  type Circumstances,
  circumstancesOf,
  decide,
  explainPlan,
  planFor as uncheckedPlanFor,
  profileNamed,
  profileRanges,
  profiles,
  type Surroundings,
} from "../../src/profiles/index.js";

const browser: Surroundings = {
  security: "https",
  available: { webrtc: true, websocket: true, webtransport: false },
  device: { battery: "ok", network: "fixed" },
  peers: 3,
};

function planFor(genre: string, changes: Partial<Circumstances> = {}) {
  return decide({ ...circumstancesOf(profileNamed(genre), browser), ...changes });
}

const rowsOf = (plan: ReturnType<typeof planFor>): string[] => plan.reasons.map((reason) => reason.row);
const bothAvailable = { webrtc: true, websocket: true, webtransport: true };
const calm = { lossRatio: 0, rttMs: 30, jitterMs: 1 };

describe("the tree of the thesis", () => {
  test.each(["racing", "shooter"])("a %s game sends unreliable states and reliable references", (genre) => {
    const plan = planFor(genre, { topology: "mesh" });
    expect(plan.content).toBe("states with references");
    expect(plan.traffic.state.pair).toEqual({ delivery: "newest-wins", links: ["webrtc", "relayed"] });
    expect(plan.traffic.reference.pair).toEqual({
      delivery: "unordered-reliable",
      links: ["webrtc", "relayed"],
    });
  });

  test.each(["action", "rpg", "mmo"])(
    "a %s game has two channels: unreliable positions, reliable actions",
    (genre) => {
      const server = { webrtc: true, webtransport: false };
      const plan = planFor(genre, { topology: "server", favour: "latency", server });
      expect(plan.content).toBe("states and actions");
      expect(plan.traffic.state.server).toEqual({ delivery: "newest-wins", links: ["webrtc", "websocket"] });
      expect(plan.traffic.command.server).toEqual({ delivery: "ordered-reliable", links: ["websocket"] });
    },
  );

  test("a role-playing game without free movement sends everything reliably", () => {
    const plan = planFor("rpg", { freeMovement: false });
    expect(plan.content).toBe("actions only");
    expect(plan.traffic.state.server.delivery).toBe("ordered-reliable");
  });

  test.each(["puzzle", "strategy"])("a %s game sends input over the WebSocket in client-server", (genre) => {
    const plan = planFor(genre, { topology: "server", server: { webrtc: true, webtransport: true } });
    expect(plan.style).toBe("lock step");
    expect(plan.serverLinks).toEqual(["websocket"]);
    expect(plan.traffic.input.server).toEqual({ delivery: "ordered-reliable", links: ["websocket"] });
    expect(plan.traffic.event.server.delivery).toBe("ordered-reliable");
  });

  test("states differ from a reference with several receivers, from what is acknowledged with one", () => {
    expect(planFor("racing", { peers: 2 }).baselines).toBe("reference");
    expect(planFor("racing", { peers: 1 }).baselines).toBe("acknowledged");
    expect(planFor("rpg", { peers: 12 }).baselines).toBe("reference");
    expect(planFor("shooter", { peers: 12 }).baselines).toBe("acknowledged");
    expect(planFor("puzzle", { peers: 12 }).baselines).toBe("acknowledged");
  });

  test.each(["puzzle", "strategy"])("a %s game between peers is (partially) reliable WebRTC", (genre) => {
    const plan = planFor(genre, { topology: "mesh", favour: "latency" });
    expect(plan.traffic.input.pair).toEqual({ delivery: "ordered-reliable", links: ["webrtc", "relayed"] });
    expect(plan.traffic.event.pair).toEqual({ delivery: "lifetime", links: ["webrtc", "relayed"] });
  });

  test("an https page opens encrypted WebSockets only", () => {
    expect(planFor("racing").webSocketSchemes).toEqual(["wss"]);
    expect(planFor("racing", { security: "http" }).webSocketSchemes).toEqual(["ws", "wss"]);
  });
});

describe("who talks to whom", () => {
  test("a player without WebRTC takes part in a mesh through the relay", () => {
    const plan = planFor("racing", { available: { ...browser.available, webrtc: false } });
    expect(plan).toMatchObject({ canConnect: true, pairsWith: "everybody", pairLinks: ["relayed"] });
    expect(plan.traffic.state.pair).toEqual({ delivery: "newest-wins", links: ["relayed"] });
    expect(rowsOf(plan)).toContain("PATHS-2");
  });

  test("a mesh of more players than the profile's limit is relayed and says so", () => {
    const { maxDirectPeers } = profileNamed("racing");
    expect(planFor("racing", { peers: maxDirectPeers }).pairLinks).toEqual(["webrtc", "relayed"]);
    const crowded = planFor("racing", { peers: maxDirectPeers + 1 });
    expect(crowded.pairLinks).toEqual(["relayed"]);
    expect(rowsOf(crowded)).toContain("PATHS-3");
  });

  test("without WebRTC a host is reached through the relay, and is still the only partner", () => {
    const plan = planFor("action", { available: { ...browser.available, webrtc: false } });
    expect(plan).toMatchObject({ pairsWith: "host", pairLinks: ["relayed"] });
  });

  test("with a host each other player has one session, to the host", () => {
    expect(planFor("action")).toMatchObject({ pairsWith: "host", pairLinks: ["webrtc", "relayed"] });
  });

  test("with an authoritative server players have nothing to send to each other", () => {
    const plan = planFor("shooter");
    expect(plan).toMatchObject({ pairsWith: "nobody", pairLinks: [] });
    expect(plan.traffic.state.pair.links).toEqual([]);
  });

  test("without a WebSocket nothing connects, whatever else there is, and the plan says why", async () => {
    const plan = planFor("racing", { available: { ...bothAvailable, websocket: false } });
    expect(plan).toMatchObject({ canConnect: false, serverLinks: [], pairLinks: [], pairsWith: "nobody" });
    const rows = await explainPlan(plan);
    expect(rows.find((row) => row.about === "Is there a way in?")?.reason).toContain("nothing can connect");
    expect(rows.find((row) => row.about === "class state")?.choice).toContain("no link");
  });
});

describe("links to the server", () => {
  const server = { webrtc: true, webtransport: true };

  test("prefer WebTransport, then WebRTC, for states, and keep the WebSocket for the rest", () => {
    const plan = planFor("shooter", { available: bothAvailable, server });
    expect(plan.serverLinks).toEqual(["webtransport", "webrtc", "websocket"]);
    expect(plan.traffic.command.server.links).toEqual(["websocket"]);
  });

  test("are those that the server speaks too", () => {
    expect(planFor("shooter", { available: bothAvailable }).serverLinks).toEqual(["websocket"]);
  });

  test("leave the WebSocket for the sake of bytes only when a measurement shows loss", () => {
    const measuredLoss = (lossRatio: number) =>
      planFor("mmo", { server, measured: { ...calm, lossRatio } }).serverLinks[0];
    expect(planFor("mmo", { server }).serverLinks).toEqual(["websocket"]);
    expect(measuredLoss(0.0099)).toBe("websocket");
    expect(measuredLoss(0.01)).toBe("webrtc");
    expect(measuredLoss(1)).toBe("webrtc");
  });
});

describe("rates and thresholds", () => {
  test("are the profile's own on a good fixed network", () => {
    const { stateHz, sendPeriodMs, thresholdM } = profileNamed("racing");
    expect(planFor("racing").numbers).toMatchObject({ stateHz, sendPeriodMs, thresholdM });
    expect(planFor("racing", { measured: calm }).numbers).toMatchObject({
      stateHz,
      sendPeriodMs,
      thresholdM,
    });
  });

  test("fall with a low battery, on a mobile network and with high loss, and the factors multiply", () => {
    const start = profileNamed("racing");
    const plan = planFor("racing", {
      device: { battery: "low", network: "mobile" },
      measured: { lossRatio: 0.2, rttMs: 300, jitterMs: 25 },
    });
    expect(plan.numbers.stateHz).toBe(start.stateHz / 4);
    expect(plan.numbers.thresholdM).toBeCloseTo(start.thresholdM * 1.5 * 1.5, 12);
    expect(plan.numbers.heartbeatMs).toBe(start.heartbeatMs / 2);
    expect(plan.numbers.extrapolationLimitMs).toBe(start.extrapolationLimitMs * 2);
    expect(plan.numbers.interpolationDelayMs).toBe(start.interpolationDelayMs * 2);
  });

  test("never bundle for longer than 100 ms", () => {
    const plan = planFor("mmo", { device: { battery: "low", network: "mobile" } });
    expect(plan.numbers.sendPeriodMs).toBe(100);
  });

  test("begin with another profile where one is given", () => {
    const mine = { ...profileNamed("racing"), stateHz: 60, maxDirectPeers: 2 };
    const plan = decide(circumstancesOf(mine, browser), mine);
    expect(plan.numbers.stateHz).toBe(60);
    expect(rowsOf(plan)).toContain("PATHS-3");
  });
});

test("an explanation has a line per question, a line per class of traffic, and the rates", async () => {
  const plan = planFor("racing");
  const rows = await explainPlan(plan);
  const answers = rows.slice(0, plan.reasons.length);
  expect(answers.map((row) => row.reason.slice(row.reason.lastIndexOf("[")))).toEqual(
    plan.reasons.map(({ row }) => `[${row}]`),
  );
  expect(answers[0]).toMatchObject({ about: "How was the page loaded?", choice: "wss only" });
  expect(rows.map((row) => row.about)).toContain("class bulk");
  expect(rows.find((row) => row.about === "class state")?.choice).toBe(
    "to players newest-wins over webrtc, else relayed; to the server newest-wins over websocket",
  );
  expect(rows.at(-1)).toMatchObject({ about: "rates", choice: expect.stringContaining("30 states/s") });
  expect(rows.at(-1)?.reason).toContain(`never wait longer than ${profileRanges.sendPeriodMs.max} ms`);
});

test("circumstances from our own code give the same plan without the checks", () => {
  for (const profile of Object.values(profiles)) {
    const circumstances = circumstancesOf(profile, browser);
    expect(uncheckedPlanFor(circumstances)).toEqual(decide(circumstances));
  }
});

test.each<[string, object]>([
  ["genre", { genre: "golf" }],
  ["topology", { topology: "ring" }],
  ["freeMovement", { freeMovement: "yes" }],
  ["favour", { favour: "luck" }],
  ["security", { security: "ftp" }],
  ["available.webrtc", { available: { websocket: true, webtransport: false } }],
  ["server.webtransport", { server: { webrtc: true } }],
  ["device.battery", { device: { battery: "full", network: "fixed" } }],
  ["device.network", { device: { battery: "ok", network: "5g" } }],
  ["peers", { peers: -1 }],
  ["peers", { peers: 1.5 }],
  ["measured.lossRatio", { measured: { ...calm, lossRatio: 5 } }],
  ["measured.rttMs", { measured: { ...calm, rttMs: Number.NaN } }],
  ["measured.jitterMs", { measured: { ...calm, jitterMs: Infinity } }],
])("a wrong %s is refused by name", (field, changes) => {
  const wrong = { ...circumstancesOf(profileNamed("racing"), browser), ...changes } as Circumstances;
  expect(() => decide(wrong)).toThrow(expect.objectContaining({ name: "ConfigError", field }));
});

describe("what a running path shows", () => {
  test("a queue that stands: half the rate, wider thresholds, one socket", () => {
    const full = planFor("racing", { measured: { ...calm, queuedBytes: 4000, stallRatio: 0.5 } });
    const free = planFor("racing", { measured: { ...calm, queuedBytes: 0 } });
    expect(full.numbers.stateHz).toBe(free.numbers.stateHz / 2);
    expect(full.numbers.thresholdM).toBeCloseTo(free.numbers.thresholdM * 1.5);
    expect(full.stripes).toBe(1);
  });

  test.each([
    [0, 1],
    [0.1, 2],
    [0.149, 2],
    [0.15, 3],
    [0.9, 3],
  ])("with %d of the round trips stalled, states go over %d sockets", (stallRatio, stripes) => {
    expect(planFor("racing", { measured: { ...calm, stallRatio } }).stripes).toBe(stripes);
    expect(planFor("puzzle", { measured: { ...calm, stallRatio } }).stripes).toBe(1);
  });

  test("direct links that would take more than the upload end in the relay; those of a host too", () => {
    for (const topology of ["mesh", "host"] as const) {
      const over = planFor("racing", { topology, measured: { ...calm, uploadRatio: 1 } });
      expect(over.pairLinks).toEqual(["relayed"]);
      expect(rowsOf(over)).toContain("PATHS-5");
      const within = planFor("racing", { topology, measured: { ...calm, uploadRatio: 0.99 } });
      expect(within.pairLinks).toEqual(["webrtc", "relayed"]);
    }
  });

  test("bands that are held count, not the numbers", () => {
    const held = {
      loss: "high",
      rtt: "short",
      jitter: "calm",
      queue: "free",
      stalls: "none",
      upload: "within",
    } as const;
    const plan = planFor("racing", { measured: calm, held });
    expect(plan.inputs.loss).toBe("high");
    expect(rowsOf(plan)).toContain("LOSS-1");
  });
});
