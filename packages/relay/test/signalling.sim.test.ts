import { CloseCode, PayloadKind, encodeValue } from "@paceline/protocol";
import { describe, expect, it } from "vitest";
import { VirtualRegistry } from "./virtual-registry.js";

function pair(virtual = new VirtualRegistry()) {
  const a = virtual.join();
  const b = virtual.join();
  return { virtual, a: a.player, b: b.player, linkOfB: b.link };
}

/** Returns a control message that the relay's own writer would refuse. */
function handmade(...msgpack: number[]): Uint8Array {
  const head = [PayloadKind.control, 0x84, 0xa4, ...Buffer.from("type"), 0xa6, ...Buffer.from("signal")];
  const rest = [
    0xa2,
    ...Buffer.from("to"),
    2,
    0xa7,
    ...Buffer.from("attempt"),
    1,
    0xa4,
    ...Buffer.from("data"),
  ];
  return Uint8Array.from([...head, ...rest, ...msgpack]);
}

describe("signalling", () => {
  it("forwards a signal with the sender's number", () => {
    const { virtual, a, b } = pair();
    a.tell({ type: "signal", to: b.number, attempt: 3, data: { sdp: "v=0", list: [1, 2.5, null] } });
    virtual.scheduler.advance(100);
    expect(b.of("signal")).toEqual([
      { type: "signal", from: a.number, attempt: 3, data: { sdp: "v=0", list: [1, 2.5, null] } },
    ]);
    expect(a.of("signal")).toEqual([]);
  });

  it("counts signals to unknown participants, to the sender and to other rooms", () => {
    const { virtual, a } = pair();
    virtual.join({ method: "create" });
    for (const to of [0, a.number, 3]) a.tell({ type: "signal", to, attempt: 1, data: null });
    virtual.scheduler.advance(100);
    expect(virtual.registry.drops.toRecord()).toMatchObject({ "not-routable": 3 });
  });

  it("drops signals that are too large or too many, without cutting their sender", () => {
    const { virtual, a, b } = pair(
      new VirtualRegistry({ limits: { signalBytes: 500, signalsPerSecond: 1, signalBurst: 3 } }),
    );
    a.tell({ type: "signal", to: b.number, attempt: 1, data: "x".repeat(600) });
    for (let attempt = 2; attempt < 8; attempt++)
      a.tell({ type: "signal", to: b.number, attempt, data: null });
    virtual.scheduler.advance(100);
    expect(b.of("signal").map(({ attempt }) => attempt)).toEqual([2, 3]);
    expect(virtual.registry.drops.toRecord()).toMatchObject({ "too-long": 1, "rate-limit": 4 });
    virtual.scheduler.advance(2000);
    a.tell({ type: "signal", to: b.number, attempt: 8, data: null });
    virtual.scheduler.advance(100);
    expect(b.of("signal").map(({ attempt }) => attempt)).toEqual([2, 3, 8]);
  });

  it("drops data that can be decoded but not encoded", () => {
    const { virtual, a, b } = pair();
    a.session.sendReliable(handmade(0xcb, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0)); // NaN
    a.session.sendReliable(handmade(...Array<number>(9).fill(0x91), 0xc0)); // nine nested arrays
    virtual.scheduler.advance(100);
    expect(b.of("signal")).toEqual([]);
    expect(virtual.registry.drops.toRecord()).toMatchObject({ "bad-message": 2 });
    a.tell({ type: "signal", to: b.number, attempt: 1, data: null });
    virtual.scheduler.advance(100);
    expect(b.of("signal")).toHaveLength(1);
  });

  it("counts messages that no participant may send", () => {
    const { virtual, a } = pair();
    const notText = { type: 7, to: 2 };
    const payloads = [encodeValue({ type: "welcome" }), encodeValue(notText), new Uint8Array([0xc1])];
    for (const payload of payloads) a.session.sendReliable(Uint8Array.of(PayloadKind.control, ...payload));
    a.session.sendReliable(Uint8Array.of(PayloadKind.command, 1, 2, 3));
    virtual.scheduler.advance(100);
    expect(virtual.registry.drops.toRecord()).toEqual({ "bad-message": 4 });
    expect(a.end).toBeUndefined();
  });

  it("announces a participant's capabilities at each change, and to newcomers", () => {
    const { virtual, a, b } = pair();
    for (const webrtc of [false, false, true, false]) a.tell({ type: "capabilities", webrtc });
    virtual.scheduler.advance(100);
    expect(b.of("capabilities").map(({ webrtc }) => webrtc)).toEqual([false, true, false]);
    const [first] = virtual.join().player.welcome.peers;
    expect(first).toMatchObject({ number: a.number, webrtc: false });
  });

  it("announces capabilities that change at every tick eight times, then once in ten seconds, the last ones", () => {
    const { virtual, a, b } = pair();
    const heard = (): boolean[] => b.of("capabilities").map(({ webrtc }) => webrtc);
    for (let change = 0; change < 101; change++) {
      a.tell({ type: "capabilities", webrtc: change % 2 === 1 });
      virtual.scheduler.advance(50);
    }
    expect(heard()).toHaveLength(8);
    expect(virtual.join().player.welcome.peers[0]).toMatchObject({ number: a.number, webrtc: true });
    virtual.scheduler.advance(20_000);
    expect(heard()).toHaveLength(9);
    expect(heard().at(-1)).toBe(false);
    a.tell({ type: "leave" });
    virtual.scheduler.advance(60_000);
    expect(heard()).toHaveLength(9);
  });

  it("does not let signals fill the queue of an absent participant", () => {
    const limits = { signalsPerSecond: 10_000, signalBurst: 10_000 };
    const { virtual, a, b, linkOfB } = pair(new VirtualRegistry({ limits }));
    linkOfB.relay.closeFromRemote(1006, "cable pulled");
    linkOfB.player.closeFromRemote(1006, "cable pulled");
    for (let sent = 0; sent < 1200; sent++) {
      a.tell({ type: "signal", to: b.number, attempt: 1, data: null });
      if (sent % 200 === 0) virtual.scheduler.advance(100);
    }
    virtual.scheduler.advance(1000);
    expect(a.of("left")).toEqual([]);
    virtual.resume(b);
    expect(b.of("signal").length).toBeGreaterThan(200);
    expect(b.of("resumed")).toHaveLength(1);
    expect(virtual.registry.drops.toRecord()["queue-full"]).toBeGreaterThan(500);
  });
});

