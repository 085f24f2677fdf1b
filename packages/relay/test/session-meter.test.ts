import { VirtualScheduler } from "@paceline/testkit";
import { describe, expect, it } from "vitest";
import { relayLimits, type RelayLimits } from "../src/limits/relay-limits.js";
import { SessionMeter } from "../src/limits/session-meter.js";
import { BucketShare, TokenBucket } from "../src/limits/token-bucket.js";

function scene() {
  const scheduler = new VirtualScheduler();
  const limits: RelayLimits = {
    ...relayLimits({}),
    packetsPerSecond: 10,
    packetBurst: 10,
    floodPatienceMs: 3000,
  };
  const bucket = (): TokenBucket => new TokenBucket(1e9, 1e9, 0);
  const seen = { refused: 0, floods: 0 };
  const meter = new SessionMeter(limits, scheduler, new BucketShare(bucket(), bucket()), {
    onRefused: () => void (seen.refused += 1),
    onTooLong: () => undefined,
    onFlood: () => void (seen.floods += 1),
  });
  /** Sends packets at a rate for some seconds. */
  const send = (perSecond: number, seconds: number): void => {
    for (let sent = 0; sent < perSecond * seconds; sent++) {
      meter.admitPacket(10);
      scheduler.advance(1000 / perSecond);
    }
  };
  return { scheduler, seen, send };
}

describe("a session that sends too much", () => {
  it("is cut once it has done so for longer than the patience", () => {
    const { seen, send } = scene();
    send(20, 3.5);
    expect(seen.refused).toBeGreaterThan(0);
    expect(seen.floods).toBe(0);
    send(20, 1.5);
    expect(seen.floods).toBeGreaterThan(0);
  });

  it("is forgiven when it keeps its limits for more than a second, however often it exceeds them", () => {
    const { scheduler, seen, send } = scene();
    for (let round = 0; round < 20; round++) {
      send(20, 2);
      scheduler.advance(1500);
    }
    expect(seen.refused).toBeGreaterThan(100);
    expect(seen.floods).toBe(0);
  });

  it("is not forgiven for a pause of half a second", () => {
    const { scheduler, seen, send } = scene();
    for (let round = 0; round < 4; round++) {
      send(40, 1);
      scheduler.advance(500);
    }
    expect(seen.floods).toBeGreaterThan(0);
  });

  it("is cut at once after ten bursts too many", () => {
    const { seen, send } = scene();
    send(1000, 0.11);
    expect([seen.refused, seen.floods]).toEqual([99, 0]);
    send(1000, 0.05);
    expect(seen.floods).toBeGreaterThan(0);
  });
});
