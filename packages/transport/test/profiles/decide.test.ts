import { MAX_HEARTBEAT_MS } from "@paceline/protocol";
import { describe, expect, test } from "vitest";
import { type Circumstances, circumstancesOf, type Environment } from "../../src/profiles/circumstances.js";
import { explainPlan } from "../../src/profiles/explain-plan.js";
import { type Genre, genres } from "../../src/profiles/profile.js";
import { planFor as planOf } from "../../src/profiles/decide.js";
import { profileOf } from "../../src/profiles/profiles.js";

const browser: Environment = {
  security: "https",
  available: { webrtc: true },
  device: { battery: "ok", network: "fixed" },
  peers: 3,
};
const server = { webrtc: true };

function planFor(genre: Genre, changes: Partial<Circumstances> = {}) {
  return planOf({ ...circumstancesOf(profileOf(genre), browser), ...changes });
}

type Plan = ReturnType<typeof planFor>;
const rowsOf = (plan: Plan): string[] => plan.reasons.map((reason) => reason.row);
const calm = { lossRatio: 0, rttMs: 30, jitterMs: 1, queuedBytes: 0, stallRatio: 0 };

describe("the budget of states for one receiver", () => {
  const budgetOf = (profile: Parameters<typeof profileOf>[0], topology: "authority" | "mesh"): number => {
    const own = profileOf(profile);
    return planOf({ ...circumstancesOf(own, browser), topology }, own).numbers.stateBytesPerSecond;
  };

  test.each<[Genre, uplink: number, downlink: number]>([
    ["racing", 16_000, 31_920],
    ["shooter", 32_000, 31_920],
    ["action", 16_000, 21_280],
    ["rpg", 8000, 10_640],
    ["mmo", 8000, 5320],
    ["strategy", 4000, 5320],
    ["puzzle", 4000, 10_640],
  ])("of %s is a share of the uplink in a mesh, and 64 entities from a server", (genre, uplink, downlink) => {
    expect([budgetOf(genre, "mesh"), budgetOf(genre, "authority")]).toEqual([uplink, downlink]);
  });

  test("follows the rate of states, and is the game's own number if it sets one", () => {
    expect(budgetOf({ base: "racing", numbers: { stateHz: 60 } }, "authority")).toBe(63_840);
    const own = { base: "racing", numbers: { stateBytesPerSecond: 16_000 } } as const;
    expect([budgetOf(own, "mesh"), budgetOf(own, "authority")]).toEqual([16_000, 16_000]);
  });
});

describe("the tree of the thesis", () => {
  test.each<Genre>(["racing", "shooter", "action", "rpg", "party"])(
    "a %s game between peers: unreliable states over WebRTC",
    (genre) => {
      const { channels } = planFor(genre, { topology: "mesh", favour: "latency" });
      expect(channels.state).toMatchObject({ delivery: "newest-wins", links: ["direct", "websocket"] });
    },
  );

  test.each(["bandwidth", "cpu"] as const)(
    "a game that favours %s: a direct link to one other player, the relay for several",
    (favour) => {
      const linksOf = (peers: number): readonly string[] =>
        planFor("rpg", { favour, peers }).channels.state.links;
      expect([1, 2, 3].map((peers) => linksOf(peers)[0])).toEqual(["direct", "websocket", "websocket"]);
    },
  );

  test.each<Genre>(["shooter", "action", "rpg", "mmo"])(
    "a %s game with a server: unreliable states over WebRTC to the server",
    (genre) => {
      const { channels } = planFor(genre, { topology: "authority", favour: "latency", server });
      expect(channels.state).toMatchObject({ delivery: "newest-wins", links: ["webrtc", "websocket"] });
      expect(channels.input).toMatchObject({ delivery: "newest-wins", links: ["webrtc", "websocket"] });
    },
  );

  test.each<Genre>(["puzzle", "strategy"])("a %s game with a server: everything in order on TCP", (genre) => {
    const { channels } = planFor(genre, { topology: "authority", server });
    for (const name of ["state", "input", "event"] as const)
      expect(channels[name]).toMatchObject({ delivery: "ordered-reliable", links: ["websocket"] });
  });

  test.each<Genre>(["puzzle", "strategy"])(
    "a %s game between peers: (partially) reliable WebRTC",
    (genre) => {
      const { channels } = planFor(genre, { topology: "mesh", peers: 1 });
      expect(channels.state).toMatchObject({ delivery: "ordered-reliable", links: ["direct", "websocket"] });
      expect(channels.event).toMatchObject({ delivery: "lifetime", links: ["websocket"] });
    },
  );

  test("a game without free movement sends everything in order, and keeps its view style", () => {
    for (const genre of ["action", "rpg"] as const) {
      const plan = planFor(genre, { movement: "bound" });
      expect(plan.channels.state.delivery).toBe("ordered-reliable");
      expect(plan.style).toBe("interpolation");
    }
  });

  test("an https page opens encrypted WebSockets only; without a page, unencrypted ones are allowed too", () => {
    expect(planFor("racing").schemes).toEqual(["wss"]);
    expect(planFor("racing", { security: "http" }).schemes).toEqual(["ws", "wss"]);
    expect(planFor("racing", { security: "unknown" }).schemes).toEqual(["ws", "wss"]);
  });
});

