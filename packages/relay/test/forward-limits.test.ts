import { systemScheduler, type Scheduler } from "@paceline/transport";
import { afterEach, expect, it, vi } from "vitest";
import { RealRelay, eventually } from "./real-relay.js";

vi.setConfig({ testTimeout: 30_000 });

let real: RealRelay;
afterEach(() => real.stop());

const numbered = (number: number): Uint8Array => Uint8Array.of(number >> 8, number & 0xff);
const numberOf = ([high = 0, low = 0]: Uint8Array): number => high * 256 + low;

const PACKETS = 2000;
const limits = { packetsPerSecond: 100_000, packetBurst: 1_000_000, forwardsPerSecondPerRoom: 10_000 };

/** The machine's timers, with a clock that stands still until it is started. */
class StoppedClock implements Scheduler {
  readonly after = systemScheduler.after;
  readonly every = systemScheduler.every;
  #startedAtMs: number | undefined;

  nowMs(): number {
    return this.#startedAtMs === undefined ? 0 : systemScheduler.nowMs() - this.#startedAtMs;
  }

  run(): void {
    this.#startedAtMs = systemScheduler.nowMs();
  }
}

it("a real socket waits until its room may forward more: nothing is lost, and others pass", async () => {
  const clock = new StoppedClock();
  real = await RealRelay.start({ limits, scheduler: clock });
  const [loud, quiet, witness] = [await real.join(), await real.join(), await real.join()];
  const crowd = [await real.join(), await real.join(), await real.join(), await real.join()];
  const other = await real.join("create/race");
  const neighbour = await real.join(`joinById/${other.welcome.roomId}`);
  const ofLoud: number[] = [];
  let beforeQuiet: number | undefined;
  witness.onForwarded = ({ peers, packet }) => {
    if (peers[0] === loud.number) ofLoud.push(numberOf(packet));
    else beforeQuiet ??= ofLoud.length;
  };
  // 12,000 forwards are more than the bursts, and the rate refills only with the clock.
  for (let number = 0; number < PACKETS; number++) {
    loud.forward([quiet, witness, ...crowd], numbered(number));
  }
  await eventually(() => expect(real.relay.counts.backPressure.pauses).toBeGreaterThan(0));
  quiet.forward([witness], Uint8Array.of(1));
  await eventually(() => expect(beforeQuiet).toBeDefined());
  expect(beforeQuiet).toBeLessThan((64 * 64 + 64) / 6 + 1);
  expect((await fetch(`${real.url}/health`)).status).toBe(200);
  other.forward([neighbour], Uint8Array.of(1));
  await eventually(() => expect(neighbour.forwarded).toHaveLength(1));
  clock.run();
  await eventually(() => expect(ofLoud).toHaveLength(PACKETS), 20_000);
  expect(ofLoud).toEqual(Array.from({ length: PACKETS }, (_, number) => number));
  expect(loud.closes).toEqual([]);
  expect(real.relay.counts.backPressure.pausedMs).toBeGreaterThan(0);
  expect(real.relay.health().drops["queue-full"]).toBeUndefined();
});

it("a paused socket still ends its link", async () => {
  real = await RealRelay.start({ limits, scheduler: new StoppedClock() });
  const [loud, ...others] = [await real.join(), await real.join(), await real.join(), await real.join()];
  for (let number = 0; number < 3000; number++) loud.forward(others, numbered(number));
  await eventually(() => expect(real.relay.counts.backPressure.pauses).toBeGreaterThan(0));
  const { drops: before } = real.relay.health();
  expect(real.relay.kick(loud.welcome.sessionId)).toBe(true);
  await eventually(() => expect(loud.close?.reason).toBe("removed by an operator"));
  await eventually(() => expect(real.relay.health().connections).toBe(3));
  // Packets that waited in the paused link are counted, as others that come too late.
  expect(real.relay.health().drops["outdated"] ?? 0).toBeGreaterThan((before["outdated"] ?? 0) + 10);
});
