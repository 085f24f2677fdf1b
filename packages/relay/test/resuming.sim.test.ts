import { CloseCode } from "@paceline/protocol";
import { describe, expect, it } from "vitest";
import { VirtualScheduler } from "@paceline/testkit";
import type { Scheduler } from "@paceline/transport";
import { OwnPauses } from "../src/ops/own-pauses.js";
import { AdmittedLink } from "../src/admission/admitted-link.js";
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

  it("leaves a working link alone until the client uses the new one, which it may have given up", () => {
    const virtual = new VirtualRegistry();
    const { player: a } = virtual.join();
    const { player: b } = virtual.join();
    for (let attempt = 0; attempt < 40; attempt++) {
      const link = virtual.link();
      virtual.registry.resume(new AdmittedLink(link.relay), a.welcome.sessionId, a.resumeToken);
      virtual.scheduler.advance(20);
      link.player.close(CloseCode.timeout, "tried again");
      virtual.scheduler.advance(20);
    }
    b.forward([a], Uint8Array.of(4));
    virtual.scheduler.advance(100);
    expect([a.closes, a.firstBytes, a.of("resumed")]).toEqual([[], [4], []]);
    expect([...b.of("away"), ...b.of("back")]).toEqual([]);
    virtual.resume(a);
    expect(a.of("resumed")).toHaveLength(1);
  });

  it("takes the client's own token, however many links it has given up while it was away", () => {
    const virtual = new VirtualRegistry();
    const { player: a, link: first } = virtual.join();
    const { player: b } = virtual.join();
    const token = a.resumeToken;
    first.relay.closeFromRemote(1006, "cable pulled");
    first.player.closeFromRemote(1006, "cable pulled");
    virtual.scheduler.advance(20);
    for (let attempt = 0; attempt < 40; attempt++) {
      const link = virtual.link();
      link.downward.stall();
      virtual.registry.resume(new AdmittedLink(link.relay), a.welcome.sessionId, token);
      virtual.scheduler.advance(20);
      link.player.close(CloseCode.timeout, "tried again");
      virtual.scheduler.advance(20);
    }
    expect([b.of("away").length, b.of("back").length]).toEqual([1, 0]);
    virtual.resume(a, token);
    expect([b.of("away").length, b.of("back").length, b.of("left").length]).toEqual([1, 1, 0]);
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
    const link = virtual.link();
    virtual.registry.resume(new AdmittedLink(link.relay), a.welcome.sessionId, a.resumeToken);
    a.attach(link.player);
    // The first packet over the new link has arrived, and the news of the end of the old one has not.
    virtual.scheduler.advance(7);
    a.forward([b], Uint8Array.of(4));
    virtual.scheduler.advance(100);
    expect(b.firstBytes).toEqual([]);
    expect(virtual.registry.drops.toRecord()).toEqual({ outdated: 1 });
  });

  it("has its grace period without a pause of the relay", () => {
    const clock = new VirtualScheduler();
    let isPaused = false;
    const waiting: (() => void)[] = [];
    const run = (fn: () => void) => () => (isPaused ? void waiting.push(fn) : fn());
    const scheduler: Scheduler = {
      nowMs: () => clock.nowMs(),
      after: (delayMs, fn) => clock.after(delayMs, run(fn)),
      every: (periodMs, fn) => clock.every(periodMs, run(fn)),
    };
    const pauses = new OwnPauses(scheduler);
    let endedAtMs = 0;
    pauses.after(20_000, () => (endedAtMs = clock.nowMs()));
    clock.advance(5000);
    isPaused = true;
    clock.advance(12_000);
    isPaused = false;
    for (const fn of waiting.splice(0)) fn();
    clock.advance(60_000);
    expect(endedAtMs).toBeGreaterThan(31_000);
    expect(endedAtMs).toBeLessThanOrEqual(32_000);
    pauses.stop();
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

  for (const code of [CloseCode.unloaded, 1001]) {
    it(`[WF50] with code ${code} has left at once if it said that no page follows it, and not after a lost link`, () => {
      const virtual = new VirtualRegistry();
      const { player: a, link } = virtual.join();
      const { player: b } = virtual.join();
      const { player: c, link: lost } = virtual.join();
      for (const player of [a, c]) player.tell({ type: "visibility", hidden: false, last: true });
      virtual.scheduler.advance(100);
      link.relay.closeFromRemote(code, "");
      lost.relay.closeFromRemote(1006, "cable pulled");
      virtual.scheduler.advance(100);
      expect(b.of("left")).toEqual([{ type: "left", number: a.number }]);
      expect(b.of("away")).toEqual([{ type: "away", number: c.number, closed: false }]);
    });
  }

  it("[WF50] keeps its seat if it takes back that no page follows it", () => {
    const virtual = new VirtualRegistry();
    const { player: a, link } = virtual.join();
    const { player: b } = virtual.join();
    a.tell({ type: "visibility", hidden: false, last: true });
    a.tell({ type: "visibility", hidden: false });
    virtual.scheduler.advance(100);
    link.relay.closeFromRemote(1001, "");
    virtual.scheduler.advance(5000);
    expect(b.of("left")).toEqual([]);
  });

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
