import { VirtualScheduler } from "@paceline/testkit";
import { describe, expect, test } from "vitest";
import { RoomClock } from "../src/time/room-clock.js";
import { Stage } from "./stage.js";
import { until } from "./until.js";

const stage = new Stage();

describe("the clock of a room", () => {
  test("pings often at first, then at long intervals, and estimates the server's time", () => {
    const scheduler = new VirtualScheduler({ startMs: 1000 });
    const ahead = 123_456;
    let pings = 0;
    const clock: RoomClock = new RoomClock({
      scheduler,
      ping: () => {
        pings += 1;
        const sentMs = scheduler.nowMs();
        const remoteMs = sentMs + 10 + ahead;
        scheduler.after(20, () =>
          clock.observe({ sentMs, remoteMs, receivedMs: scheduler.nowMs(), wasLate: false }),
        );
      },
    });
    expect(clock.serverNow()).toBe(1000);
    clock.start();
    scheduler.advance(2000);
    expect(pings).toBeGreaterThan(60);
    expect(clock.serverNow()).toBeCloseTo(scheduler.nowMs() + ahead, 3);
    expect(clock.errorMs).toBeLessThan(1);
    pings = 0;
    scheduler.advance(5000);
    expect(pings).toBeLessThanOrEqual(11);
    clock.setRenderDelay(100);
    scheduler.advance(5000);
    clock.renderNow();
    scheduler.advance(5000);
    expect(clock.serverNow() - clock.renderNow()).toBeCloseTo(100, 3);
    clock.stop();
    pings = 0;
    scheduler.advance(5000);
    expect(pings).toBe(0);
  });

  test("is right over a real connection, and participants agree on it", async () => {
    const server = await stage.server();
    const rooms = await stage.meet(server, 2);
    await until("both know the time", () => rooms.every(({ clock }) => clock.errorMs < 5));
    const [a, b] = rooms.map(({ clock }) => clock.serverNow()) as [number, number];
    // Client and server are one process with one clock. A busy machine delays answers.
    expect(Math.abs(a - performance.now())).toBeLessThan(200);
    expect(Math.abs(a - b)).toBeLessThan(200);
    expect(Math.abs(rooms[0]!.clock.now() - performance.now())).toBeLessThan(200);
  });
});
