import type { Link } from "@paceline/transport";
import { VirtualScheduler } from "@paceline/testkit";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { LazyDirectPath } from "../src/peers/lazy-direct-path.js";

const MODULE = "../src/peers/direct-path.js";

/** Answers like a server that has lost the file, until told otherwise. */
function breakLoading(): void {
  vi.doMock(MODULE, () => {
    throw new Error("404");
  });
}

function repairLoading(): void {
  vi.doUnmock(MODULE);
  vi.resetModules();
}

describe("the direct path to a peer", () => {
  let scheduler: VirtualScheduler;
  let attached: Link[];
  let loadFailures: number;

  function pathOf(isInitiator: boolean): LazyDirectPath {
    return new LazyDirectPath({
      scheduler,
      loadDirectPath: () => import("../src/peers/direct-path.js"),
      iceServers: () => [],
      isInitiator,
      eventLifetimeMs: () => 1500,
      sendSignal: () => undefined,
      attach: (link) => attached.push(link),
      onLoadFailure: () => (loadFailures += 1),
    });
  }

  /** Waits in real time, because a module loads outside of the virtual clock. */
  const loaded = (): Promise<void> => vi.waitFor(() => expect(attached).toHaveLength(1), { timeout: 4000 });

  beforeEach(() => {
    scheduler = new VirtualScheduler();
    attached = [];
    loadFailures = 0;
  });
  afterEach(async () => {
    // A load that the test did not await would end in the next test.
    await import("../src/peers/direct-path.js").catch(() => undefined);
    repairLoading();
  });

  test("is not loaded for a signal while no direct path is allowed", async () => {
    const path = pathOf(false);
    path.signal(1, { type: "offer" });
    path.allow(true);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(attached).toEqual([]);
  });

  test("starts by itself on the side that makes the offers", async () => {
    pathOf(true).allow(true);
    await loaded();
    expect(attached[0]?.kind).toBe("webrtc");
  });

  test("keeps signals that come before the code, and passes them on", async () => {
    const path = pathOf(false);
    path.allow(true);
    path.signal(1, { type: "offer" });
    expect(attached).toEqual([]);
    await loaded();
  });

  test("starts once, with the newest attempt, however many the peer made during the load", async () => {
    const path = pathOf(false);
    path.allow(true);
    for (let attempt = 1; attempt <= 5; attempt++) {
      for (let index = 0; index < 1000; index++) path.signal(attempt, { candidate: index });
    }
    await loaded();
    expect(attached).toHaveLength(1);
  });

  test("forgets kept signals when it is not wanted any more", async () => {
    const path = pathOf(false);
    path.allow(true);
    path.signal(1, { type: "offer" });
    path.end("the peer left");
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(attached).toEqual([]);
  });

  test("that fails to load reports it once, waits longer each time, and starts when it can", async () => {
    breakLoading();
    const path = pathOf(true);
    path.allow(true);
    await vi.waitFor(() => expect(loadFailures).toBe(1), { timeout: 4000 });
    expect(path.lastFailure).toContain("the code for it did not load");
    scheduler.advance(1000);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(loadFailures).toBe(1);
    repairLoading();
    scheduler.advance(1999);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(attached).toEqual([]);
    scheduler.advance(1);
    await loaded();
    expect(path.lastFailure).toBeUndefined();
  });
});
