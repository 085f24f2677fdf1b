import { ConfigError, profiles, type Genre } from "@paceline/client";
import { VirtualScheduler } from "@paceline/testkit";
import { profileOf } from "@paceline/transport";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { ServerStats } from "../src/stats/path-stats.js";
import type { PeerConnection } from "../src/peers/peer-connection.js";
import { topologyOf } from "../src/policy/topology.js";
import { Simulation } from "../src/room-transport/simulation.js";
import { PlanInForce, firstPlan } from "../src/policy/plan-in-force.js";
import { environmentOf } from "../src/browser/environment.js";
import {
  RoomTransport,
  stripeWishOf,
  type RoomTransportOptions,
  type TransportChange,
} from "../src/room-transport/room-transport.js";

const server: ServerStats = {
  isConnected: true,
  rttMs: 20,
  jitterMs: 1,
  queuedBytes: 0,
  bytesInPerSecond: 0,
  bytesOutPerSecond: 0,
  statePacketsPerSecond: 0,
  stateLink: "websocket",
  sockets: 1,
  stallRatio: 0,
  stalls: { stalled: 0, roundTrips: 10 },
  loss: undefined,
  outgoingLoss: undefined,
  drops: {},
};

afterEach(() => vi.unstubAllGlobals());

function newTransport(more: Partial<RoomTransportOptions> = {}) {
  const scheduler = new VirtualScheduler();
  let plans = 0;
  const profile = profileOf(more.profile ?? "racing");
  const around = environmentOf(more.transports ?? ["webrtc", "websocket"], { peers: 0 });
  const transport = new RoomTransport({
    scheduler,
    inForce: new PlanInForce(firstPlan(profile, around, topologyOf(profile.topology, false))),
    simulation: new Simulation({
      scheduler,
      loadSimulation: () => import("@paceline/transport/simulated"),
    }),
    authorityHz: undefined,
    loadExplanation: () => import("../src/doors/words.js"),
    profile: "racing",
    transports: ["webrtc", "websocket"],
    peers: () => [],
    serverPath: () => ({ about: "server", choice: "websocket", reason: "joins" }),
    killServerWebRtc: () => undefined,
    limits: () => undefined,
    kinds: () => [],
    serverStats: () => server,
    onPlan: () => (plans += 1),
    ...more,
  });
  // As a room does when it knows its peers.
  transport.review();
  plans = 0;
  return { transport, scheduler, plans: () => plans };
}

function withWebRtc(): void {
  vi.stubGlobal("RTCPeerConnection", () => undefined);
  vi.stubGlobal("RTCDataChannel", () => undefined);
}

