import { MessageKind, readPacket } from "@paceline/protocol";
import { VirtualScheduler } from "@paceline/testkit";
import { afterEach, expect, test, vi } from "vitest";
import { VirtualRegistry } from "./virtual-registry.js";

afterEach(() => void vi.restoreAllMocks());

test("one timer serves all steady sessions, the memory's inspection and the stripes' tickets", () => {
  const every = vi.spyOn(VirtualScheduler.prototype, "every");
  const virtual = new VirtualRegistry();
  for (const joinsAfterMs of [0, 110, 330]) {
    virtual.scheduler.advance(joinsAfterMs);
    virtual.join();
  }
  virtual.scheduler.advance(10_000);
  expect(every.mock.calls.filter(([periodMs]) => periodMs === 250)).toHaveLength(1);
});

test("a room without an authority pings a player that pings by itself only for the relay's reports", () => {
  const virtual = new VirtualRegistry();
  const { player, link } = virtual.join();
  let pings = 0;
  const received = link.player.received.bind(link.player);
  vi.spyOn(link.player, "received").mockImplementation((bytes) => {
    const packet = readPacket(bytes);
    if (typeof packet !== "string" && packet.only === MessageKind.ping) pings += 1;
    received(bytes);
  });
  virtual.scheduler.advance(60_000);
  expect(pings).toBeGreaterThanOrEqual(3);
  expect(pings).toBeLessThanOrEqual(4);
  const [session] = virtual.registry.reports().flatMap(({ sessions }) => sessions);
  expect(session?.rttMs).toBeCloseTo(10, 0);
  expect(player.session.activeLink).toBe(link.player);
});
