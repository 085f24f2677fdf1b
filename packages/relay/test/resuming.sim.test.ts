import { CloseCode } from "@paceline/protocol";
import { describe, expect, it } from "vitest";
import { VirtualRegistry } from "./virtual-registry.js";

describe("resuming", () => {
  it("continues over a new link without loss or repetition", () => {
    const virtual = new VirtualRegistry();
    const { player: a, link } = virtual.join();
    const { player: b } = virtual.join();
    link.downward.stall();
    for (let attempt = 0; attempt < 5; attempt++)
      b.tell({ type: "signal", to: a.number, attempt, data: null });
    virtual.scheduler.advance(50);
    link.relay.closeFromRemote(1006, "cable pulled");
    link.player.closeFromRemote(1006, "cable pulled");
    a.tell({ type: "signal", to: b.number, attempt: 9, data: "sent while away" });
    for (let attempt = 5; attempt < 9; attempt++)
      b.tell({ type: "signal", to: a.number, attempt, data: null });
    virtual.scheduler.advance(10_000);
    expect(b.of("left")).toEqual([]);
    virtual.resume(a);
    expect(a.of("signal").map(({ attempt }) => attempt)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(a.of("resumed")).toHaveLength(1);
    expect(b.of("signal")).toMatchObject([{ from: a.number, attempt: 9, data: "sent while away" }]);
    virtual.scheduler.advance(60_000);
    expect(a.messages).toHaveLength(12);
    expect(a.closes).toHaveLength(1);
  });

  it("replaces a link that is still open", () => {
    const virtual = new VirtualRegistry();
    const { player: a } = virtual.join();
    const { player: b } = virtual.join();
    virtual.resume(a);
    expect(a.closes).toMatchObject([{ code: CloseCode.replaced }]);
    b.forward([a], Uint8Array.of(4));
    virtual.scheduler.advance(60_000);
    expect(a.firstBytes).toEqual([4]);
    expect(b.of("left")).toEqual([]);
  });

  it("counts what comes for others over a link that it has replaced", () => {
    const virtual = new VirtualRegistry();
    const { player: a } = virtual.join();
    const { player: b } = virtual.join();
    a.forward([b], Uint8Array.of(4));
    virtual.resume(a);
    expect(b.firstBytes).toEqual([]);
    expect(virtual.registry.drops.toRecord()).toEqual({ outdated: 1 });
  });

  it("ends with the grace period", () => {
    const virtual = new VirtualRegistry();
    const { player: a, link } = virtual.join();
    const { player: b } = virtual.join();
    const { sessionId, resumeToken: token } = a.welcome;
    link.relay.closeFromRemote(1006, "cable pulled");
    virtual.scheduler.advance(19_900);
    expect(b.of("left")).toEqual([]);
    virtual.scheduler.advance(200);
    expect(b.of("left")).toEqual([{ type: "left", number: a.number }]);
    expect(virtual.resumeRefusalOf(sessionId, token)).toBe(CloseCode.sessionUnknown);
  });

  it("is not expected after a link that was closed with the code of a leaving player", () => {
    const virtual = new VirtualRegistry();
    const { player: a, link } = virtual.join();
    const { player: b } = virtual.join();
    link.relay.closeFromRemote(CloseCode.left, "left");
    virtual.scheduler.advance(100);
    expect(b.of("left")).toEqual([{ type: "left", number: a.number }]);
    expect(virtual.registry.participants.size).toBe(1);
  });

  it("is over for a link that dies without a close, after its timeouts", () => {
    const virtual = new VirtualRegistry();
    const { player: a, link } = virtual.join();
    const { player: b } = virtual.join();
    link.downward.stall();
    a.session.close(CloseCode.left, "told to nobody");
    virtual.scheduler.advance(60_000);
    expect(b.of("left")).toEqual([{ type: "left", number: a.number }]);
  });

  it("refuses a wrong token, and the session stays with its owner", () => {
    const virtual = new VirtualRegistry();
    const { player: a } = virtual.join();
    const { player: b } = virtual.join();
    expect(virtual.resumeRefusalOf(a.welcome.sessionId, b.resumeToken)).toBe(CloseCode.refused);
    expect(virtual.resumeRefusalOf(a.welcome.sessionId, "")).toBe(CloseCode.refused);
    expect(virtual.resumeRefusalOf("nobody", a.resumeToken)).toBe(CloseCode.sessionUnknown);
    b.forward([a], Uint8Array.of(4));
    virtual.scheduler.advance(100);
    expect(a.firstBytes).toEqual([4]);
  });

  it("is impossible after a player has left, and the empty room closes", () => {
    const virtual = new VirtualRegistry();
    const { player: a } = virtual.join();
    const { player: b } = virtual.join();
    a.tell({ type: "leave" });
    virtual.scheduler.advance(100);
    expect(a.close).toMatchObject({ code: CloseCode.left });
    expect(b.of("left")).toEqual([{ type: "left", number: a.number }]);
    b.session.close(CloseCode.left, "bye");
    virtual.scheduler.advance(100);
    expect(virtual.registry).toMatchObject({ rooms: { size: 0 }, participants: { size: 0 } });
  });

  it("is refused while the relay stops, and all sessions are closed", () => {
    const virtual = new VirtualRegistry();
    const { player } = virtual.join();
    const { ticket } = virtual.seat();
    virtual.registry.stop();
    virtual.scheduler.advance(100);
    expect(player.close).toMatchObject({ code: CloseCode.serverShutdown });
    expect(virtual.registry).toMatchObject({
      rooms: { size: 0 },
      participants: { size: 0 },
      isStopping: true,
    });
    expect(virtual.reserve()).toMatchObject({ status: 503, code: "match/full" });
    expect(virtual.refusalOf(ticket)).toBe(CloseCode.serverShutdown);
    expect(virtual.resumeRefusalOf(player.welcome.sessionId, player.resumeToken)).toBe(
      CloseCode.serverShutdown,
    );
  });
});

describe("a page that is hidden or asleep", () => {
  it("[WF50] keeps its seat longer, without a link and with a silent link", () => {
    const virtual = new VirtualRegistry();
    const { player: a, link } = virtual.join();
    const { player: b, link: linkB } = virtual.join();
    const { player: watcher } = virtual.join();
    a.tell({ type: "visibility", hidden: true });
    virtual.scheduler.advance(100);
    link.relay.closeFromRemote(1006, "cable pulled");
    linkB.player.close(CloseCode.suspended, "put to sleep");
    virtual.scheduler.advance(110_000);
    expect(watcher.of("left")).toEqual([]);
    virtual.resume(b);
    virtual.scheduler.advance(20_000);
    expect(watcher.of("left")).toEqual([{ type: "left", number: a.number }]);
  });
});

describe("a page that was closed", () => {
  for (const code of [CloseCode.unloaded, 1001]) {
    it(`[WF50] with code ${code} is away at once, and its seat is free after 10 s though it said that it is hidden`, () => {
      const virtual = new VirtualRegistry();
      const { player: a, link } = virtual.join();
      const { player: b } = virtual.join();
      a.tell({ type: "visibility", hidden: true });
      virtual.scheduler.advance(100);
      link.relay.closeFromRemote(code, "");
      virtual.scheduler.advance(20);
      expect(b.of("away")).toEqual([{ type: "away", number: a.number, closed: true }]);
      const { player: c } = virtual.join();
      const known = c.welcome.peers.map(({ number, away = false }) => [number, away]);
      expect(known).toEqual([
        [a.number, true],
        [b.number, false],
      ]);
      virtual.scheduler.advance(9700);
      expect(b.of("left")).toEqual([]);
      virtual.scheduler.advance(300);
      expect(b.of("left")).toEqual([{ type: "left", number: a.number }]);
    });
  }

  it("[WF50] is back if its session is resumed", () => {
    const virtual = new VirtualRegistry({ limits: { unloadGraceMs: 3000 } });
    const { player: a, link } = virtual.join();
    const { player: b } = virtual.join();
    link.relay.closeFromRemote(CloseCode.unloaded, "");
    virtual.scheduler.advance(2900);
    virtual.resume(a);
    virtual.scheduler.advance(60_000);
    expect(b.of("away")).toHaveLength(1);
    expect(b.of("back").length).toBeGreaterThan(0);
    expect(b.of("left")).toEqual([]);
  });

  it("[WF50] differs from a lost link in the message to the others", () => {
    const virtual = new VirtualRegistry();
    const { player: a, link } = virtual.join();
    const { player: b } = virtual.join();
    link.relay.closeFromRemote(1006, "cable pulled");
    virtual.scheduler.advance(20);
    expect(b.of("away")).toEqual([{ type: "away", number: a.number, closed: false }]);
  });

  it("[WF50] because it was suspended stays away for the grace period of hidden pages", () => {
    const virtual = new VirtualRegistry();
    const { player: a, link } = virtual.join();
    const { player: b } = virtual.join();
    link.relay.closeFromRemote(CloseCode.suspended, "");
    virtual.scheduler.advance(119_000);
    expect(b.of("away")).toEqual([{ type: "away", number: a.number, closed: true }]);
    expect(b.of("left")).toEqual([]);
    virtual.scheduler.advance(1100);
    expect(b.of("left")).toHaveLength(1);
  });
});
