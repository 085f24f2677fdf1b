import {
  Client,
  ConfigError,
  type ClientOptions,
  type ProfileChoice,
  type TransportSettings,
} from "@paceline/client";
import { profileOf, profileRanges, type ProfileNumbers } from "@paceline/transport";
import { VirtualScheduler } from "@paceline/testkit";
import { afterEach, describe, expect, test, vi } from "vitest";
import { sendTerms } from "../src/room/send-options.js";
import { Sign } from "./definitions.js";
import { VirtualHub } from "./virtual-hub.js";

// A policy that is impossible is refused at once with the option's name, and has no effect.

afterEach(() => vi.unstubAllGlobals());

interface Refusal {
  readonly field: string;
  readonly expected: string;
}

type Impossible = readonly [change: TransportSettings, refusal: Refusal];

const numberNames = Object.keys(profileRanges) as (keyof ProfileNumbers)[];

const badNumbers: Impossible[] = numberNames.flatMap((name): Impossible[] => {
  const { min, max, unit } = profileRanges[name];
  const values: unknown[] = [min - 0.001, max + 1, Number.NaN, Infinity, -Infinity, String(min), null, {}];
  return values.map((value) => [
    { profile: { base: "racing", numbers: { [name]: value } } },
    { field: `profile.numbers.${name}`, expected: `a number from ${min} to ${max} ${unit}` },
  ]);
});

const contradictions: Impossible[] = [
  [{ transports: ["webrtc"] }, { field: "transports", expected: "websocket among them" }],
  [
    { profile: { base: "strategy", movement: "bound" }, transports: ["webrtc"] },
    { field: "transports", expected: "websocket among them" },
  ],
  [
    { profile: { base: "racing", topology: "mesh" }, transports: ["websocket"] },
    { field: "profile.topology", expected: `"relay", or nothing: transports leaves out webrtc` },
  ],
  [
    { profile: { base: "racing", topology: "mesh", exposeAddress: false } },
    { field: "profile.exposeAddress", expected: "true in a mesh" },
  ],
  [
    { profile: { base: "shooter", movement: "bound" } },
    { field: "profile.movement", expected: `"free": in a shooter game everything moves` },
  ],
  [
    { profile: { base: "racing", numbers: { stateHz: 70 } } },
    { field: "profile.numbers.stateHz", expected: "at most tickHz, 60 per second" },
  ],
];

const unknownKeys: Impossible[] = [
  [{ profile: "golf" as "racing" }, { field: "profile", expected: "one of racing, shooter" }],
  [{ profile: 5 as never }, { field: "profile", expected: "one of racing, shooter" }],
  [{ profile: { base: "racing", favor: "cpu" } as never }, { field: "profile.favor", expected: "known are" }],
  [
    { profile: { base: "racing", numbers: { statehz: 20 } } as never },
    { field: "profile.numbers.statehz", expected: "known are stateHz" },
  ],
  [
    { profile: { base: "racing", device: { batteries: "low" } } as never },
    { field: "profile.device.batteries", expected: "known are battery, network" },
  ],
  [
    { profile: { base: "racing", device: { battery: "half" } } as never },
    { field: "profile.device.battery", expected: "one of ok, low, unknown" },
  ],
  [
    { profile: { base: "racing", favour: "speed" } as never },
    { field: "profile.favour", expected: "one of" },
  ],
  [
    { profile: { base: "racing", topology: "host" } as never },
    { field: "profile.topology", expected: "one of authority, relay, mesh" },
  ],
  [
    { profile: { base: "racing", exposeAddress: "no" } as never },
    { field: "profile.exposeAddress", expected: "true or false" },
  ],
  [{ transports: ["smoke"] as never }, { field: "transports", expected: "webrtc, websocket" }],
  [
    { transport: ["websocket"] } as never,
    { field: "transport", expected: "no such option; known are profile" },
  ],
];

const impossible = [...badNumbers, ...contradictions, ...unknownKeys];
const named = impossible.map(([change, refusal]) => [JSON.stringify(change), change, refusal] as const);