describe("players reach each other", () => {
  const linksOf = (genre: Genre, changes: Partial<Circumstances>) =>
    planFor(genre, changes).channels.state.links;

  test("through the relay without WebRTC, if the game wants it, or if addresses are hidden", () => {
    const without = { available: { ...browser.available, webrtc: false } };
    for (const changes of [without, { topology: "relay" as const }, { exposeAddress: false }]) {
      expect(linksOf("racing", changes)).toEqual(["websocket"]);
      expect(linksOf("racing", { ...changes, server })).toEqual(
        changes === without ? ["websocket"] : ["webrtc", "websocket"],
      );
    }
  });

  test("through the relay if more could be direct than the profile's limit, with any number of others", () => {
    const { maxDirectPeers } = profileOf("racing");
    expect(linksOf("racing", { peers: maxDirectPeers })).toContain("direct");
    expect(linksOf("racing", { peers: maxDirectPeers + 1 })).not.toContain("direct");
    expect(linksOf("racing", { peers: 60, directPeers: maxDirectPeers })).toContain("direct");
  });

  test("through the relay with a low battery or to save computing time, unless there is only one other", () => {
    for (const changes of [
      { device: { battery: "low", network: "fixed" } as const },
      { favour: "cpu" as const },
    ]) {
      expect(linksOf("racing", { ...changes, peers: 2 })).not.toContain("direct");
      expect(linksOf("racing", { ...changes, peers: 1 })).toContain("direct");
    }
  });

  test("not at all if a server decides", () => {
    expect(linksOf("racing", { topology: "authority" })).toEqual(["websocket"]);
  });
});

describe("links to the server", () => {
  test("are those that the server has announced", () => {
    const links = (spoken: Circumstances["server"]) =>
      planFor("shooter", spoken ? { server: spoken } : {}).channels.state.links;
    expect(links(undefined)).toEqual(["websocket"]);
    expect(links({ webrtc: "unknown" })).toEqual(["websocket"]);
    expect(links({ webrtc: false })).toEqual(["websocket"]);
    expect(links(server)).toEqual(["webrtc", "websocket"]);
  });

  test("are never TCP alone for a shooter, with any favour", () => {
    for (const favour of ["latency", "bandwidth", "cpu"] as const) {
      const plan = planFor("shooter", { favour, server, measured: calm });
      expect(plan.channels.state.links[0]).toBe("webrtc");
    }
  });

  test("include WebRTC in a game that favours bandwidth only if loss or stalls were measured", () => {
    const first = (measured: Circumstances["measured"]) =>
      planFor("mmo", { server, ...(measured && { measured }) }).channels.state.links[0];
    expect(first(undefined)).toBe("websocket");
    expect(first({ lossRatio: 0.0099 })).toBe("websocket");
    expect(first({ lossRatio: 0.01 })).toBe("webrtc");
    expect(first({ stallRatio: 0.0999 })).toBe("websocket");
    expect(first({ stallRatio: 0.1 })).toBe("webrtc");
  });
});