describe("a room's transport", () => {
  test("explains every choice, the path to the server and each peer's", async () => {
    const peer = {
      number: 7,
      path: "relay",
      channel: "WebSocket",
      reason: "since it must",
      stats: { updatesOutPerSecond: 0, updatesInPerSecond: 0 },
    } as PeerConnection;
    const { transport } = newTransport({ peers: () => [peer] });
    const rows = await transport.explain();
    expect(rows.length).toBeGreaterThan(5);
    for (const { about, choice, reason } of rows) expect([about, choice, reason]).not.toContain("");
    expect(rows.slice(-2)).toEqual([
      { about: "server", choice: "websocket", reason: "joins" },
      { about: "peer 7", choice: "relay: WebSocket", reason: "since it must" },
    ]);
  });

  test("explains the settings in force in at most twelve rows, however many players; details are optional", async () => {
    const peers = Array.from({ length: 30 }, (_, at) => ({
      number: at + 2,
      mayHaveWebRtc: true,
      path: at < 10 ? "direct" : "relay",
      channel: "a link",
      reason: "since it must",
      stats: { updatesOutPerSecond: at, updatesInPerSecond: 2 * at },
    })) as unknown as PeerConnection[];
    withWebRtc();
    const { transport } = newTransport({ profile: "shooter", peers: () => peers });
    const rows = await transport.explain();
    expect(rows.length).toBeLessThanOrEqual(12);
    const choiceOf = (about: string) => rows.find((row) => row.about === about)?.choice;
    expect(choiceOf("players")).toBe("30: 10 direct, 0 through TURN, 20 relayed");
    expect(choiceOf("states")).toContain(
      "10 of 30 players over direct links, the others relayed over WebSocket",
    );
    expect(choiceOf("messages")).toBe(
      "events are dropped after 500 ms; commands arrive, in order; each leaves at once",
    );
    expect(choiceOf("rates")).toContain(
      "of an entity (now 29/s of all to a player, 58/s from one), in packets",
    );
    expect(choiceOf("device")).toBe("battery unknown, network unknown");
    const details = await transport.explain({ details: true });
    expect(details.filter(({ about }) => about.startsWith("peer "))).toHaveLength(30);
    expect(details.map(({ reason }) => reason).join()).toContain("[PATHS-5]");
  });

  test("explains an authoritative room by its own link: the loss on it, or that loss cannot be seen", async () => {
    const stats = { ...server };
    withWebRtc();
    const { transport, scheduler } = newTransport({
      profile: "mmo",
      serverStats: () => stats,
    });
    const pass = (seconds: number): void => {
      for (let second = 0; second < seconds; second += 1) {
        scheduler.advance(1000);
        transport.observe();
      }
    };
    const choiceOf = async (about: string) =>
      (await transport.explain()).find((row) => row.about === about)?.choice;
    transport.entered(30);
    transport.setServerWebRtc(true);
    pass(4);
    expect(await choiceOf("game")).toBe("mmo, favours bandwidth: a server decides");
    expect(await choiceOf("measured now")).toContain(
      "stalls: 0 of 10 round trips (none); loss cannot be seen here",
    );
    expect(await choiceOf("states")).toBe(
      "WebSocket to the server; a newer one replaces one that waits here, what a WebSocket loses arrives late",
    );
    // The profile's heartbeat of ten seconds is too long for the clocks of a room, so 2 s apply.
    expect(await choiceOf("rates")).toBe(
      "the server sends up to 5 times/s (now 0): an entity when it is 0.06 m or 0.03 rad from the state before, when anything else of it changes, or after 2000 ms",
    );
    Object.assign(stats, { stallRatio: 0.3 });
    pass(4);
    expect(transport.plan.channels.state.links).toEqual(["webrtc", "websocket"]);
    expect(await choiceOf("states")).toContain("planned: WebRTC to the server, once it is proven");
    const loss = { ratio: 0.2, low: 0.17, high: 0.23, packets: 700 };
    Object.assign(stats, { stateLink: "webrtc", loss });
    pass(4);
    expect(await choiceOf("states")).toBe(
      "WebRTC to the server; a newer one replaces one that waits here, a lost packet is not sent again",
    );
    expect(await choiceOf("measured now")).toContain(
      "loss 20.0 % (high): from the server 20.0 %, between 17.0 % and 23.0 % with 95 % certainty from 700 packets; to it unknown",
    );
    // The loss keeps the link first, although stalls have ended.
    pass(30);
    expect(transport.plan.channels.state.links[0]).toBe("webrtc");
  });

  test("says why there is no direct link", () => {
    expect(newTransport().transport.directObstacle()).toBe("this browser has no WebRTC");
    withWebRtc();
    expect(newTransport().transport.directObstacle()).toBeUndefined();
    expect(newTransport({ transports: ["websocket"] }).transport.directObstacle()).toBe(
      "WebRTC is switched off here",
    );
    expect(
      newTransport({ profile: { base: "racing", topology: "relay" } }).transport.directObstacle(),
    ).toContain("relay");
  });

  test("changes profile and transports while it runs", () => {
    withWebRtc();
    const { transport, scheduler, plans } = newTransport();
    scheduler.advance(50);
    expect(transport.plan.channels.state.links).toContain("direct");
    transport.configure({ transports: ["websocket"] });
    expect(transport.transports).toEqual(["websocket"]);
    expect(transport.plan.channels.state.links).not.toContain("direct");
    expect(plans()).toBe(1);
    expect(transport.history).toEqual([
      { atMs: 50, about: "links between players", choice: "relayed", reason: "WebRTC is switched off here" },
    ]);
    transport.configure({ profile: "rpg" });
    expect(transport.profile).toBe("rpg");
    expect(transport.transports).toEqual(["websocket"]);
    expect(plans()).toBe(2);
    transport.configure({ profile: "racing", transports: ["websocket", "webrtc"] });
    expect(transport.plan.channels.state.links).toContain("direct");
  });

  test.each([
    [{ profile: "golf" as Genre }, "profile"],
    [{ profile: "rpg" as Genre, transports: [] }, "transports"],
    [{ profile: "rpg" as Genre, transports: ["webrtc" as const] }, "transports"],
    [{ transports: ["smoke" as never] }, "transports"],
    [{ profile: { base: "rpg" as const, favor: "cpu" } as never }, "profile.favor"],
    [{ profile: { base: "rpg" as const, numbers: { tickHz: 20 } } }, "profile.numbers.tickHz"],
    [
      {
        transports: ["websocket" as const],
        profile: { base: "racing" as const, movement: "bound" as const },
      },
      "profile.movement",
    ],
    [{ transport: ["websocket"] } as never, "transport"],
  ])("refuses %o and changes nothing", (change, field) => {
    const { transport, plans } = newTransport();
    const before = [transport.profile, transport.transports, transport.plan];
    expect(() => transport.configure(change)).toThrow(ConfigError);
    expect(() => transport.configure(change)).toThrow(new RegExp(`^${field}`));
    expect([transport.profile, transport.transports, transport.plan]).toEqual(before);
    expect(plans()).toBe(0);
    expect(transport.history).toEqual([]);
  });

  test("takes changes of a profile while it runs, and keeps the rate of simulation", () => {
    withWebRtc();
    const { transport } = newTransport();
    transport.configure({ profile: { base: "rpg", numbers: { thresholdM: 3 }, topology: "relay" } });
    expect(transport.plan.numbers).toMatchObject({ thresholdM: 4.5, stateHz: 10 });
    expect(transport.plan.channels.state.links).toEqual(["websocket"]);
    expect(transport.choice).toMatchObject({ base: "rpg" });
    transport.configure({ profile: { base: "racing", exposeAddress: false } });
    expect(transport.directObstacle()).toBe("the game hides players' addresses from each other");
  });

  test("refuses a topology that the room does not have; a genre's topology is only a preference", () => {
    const { transport } = newTransport({ profile: "shooter" });
    expect(transport.plan.inputs.topology).toBe("mesh");
    const wanted = { profile: { base: "shooter", topology: "authority" } } as const;
    expect(() => transport.configure(wanted)).toThrow(/^profile.topology: expected "mesh" or "relay"/);
    transport.entered(30);
    transport.configure(wanted);
    expect(transport.plan.inputs.topology).toBe("authority");
    expect(() => transport.configure({ profile: { base: "racing", topology: "mesh" } })).toThrow(
      /^profile.topology: expected "authority"/,
    );
    transport.configure({ profile: "racing" });
    expect(transport.plan.inputs.topology).toBe("authority");
  });

  test("players without WebRTC do not count against the limit of direct links", () => {
    withWebRtc();
    const relayOnly = Array.from({ length: 7 }, (_, at) => ({ number: 10 + at, mayHaveWebRtc: false }));
    const humans = [2, 3].map((number) => ({ number, mayHaveWebRtc: true }));
    const { transport } = newTransport({
      profile: { base: "racing", numbers: { maxDirectPeers: 8 } },
      peers: () => [...humans, ...relayOnly, ...relayOnly] as unknown as PeerConnection[],
    });
    expect(transport.plan.inputs).toMatchObject({ peers: "few", receivers: "several" });
    expect(transport.directObstacle()).toBeUndefined();
  });

  test("keeps the last 200 changes, and reports each", () => {
    const { transport, scheduler } = newTransport();
    let told = 0;
    const stop = transport.onChange(() => (told += 1));
    for (let count = 0; count < 250; count++) {
      scheduler.advance(1);
      transport.record({ about: "peer 2", choice: `${count}`, reason: "x" });
    }
    expect(transport.history).toHaveLength(200);
    expect([transport.history[0]!.choice, transport.history.at(-1)!.choice]).toEqual(["50", "249"]);
    expect(transport.history.at(-1)!.atMs).toBe(250);
    stop();
    transport.record({ about: "peer 2", choice: "x", reason: "x" });
    expect(told).toBe(250);
  });

  test("breaks the direct links of all peers, or of one", () => {
    const killed: number[] = [];
    const peers = [1, 2, 3].map(
      (number) => ({ number, killDirect: () => killed.push(number) }) as unknown as PeerConnection,
    );
    const { transport } = newTransport({ peers: () => peers });
    transport.killDirect({ number: 2 });
    transport.killDirect();
    expect(killed).toEqual([2, 1, 2, 3]);
  });

  describe("follows measurements:", () => {
    function measuredScene(serverStats = server) {
      const path = { rttMs: 40, lossRatio: 0, jitterMs: 1, queuedBytes: 0 };
      const peer = {
        number: 2,
        mayHaveWebRtc: true,
        path: "direct",
        get rttMs() {
          return path.rttMs;
        },
        get stats() {
          return path;
        },
      } as unknown as PeerConnection;
      withWebRtc();
      const { transport, scheduler, plans } = newTransport({
        peers: () => [peer],
        serverStats: () => serverStats,
      });
      const pass = (seconds: number, change: Partial<typeof path> = {}): void => {
        Object.assign(path, change);
        for (let second = 0; second < seconds; second += 1) {
          scheduler.advance(1000);
          transport.observe();
        }
      };
      return { transport, pass, plans };
    }

    test("lasting loss changes the heartbeat, and the end of the loss applies only after a while", () => {
      const { transport, pass } = measuredScene();
      const { stateHz, heartbeatMs } = transport.plan.numbers;
      pass(30);
      const changes: TransportChange[] = [];
      transport.onChange((change) => changes.push(change));
      pass(2, { lossRatio: 0.1 });
      expect(transport.plan.numbers.heartbeatMs).toBe(heartbeatMs);
      pass(3);
      expect(transport.plan.numbers.heartbeatMs).toBe(heartbeatMs / 4);
      expect(transport.plan.numbers.stateHz).toBe(stateHz);
      pass(14, { lossRatio: 0 });
      expect(transport.plan.numbers.heartbeatMs).toBe(heartbeatMs / 4);
      pass(3);
      expect(transport.plan.numbers.heartbeatMs).toBe(heartbeatMs);
      expect(changes.map(({ about, reason }) => `${about}: ${reason}`)).toEqual([
        "rates: loss high instead of low [LOSS-1]",
        "rates: loss low instead of high [LOSS-3]",
      ]);
      expect(changes[0]).toMatchObject({
        choice: expect.stringContaining(`heartbeatMs ${heartbeatMs} → ${heartbeatMs / 4}`),
        measured: { lossRatio: 0.1, rttMs: 40 },
      });
      expect(JSON.parse(JSON.stringify(transport.history))).toEqual(changes);
    });

    /** Makes peers with equal upload traffic to each, whatever the path. */
    function uploadScene(uploadBytesPerSecond?: number, favour?: "bandwidth") {
      const traffic = { bytesOutPerSecond: 0, packetsOutPerSecond: 0 };
      const peers: PeerConnection[] = [];
      const newPeer = (number: number): PeerConnection =>
        ({
          number,
          mayHaveWebRtc: true,
          path: "direct",
          rttMs: 40,
          get stats() {
            return { lossRatio: 0, jitterMs: 1, queuedBytes: 0, ...traffic };
          },
        }) as unknown as PeerConnection;
      withWebRtc();
      const { transport, scheduler, plans } = newTransport({
        peers: () => peers,
        profile: {
          base: "racing",
          ...(favour && { favour }),
          numbers: uploadBytesPerSecond === undefined ? {} : { uploadBytesPerSecond },
        },
      });
      const pass = (seconds: number): void => {
        for (let second = 0; second < seconds; second += 1) {
          scheduler.advance(1000);
          transport.observe();
        }
      };
      const are = (count: number): void => {
        peers.length = 0;
        for (let number = 2; number < count + 2; number++) peers.push(newPeer(number));
        transport.review();
      };
      return { transport, traffic, pass, are, plans };
    }

    test("direct links that would fill the uplink make the room relayed, with that reason", async () => {
      const { transport, traffic, pass, are } = uploadScene(20_000);
      are(4);
      // 4 x (3500 bytes + 10 x 100 bytes of headers) are 18 kB/s.
      Object.assign(traffic, { bytesOutPerSecond: 3500, packetsOutPerSecond: 10 });
      pass(20);
      expect(transport.directObstacle()).toBeUndefined();
      Object.assign(traffic, { packetsOutPerSecond: 20 });
      pass(2);
      expect(transport.directObstacle()).toBeUndefined();
      pass(2);
      expect(transport.directObstacle()).toBe(
        "direct links to all would take more than 160 kbit/s of this player's uplink",
      );
      expect(transport.plan.channels.state.links).toEqual(["websocket"]);
      expect(transport.history.at(-1)).toMatchObject({
        about: "links between players",
        choice: "relayed",
        reason: "direct links to all would take more than 160 kbit/s of this player's uplink",
        measured: { uploadRatio: 1.1 },
      });
      const words = (await transport.explain({ details: true })).map(({ reason }) => reason).join("\n");
      expect(words).toContain("a full uplink delays everything that leaves it");
    });

    test("slightly less traffic does not restore direct links, and much less does so only after a while", () => {
      const { transport, traffic, pass, are, plans } = uploadScene(20_000);
      are(4);
      Object.assign(traffic, { bytesOutPerSecond: 6000, packetsOutPerSecond: 0 });
      pass(5);
      expect(transport.directObstacle()).toContain("uplink");
      Object.assign(traffic, { bytesOutPerSecond: 4000 });
      pass(60);
      expect(transport.directObstacle()).toContain("uplink");
      Object.assign(traffic, { bytesOutPerSecond: 3000 });
      pass(14);
      expect(transport.directObstacle()).toContain("uplink");
      pass(3);
      expect(transport.directObstacle()).toBeUndefined();
      const before = plans();
      for (let round = 0; round < 50; round++) {
        Object.assign(traffic, { bytesOutPerSecond: round % 2 === 0 ? 6000 : 1000 });
        pass(1);
      }
      expect(plans()).toBe(before);
    });

    test("without a budget of the game, that of the profile applies", () => {
      const { transport, traffic, pass, are } = uploadScene();
      are(8);
      Object.assign(traffic, { bytesOutPerSecond: 15_000 });
      pass(5);
      expect(transport.directObstacle()).toBeUndefined();
      Object.assign(traffic, { bytesOutPerSecond: 16_000 });
      pass(5);
      expect(transport.directObstacle()).toContain("1000 kbit/s");
    });

    test("one peer too many closes direct links at once; one fewer opens them only after a while", () => {
      const { transport, pass, are } = uploadScene();
      const limit = profiles.racing.maxDirectPeers;
      are(limit);
      expect(transport.directObstacle()).toBeUndefined();
      for (let round = 0; round < 5; round++) {
        are(limit + 1);
        expect(transport.directObstacle()).toBe("more players than this profile keeps direct links for");
        pass(5);
        are(limit);
        pass(10);
        expect(transport.directObstacle()).toBe("more players than this profile keeps direct links for");
      }
      pass(6);
      expect(transport.directObstacle()).toBeUndefined();
    });

    test("a third player who comes and goes does not open and close the links of a pair that spares bytes", () => {
      const { transport, pass, are } = uploadScene(undefined, "bandwidth");
      const isDirect = (): boolean => transport.directObstacle() === undefined;
      are(1);
      expect(isDirect()).toBe(true);
      for (let round = 0; round < 5; round++) {
        are(2);
        expect(isDirect()).toBe(false);
        pass(5);
        are(1);
        pass(10);
        expect(isDirect()).toBe(false);
      }
      pass(6);
      expect(isDirect()).toBe(true);
    });

    test("a standing queue widens the thresholds", () => {
      const { transport, pass } = measuredScene();
      const { numbers, channels } = transport.plan;
      pass(5, { queuedBytes: 5000 });
      expect(transport.plan.numbers.thresholdM).toBeCloseTo(numbers.thresholdM * 1.5);
      expect(transport.plan.channels.state.periodMs).toBe(channels.state.periodMs * 2);
    });

    test("bytes that wait for the server do not slow a pair that is direct", () => {
      const { transport, pass } = measuredScene({ ...server, queuedBytes: 5000 });
      const { numbers } = transport.plan;
      pass(5);
      expect(transport.plan.numbers).toEqual(numbers);
    });

    test("stalling round trips make states alternate over sockets, and the explanation says why", async () => {
      const stats = { ...server };
      const { transport, scheduler } = newTransport({ serverStats: () => stats });
      const pass = (seconds: number, stallRatio: number): void => {
        stats.stallRatio = stallRatio;
        for (let second = 0; second < seconds; second += 1) {
          scheduler.advance(1000);
          transport.observe();
        }
      };
      pass(5, 0);
      expect(transport.plan.stripes).toBe(1);
      pass(4, 0.12);
      expect(transport.plan.stripes).toBe(2);
      pass(4, 0.3);
      expect(transport.plan.stripes).toBe(3);
      expect(stripeWishOf(transport.plan)).toEqual({
        sockets: 3,
        reason: "round trips stalled behind lost segments (many): states alternate",
      });
      const words = (await transport.explain({ details: true }))
        .map(({ choice, reason }) => `${choice}: ${reason}`)
        .join("\n");
      expect(words).toContain("Every seventh round trip, or more, stalls behind lost segments");
      expect(words).toContain("stalls 30 % (many)");
      // Nothing stalls over WebRTC. A minute later the sockets are closed.
      Object.assign(stats, { stateLink: "webrtc" });
      pass(55, 0.3);
      expect(transport.plan.stripes).toBe(3);
      pass(10, 0.3);
      expect(transport.plan.stripes).toBe(1);
    });

    test("values that cross the limits every second change nothing", () => {
      const { transport, pass, plans } = measuredScene();
      pass(1);
      const before = plans();
      for (let round = 0; round < 100; round += 1) {
        pass(1, { lossRatio: 0.08, jitterMs: 30, rttMs: 400 });
        pass(1, { lossRatio: 0, jitterMs: 1, rttMs: 40 });
      }
      expect(plans()).toBe(before);
      expect(transport.history).toEqual([]);
    });

    test("the explanation contains the measurements and their bands", async () => {
      const { transport, pass } = measuredScene();
      const row = async () => (await transport.explain()).find(({ about }) => about === "measured now");
      expect((await row())?.choice).toBe("nothing yet");
      pass(5, { lossRatio: 0.02, rttMs: 250 });
      expect((await row())?.choice).toBe(
        "loss 2.0 % (raised), stalls unknown, round trip 250 ms (long), jitter 1.0 ms, queue 0 bytes (free), direct links 0 % of the upload (within)",
      );
    });
  });
});