describe("flooding", () => {
  it("drops packets beyond the rate, and forgives a sender that stops in time", () => {
    const { virtual, a, b } = pair(
      new VirtualRegistry({ limits: { packetsPerSecond: 50, packetBurst: 100 } }),
    );
    for (let sent = 0; sent < 300; sent++) a.forward([b], Uint8Array.of(1), { trafficClass: "event" });
    virtual.scheduler.advance(1000);
    expect(b.forwarded.length).toBeLessThanOrEqual(100);
    expect(virtual.registry.drops.toRecord()["rate-limit"]).toBeGreaterThanOrEqual(200);
    virtual.scheduler.advance(10_000);
    expect(a.closes).toEqual([]);
    a.forward([b], Uint8Array.of(2), { trafficClass: "event" });
    virtual.scheduler.advance(100);
    expect(b.firstBytes.at(-1)).toBe(2);
  });

  it.each([
    { what: "packets", packetBytes: 10, perTick: 10 },
    { what: "bytes", packetBytes: 9000, perTick: 1 },
  ])("cuts a sender of too many $what when the patience ends", ({ packetBytes, perTick }) => {
    const { virtual, a, b } = pair();
    const start = virtual.scheduler.nowMs();
    while (!a.close && virtual.scheduler.nowMs() < start + 20_000) {
      for (let sent = 0; sent < perTick; sent++)
        a.forward([b], new Uint8Array(packetBytes), { trafficClass: "event" });
      virtual.scheduler.advance(10);
    }
    expect(a.close).toMatchObject({ code: CloseCode.flooding });
    expect(virtual.scheduler.nowMs() - start).toBeGreaterThan(3000);
    expect(virtual.scheduler.nowMs() - start).toBeLessThan(6000);
    expect(b.of("left")).toEqual([{ type: "left", number: a.number }]);
    expect(b.closes).toEqual([]);
  });

  it("cuts a far larger flood before the patience ends", () => {
    const { virtual, a, b } = pair();
    for (let sent = 0; sent < 10_000; sent++) a.forward([b], Uint8Array.of(1), { trafficClass: "event" });
    virtual.scheduler.advance(50);
    expect(a.close).toMatchObject({ code: CloseCode.flooding });
  });
});
