import { VirtualScheduler, seededRandom } from "@paceline/testkit";
import { describe, expect, test } from "vitest";
import { RoomClock } from "../src/time/room-clock.js";
import { Stage } from "./stage.js";
import { until } from "./until.js";

const stage = new Stage();

describe("the clock of a room", () => {
  /** Asks a server that answers after 20 ms and a jitter; counts the pings of two seconds. */
  function asked(jitterMs: () => number) {
    const scheduler = new VirtualScheduler({ startMs: 1000 });
    const ahead = 123_456;
    const asking = { pings: 0, scheduler, ahead };
    const clock: RoomClock = new RoomClock({
      scheduler,
      ping: () => {
        asking.pings += 1;
        const sentMs = scheduler.nowMs();
        const thereMs = 10 + jitterMs();
        scheduler.after(thereMs + 10 + jitterMs(), () => {
          const remoteMs = sentMs + thereMs + ahead;
          clock.observe({ sentMs, remoteMs, receivedMs: scheduler.nowMs(), wasLate: false });
        });
      },
    });
    expect(clock.serverNow()).toBe(1000);
    clock.start();
    scheduler.advance(2000);
    return Object.assign(asking, { clock });
  }

  test("asks often at first where answers scatter", () => {
    const random = seededRandom(5);
    expect(asked(() => 20 * random.next()).pings).toBeGreaterThan(60);
  });

  test("asks a server that does not answer twenty times a second", () => {
    expect(asked(() => Number.MAX_SAFE_INTEGER).pings).toBeLessThanOrEqual(41);
  });

  test("asks a few times at first on a steady path, then now and then, and knows the server's time", () => {
    const asking = asked(() => 0);
    const { clock, scheduler, ahead } = asking;
    expect(asking.pings).toBeLessThanOrEqual(18);
    expect(clock.serverNow()).toBeCloseTo(scheduler.nowMs() + ahead, 3);
    expect(clock.errorMs).toBeLessThan(1);
    asking.pings = 0;
    scheduler.advance(5000);
    expect(asking.pings).toBeLessThanOrEqual(11);
    clock.setRenderDelay(100);
    scheduler.advance(5000);
    clock.renderNow();
    scheduler.advance(5000);
    expect(clock.serverNow() - clock.renderNow()).toBeCloseTo(100, 3);
    clock.stop();
    asking.pings = 0;
    scheduler.advance(5000);
    expect(asking.pings).toBe(0);
  });

  test("is right over a real connection; participants agree on it", async () => {
    const server = await stage.server();
    const rooms = await stage.meet(server, 2);
    await until("both know the time", () => rooms.every(({ clock }) => clock.errorMs < 5));
    const [a, b] = rooms.map(({ clock }) => clock.serverNow()) as [number, number];
    // Client and server are one process here, and have one clock; a busy machine delays answers.
    expect(Math.abs(a - performance.now())).toBeLessThan(40);
    expect(Math.abs(a - b)).toBeLessThan(40);
    expect(rooms[0]!.clock.now()).toBeCloseTo(performance.now(), -2);
  });
});
