import { CloseCode } from "@paceline/protocol";
import { Refusal, Room, type AuthRequest, type Player } from "@paceline/server";
import type { VirtualScheduler } from "@paceline/testkit";
import { roomStage } from "@paceline/testkit/room";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Car, RaceRoom } from "./race.js";
import { Stage, eventually } from "./stage.js";

let stage: Stage<Room> | undefined;
afterEach(() => stage?.stop());

async function staged<R extends Room>(roomClass: new () => R, options = {}): Promise<Stage<R>> {
  const opened = await new Stage(roomClass, options).start();
  stage = opened;
  return opened;
}

/** Returns a function that blocks: it advances the clock without running anything else. */
function blockingOn(scheduler: VirtualScheduler): (ms: number) => void {
  const nowMs = scheduler.nowMs.bind(scheduler);
  let blockedMs = 0;
  vi.spyOn(scheduler, "nowMs").mockImplementation(() => nowMs() + blockedMs);
  return (ms) => void (blockedMs += ms);
}

describe("hooks that fail", () => {
  it("onCreate: the room does not open, and the next one may", async () => {
    let isBroken = true;
    class Broken extends RaceRoom {
      override onCreate(): void {
        if (isBroken) throw new Error("no map");
      }
    }
    const { server } = await staged(Broken);
    await expect(stage!.join()).rejects.toMatchObject({ code: "match/room-failed" });
    expect(server.health().rooms).toBe(0);
    isBroken = false;
    expect((await stage!.join()).state).toBe("joined");
  });

  it("onCreate that never ends: refused after the timeout, others join meanwhile elsewhere", async () => {
    class Endless extends RaceRoom {
      override onCreate(options: { track?: string } = {}): unknown {
        return options.track === "endless" ? new Promise(() => undefined) : undefined;
      }
    }
    await staged(Endless, { hookTimeoutMs: 300 });
    const waiting = stage!.join({ track: "endless" }).catch((error: unknown) => error);
    expect((await stage!.join({ track: "short" })).state).toBe("joined");
    expect(await waiting).toMatchObject({ code: "match/room-failed" });
    expect(stage!.server.health().rooms).toBe(1);
  });

  it("onJoin: the player does not get in; a refusal says why, an error does not", async () => {
    class Picky extends RaceRoom {
      override onJoin(player: Player, { name }: { name?: string } = {}): void {
        if (name === "cheat") throw new Refusal("banned until Friday");
        if (name === "bug") throw new Error("secret path");
        super.onJoin(player);
      }
    }
    const { server, rooms } = await staged(Picky);
    const honest = await stage!.join({ name: "Ann" });
    await expect(stage!.join({ name: "cheat" })).rejects.toThrow("banned until Friday");
    await expect(stage!.join({ name: "bug" })).rejects.toThrow(
      "the room's code failed in onJoin; the server's log has the error",
    );
    expect(rooms[0]!.players.size).toBe(1);
    expect(server.reports()[0]!.counters).toMatchObject({
      joins: 1,
      joinsRefused: 2,
      hookErrors: { onJoin: 1 },
    });
    await eventually(() => expect([...honest.entities(Car)]).toHaveLength(1));
  });

  it("onTick and timers: counted, and the room goes on", async () => {
    class Shaky extends RaceRoom {
      override onCreate(): void {
        this.clock.setInterval(() => Promise.reject(new Error("later")), 20);
      }
      override onTick(seconds: number): void {
        super.onTick(seconds);
        throw new Error("every time");
      }
    }
    const { server } = await staged(Shaky);
    const room = await stage!.join();
    await eventually(() => expect([...room.entities(Car)]).toHaveLength(1));
    await eventually(() => {
      const { hookErrors } = server.reports()[0]!.counters;
      expect(hookErrors.onTick).toBeGreaterThan(3);
      expect(hookErrors.clock).toBeGreaterThan(3);
    });
  });

  it("a room that blocks the server again and again is ended; others go on", async () => {
    class Hog extends RaceRoom {
      override onTick(): void {
        if (this.metadata.hog === true) block(60);
      }
      override onCreate(options: { track?: string } = {}): void {
        this.setMetadata({ hog: options.track === "hog" });
      }
    }
    const virtual = roomStage(Hog, { blockedMs: 50 });
    const block = blockingOn(virtual.scheduler);
    const calm = await virtual.join({ options: { track: "calm" } });
    const hogged = await virtual.join({ options: { track: "hog" } }).catch(() => undefined);
    const codes: number[] = [];
    hogged?.room.onLeave((code) => codes.push(code));
    await virtual.advance(1000);
    expect(virtual.server.health().rooms).toBe(1);
    expect(hogged?.room.state ?? "left").toBe("left");
    const tick = (): number => virtual.server.reports()[0]!.tick;
    const before = tick();
    await virtual.advance(500);
    expect(tick()).toBeGreaterThan(before + 5);
    expect(calm.room.state).toBe("joined");
    expect(codes.every((code) => code === CloseCode.roomClosed)).toBe(true);
    await virtual.stop();
  });

  it("a handler of messages that blocks is counted, and ends its room as a step does; others go on", async () => {
    class Blocking extends RaceRoom {
      override onCreate(): void {
        this.onMessage("horn", () => block(60));
      }
    }
    const virtual = roomStage(Blocking, { blockedMs: 50 });
    const block = blockingOn(virtual.scheduler);
    const calm = await virtual.join({ options: { track: "calm" } });
    const { room } = await virtual.join({ options: { track: "rude" } });
    const codes: number[] = [];
    room.onLeave((code) => codes.push(code));
    for (let count = 0; count < 2; count++) room.send("horn", { loud: true });
    const blocked = (): number => virtual.server.classReports()[0]!.counters.blocked;
    await virtual.advance(500);
    expect([blocked(), codes]).toEqual([2, []]);
    room.send("horn", { loud: true });
    await virtual.advance(500);
    expect([blocked(), codes]).toEqual([3, [CloseCode.roomClosed]]);
    expect([calm.room.state, virtual.server.health().rooms]).toEqual(["joined", 1]);
    await virtual.stop();
  });

  it("handlers that reject or never end: a request gets a reply, other messages are handled", async () => {
    class Careless extends RaceRoom {
      override onCreate(): void {
        super.onCreate();
        this.onMessage("horn", () => Promise.reject(new Error("no horn")));
        this.onRequest("lap", ({ number }) => (number === 1 ? new Promise(() => undefined) : { laps: 7 }));
      }
    }
    const { server } = await staged(Careless as never, { hookTimeoutMs: 300 });
    const [a, b] = [await stage!.join(), await stage!.join()];
    a.send("horn", { loud: true });
    const asked = a.request("lap", { car: 1 }).catch((error: unknown) => error);
    expect(await b.request("lap", { car: 1 })).toEqual({ laps: 7 });
    expect(await asked).toMatchObject({ code: "request/refused" });
    const { hookErrors } = server.reports()[0]!.counters;
    expect(hookErrors).toEqual({ onMessage: 1, onRequest: 1 });
  });

  it("onDrop, onReconnect, onDrain and onDispose that throw are counted, and have no other effect", async () => {
    class Broken extends RaceRoom {
      override onDrop(): void {
        throw new Error("drop");
      }
      override onReconnect(): void {
        throw new Error("back");
      }
      override onDrain(): void {
        throw new Error("drain");
      }
      override onDispose(): void {
        throw new Error("end");
      }
    }
    const virtual = roomStage(Broken);
    const player = await virtual.join();
    player.offline();
    await virtual.advance(2000);
    player.online();
    await virtual.advance(10_000);
    expect(player.room.state).toBe("joined");
    const drained = virtual.server.drain({ timeoutMs: 10 });
    await virtual.until(drained);
    expect(player.room.state).toBe("joined");
    await virtual.stop();
    expect(virtual.server.classReports()[0]!.counters.hookErrors).toEqual({
      onDrop: 1,
      onReconnect: 1,
      onDrain: 1,
      onDispose: 1,
    });
  });

  it("onDispose runs after every onJoin and onLeave, however long they take", async () => {
    const calls: string[] = [];
    class Slow extends Room {
      override async onJoin(player: Player): Promise<void> {
        await this.#pause(player.number === 2 ? 400 : 0);
        calls.push(`joined ${player.number}`);
      }
      override async onLeave(player: Player): Promise<void> {
        await this.#pause(200);
        calls.push(`left ${player.number}`);
      }
      override onDispose(): void {
        calls.push("dispose");
      }
      #pause(ms: number): Promise<void> {
        return new Promise((resolve) => void virtual.scheduler.after(ms, resolve));
      }
    }
    const virtual = roomStage(Slow);
    await virtual.join();
    const second = virtual.join().catch(() => undefined);
    await virtual.advance(100);
    virtual.room.disconnect("over");
    await virtual.advance(1000);
    await second;
    expect(calls).toEqual(["joined 1", "left 1", "joined 2", "left 2", "dispose"]);
    await virtual.stop();
  });

  it("an entity for a player who has left is refused: nothing would despawn it", async () => {
    class Late extends Room {
      override readonly entities = [Car];
      isOwned: boolean | undefined;
      override async onJoin(player: Player): Promise<void> {
        await new Promise<void>((resolve) => void virtual.scheduler.after(600, resolve));
        expect(() => this.spawn(Car, {}, player)).toThrow(expect.objectContaining({ field: "player" }));
        const car = this.spawn(Car);
        expect(() => this.give(car, player)).toThrow(expect.objectContaining({ field: "player" }));
        this.isOwned = car.owner !== undefined;
      }
    }
    const virtual = roomStage(Late, { hookTimeoutMs: 300 });
    const refused = virtual.join().catch((error: unknown) => error);
    await virtual.advance(1000);
    expect(await refused).toMatchObject({ code: "session/refused" });
    expect(virtual.room.isOwned).toBe(false);
    await virtual.stop();
  });

  it("onLeave that never ends: its player's entities go after the timeout", async () => {
    class Clingy extends RaceRoom {
      override onLeave(): unknown {
        return new Promise(() => undefined);
      }
    }
    await staged(Clingy as never, { hookTimeoutMs: 200 });
    const [a, b] = [await stage!.join(), await stage!.join()];
    await eventually(() => expect([...a.entities(Car)]).toHaveLength(2));
    b.leave();
    await eventually(() => expect([...a.entities(Car)]).toHaveLength(1));
  });
});

