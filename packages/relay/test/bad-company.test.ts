import { CloseCode, WEBSOCKET_PROTOCOL } from "@paceline/protocol";
import type { WebSocketLike } from "@paceline/transport";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { RelayOptions } from "../src/index.js";
import type { Player } from "./player.js";
import { Opcode, RawWebSocket } from "./raw-web-socket.js";
import { RealRelay, eventually } from "./real-relay.js";

// The tests send megabytes through real sockets, on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000 });

let real: RealRelay;
afterEach(() => real.stop());

async function start(limits: RelayOptions["limits"] = {}): Promise<void> {
  real = await RealRelay.start({ limits });
}

const PLENTY = {
  packetsPerSecond: 100_000,
  packetBurst: 1_000_000,
  bytesPerSecond: 1_000_000_000,
  byteBurst: 1_000_000_000,
  // A fast machine would use up the default rate of a room during the test.
  egressBytesPerSecondPerRoom: 1_000_000_000,
  egressBurstPerRoom: 1_000_000_000,
};

/** A player and its socket from `ws`, which can stop reading. */
interface Reader {
  readonly player: Player;
  readonly socket: WebSocketLike & { pause(): void; resume(): void };
}

async function reader(): Promise<Reader> {
  const { ticket } = await real.seat();
  const { player, socket } = real.playerAndSocket([WEBSOCKET_PROTOCOL, `ticket.${ticket}`]);
  await eventually(() => player.welcome);
  return { player, socket: socket as Reader["socket"] };
}

const STATE_BYTES = 16_000;
const KEYS = [1, 2, 3, 4, 5, 6, 7, 8];

/** Number in a state. The state also holds its key, which the relay does not forward. */
const numberOf = (packet: Uint8Array): number => new DataView(packet.buffer, packet.byteOffset).getUint32(0);
const keyOf = (packet: Uint8Array): number | undefined => packet[4];
function state(number: number, key = 0): Uint8Array {
  const packet = new Uint8Array(STATE_BYTES);
  new DataView(packet.buffer).setUint32(0, number);
  packet[4] = key;
  return packet;
}

describe("a slow reader beside a fast one", () => {
  it("gets the newest states once it reads, and the fast one all of them meanwhile", async () => {
    await start(PLENTY);
    const [sender, fast] = [await real.join(), await real.join()];
    const slow = await reader();
    slow.socket.pause();
    const rounds = 120;
    // About fifteen megabytes: more than the kernel buffers for a socket that nobody reads.
    for (let round = 1; round <= rounds; round++) {
      for (const key of KEYS)
        sender.forward([fast, slow.player], state(round, key), { trafficClass: "state", key });
      await eventually(() => expect(fast.forwarded.length).toBe(round * KEYS.length));
    }
    expect(fast.forwarded.slice(-KEYS.length).map(({ packet }) => numberOf(packet))).toEqual(
      KEYS.map(() => rounds),
    );
    slow.socket.resume();
    const newest = (): number[] =>
      KEYS.map((wanted) =>
        Math.max(
          ...slow.player.forwarded
            .filter(({ packet }) => keyOf(packet) === wanted)
            .map(({ packet }) => numberOf(packet)),
        ),
      );
    await eventually(() => expect(newest()).toEqual(KEYS.map(() => rounds)));
    expect(slow.player.forwarded.length).toBeLessThan(rounds * KEYS.length);
    for (const wanted of KEYS) {
      const numbers = slow.player.forwarded
        .filter(({ packet }) => keyOf(packet) === wanted)
        .map(({ packet }) => numberOf(packet));
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    }
    expect([slow.player.closes, fast.closes]).toEqual([[], []]);
  });

  it("loses its link but not its session when too many commands wait; the fast one gets all of them", async () => {
    await start({ ...PLENTY, queuedCommandBytes: 300_000 });
    const [sender, fast] = [await real.join(), await real.join()];
    const slow = await reader();
    slow.socket.pause();
    let sent = 0;
    while (real.relay.counts.linkCloses["tooSlow"] === undefined) {
      for (let count = 0; count < 4; count++) sender.forward([fast, slow.player], state((sent += 1)));
      await eventually(() => expect(fast.forwarded.length).toBe(sent));
      expect(sent).toBeLessThan(3000);
    }
    expect(fast.forwarded.map(({ packet }) => numberOf(packet))).toEqual(
      Array.from({ length: sent }, (_, index) => index + 1),
    );
    slow.socket.resume();
    await eventually(() => expect(slow.player.closes[0]?.code).toBe(CloseCode.tooSlow));
    expect(real.relay.health().sessions).toBe(3);
    const { sessionId } = slow.player.welcome;
    real.reopen(slow.player, [WEBSOCKET_PROTOCOL, `resume.${sessionId}.${slow.player.resumeToken}`]);
    await eventually(() => expect(slow.player.of("resumed")).toHaveLength(1));
    sender.forward([slow.player], state(99_999));
    await eventually(() => expect(numberOf(slow.player.forwarded.at(-1)!.packet)).toBe(99_999));
  });
});

