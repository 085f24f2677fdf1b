import { VirtualScheduler } from "@paceline/testkit";
import { TokenBucket } from "@paceline/transport";
import { describe, expect, it } from "vitest";
import { relayLimits, type RelayLimits } from "../src/limits/relay-limits.js";
import { SessionMeter } from "../src/limits/session-meter.js";
import { BucketShare } from "../src/limits/bucket-share.js";

function scene({ roomBytes = 1e9, ...changed }: Partial<RelayLimits> & { roomBytes?: number } = {}) {
  const scheduler = new VirtualScheduler();
  const limits: RelayLimits = {
    ...relayLimits({}),
    packetsPerSecond: 10,
    packetBurst: 10,
    floodPatienceMs: 3000,
    ...changed,
  };
  const bucket = (): TokenBucket => new TokenBucket(roomBytes, roomBytes, 0);
  const seen = { refused: 0, floods: 0, subjects: [] as string[] };
  const share = new BucketShare(bucket(), bucket());
  const shares = { ingress: share, egress: share };
  const meter = new SessionMeter({
    limits,
    clock: scheduler,
    shares,
    address: [],
    onRefused: (subject) => {
      seen.refused += 1;
      if (seen.subjects.at(-1) !== subject) seen.subjects.push(subject);
    },
    onTooLong: () => undefined,
    onFlood: () => void (seen.floods += 1),
  });
  const send = (perSecond: number, seconds: number): void => {
    for (let sent = 0; sent < perSecond * seconds; sent++) {
      meter.admitPacket(10);
      scheduler.advance(1000 / perSecond);
    }
  };
  /** Reports a refusal at once, then further ones at intervals. */
  const refuse = (times: number, everyMs: number): void => {
    for (let time = 0; time < times; time++) {
      if (time > 0) scheduler.advance(everyMs);
      meter.reportExceeded("trafficPerSession");
    }
  };
  return { scheduler, seen, send, refuse, meter };
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

  it("has the whole patience, to the millisecond", () => {
    const { scheduler, seen, refuse } = scene();
    refuse(4, 1000);
    expect([scheduler.nowMs(), seen.floods]).toEqual([3000, 0]);
    scheduler.advance(1);
    refuse(1, 0);
    expect(seen.floods).toBe(1);
  });

  it("is forgiven each time that it keeps its limits for more than a second", () => {
    const { scheduler, seen, send } = scene();
    for (let round = 0; round < 20; round++) {
      send(20, 2);
      scheduler.advance(1500);
    }
    expect(seen.refused).toBeGreaterThan(100);
    expect(seen.floods).toBe(0);
    const late = scene();
    late.refuse(20, 1001);
    expect(late.seen.floods).toBe(0);
    const soon = scene();
    soon.refuse(20, 1000);
    expect(soon.seen.floods).toBeGreaterThan(0);
  });

  it("is not forgiven for a pause of half a second", () => {
    const { scheduler, seen, send } = scene();
    for (let round = 0; round < 4; round++) {
      send(40, 1);
      scheduler.advance(500);
    }
    expect(seen.floods).toBeGreaterThan(0);
  });

  it("is cut at once after ten bursts of refused packets, which a pause forgives too", () => {
    const { seen, send } = scene();
    send(1000, 0.11);
    expect([seen.refused, seen.floods]).toEqual([99, 0]);
    send(1000, 0.05);
    expect(seen.floods).toBeGreaterThan(0);
    const forgiven = scene();
    forgiven.refuse(100, 0);
    forgiven.scheduler.advance(1001);
    forgiven.refuse(100, 0);
    expect(forgiven.seen.floods).toBe(0);
    forgiven.refuse(1, 0);
    expect(forgiven.seen.floods).toBe(1);
  });

  it("is measured by bytes and by packets", () => {
    const { seen, meter } = scene({ bytesPerSecond: 1000, byteBurst: 1000, packetBurst: 1000 });
    expect([600, 400, 1].map((bytes) => meter.admitPacket(bytes))).toEqual([true, true, false]);
    expect(seen.subjects).toEqual(["trafficPerSession"]);
  });
});

describe("what is not the session's fault", () => {
  it("a packet beyond the room's bytes is dropped and counted, and cuts nobody", () => {
    const { scheduler, seen, meter } = scene({ roomBytes: 100, packetBurst: 1000 });
    // The first is within its own part of the room's bytes, the second uses up the common part.
    expect([80, 20, 1].map((bytes) => meter.admitPacket(bytes))).toEqual([true, true, false]);
    for (let second = 0; second < 10; second++) {
      meter.admitPacket(1000);
      scheduler.advance(900);
    }
    expect([seen.subjects, seen.floods]).toEqual([["bytesPerRoom"], 0]);
  });

  it("signals beyond their rate are dropped and counted, and cut nobody", () => {
    const { scheduler, seen, meter } = scene({ signalsPerSecond: 1, signalBurst: 2 });
    expect([1, 2, 3].map(() => meter.admitSignal())).toEqual([true, true, false]);
    scheduler.advance(1000);
    expect([1, 2].map(() => meter.admitSignal())).toEqual([true, false]);
    for (let sent = 0; sent < 1000; sent++) meter.admitSignal();
    expect([seen.subjects, seen.floods]).toEqual([["signalsPerSession"], 0]);
  });
});
