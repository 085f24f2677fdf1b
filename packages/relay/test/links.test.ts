import { CloseCode, PROTOCOL_VERSION, WEBSOCKET_PROTOCOL } from "@paceline/protocol";
import { VirtualScheduler } from "@paceline/testkit";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { RelayOptions } from "../src/index.js";
import type { Player } from "./player.js";
import { Opcode, RawWebSocket } from "./raw-web-socket.js";
import { RealRelay, eventually, stoppedClock } from "./real-relay.js";

let real: RealRelay;

async function restart(options: Partial<RelayOptions>): Promise<void> {
  await real.stop();
  real = await RealRelay.start(options);
}

async function closeOf(protocols: readonly string[]): Promise<number | undefined> {
  const player = real.player(protocols);
  return eventually(() => {
    expect(player.close).toBeDefined();
    return player.close?.code;
  });
}

async function expectExchange(from: Player, to: Player, mark: number): Promise<void> {
  from.forward([to], Uint8Array.of(mark));
  await eventually(() => expect(to.firstBytes).toContain(mark));
}

beforeEach(async () => {
  real = await RealRelay.start();
});
afterEach(() => real.stop());

describe("health", () => {
  it("answers 429 to an address beyond its rate, and 200 to others", async () => {
    await restart({
      scheduler: stoppedClock,
      limits: { healthBurstPerAddress: 5, healthPerSecondPerAddress: 1 },
      addressOf: ({ headers }) => headers["from"] ?? "198.51.100.1",
    });
    const ask = async (from: string) => (await fetch(`${real.url}/health`, { headers: { from } })).status;
    const statuses: number[] = [];
    for (let count = 0; count < 10; count++) statuses.push(await ask("198.51.100.1"));
    expect(statuses).toEqual([...Array<number>(5).fill(200), ...Array<number>(5).fill(429)]);
    expect(await ask("198.51.100.2")).toBe(200);
    expect(real.relay.counts.limited.healthPerAddress).toBe(5);
  });
});

