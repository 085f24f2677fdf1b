import { newLinkCounters, type Link } from "@paceline/transport";
import { expect, test } from "vitest";
import { RateMeter } from "../src/stats/rate-meter.js";

function linkWith(bytesReceived: number, bytesSent: number) {
  const counters = { ...newLinkCounters(), bytesReceived, bytesSent, packetsSent: bytesSent / 20 };
  return { counters, link: { counters } as Link };
}

test("counters of several links become rates per second", () => {
  const meter = new RateMeter(1000);
  const [first, second] = [linkWith(0, 0), linkWith(500, 100)];
  meter.take(first.link);
  Object.assign(first.counters, { bytesReceived: 1000, bytesSent: 300, packetsSent: 15 });
  meter.take(first.link);
  meter.take(second.link);
  meter.countUpdatesIn(6);
  meter.countUpdatesOut(10);
  expect(meter.rates.bytesInPerSecond).toBe(0);
  meter.sample(3000);
  expect(meter.rates).toEqual({
    bytesInPerSecond: 750,
    bytesOutPerSecond: 200,
    packetsOutPerSecond: 10,
    updatesInPerSecond: 3,
    updatesOutPerSecond: 5,
  });
});

test("traffic counts once, and a window without traffic has zero rates", () => {
  const meter = new RateMeter(0);
  const { counters, link } = linkWith(100, 100);
  meter.take(link);
  meter.take(link);
  meter.sample(1000);
  expect(meter.rates.bytesInPerSecond).toBe(100);
  meter.take(link);
  meter.sample(2000);
  expect(meter.rates.bytesInPerSecond).toBe(0);
  counters.bytesReceived += 50;
  meter.take(link);
  // A window of no length gives no rates.
  meter.sample(2000);
  expect(meter.rates.bytesInPerSecond).toBe(0);
  meter.sample(2500);
  expect(meter.rates.bytesInPerSecond).toBe(100);
});
