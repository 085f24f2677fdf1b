import { CloseCode } from "@paceline/protocol";
import { VirtualScheduler } from "@paceline/testkit";
import { describe, expect, it } from "vitest";
import { LogThrottle, silentLog, type LogFields } from "../src/ops/log.js";
import { VirtualRegistry } from "./virtual-registry.js";

describe("the log", () => {
  it("writes one line per second, with the number of withheld lines", () => {
    const scheduler = new VirtualScheduler();
    const throttle = new LogThrottle(scheduler);
    const lines: [string, LogFields | undefined][] = [];
    const write = (message: string, fields?: LogFields): void => void lines.push([message, fields]);
    for (let at = 0; at < 25; at++) {
      throttle.write(write, "again", { at });
      scheduler.advance(100);
    }
    expect(lines).toEqual([
      ["again", { at: 0 }],
      ["again", { at: 10, withheld: 9 }],
      ["again", { at: 20, withheld: 9 }],
    ]);
  });

  it("throttles the lines of each key apart", () => {
    const throttle = new LogThrottle(new VirtualScheduler());
    const lines: string[] = [];
    for (const key of ["a", "b", "a", "b"]) throttle.write((message) => lines.push(message), key, {}, key);
    expect(lines).toEqual(["a", "b"]);
  });

  it("warns of who was cut, and never shows a token or a ticket", () => {
    const lines: string[] = [];
    const keep = (message: string, fields?: LogFields): void =>
      void lines.push(message + JSON.stringify(fields));
    const virtual = new VirtualRegistry({
      log: { ...silentLog, warn: keep, info: keep, debug: keep, trace: keep },
    });
    const { player, link, seat } = virtual.join();
    for (let sent = 0; sent < 60; sent++) link.player.send("command", Uint8Array.of(0));
    virtual.scheduler.advance(100);
    expect(lines.at(-1)).toMatch(/^session cut.*"code":4200/);
    expect(player.close?.code).toBe(CloseCode.protocolViolation);
    expect(lines.join()).not.toContain(player.welcome.token);
    expect(lines.join()).not.toContain(seat.ticket);
  });
});
