import { Client, ConfigError, NetError, type ClientOptions } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import { afterEach, describe, expect, test, vi } from "vitest";
import { checkedTransports, surroundings, webSocketOf } from "../src/environment.js";

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
    [{ tickHz: 0 }, "tickHz", "1 to 255"],
    [{ tickHz: 256 }, "tickHz", "1 to 255"],
    [{ tickHz: 59.94 }, "tickHz", "a whole number of steps per second"],
    [{ tickHz: "60" }, "tickHz", "1 to 255"],
    [{ topology: "star" }, "topology", `"mesh" or "relay"`],
    [{ transports: [] }, "transports", "at least one of webrtc, websocket"],
    [{ transports: "websocket" }, "transports", "a list"],
    [{ transports: ["pigeon", "websocket"] }, "transports", "webrtc, websocket"],
    [{ transports: ["webrtc"] }, "transports", "websocket among them"],
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

  test("refuses an address that is none", () => {
    expect(() => new Client("play", { profile: "racing", webSocket: NodeWebSocket })).toThrow(/^endpoint/);
  });

  test("takes every genre, tick rates from 1 to 255, and either topology", () => {
    for (const options of [
      { tickHz: 1 },
      { tickHz: 255 },
      { topology: "relay" },
      { transports: ["websocket"] },
    ]) {
      expect(clientWith(options)).toBeInstanceOf(Client);
    }
  });

  test("throws for arguments of a join that can never work, before anything is asked", () => {
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

describe("the environment", () => {
  test("without WebSocket: NetError that says what to do in Node", () => {
    vi.stubGlobal("WebSocket", undefined);
    expect(() => webSocketOf(undefined)).toThrow(NetError);
    expect(() => new Client(ENDPOINT, { profile: "racing" })).toThrow(
      expect.objectContaining({
        code: "transport/unavailable",
        message: expect.stringContaining("NodeWebSocket"),
      }),
    );
  });

  test("with WebSocket: its own is used, unless one is given", () => {
    const own = function WebSocket() {};
    vi.stubGlobal("WebSocket", own);
    expect(webSocketOf(undefined)).toBe(own);
    expect(webSocketOf(NodeWebSocket)).toBe(NodeWebSocket);
  });

  test("has WebRTC where it has a peer connection and data channels, and the game allows it", () => {
    expect(surroundings(["webrtc", "websocket"], 0).available.webrtc).toBe(false);
    vi.stubGlobal("RTCPeerConnection", () => undefined);
    expect(surroundings(["webrtc", "websocket"], 0).available.webrtc).toBe(false);
    vi.stubGlobal("RTCDataChannel", () => undefined);
    expect(surroundings(["webrtc", "websocket"], 3)).toMatchObject({ available: { webrtc: true }, peers: 3 });
    expect(surroundings(["websocket"], 0).available).toEqual({
      webrtc: false,
      websocket: true,
      webtransport: false,
    });
  });

  test("is asked for what the page and the network are", () => {
    expect(surroundings(["websocket"], 0)).toMatchObject({ security: "http", device: { network: "fixed" } });
    vi.stubGlobal("location", { protocol: "https:" });
    vi.stubGlobal("navigator", { connection: { type: "cellular" } });
    expect(surroundings(["websocket"], 0)).toMatchObject({
      security: "https",
      device: { network: "mobile" },
    });
    vi.stubGlobal("navigator", undefined);
    expect(surroundings(["websocket"], 0).device.network).toBe("fixed");
  });

  test("gives a list of transports of its own", () => {
    const given = ["websocket", "webrtc"];
    const checked = checkedTransports(given);
    given.length = 0;
    expect(checked).toEqual(["websocket", "webrtc"]);
    expect(checkedTransports(undefined)).toEqual(["webrtc", "websocket"]);
  });
});