describe("rates, periods and lifetimes", () => {
  test("are the profile's own on a good fixed network", () => {
    const { stateHz, sendPeriodMs, thresholdM } = profileOf("racing");
    for (const plan of [planFor("racing"), planFor("racing", { measured: calm })]) {
      expect(plan.numbers).toMatchObject({ stateHz, thresholdM });
      expect(plan.channels.state.periodMs).toBe(sendPeriodMs);
    }
  });

  test("an event has the profile's lifetime if it may be lost, else no limit", () => {
    expect(planFor("shooter").channels.event.lifetimeMs).toBe(500);
    expect(planFor("racing").channels.event.lifetimeMs).toBe(1500);
    expect(planFor("strategy", { topology: "authority" }).channels.event.lifetimeMs).toBe(Infinity);
  });

  test("events and commands leave at once if latency is favoured, else in bundles", () => {
    expect(planFor("racing").channels.command.periodMs).toBe(0);
    expect(planFor("racing").channels.event.periodMs).toBe(0);
    expect(planFor("strategy").channels.command.periodMs).toBe(100);
  });

  test("never bundle for longer than 100 ms", () => {
    const plan = planFor("mmo", { device: { battery: "low", network: "mobile" } });
    expect(plan.channels.state.periodMs).toBe(100);
  });

  test("fall with a low battery and on a mobile network, and the factors multiply", () => {
    const start = profileOf("racing");
    const plan = planFor("racing", {
      device: { battery: "low", network: "mobile" },
      measured: { ...calm, queuedBytes: 4000 },
    });
    expect(plan.numbers.stateHz).toBe(start.stateHz / 4);
    expect(plan.numbers.thresholdM).toBeCloseTo(start.thresholdM * 1.5 * 1.5, 12);
  });

  test.each<
    [
      string,
      Partial<Circumstances>,
      Partial<Record<"stateHz" | "thresholdM" | "headingRad" | "periodMs", number>>,
    ]
  >([
    ["favours bandwidth", { favour: "bandwidth" }, { periodMs: 2, thresholdM: 1.5, headingRad: 1.5 }],
    ["favours the CPU", { favour: "cpu" }, { periodMs: 2 }],
    ["low battery", { device: { battery: "low", network: "fixed" } }, { stateHz: 0.5, periodMs: 2 }],
    [
      "mobile network",
      { device: { battery: "ok", network: "mobile" } },
      { thresholdM: 1.5, headingRad: 1.5 },
    ],
    [
      "a queue that stands",
      { measured: { ...calm, queuedBytes: 4000 } },
      { stateHz: 0.5, periodMs: 2, thresholdM: 1.5, headingRad: 1.5 },
    ],
  ])("change by these factors and no others: %s", (_, changes, factors) => {
    const numbersOf = ({ numbers, channels }: Plan) => ({ ...numbers, periodMs: channels.state.periodMs });
    const [before, after] = [
      numbersOf(planFor("racing", { favour: "latency" })),
      numbersOf(planFor("racing", { favour: "latency", ...changes })),
    ];
    for (const name of ["stateHz", "thresholdM", "headingRad", "periodMs", "extrapolationLimitMs"] as const) {
      const factor = (factors as Readonly<Record<string, number>>)[name] ?? 1;
      expect([name, after[name] / before[name]]).toEqual([name, expect.closeTo(factor, 9)]);
    }
  });

  test("begin with another profile if one is given", () => {
    const mine = profileOf({ base: "racing", numbers: { stateHz: 60, maxDirectPeers: 2 } });
    const plan = planOf(circumstancesOf(mine, browser), mine);
    expect(plan.numbers.stateHz).toBe(60);
    expect(rowsOf(plan)).toContain("PATHS-5");
  });
});

describe("an unknown quantity", () => {
  test("changes nothing, and its words call it unknown", async () => {
    const start = profileOf("racing");
    const plan = planFor("racing", { device: { battery: "unknown", network: "unknown" } });
    for (const [name, value] of Object.entries(plan.numbers))
      expect([name, value]).toEqual([name, start[name as keyof typeof start]]);
    const choices = (await explainPlan(plan)).map(({ choice }) => choice);
    expect(choices.filter((choice) => choice.startsWith("unknown"))).toHaveLength(6);
  });

  test("leaves the other quantities known", () => {
    const { inputs } = planFor("racing", { measured: { rttMs: 20 } });
    expect(inputs).toMatchObject({ rtt: "short", loss: "unknown", queue: "unknown" });
    expect(inputs).toMatchObject({ stalls: "unknown", upload: "unknown" });
  });
});