describe("onAuth", () => {
  it("that never ends, or throws, refuses the player with a message; others join meanwhile", async () => {
    class Doubtful extends RaceRoom {
      static override onAuth({ options }: AuthRequest): unknown {
        if (options.name === "bug") throw new Error("secret path");
        return options.name === "slow" ? new Promise(() => undefined) : true;
      }
    }
    const { server } = await staged(Doubtful, { hookTimeoutMs: 300 });
    const slow = stage!.join({ name: "slow" }).catch((error: unknown) => error);
    const bug = stage!.join({ name: "bug" }).catch((error: unknown) => error);
    expect((await stage!.join({ name: "Ann" })).state).toBe("joined");
    for (const refused of [slow, bug]) {
      expect(await refused).toMatchObject({
        code: "match/room-failed",
        message: expect.not.stringContaining("secret") as string,
      });
    }
    expect(server.classReports()[0]!.counters.hookErrors).toEqual({ onAuth: 2 });
  });

  it("refuses players before a room is opened; its result is player.auth", async () => {
    class Members extends RaceRoom {
      static override onAuth({ options, address }: AuthRequest): unknown {
        if (options.name === "nobody") return undefined;
        if (options.name === "bad") throw new Refusal("wrong password");
        return { name: options.name, address };
      }
    }
    const { rooms } = await staged(Members);
    await expect(stage!.join({ name: "nobody" })).rejects.toMatchObject({ code: "match/refused" });
    await expect(stage!.join({ name: "bad" })).rejects.toThrow("wrong password");
    expect(rooms).toEqual([]);
    await stage!.join({ name: "Ann" });
    expect([...rooms[0]!.players.values()][0]!.auth).toMatchObject({ name: "Ann" });
  });
});
