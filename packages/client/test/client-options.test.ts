import { Client, ConfigError, NetError, profiles, type ClientOptions, type Genre } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import { afterEach, describe, expect, test, vi } from "vitest";
import { DeviceProbe } from "../src/browser/device-probe.js";
import { checkedCall } from "../src/connection/match-request.js";
import { checkedTransports, environmentOf, webSocketOf } from "../src/browser/environment.js";

const ENDPOINT = "http://127.0.0.1:9";

function clientWith(options: object): Client {
  const all: ClientOptions = { profile: "racing", webSocket: NodeWebSocket, ...options };
  return new Client(ENDPOINT, all);
}

afterEach(() => vi.unstubAllGlobals());

describe("a client", () => {
  test.each([
    [{ profile: "golf" }, "profile", "racing"],
    [{ profile: undefined }, "profile", "racing"],
    [{ profile: "toString" }, "profile", "racing"],
    [{ tickHz: 0 }, "tickHz", "1 to 240"],
    [{ tickHz: 241 }, "tickHz", "1 to 240"],
    [{ tickHz: 59.94 }, "tickHz", "a whole number of steps per second"],
    [{ tickHz: "60" }, "tickHz", "1 to 240"],
    [{ profile: { base: "racing", numbers: { tickHz: 30 } }, tickHz: 60 }, "tickHz", "30, as profile"],
    [{ profile: { base: "racing", numbers: { tickHz: 59.94 } } }, "profile.numbers.tickHz", "a whole number"],
    [
      { profile: { base: "racing", numbers: { stateHz: 30 } }, tickHz: 20 },
      "profile.numbers.stateHz",
      "at most",
    ],
    [{ profile: { base: "racing", favor: "cpu" } }, "profile.favor", "known are base, favour"],
    [{ topology: "relay" }, "topology", "known are profile, transports"],
    [{ tickhz: 60 }, "tickhz", "known are profile, transports, tickHz"],
    [{ transports: [] }, "transports", "at least one of webrtc, websocket"],
    [{ transports: "websocket" }, "transports", "a list"],
    [{ transports: ["pigeon", "websocket"] }, "transports", "webrtc, websocket"],
    [{ transports: ["webrtc"] }, "transports", "websocket among them"],
    [{ interest: null }, "interest", "an object"],
    [{ interest: 80 }, "interest", "an object"],
    [{ interest: {} }, "interest.radiusM", "1 to 100000 m"],
    [{ interest: { radiusM: NaN } }, "interest.radiusM", "1 to 100000 m"],
    [{ interest: { radiusM: "80" } }, "interest.radiusM", "1 to 100000 m"],
    [{ interest: { radiusM: 80, cellM: 9 } }, "interest.cellM", "10 to 100000 m"],
    [{ interest: { radiusM: 80, cellM: NaN } }, "interest.cellM", "10 to 100000 m"],
    [{ interest: { radiusM: 80, ground: "yz" } }, "interest.ground", '"xy" or "xz"'],
    [{ interest: { radius: 80 } }, "interest.radius", "known are radiusM, cellM, ground"],
    [{ webSocket: "ws" }, "webSocket", "a WebSocket constructor"],
  ])("refuses %o at once", (options, field, expected) => {
    let thrown: unknown;
    try {
      clientWith(options);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(ConfigError);
    expect((thrown as ConfigError).field).toBe(field);
    expect((thrown as ConfigError).expected).toContain(expected);
  });

  test("refuses an invalid address", () => {
    expect(() => new Client("play", { profile: "racing", webSocket: NodeWebSocket })).toThrow(/^endpoint/);
  });

  test("takes genres with changes and tick rates from 1 to 240", () => {
    for (const options of [
      { tickHz: 1 },
      { tickHz: 240 },
      { profile: { base: "rpg", topology: "relay", numbers: { tickHz: 60, stateHz: 30 } } },
      { transports: ["websocket"] },
    ]) {
      expect(clientWith(options)).toBeInstanceOf(Client);
    }
  });

  test("throws for arguments of a join that can never work, before it sends a request", () => {
    const client = clientWith({});
    for (const name of ["", "a b", "x".repeat(65), "../admin", 5, undefined]) {
      expect(() => client.joinOrCreate(name as string)).toThrow(/^roomName: expected 1 to 64 letters/);
      expect(() => client.joinById(name as string)).toThrow(/^roomId: expected/);
    }
    for (const options of [null, [], "x"]) {
      expect(() => client.create("race", options as never)).toThrow(/^options: expected an object/);
    }
    for (const value of [null, {}, [1], Number.NaN, Infinity, () => 1]) {
      expect(() => client.join("race", { track: value as never })).toThrow(
        /^options\.track: expected text, a finite/,
      );
    }
  });
});

test("options of a join may be undefined, which leaves them out, and have limits that errors name", () => {
  const call = checkedCall("join", "race", { track: "oval", laps: undefined });
  expect(call.options).toStrictEqual({ track: "oval" });
  const client = clientWith({});
  const options = (entries: number, characters: number): Record<string, string> =>
    Object.fromEntries(Array.from({ length: entries }, (_, index) => [`o${index}`, "é".repeat(characters)]));
  for (const [wrong, message] of [
    [options(1, 1_000_000), 'options.o0: expected text of at most 256 characters, got "1000000 characters"'],
    [options(17, 1), 'options: expected at most 16 entries, got "17 entries"'],
    [options(16, 200), 'options: expected at most 4096 bytes of names and values, got "6438 bytes"'],
    [{ ["k".repeat(65)]: 1 }, "options: expected names of 1 to 64 characters"],
  ] as const)
    expect(() => client.joinOrCreate("race", wrong)).toThrow(message);
});

describe("the environment", () => {
  test("of a server that renders pages accepts a client; a join fails there with an error that names the missing WebSocket", async () => {
    for (const name of ["WebSocket", "window", "document", "location", "navigator"])
      vi.stubGlobal(name, undefined);
    for (const profile of Object.keys(profiles) as Genre[]) {
      const client = new Client("wss://play.example.com", { profile, keepIdentity: true });
      const error = {
        code: "transport/unavailable",
        message: expect.stringContaining("NodeWebSocket") as string,
      };
      await expect(client.joinOrCreate("race")).rejects.toMatchObject(error);
      await expect(client.joinById("id")).rejects.toMatchObject(error);
      await expect(client.reconnect("a.b")).rejects.toMatchObject(error);
      await expect(client.queue("race")).rejects.toMatchObject(error);
    }
    expect(() => webSocketOf(undefined)).toThrow(NetError);
  });

  test("with WebSocket: its own is used, unless one is given", () => {
    const own = function WebSocket() {};
    vi.stubGlobal("WebSocket", own);
    expect(webSocketOf(undefined)).toBe(own);
    expect(webSocketOf(NodeWebSocket)).toBe(NodeWebSocket);
  });

  test("has WebRTC if it has peer connections and data channels, and the game allows it", () => {
    expect(environmentOf(["webrtc", "websocket"], { peers: 0 }).available.webrtc).toBe(false);
    vi.stubGlobal("RTCPeerConnection", () => undefined);
    expect(environmentOf(["webrtc", "websocket"], { peers: 0 }).available.webrtc).toBe(false);
    vi.stubGlobal("RTCDataChannel", () => undefined);
    expect(environmentOf(["webrtc", "websocket"], { peers: 3 })).toMatchObject({
      available: { webrtc: true },
      peers: 3,
    });
    expect(environmentOf(["websocket"], { peers: 0 }).available).toEqual({ webrtc: false });
  });

  test("tells whether the page came by https or http; without a page it is unknown", () => {
    expect(environmentOf(["websocket"], { peers: 0 }).security).toBe("unknown");
    vi.stubGlobal("location", { protocol: "https:" });
    expect(environmentOf(["websocket"], { peers: 0 }).security).toBe("https");
    vi.stubGlobal("location", { protocol: "http:" });
    expect(environmentOf(["websocket"], { peers: 0 }).security).toBe("http");
  });

  test("a page that came by https opens unencrypted links to its own machine only", () => {
    vi.stubGlobal("location", { protocol: "https:" });
    const clientOf = (endpoint: string) =>
      new Client(endpoint, { profile: "racing", transports: ["websocket"], webSocket: NodeWebSocket });
    expect(() => clientOf("ws://play.example").joinOrCreate("race")).toThrow(
      /^endpoint: expected an https or wss/,
    );
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("no network")));
    clientOf("wss://play.example")
      .joinOrCreate("race")
      .catch(() => undefined);
    clientOf("ws://localhost:9")
      .joinOrCreate("race")
      .catch(() => undefined);
  });

  test("copies the list of transports", () => {
    const given = ["websocket", "webrtc"];
    const checked = checkedTransports(given);
    given.length = 0;
    expect(checked).toEqual(["websocket", "webrtc"]);
    expect(checkedTransports(undefined)).toEqual(["webrtc", "websocket"]);
  });
});