describe("measurements of a running path", () => {
  test("random loss: repeats and more heartbeats, not half the rate", () => {
    const start = profileOf("racing");
    const lossy = (lossRatio: number) => planFor("racing", { measured: { ...calm, lossRatio } });
    expect(lossy(0.05)).toMatchObject({ repeats: true, numbers: { stateHz: 30, heartbeatMs: 250 } });
    expect(lossy(0.05).numbers.thresholdM).toBe(start.thresholdM);
    expect(lossy(0.02)).toMatchObject({ repeats: true, numbers: { stateHz: 30, heartbeatMs: 500 } });
    expect(lossy(0.001)).toMatchObject({ repeats: false, numbers: { heartbeatMs: 1000 } });
    expect(planFor("racing").repeats).toBe(false);
  });

  test.each(["strategy", "puzzle"] as const)(
    "random loss changes nothing in %s, where every state arrives in order",
    (genre) => {
      const [lossy, clean] = [0.1, 0].map((lossRatio) =>
        planFor(genre, { topology: "mesh", measured: { ...calm, lossRatio } }),
      );
      expect(lossy!.channels.state.delivery).toBe("ordered-reliable");
      expect([lossy!.repeats, lossy!.numbers]).toEqual([false, clean!.numbers]);
    },
  );

  test.each(genres)(
    "%s: a server that decides takes the planned heartbeat, and loss shortens it",
    (genre) => {
      const mine = profileOf({ base: genre, numbers: { heartbeatMs: 60_000 } });
      const heartbeatOf = (lossRatio: number): number => {
        const measured = { ...calm, lossRatio };
        const around = { ...circumstancesOf(mine, browser), topology: "authority", measured } as const;
        return planOf(around, mine).numbers.heartbeatMs;
      };
      expect(heartbeatOf(0)).toBe(MAX_HEARTBEAT_MS);
      const isOrdered = mine.movement === "bound";
      expect(heartbeatOf(0.1)).toBe(isOrdered ? MAX_HEARTBEAT_MS : MAX_HEARTBEAT_MS / 4);
    },
  );

  test("the profiles of rooms that decide have a heartbeat that is in force there", () => {
    const decided = genres
      .map((genre) => profileOf(genre))
      .filter(({ topology }) => topology === "authority");
    expect(Math.max(...decided.map(({ heartbeatMs }) => heartbeatMs))).toBe(MAX_HEARTBEAT_MS);
  });

  test("a standing queue: half the rate, wider thresholds, one socket", () => {
    const full = planFor("racing", { measured: { ...calm, queuedBytes: 4000, stallRatio: 0.5 } });
    const free = planFor("racing", { measured: calm });
    expect(full.numbers.stateHz).toBe(free.numbers.stateHz / 2);
    expect(full.numbers.thresholdM).toBeCloseTo(free.numbers.thresholdM * 1.5);
    expect(full.stripes).toBe(1);
  });

  test("a queue on the way to a server that decides changes nothing of what comes from it", () => {
    const queued = { ...calm, queuedBytes: 4000 };
    const [full, free] = [queued, calm].map((measured) => planFor("shooter", { measured }));
    expect(full).toMatchObject({ numbers: free!.numbers, channels: free!.channels, reasons: free!.reasons });
  });

  test("long round trips: receivers extrapolate for longer", () => {
    const start = profileOf("shooter");
    const plan = planFor("shooter", { measured: { ...calm, rttMs: 300 } });
    expect(plan.numbers.extrapolationLimitMs).toBe(start.extrapolationLimitMs * 2);
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

  test("direct links that need more than the upload: the relay instead", () => {
    const links = (uploadRatio: number) =>
      planFor("racing", { measured: { ...calm, uploadRatio } }).channels.state.links;
    expect(links(1)).toEqual(["websocket"]);
    expect(links(0.99)).toEqual(["direct", "websocket"]);
  });

  test("held bands count instead of the numbers", () => {
    const held = {
      loss: "high",
      rtt: "short",
      queue: "free",
      stalls: "none",
      upload: "unknown",
    } as const;
    const plan = planFor("racing", { measured: calm, held });
    expect(plan.inputs.loss).toBe("high");
    expect(rowsOf(plan)).toContain("LOSS-1");
  });
});

test("an explanation has a row for each asked question", async () => {
  const plan = planFor("racing");
  const rows = await explainPlan(plan);
  expect(rows.map((row) => row.reason.slice(row.reason.lastIndexOf("[")))).toEqual(
    plan.reasons.map(({ row }) => `[${row}]`),
  );
  expect(rows[0]).toMatchObject({ about: "How was the page loaded?", choice: "wss only" });
});
