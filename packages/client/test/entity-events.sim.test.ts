import type { Unsubscribe } from "@paceline/client";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { Car, Sign } from "./definitions.js";
import { RelayStage } from "./relay-stage.js";
import { Sprites } from "./sprites.js";

const DELAY_MS = 40;

/** Collects errors of the game's listeners, instead of the console. */
function reportedErrors(): string[] {
  const reported: string[] = [];
  vi.stubGlobal("reportError", (error: Error) => reported.push(error.message));
  onTestFinished(() => void vi.unstubAllGlobals());
  return reported;
}

describe("onSpawn and onDespawn among players", () => {
  test("report present own and remote entities, and later ones, without a call of entities()", async () => {
    const stage = new RelayStage({ delayMs: DELAY_MS });
    const [a, b] = [await stage.join(), await stage.join()];
    const [early, sign] = [a.spawn(Car, { fuel: 0.5 }), a.spawn(Sign)];
    await stage.advance(500);
    const [atA, atB] = [new Sprites(a, Car), new Sprites(b, Car)];
    expect(atA.log).toEqual([`+${early.id}`]);
    const mine = b.spawn(Car);
    expect(atB.log).toContain(`+${mine.id}`);
    await stage.advance(1000);
    expect([atA.ids, atB.ids]).toEqual([
      [early.id, mine.id],
      [early.id, mine.id],
    ]);
    const late = await stage.join();
    const atLate = new Sprites(late, Car);
    await stage.advance(1000);
    expect(atLate.ids).toEqual([early.id, mine.id]);
    for (const car of atLate.shown) expect([car.kind, car.isMine]).toEqual([Car, false]);
    a.despawn(early);
    expect(atA.log.at(-1)).toBe(`-${early.id}`);
    await stage.advance(500);
    expect([atB.ids, atLate.ids]).toEqual([[mine.id], [mine.id]]);
    expect(sign.kind).toBe(Sign);
  });

  test("give an entity its values before the listener sees it", async () => {
    const stage = new RelayStage({ delayMs: DELAY_MS });
    const [a, b] = [await stage.join(), await stage.join()];
    const seen: unknown[] = [];
    b.onSpawn(Sign, ({ place, lit, owner }) => seen.push([place.x, lit, owner?.number]));
    a.spawn(Sign, { place: { x: 7, y: 0 }, lit: true });
    await stage.advance(500);
    expect(seen).toEqual([[7, true, a.myNumber]]);
  });

  test("report nothing twice when the session is resumed", async () => {
    const stage = new RelayStage({ delayMs: DELAY_MS });
    const player = stage.player();
    const [a, b] = [await stage.join(), await stage.join(player)];
    a.spawn(Car);
    b.spawn(Car);
    const sprites = new Sprites(b, Car);
    await stage.advance(500);
    const before = sprites.log.slice();
    const back: boolean[] = [];
    b.onReconnect(({ resumed }) => back.push(resumed));
    player.offline();
    await stage.advance(300);
    player.online();
    await stage.advance(5000);
    expect([back, sprites.log]).toEqual([[true], before]);
  });

  test("call the other listeners when one throws, and end at once, also in the listener", async () => {
    const errors = reportedErrors();
    const stage = new RelayStage({ delayMs: DELAY_MS });
    const room = await stage.join();
    room.spawn(Car);
    const calls: string[] = [];
    room.onSpawn(Car, () => {
      throw new Error("no texture");
    });
    const stop: Unsubscribe[] = [];
    stop[0] = room.onSpawn(Car, () => {
      calls.push("once");
      stop[0]?.();
    });
    stop[1] = room.onSpawn(Car, () => calls.push("always"));
    expect(calls).toEqual(["once", "always"]);
    room.spawn(Car);
    room.spawn(Car);
    expect(calls).toEqual(["once", "always", "once", "always", "always"]);
    stop[1]();
    room.spawn(Car);
    expect(calls).toHaveLength(5);
    expect(errors[0]).toBe("no texture");
  });

  test("allow a listener to spawn and despawn", async () => {
    const stage = new RelayStage({ delayMs: DELAY_MS });
    const room = await stage.join();
    const [first, second] = [room.spawn(Car), room.spawn(Car)];
    const log: string[] = [];
    room.onDespawn(Car, ({ id }) => log.push(`-${id}`));
    room.onSpawn(Car, ({ id }) => {
      log.push(`+${id}`);
      if (id !== first.id) return;
      room.despawn(second);
      log.push(`spawned ${room.spawn(Car).id}`);
    });
    const third = [...room.entities(Car)].at(-1)!;
    expect(log).toEqual([`+${first.id}`, `-${second.id}`, `+${third.id}`, `spawned ${third.id}`]);
  });

  test("report the end of all entities when the room is left", async () => {
    const stage = new RelayStage({ delayMs: DELAY_MS });
    const [a, b] = [await stage.join(), await stage.join()];
    const sprites = new Sprites(b, Car);
    a.spawn(Car);
    b.spawn(Car);
    await stage.advance(500);
    expect(sprites.shown.size).toBe(2);
    let shownAtEnd = -1;
    b.onLeave(() => (shownAtEnd = sprites.shown.size));
    b.leave();
    await stage.advance(500);
    expect(shownAtEnd).toBe(0);
  });

  test("refuse a value that is no definition", async () => {
    const room = await new RelayStage().join();
    const listener = (): void => undefined;
    for (const wrong of [listener, undefined, "car", {}]) {
      expect(() => room.onSpawn(wrong as never, listener)).toThrow(/definition: expected a kind of entity/);
    }
  });
});