describe("the device", () => {
  class Battery extends EventTarget {
    charging = true;
    level = 1;
    change(change: Partial<Pick<Battery, "charging" | "level">>): void {
      Object.assign(this, change);
      this.dispatchEvent(new Event("levelchange"));
    }
  }

  test("is unknown if the browser does not tell, as on an iPhone: not charged, not on a fixed network", () => {
    vi.stubGlobal("navigator", { userAgent: "iPhone" });
    expect(new DeviceProbe(() => undefined).device).toEqual({ battery: "unknown", network: "unknown" });
    vi.stubGlobal("navigator", undefined);
    expect(new DeviceProbe(() => undefined).device).toEqual({ battery: "unknown", network: "unknown" });
  });

  test.each([
    ["cellular", "mobile"],
    ["wifi", "fixed"],
    ["ethernet", "fixed"],
    ["unknown", "unknown"],
    ["bluetooth", "unknown"],
  ])("on a network that is called %s is %s", (type, network) => {
    vi.stubGlobal("navigator", { connection: { type } });
    expect(new DeviceProbe(() => undefined).device.network).toBe(network);
  });

  test("has a low battery at a fifth of its charge without a charger; each change is reported until the end", async () => {
    const battery = new Battery();
    vi.stubGlobal("navigator", { getBattery: () => Promise.resolve(battery) });
    let changes = 0;
    const probe = new DeviceProbe(() => (changes += 1));
    expect(probe.device.battery).toBe("unknown");
    await Promise.resolve();
    await Promise.resolve();
    expect([probe.device.battery, changes]).toEqual(["ok", 1]);
    battery.change({ charging: false, level: 0.21 });
    expect(probe.device.battery).toBe("ok");
    battery.change({ level: 0.2 });
    expect([probe.device.battery, changes]).toEqual(["low", 3]);
    probe.stop();
    battery.change({ level: 1 });
    expect(changes).toBe(3);
  });

  test("has an unknown battery if the page may not ask", async () => {
    vi.stubGlobal("navigator", { getBattery: () => Promise.reject(new Error("not allowed")) });
    const probe = new DeviceProbe(() => undefined);
    await Promise.resolve();
    await Promise.resolve();
    expect(probe.device.battery).toBe("unknown");
  });
});