function refusalOf(call: () => unknown): Refusal {
  try {
    call();
  } catch (error) {
    if (error instanceof ConfigError) return { field: error.field, expected: error.expected };
    throw error;
  }
  throw new Error("it was taken");
}

/** Returns options for a client, and a list of its calls to the environment. */
function watched(change: object): { readonly options: ClientOptions; readonly touched: string[] } {
  const touched: string[] = [];
  const note = (name: string) => (): never => {
    touched.push(name);
    throw new Error(name);
  };
  vi.stubGlobal("fetch", note("fetch"));
  const scheduler = new VirtualScheduler();
  const options: ClientOptions = {
    profile: "racing",
    scheduler: Object.assign(scheduler, { after: note("timer"), every: note("timer") }),
    webSocket: note("socket"),
    keepIdentity: { getItem: note("storage"), setItem: note("storage") },
    ...change,
  };
  return { options, touched };
}

describe("an impossible policy is refused when a client is made, before anything happens:", () => {
  test.each(named)("%s", (_, change, refusal) => {
    const { options, touched } = watched(change);
    const found = refusalOf(() => new Client("https://play.example", options));
    expect(found.field).toBe(refusal.field);
    expect(found.expected).toContain(refusal.expected);
    expect(touched).toEqual([]);
  });

  test("an encrypted page with an unencrypted server", () => {
    vi.stubGlobal("location", { protocol: "https:" });
    const { options, touched } = watched({});
    const { field, expected } = refusalOf(() => new Client("ws://play.example", options));
    expect([field, expected]).toEqual(["endpoint", expect.stringContaining("https or wss address")]);
    expect(touched).toEqual([]);
    expect(new Client("wss://play.example", options)).toBeInstanceOf(Client);
  });
});

describe("an impossible policy leaves a running room as it was:", () => {
  test("each of them, in a room that goes on and sends nothing about it", async () => {
    const hub = new VirtualHub({ delayMs: 30 });
    const profile = { base: "racing", numbers: { stateHz: 20 } } satisfies ProfileChoice;
    const [mine, theirs] = await hub.meet(2, { profile, transports: ["websocket", "webrtc"] });
    const { transport } = mine!;
    const before = () => ({
      profile: transport.profile,
      choice: transport.choice,
      transports: transport.transports,
      plan: transport.plan,
      history: [...transport.history],
    });
    const told = vi.fn();
    transport.onChange(told);
    const state = before();
    for (const [change, refusal] of impossible) {
      const found = refusalOf(() => transport.configure(change));
      expect([change, found.field]).toEqual([change, refusal.field]);
      // The tick rate is fixed once the room is joined.
      const isFixed = found.field.endsWith("tickHz");
      expect(found.expected).toContain(isFixed ? "60 per second: it is fixed" : refusal.expected);
      expect(before()).toEqual(state);
    }
    expect(told).not.toHaveBeenCalled();
    expect([...theirs!.entities(Sign)]).toEqual([]);
    mine!.spawn(Sign, { place: { x: 3, y: 0 } });
    await hub.advance(300);
    expect([...theirs!.entities(Sign)].map(({ place }) => place.x)).toEqual([3]);
  });

  test("one with a valid half, which must not apply alone", async () => {
    const hub = new VirtualHub({ delayMs: 30 });
    const [mine] = await hub.meet(2, { profile: "racing" });
    const { transport } = mine!;
    const { plan } = transport;
    const halves: Impossible[] = [
      [
        { profile: "mmo", transports: ["webrtc"] },
        { field: "transports", expected: "websocket among them" },
      ],
      [
        { transports: ["websocket", "webrtc"], profile: { base: "mmo", numbers: { thresholdM: -1 } } },
        { field: "profile.numbers.thresholdM", expected: "0 to 1000 m" },
      ],
    ];
    for (const [change, refusal] of halves) {
      expect(refusalOf(() => transport.configure(change)).field).toBe(refusal.field);
      expect([transport.profile, transport.transports, transport.plan]).toEqual([
        "racing",
        ["websocket"],
        plan,
      ]);
    }
  });

  test("states more often than the room's steps, though the tick rate of the genre would allow it", async () => {
    const hub = new VirtualHub({ delayMs: 30 });
    const [mine] = await hub.meet(2, { profile: "mmo" });
    const { transport } = mine!;
    expect(profileOf("racing").tickHz).toBe(60);
    // The room runs at the ten steps of its profile.
    const change = { profile: { base: "racing", numbers: { stateHz: 50 } } } as const;
    expect(refusalOf(() => transport.configure(change)).field).toBe("profile.numbers.stateHz");
    expect(transport.profile).toBe("mmo");
    transport.configure({ profile: "racing" });
    expect(transport.plan.numbers.stateHz).toBe(10);
  });
});