describe("links", () => {
  it("join, see each other and exchange packets", async () => {
    const [a, b] = [await real.join(), await real.join("joinOrCreate/race", { webrtc: true })];
    const c = await real.join();
    expect(b.welcome.peers).toEqual([{ number: 1, id: a.welcome.sessionId, webrtc: false }]);
    await eventually(() => expect(a.of("joined").map(({ peer }) => peer.number)).toEqual([2, 3]));
    a.forward([b, c], Uint8Array.of(1, 2, 3), { trafficClass: "state", key: 9 });
    const expected = { trafficClass: "state", key: 0, peers: [1], packet: Uint8Array.of(1, 2, 3) };
    await eventually(() => expect([b.forwarded, c.forwarded]).toEqual([[expected], [expected]]));
    expect(a.forwarded).toEqual([]);
    c.tell({ type: "leave" });
    await eventually(() => expect(a.of("left")).toEqual([{ type: "left", number: 3 }]));
    expect(real.relay.health()).toMatchObject({ rooms: 1, sessions: 2 });
  });

  it("are refused with a code for the reason", async () => {
    const { ticket } = await real.seat();
    const other = `ticket.${ticket.slice(0, -3)}AAA`;
    expect(await closeOf([WEBSOCKET_PROTOCOL, other])).toBe(CloseCode.ticketExpired);
    expect(await closeOf([WEBSOCKET_PROTOCOL, `ticket.${ticket}A`])).toBe(CloseCode.refused);
    expect(await closeOf([WEBSOCKET_PROTOCOL, "ticket"])).toBe(CloseCode.refused);
    expect(await closeOf([WEBSOCKET_PROTOCOL])).toBe(CloseCode.refused);
    expect(await closeOf([WEBSOCKET_PROTOCOL, "resume.nobody.token"])).toBe(CloseCode.sessionUnknown);
    const older = real.player([`paceline.${PROTOCOL_VERSION - 1}`, `ticket.${ticket}`]);
    await eventually(() => expect(older.close?.code).toBe(CloseCode.versionMismatch));
    expect(older.close?.reason).toMatch(/speaks paceline\.5: update the older/);
    for (const version of [PROTOCOL_VERSION - 1, PROTOCOL_VERSION + 1])
      expect(await closeOf([`paceline.${version}`, `ticket.${ticket}`])).toBe(CloseCode.versionMismatch);
    const player = real.player([WEBSOCKET_PROTOCOL, `ticket.${ticket}`]);
    await eventually(() => player.welcome);
    expect(await closeOf([WEBSOCKET_PROTOCOL, `ticket.${ticket}`])).toBe(CloseCode.ticketUsed);
  });

  it("are refused when the ticket has expired", async () => {
    await restart({ limits: { ticketLifetimeMs: 100 } });
    const { ticket } = await real.seat();
    await eventually(() => expect(real.relay.health().rooms).toBe(0));
    expect(await closeOf([WEBSOCKET_PROTOCOL, `ticket.${ticket}`])).toBe(CloseCode.ticketExpired);
    expect(real.relay.counts.linkCloses).toEqual({ ticketExpired: 1 });
    expect(real.relay.health().drops.credential).toBe(1);
  });

  it("are let in from another address, unless tickets are bound to addresses", async () => {
    let address = "192.0.2.1";
    const addressOf = (): string => address;
    await restart({ addressOf });
    const free = await real.seat();
    address = "192.0.2.2";
    const player = real.player([WEBSOCKET_PROTOCOL, `ticket.${free.ticket}`]);
    await eventually(() => player.welcome);
    await restart({ addressOf, bindTicketsToAddress: true });
    const bound = await real.seat();
    address = "192.0.2.3";
    expect(await closeOf([WEBSOCKET_PROTOCOL, `ticket.${bound.ticket}`])).toBe(CloseCode.refused);
    expect(real.relay.health().drops.credential).toBe(1);
    address = "192.0.2.2";
    // The thief has not used the ticket up.
    const owner = real.player([WEBSOCKET_PROTOCOL, `ticket.${bound.ticket}`]);
    await eventually(() => owner.welcome);
  });

  it("are refused for pages of other origins", async () => {
    const { ticket } = await real.seat();
    const protocols = [WEBSOCKET_PROTOCOL, `ticket.${ticket}`];
    const evil = await real.raw(protocols, ["Origin: https://evil.example"]);
    await eventually(() => expect(evil.closeCode).toBe(CloseCode.originRefused));
    const own = await real.raw(protocols, [`Origin: ${real.url}`]);
    await eventually(() => expect(real.relay.health().sessions).toBe(1));
    expect(own.closeCode).toBeUndefined();
  });

  it("end with an HTTP status if there are too many", async () => {
    await restart({ limits: { maxConnections: 1, linkBurstPerAddress: 2 } });
    const first = await real.rawParticipant();
    expect(first.status).toBe(101);
    expect((await real.raw([WEBSOCKET_PROTOCOL])).status).toBe(503);
    first.destroy();
    await eventually(() => expect(real.relay.health().connections).toBe(0));
    await real.raw([WEBSOCKET_PROTOCOL]);
    await eventually(() => expect(real.relay.health().connections).toBe(1));
  });

  it("end with an HTTP status if one address opens too many", async () => {
    await restart({ limits: { linkBurstPerAddress: 2, linksPerSecondPerAddress: 1 } });
    const statuses = [];
    for (let count = 0; count < 3; count++) statuses.push((await real.raw([WEBSOCKET_PROTOCOL])).status);
    expect(statuses).toEqual([101, 101, 429]);
  });
});

