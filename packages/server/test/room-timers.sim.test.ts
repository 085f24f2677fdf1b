import { ConfigError } from "@paceline/client";
import { Room } from "@paceline/server";
import { silentLog, type LogFields } from "@paceline/relay";
import { VirtualScheduler } from "@paceline/testkit";
import { describe, expect, it } from "vitest";
import { HookLog } from "../src/hooks/hook-log.js";
import { hookTrace } from "../src/hooks/hook-trace.js";
import type { RoomTimers } from "../src/room/room-timers.js";
import { fakeHosted } from "./fake-relay.js";

/** A room that notes what its timers call, with the time. */
class Arena extends Room {
  readonly calls: string[] = [];
  nowMs = (): number => 0;

  respawn(name: string, at: { readonly x: number }): void {
    this.calls.push(`${this.nowMs()} respawn ${name} ${at.x}`);
  }

  second(): void {
    this.calls.push(`${this.nowMs()} second`);
  }

  fails(): never {
    this.calls.push(`${this.nowMs()} fails`);
    throw new Error("a mistake of the game");
  }

  async failsLater(): Promise<never> {
    await Promise.resolve();
    throw new Error("a later mistake");
  }
}

class PersistentArena extends Arena {
  static override readonly persistent = { everySeconds: 1 };
}

interface Opened {
  readonly room: Arena;
  readonly scheduler: VirtualScheduler;
  readonly timers: RoomTimers;
  readonly warnings: { readonly message: string; readonly fields: LogFields | undefined }[];
  readonly hookErrors: Readonly<Record<string, number>>;
}

async function open(room = new Arena(), startMs = 0): Promise<Opened> {
  const scheduler = new VirtualScheduler({ startMs });
  const warnings: Opened["warnings"] = [];
  Room.attach(room, {
    ...{ hosted: fakeHosted("arena"), scheduler, hookTrace, hookTimeoutMs: 1000, blockedMs: 1000 },
    log: { ...silentLog, warn: (message, fields) => warnings.push({ message, fields }) },
    hookLog: new HookLog(silentLog, scheduler, "arena"),
    onClosed: () => undefined,
    onOver: () => undefined,
    onLateError: () => undefined,
  });
  room.nowMs = () => scheduler.nowMs() - startMs;
  await Room.open(room, {});
  const { timers, counters } = Room.partsOf(room);
  return { room, scheduler, timers, warnings, hookErrors: counters.hookErrors };
}

describe("timers of a room", () => {
  it("call the room's methods at their times, with their arguments", async () => {
    const { room, scheduler } = await open();
    room.after(3000, "respawn", "Ada", { x: 7 });
    room.every(1000, "second");
    room.after(1500, () => room.calls.push(`${room.nowMs()} function`));
    scheduler.advance(3500);
    expect(room.calls).toEqual([
      "1000 second",
      "1500 function",
      "2000 second",
      "3000 respawn Ada 7",
      "3000 second",
    ]);
  });

  it("end by their own function, by the name of their method, and by clock.clear", async () => {
    const { room, scheduler, timers } = await open();
    const cancel = room.every(1000, "second");
    scheduler.advance(1000);
    cancel();
    cancel();
    room.after(100, "respawn", "Ada", { x: 1 });
    room.every(100, "respawn", "Bob", { x: 1 });
    room.after(100, "second");
    expect(room.cancelTimers("respawn")).toBe(2);
    expect(room.cancelTimers("respawn")).toBe(0);
    scheduler.advance(1000);
    expect(room.calls).toEqual(["1000 second", "1100 second"]);
    room.every(100, "second");
    room.clock.clear();
    expect(timers.save()).toEqual([]);
    scheduler.advance(1000);
    expect(room.calls).toHaveLength(2);
  });

  it("end with the room, and none starts afterwards", async () => {
    const { room, scheduler } = await open();
    const callbacks = await Room.open(room, {});
    room.every(100, "second");
    room.every(100, () => room.calls.push("function"));
    callbacks!.close();
    room.after(10, "second");
    scheduler.advance(1000);
    expect(room.calls).toEqual([]);
  });

  it("go on after an error, which counts as one of the hook clock", async () => {
    const { room, scheduler, hookErrors } = await open();
    const heard: string[] = [];
    room.onUncaughtException = (error, hook) => void heard.push(`${hook}: ${(error as Error).message}`);
    room.every(100, "fails");
    room.after(150, "failsLater");
    scheduler.advance(250);
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    expect(room.calls).toEqual(["100 fails", "200 fails"]);
    expect(hookErrors["clock"]).toBe(3);
    expect(heard.toSorted()).toEqual([
      "clock: a later mistake",
      "clock: a mistake of the game",
      "clock: a mistake of the game",
    ]);
  });

  it("may start and cancel others, and themselves", async () => {
    const { room, scheduler } = await open();
    let count = 0;
    const cancel = room.every(10, () => {
      count += 1;
      if (count === 3) cancel();
      if (count === 2) room.after(5, "second");
    });
    scheduler.advance(1000);
    expect(count).toBe(3);
    expect(room.calls).toEqual(["25 second"]);
  });

  it("refuse mistakes at once, with field and value", async () => {
    const { room } = await open();
    const mistakes: readonly (readonly [() => unknown, string])[] = [
      [() => room.after(-1, "second"), "ms: expected 0 to 2073600000 ms, got -1"],
      [() => room.every(0, "second"), "ms: expected 1 to 2073600000 ms, got 0"],
      [() => room.after(NaN, "second"), "ms: expected 0 to 2073600000 ms, got NaN"],
      [() => room.after(1, "secnd"), 'method: expected the name of a method of the room, got "secnd"'],
      [() => room.after(1, "calls"), 'method: expected the name of a method of the room, got "calls"'],
      [
        () => room.after(1, "constructor"),
        'method: expected the name of a method of the room, got "constructor"',
      ],
      [() => room.after(1, "toString"), 'method: expected the name of a method of the room, got "toString"'],
      [() => room.after(1, 7 as never), "method: expected a function, got 7"],
      [
        () => room.after(1, "respawn", room),
        "args[0]: expected plain data (not an instance of a class), got an Arena",
      ],
      [
        () => room.after(1, "respawn", "Ada", { x: Infinity }),
        "args[1].x: expected a finite number, got Infinity",
      ],
    ];
    for (const [mistake, message] of mistakes) {
      expect(mistake).toThrow(ConfigError);
      expect(mistake).toThrow(message);
    }
  });

  it("are at most ten thousand", async () => {
    const { room } = await open();
    for (let count = 0; count < 10_000; count++) room.after(1000, "second");
    expect(() => room.after(1000, "second")).toThrow("timers: expected at most 10000 in a room, got 10001");
    room.cancelTimers("second");
    room.after(1000, "second");
  });
});