describe("unknown options of the SDK are refused by name:", () => {
  const client = (): Client => new Client("https://play.example", watched({ keepIdentity: false }).options);

  test.each<[terms: unknown, field: string]>([
    [{ spectator: true }, "terms.spectator"],
    [{ spectate: "yes" }, "spectate"],
    [{ group: { key: "k", size: 2, name: "we" } }, "group.name"],
    [{ group: { key: "", size: 2 } }, "group"],
    [{ group: { key: ["k"], size: 2 } }, "group"],
    [{ group: { key: "k", size: "2" } }, "group"],
    [{ group: null }, "group"],
    [null, "terms"],
    ["spectate", "terms"],
  ])("terms of a join: %j", async (terms, field) => {
    const { options, touched } = watched({ keepIdentity: false });
    const mine = new Client("https://play.example", options);
    for (const method of ["joinOrCreate", "create", "join", "joinById"] as const)
      expect(refusalOf(() => mine[method]("race", {}, terms as never)).field).toBe(field);
    expect(touched).toEqual([]);
  });

  test("options of a queue, of a measurement, of a message, of an explanation", async () => {
    await expect(client().queue("race", { ranks: 3 } as never)).rejects.toMatchObject({ field: "ranks" });
    await expect(client().queue("race", { group: null } as never)).rejects.toMatchObject({ field: "group" });
    await expect(
      Client.measureLatency(["https://play.example"], { probe: 2 } as never),
    ).rejects.toMatchObject({
      field: "probe",
    });
    expect(refusalOf(() => sendTerms({ klass: "bulk" } as never)).field).toBe("klass");
    expect(refusalOf(() => sendTerms("Bob" as never)).field).toBe("options");
    const hub = new VirtualHub({ delayMs: 30 });
    const [room] = await hub.meet(1);
    await expect(room!.transport.explain({ detail: true } as never)).rejects.toMatchObject({
      field: "detail",
    });
    await expect(room!.transport.simulate({ delay: 3 } as never)).rejects.toMatchObject({
      field: "settings",
    });
    expect(room!.transport.simulated).toBeUndefined();
  });

  test("but unknown options of the game are accepted", async () => {
    const { options } = watched({ keepIdentity: false });
    const mine = new Client("https://play.example", options);
    // The join gets as far as its first timer.
    await expect(mine.joinOrCreate("race", { spectator: true, anything: 3 })).rejects.toThrow("timer");
  });
});

test("a mesh in a browser without WebRTC is relayed, and the room says why", async () => {
  const hub = new VirtualHub({ delayMs: 30 });
  expect(globalThis.RTCPeerConnection).toBeUndefined();
  const profile = { base: "racing", topology: "mesh" } as const;
  const [mine, theirs] = await hub.meet(2, { profile, transports: ["websocket", "webrtc"] });
  const sign = mine!.spawn(Sign, { place: { x: 3, y: 0 } });
  await hub.advance(300);
  expect([...theirs!.entities(Sign)].map(({ place }) => place.x)).toEqual([3]);
  sign.place.set(4, 0);
  await hub.advance(300);
  expect([...theirs!.entities(Sign)].map(({ place }) => place.x)).toEqual([4]);
  const [peer] = mine!.peers;
  expect([peer?.path, peer?.reason]).toEqual(["relay", "this browser has no WebRTC"]);
  expect(mine!.transport.plan.inputs.topology).toBe("mesh");
  const rows = await mine!.transport.explain();
  expect(rows.map(({ choice, reason }) => `${choice}: ${reason}`).join("\n")).toContain(
    "this browser has no WebRTC",
  );
});