describe("a rival socket beside a silent one", () => {
  it("takes over each time, and no message arrives twice", async () => {
    await start(PLENTY);
    const [sender, one] = [await real.join(), await reader()];
    const { sessionId } = one.player.welcome;
    let { socket } = one;
    let sent = 0;
    const send = (): void => sender.forward([one.player], state((sent += 1)));
    for (let take = 1; take <= 8; take++) {
      socket.pause();
      send();
      const protocols = [WEBSOCKET_PROTOCOL, `resume.${sessionId}.${one.player.resumeToken}`];
      const rival = real.reopen(one.player, protocols) as Reader["socket"];
      for (let count = 0; count < 5; count++) send();
      await eventually(() => expect(one.player.of("resumed")).toHaveLength(take));
      send();
      // The old link reads on: earlier packets may still arrive, then the close with `replaced`.
      socket.resume();
      await eventually(() => expect(numberOf(one.player.forwarded.at(-1)!.packet)).toBe(sent));
      await eventually(() => expect(one.player.closes).toHaveLength(take));
      socket = rival;
    }
    const numbers = one.player.forwarded.map(({ packet }) => numberOf(packet));
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(new Set(one.player.closes.map(({ code }) => code))).toEqual(new Set([CloseCode.replaced]));
    await eventually(() => expect(real.relay.health()).toMatchObject({ sessions: 2, connections: 2 }));
  });

  it("with the same token at the same moment as another one leaves one link open", async () => {
    await start(PLENTY);
    const [sender, { player }] = [await real.join(), await reader()];
    const protocols = [WEBSOCKET_PROTOCOL, `resume.${player.welcome.sessionId}.${player.resumeToken}`];
    for (let rival = 0; rival < 3; rival++) real.reopen(player, protocols);
    await eventually(() => expect(real.relay.health()).toMatchObject({ sessions: 2, connections: 2 }));
    await eventually(() => expect(player.closes).toHaveLength(3));
    for (let number = 1; number <= 20; number++) sender.forward([player], state(number));
    await eventually(() => expect(player.forwarded).toHaveLength(20));
    expect(player.closes.map(({ code }) => code)).toEqual([1, 2, 3].map(() => CloseCode.replaced));
  });
});

describe("signals", () => {
  it("that flood or have no receiver are dropped and counted; signals of others arrive", async () => {
    await start({ signalsPerSecond: 10, signalBurst: 20 });
    const [rude, target, other] = [await real.join(), await real.join(), await real.join()];
    const stranger = await real.join("create/race");
    const offer = { type: "offer", sdp: "v=0" };
    for (let attempt = 1; attempt <= 200; attempt++) {
      rude.tell({ type: "signal", to: target.number, attempt, data: offer });
    }
    for (const to of [99, rude.number, 64_000]) other.tell({ type: "signal", to, attempt: 1, data: offer });
    other.tell({ type: "signal", to: target.number, attempt: 7, data: offer });
    await eventually(() =>
      expect(target.of("signal").filter(({ from }) => from === other.number)).toHaveLength(1),
    );
    await eventually(() => expect(real.relay.health().drops["rate-limit"]).toBeGreaterThan(150));
    expect(target.of("signal").filter(({ from }) => from === rude.number).length).toBeLessThan(40);
    expect(real.relay.health().drops["not-routable"]).toBe(2);
    expect(stranger.of("signal")).toEqual([]);
    expect([target.closes, other.closes]).toEqual([[], []]);
  });
});

describe("a forged routing envelope", () => {
  it.each([
    ["of the version before", [0x11, 0, 0, 0, 1, 2, 0, 9]],
    ["of a version to come", [0xf1, 0, 2, 0, 9]],
    ["of a class that there is not", [0x21, 9, 2, 0, 9]],
    ["for nobody", [0x29, 0, 0, 9]],
    ["for more than there are", [0x29, 0, 255, 2, 0, 9]],
    ["without a packet in it", [0x21, 0, 2, 0]],
  ])("%s reaches nobody and is counted; a sender that goes on is cut", async (_, bytes) => {
    await start(PLENTY);
    const [a, b] = [await real.join(), await real.join()];
    const forger = await real.rawParticipant();
    const frame = RawWebSocket.frameOf(Opcode.binary, Uint8Array.from(bytes));
    const before = a.forwarded.length + b.forwarded.length;
    for (let count = 0; count < 60; count++) forger.socket.write(frame);
    await eventually(() => expect(forger.closeCode).toBe(CloseCode.protocolViolation));
    expect(a.forwarded.length + b.forwarded.length).toBe(before);
    const drops = Object.values(real.relay.health().drops).reduce((sum, count) => sum + count, 0);
    expect(drops).toBeGreaterThanOrEqual(50);
    await eventually(() => expect(a.of("left")).toHaveLength(1));
    a.forward([b], Uint8Array.of(5));
    await eventually(() => expect(b.firstBytes.at(-1)).toBe(5));
  });
});