describe("resuming", () => {
  it("loses nothing and repeats nothing when all sockets are cut", async () => {
    const [a, b] = [await real.join(), await real.join()];
    const signal = (from: Player, to: Player, attempt: number): void =>
      from.tell({ type: "signal", to: to.number, attempt, data: null });
    for (let attempt = 0; attempt < 5; attempt++) signal(a, b, attempt);
    real.cutConnections();
    await eventually(() => expect([a.closes.length, b.closes.length]).toEqual([1, 1]));
    for (let attempt = 5; attempt < 10; attempt++) signal(a, b, attempt);
    for (const player of [a, b]) {
      const { sessionId, resumeToken: token } = player.welcome;
      real.reopen(player, [WEBSOCKET_PROTOCOL, `resume.${sessionId}.${token}`]);
    }
    await eventually(() => expect(b.of("signal")).toHaveLength(10));
    expect(b.of("signal").map(({ attempt }) => attempt)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    await expectExchange(b, a, 1);
    expect([a.of("resumed").length, b.of("resumed").length, a.of("left").length]).toEqual([1, 1, 0]);
  });

  it("replaces the older link", async () => {
    const [a, b] = [await real.join(), await real.join()];
    const { sessionId, resumeToken: token } = a.welcome;
    real.reopen(a, [WEBSOCKET_PROTOCOL, `resume.${sessionId}.${token}`]);
    await eventually(() => expect(a.closes).toMatchObject([{ code: CloseCode.replaced }]));
    await expectExchange(b, a, 2);
    expect(await closeOf([WEBSOCKET_PROTOCOL, `resume.${sessionId}.${token}x`])).toBe(CloseCode.refused);
    await expectExchange(a, b, 3);
  });

  it("is over after the grace period", async () => {
    await restart({ limits: { reconnectGraceMs: 100 } });
    const [a, b] = [await real.join(), await real.rawParticipant()];
    b.destroy();
    await eventually(() => expect(a.of("left")).toHaveLength(1));
  });
});

describe("bad participants", () => {
  it("who do not read are cut, and do not delay others", async () => {
    const bytesPerSecond = 1_000_000_000;
    const limits = {
      packetsPerSecond: 100_000,
      packetBurst: 100_000,
      bytesPerSecond,
      byteBurst: bytesPerSecond,
      // A fast machine would use up the default rate of a room during the test.
      egressBytesPerSecondPerRoom: bytesPerSecond,
      egressBurstPerRoom: bytesPerSecond,
    };
    await restart({ limits });
    const [a, b] = [await real.join(), await real.join()];
    const slow = await real.rawParticipant();
    slow.socket.pause();
    await eventually(() => expect(a.of("joined")).toHaveLength(2));
    const targets = [b.number, a.of("joined")[1]!.peer.number];
    const packet = new Uint8Array(16_000);
    // The kernel buffers some megabytes for a socket that nobody reads. Then the relay's queue fills.
    for (let sent = 0; real.relay.health().connections === 3; sent += 10) {
      for (let count = 0; count < 10; count++) a.forward([], packet, { peers: targets });
      await eventually(() => expect(b.forwarded.length).toBe(sent + 10), 2000);
      expect(sent).toBeLessThan(2000);
    }
    await expectExchange(a, b, 7);
    expect(b.closes).toEqual([]);
  });

  it("who flood with packets are cut, and do not delay others", async () => {
    const [a, b] = [await real.join(), await real.join()];
    const flooder = await real.rawParticipant();
    // Well-formed: an event to a participant that does not exist.
    const frame = RawWebSocket.frameOf(Opcode.binary, Uint8Array.of(0x05, 0xff, 0xff, 0x03, 0));
    const batch = Buffer.concat(Array<Buffer>(200).fill(frame));
    const worstMs = await worstExchangeMs(a, b, () => flooder.socket.write(batch));
    expect(worstMs).toBeLessThan(1000);
    await eventually(() => expect(a.of("left")).toHaveLength(1));
    await eventually(() => expect(flooder.socket.destroyed || flooder.closeCode).toBeTruthy());
    expect(real.relay.health().drops["rate-limit"]).toBeGreaterThan(1000);
  });

  it("who exceed the room's rate together lose packets, without effect on other rooms", async () => {
    const session = { bytesPerSecond: 1024, byteBurst: 30_000 };
    await restart({ limits: { ...session, bytesPerSecondPerRoom: 1024, byteBurstPerRoom: 30_000 } });
    const [a, b] = [await real.join(), await real.join()];
    const c = await real.join("create/race");
    const d = await real.join(`joinById/${c.welcome.roomId}`);
    for (const byte of [1, 2]) a.forward([b], new Uint8Array(12_000).fill(byte));
    await eventually(() => expect(b.firstBytes).toEqual([1, 2]));
    // The first packet is within the session's own part of the rate. For the second one the room has nothing
    // left.
    for (const byte of [3, 4]) b.forward([a], new Uint8Array(12_000).fill(byte));
    await eventually(() => expect(real.relay.counts.limited.bytesPerRoom).toBe(1));
    expect(real.relay.counts.limited.trafficPerSession).toBe(0);
    await eventually(() => expect(a.firstBytes).toEqual([3]));
    expect([a.closes, b.closes]).toEqual([[], []]);
    c.forward([d], new Uint8Array(12_000).fill(3));
    await eventually(() => expect(d.firstBytes).toContain(3));
  });

  it("who flood with bytes that are no packets are cut", async () => {
    const scheduler = new VirtualScheduler();
    await restart({ scheduler, limits: { bytesPerSecond: 1024, byteBurst: 20_000 } });
    // The relay's time runs ten times faster than the sockets.
    const pump = setInterval(() => scheduler.advance(50), 5);
    onTestFinished(() => clearInterval(pump));
    const [a, b] = [await real.join(), await real.join()];
    const flooder = await real.rawParticipant();
    const text = RawWebSocket.frameOf(Opcode.text, Buffer.from("not a packet ".repeat(400)));
    await eventually(() => {
      flooder.socket.write(text);
      expect(a.of("left")).toHaveLength(1);
    });
    await expectExchange(a, b, 1);
  });

  it.each([
    ["empty text", Opcode.text],
    ["empty pongs", Opcode.pong],
    ["empty pings", Opcode.ping],
  ])("who flood with %s below the limit of bytes are cut and counted", async (_, opcode) => {
    const [a, b] = [await real.join(), await real.join()];
    const flooder = await real.rawParticipant();
    await eventually(() => expect(a.of("joined")).toHaveLength(2));
    // 9,000 frames of 6 bytes: ten bursts of packets, but a tenth of the burst of bytes.
    flooder.socket.write(Buffer.alloc(9000 * 6, RawWebSocket.frameOf(opcode, new Uint8Array(0))));
    await eventually(() => expect(a.of("left")).toHaveLength(1));
    expect(real.relay.counts.sessionEnds).toEqual({ flooding: 1 });
    expect(real.relay.counts.limited.trafficPerSession).toBeGreaterThan(8000);
    await expectExchange(a, b, 1);
  });

  it("who ping within the limit are answered, once for each", async () => {
    const raw = await real.rawParticipant();
    raw.frame(Opcode.ping, Uint8Array.of(1, 2, 3));
    await eventually(() => expect(raw.received.includes(Buffer.of(0x8a, 3, 1, 2, 3))).toBe(true));
  });

  it("who send a message of empty fragments without an end are cut", async () => {
    const [a, b] = [await real.join(), await real.join()];
    const raw = await real.rawParticipant();
    await eventually(() => expect(a.of("joined")).toHaveLength(2));
    const [first, more] = [Buffer.of(0x02, 0x80, 0, 0, 0, 0), Buffer.of(0x00, 0x80, 0, 0, 0, 0)];
    raw.socket.write(Buffer.concat([first, ...Array.from({ length: 100 }, () => more)]));
    await eventually(() => expect(raw.closeCode ?? (raw.socket.destroyed ? 1006 : undefined)).toBe(1008));
    await expectExchange(a, b, 1);
  });

  it("who send a packet beyond the largest size are cut", async () => {
    const [a, b] = [await real.join(), await real.join()];
    const large = await real.rawParticipant();
    large.frame(Opcode.binary, new Uint8Array(20_000));
    await eventually(() => expect(large.socket.destroyed || large.closeCode === 1009).toBe(true));
    await expectExchange(a, b, 1);
  });

  async function worstExchangeMs(a: Player, b: Player, between: () => void): Promise<number> {
    let worstMs = 0;
    for (let count = 0; count < 100; count++) {
      between();
      const startMs = performance.now();
      const { length } = b.forwarded;
      a.forward([b], Uint8Array.of(count));
      while (b.forwarded.length === length) await new Promise((resolve) => setImmediate(resolve));
      worstMs = Math.max(worstMs, performance.now() - startMs);
    }
    return worstMs;
  }
});

describe("stopping", () => {
  it("notifies all, refuses newcomers, and is done when all links are closed", async () => {
    const players = [await real.join(), await real.join()];
    const { ticket } = await real.seat();
    const rude = await real.rawParticipant();
    rude.socket.pause();
    const startMs = performance.now();
    const stopped = real.relay.stop({ drainMs: 300 });
    expect(await (await real.match("joinOrCreate/race")).json()).toMatchObject({
      error: { code: "match/full" },
    });
    expect(real.relay.health()).toMatchObject({ status: "stopping", rooms: 0, sessions: 0 });
    const late = await real.raw([WEBSOCKET_PROTOCOL, `ticket.${ticket}`]);
    expect(late.status).toBe(503);
    await stopped;
    expect(performance.now() - startMs).toBeLessThan(1000);
    expect(real.relay.health().connections).toBe(0);
    for (const player of players) {
      await eventually(() => expect(player.close?.code).toBe(CloseCode.serverShutdown));
    }
    expect(() => real.relay.stop({ drainMs: -1 })).toThrow("drainMs: expected 0 to 60000 ms, got -1");
  });
});