describe("saved timers", () => {
  it("go on in another process with the time that was left, whatever its clock shows", async () => {
    const before = await open();
    before.room.after(3000, "respawn", "Ada", { x: 7 });
    before.room.every(1000, "second");
    before.scheduler.advance(1400);
    const saved = before.timers.save();
    expect(saved).toEqual([
      { method: "second", args: [], leftMs: 600, periodMs: 1000 },
      { method: "respawn", args: ["Ada", { x: 7 }], leftMs: 1600 },
    ]);
    const after = await open(new Arena(), 5_000_000);
    after.timers.restore(JSON.parse(JSON.stringify(saved)));
    after.scheduler.advance(2000);
    expect(after.room.calls).toEqual(["600 second", "1600 respawn Ada 7", "1600 second"]);
    expect(after.timers.save()).toEqual([{ method: "second", args: [], leftMs: 600, periodMs: 1000 }]);
  });

  it("take the place of those that onCreate has started, not of functions", async () => {
    class Creating extends Arena {
      override onCreate(): void {
        this.every(1000, "second");
        this.every(1000, () => this.calls.push("function"));
      }
    }
    const { room, scheduler, timers } = await open(new Creating());
    timers.restore([{ method: "second", args: [], leftMs: 10, periodMs: 1000 }]);
    scheduler.advance(1009);
    expect(room.calls).toEqual(["10 second", "function"]);
  });

  it("do not hold functions, and a persistent room says so", async () => {
    const persistent = await open(new PersistentArena());
    persistent.room.after(1000, () => undefined);
    persistent.room.after(1000, "second");
    expect(persistent.timers.save().map(({ method }) => method)).toEqual(["second"]);
    expect(persistent.warnings).toEqual([
      {
        message: "a timer with a function is not saved: name a method of the room instead",
        fields: { roomId: "room" },
      },
    ]);
    const other = await open();
    other.room.after(1000, () => undefined);
    expect(other.warnings).toEqual([]);
  });

  it("that make no sense are left out and told, and the others go on", async () => {
    const { room, scheduler, timers, warnings } = await open();
    const good = { method: "second", args: [], leftMs: 10 };
    timers.restore([
      null,
      7,
      {},
      { ...good, method: "gone" },
      { ...good, method: "__proto__" },
      { ...good, args: "no" },
      { ...good, leftMs: -1 },
      { ...good, leftMs: "soon" },
      { ...good, periodMs: 0 },
      { ...good, args: [() => undefined] },
      good,
    ]);
    scheduler.advance(100);
    expect(room.calls).toEqual(["10 second"]);
    expect(warnings.map(({ fields }) => fields?.["problem"])).toEqual([
      "it is no timer",
      'method: expected the name of a method of the room, got "gone"',
      'method: expected the name of a method of the room, got "__proto__"',
      "leftMs: expected 0 to 2073600000 ms, got -1",
      'leftMs: expected 0 to 2073600000 ms, got "soon"',
      "periodMs: expected 1 to 2073600000 ms, got 0",
      'args[0]: expected plain data (null, boolean, number, text, bytes, array, object), got "a function"',
    ]);
    timers.restore("not even a list");
    expect(timers.save()).toEqual([]);
  });
});
