import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { networkInterfaces } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { loadNativeWebRtc } from "@paceline/transport/node";
import { afterEach, describe, expect, it, test } from "vitest";
import type { PrivateCandidates } from "../src/index.js";
import { permitsCandidate } from "../src/signaling/candidate-policy.js";
import type { Player } from "./player.js";
import { RealRelay, eventually } from "./real-relay.js";

const { native, failure } = await loadNativeWebRtc();
const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

describe("the server sends to an address that a participant has named", () => {
  const PUBLIC = "81.2.69.142";
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const lan = own.find(({ family, internal }) => family === "IPv4" && !internal)?.address ?? "127.0.0.1";
  const all: readonly PrivateCandidates[] = ["private-sessions", "always", "never"];

  it.each([
    // Address of the session, and a candidate at the same or at a public address.
    [PUBLIC, PUBLIC],
    [PUBLIC, "8.8.8.8"],
    [PUBLIC, "2606:4700::1111"],
    ["::ffff:10.1.2.3", "10.1.2.3"],
    ["fe80::1%eth0", "fe80::1"],
    ["2606:4700:0:0::0001", "2606:4700::1"],
    ["unknown", "8.8.8.8"],
  ])("of a session from %s, %s: always", (session, candidate) => {
    expect(all.map((mode) => permitsCandidate(candidate, session, mode))).toEqual([true, true, true]);
  });

  it.each([
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "100.64.0.1",
    "fc00::1",
    "fd12:3456::1",
  ])(
    "of a private network, %s: if the session's own is private, or if the operator permits it",
    (candidate) => {
      const permitted = (session: string): boolean[] =>
        all.map((mode) => permitsCandidate(candidate, session, mode));
      expect(permitted(PUBLIC)).toEqual([false, true, false]);
      expect(permitted("unknown")).toEqual([false, true, false]);
      expect(permitted("127.0.0.1")).toEqual([false, true, false]);
      expect(permitted("192.168.1.20")).toEqual([true, true, false]);
      expect(permitted("fd00::7")).toEqual([true, true, false]);
    },
  );

  it.each([
    "0.0.0.0",
    "169.254.169.254",
    "192.0.0.8",
    "192.0.2.1",
    "192.88.99.1",
    "198.18.0.1",
    "203.0.113.1",
    "224.0.0.251",
    "255.255.255.255",
    "::",
    "::7f00:1",
    "::ffff:10.0.0.1",
    "::ffff:8.8.8.8",
    "64:ff9b::a00:1",
    "64:ff9b:1::1",
    "100::1",
    "fe80::1",
    "fec0::1",
    "ff02::fb",
    "2001::1",
    "2001:db8::1",
    "2002:a00:1::1",
    "3fff::1",
    "fe80::1%eth0",
    "2606:4700::1111%eth0",
    "game.example",
    "",
  ])("never at %s", (candidate) => {
    for (const session of [PUBLIC, "192.168.1.20", "127.0.0.1", "fd00::7", "unknown"])
      expect(all.map((mode) => permitsCandidate(candidate, session, mode))).toEqual([false, false, false]);
  });

  it("on this machine: for sessions from this machine", () => {
    for (const candidate of ["127.0.0.1", "127.9.9.9", "::1", lan])
      expect(permitsCandidate(candidate, "::1", "private-sessions")).toBe(true);
    for (const candidate of ["127.0.0.1", "127.9.9.9", "::1"])
      expect(permitsCandidate(candidate, PUBLIC, "private-sessions")).toBe(false);
    expect(permitsCandidate("127.0.0.1", "192.168.1.20", "always")).toBe(false);
  });
});

/** Opens a UDP port on loopback in place of an operator's machine. Collects the packets that arrive. */
async function victim(): Promise<{ port: number; received: Buffer[] }> {
  const socket: Socket = createSocket("udp4");
  const received: Buffer[] = [];
  socket.on("message", (message) => received.push(message));
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  stops.push(() => socket.close());
  return { port: socket.address().port, received };
}

const candidateAt = (port: number): string => `candidate:1 1 UDP 2122317823 127.0.0.1 ${port} typ host`;

/** Sends an offer as Chromium writes it, with one candidate inside and another one beside it. */
function offer(player: Player, inside: number, beside: number): void {
  const signal = (data: unknown): void => player.tell({ type: "signal", to: 0, attempt: 1, data });
  signal({ type: "offer", sdp: [...OFFER, `a=${candidateAt(inside)}`].join("\r\n") });
  signal({ type: "candidate", candidate: { candidate: candidateAt(beside), sdpMid: "0" } });
}

describe.skipIf(!native)(`candidates for the server (${failure ?? "loaded"})`, () => {
  test("do not make it send to machines of its operator", { timeout: 20_000, retry: 1 }, async () => {
    let address = "203.0.113.9";
    const real = await RealRelay.start({
      webrtc: { port: 0, bindAddress: "127.0.0.1" },
      addressOf: () => address,
    });
    stops.push(() => real.stop());
    await eventually(() => expect(real.relay.health().webRtcPort).toBeGreaterThan(0));
    const hostile = await real.join();
    address = "127.0.0.1";
    const local = await real.join();
    const [inside, beside, unheard, own] = [await victim(), await victim(), await victim(), await victim()];
    offer(hostile, inside.port, beside.port);
    offer(local, unheard.port, own.port);
    // The server may send to a participant on this machine, so by this time it has sent.
    await eventually(() => expect(own.received.length).toBeGreaterThan(1), 10_000);
    await pause(200);
    expect([inside, beside, unheard].map(({ received }) => received.length)).toEqual([0, 0, 0]);
    expect(real.relay.health().drops["not-allowed"]).toBe(1);
    // An honest browser may name such addresses too, so this is no violation.
    expect(hostile.close).toBeUndefined();
  });
});

const OFFER = [
  "v=0",
  "o=- 4611731400430051336 2 IN IP4 127.0.0.1",
  "s=-",
  "t=0 0",
  "a=group:BUNDLE 0",
  "m=application 9 UDP/DTLS/SCTP webrtc-datachannel",
  "c=IN IP4 0.0.0.0",
  "a=ice-ufrag:4ZcD",
  "a=ice-pwd:2/1muCWoOi3uLifh0NuRHlow",
  "a=ice-options:trickle",
  `a=fingerprint:sha-256 ${Array.from({ length: 32 }, () => "7B").join(":")}`,
  "a=setup:actpass",
  "a=mid:0",
  "a=sctp-port:5000",
  "a=max-message-size:262144",
];
