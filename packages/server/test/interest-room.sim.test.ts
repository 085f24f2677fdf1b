import {
  Room,
  aura,
  defineEntity,
  vec2,
  type Player,
  type RoomInterest,
  type ServerEntity,
} from "@paceline/server";
import { roomStage, type StagePlayer } from "@paceline/testkit/room";
import type { Session } from "@paceline/transport";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { assertRoom } from "../src/room/room-settings.js";

const Walker = defineEntity("walker", {
  position: vec2({ range: [-500, 500], precision: 0.01, unit: "m" }),
});
type Walking = ServerEntity<typeof Walker>;

/** A room of which each player sees 50 m around its walker. */
class Town extends Room {
  override readonly entities = [Walker];
  override readonly tickHz: number = 20;
  override readonly interest: RoomInterest<Player, ServerEntity> | undefined = { radiusM: 50 };
  readonly walkers = new Map<number, Walking>();
  readonly joined: Player[] = [];

  override onJoin(player: Player): void {
    this.joined.push(player);
    const position = { x: 100 * (player.number - 1), y: 0 };
    this.walkers.set(player.number, this.spawn(Walker, { position }, player));
  }
}

async function town(network = { delayMs: 30 }) {
  const stage = roomStage(Town);
  onTestFinished(() => stage.stop());
  const join = (): Promise<StagePlayer> => stage.join({ network });
  return { stage, join };
}

/** Writes down what a game hears of walkers. */
function heard({ room }: StagePlayer): string[] {
  const log: string[] = [];
  room.onSpawn(Walker, ({ id }) => log.push(`+${id}`));
  room.onDespawn(Walker, ({ id }, why) => log.push(`-${id} ${why}`));
  return log;
}

test("players who join at once are introduced in few packets, each before its first entity", async () => {
  class Square extends Town {
    override maxPlayers = 32;
    override readonly tickHz = 10;
    override readonly interest = undefined;
  }
  const stage = roomStage(Square);
  onTestFinished(() => stage.stop());
  const { room } = await stage.join();
  const ownerless: number[] = [];
  const joined: number[] = [];
  room.onPeerJoin(({ number }) => joined.push(number));
  room.onSpawn(Walker, ({ id, isMine, owner }) => {
    if (!isMine && !owner) ownerless.push(id);
  });
  await stage.advance(500);
  const { session } = (
    stage.room.joined[0] as unknown as { readonly participant: { readonly session: Session } }
  ).participant;
  const packets = vi.spyOn(session, "sendAllReliable");
  const others = 24;
  await Promise.all(Array.from({ length: others }, () => stage.join()));
  await stage.advance(300);
  const introductions = packets.mock.calls.filter(([payloads]) =>
    payloads.some((payload) => Buffer.from(payload).includes("joined")),
  );
  expect(joined.toSorted((a, b) => a - b)).toEqual(Array.from({ length: others }, (_, index) => index + 2));
  // At the end of a few ticks.
  expect(introductions.length).toBeLessThanOrEqual(6);
  expect(ownerless).toEqual([]);
});

describe("a room with interest", () => {
  test("tells a game what comes into view, what leaves it, and what ends", async () => {
    const { stage, join } = await town();
    const [ann, ben] = [await join(), await join()];
    const [atAnn, atBen] = [heard(ann), heard(ben)];
    await stage.advance(500);
    expect([atAnn, atBen]).toEqual([["+1"], ["+2"]]);
    const walker = stage.room.walkers.get(2)!;
    walker.position.set(30, 0);
    await stage.advance(500);
    expect([atAnn, atBen]).toEqual([
      ["+1", "+2"],
      ["+2", "+1"],
    ]);
    const [seen] = [...ann.room.entities(Walker)].filter(({ id }) => id === 2);
    expect(seen!.position.x).toBeCloseTo(30, 1);
    walker.position.set(200, 0);
    await stage.advance(500);
    expect(atAnn.at(-1)).toBe("-2 out-of-view");
    expect(atBen.at(-1)).toBe("-1 out-of-view");
    walker.position.set(20, 0);
    await stage.advance(500);
    expect(atAnn.at(-1)).toBe("+2");
    stage.room.despawn(walker);
    await stage.advance(500);
    expect(atAnn.at(-1)).toBe("-2 removed");
    expect(ann.room.entities(Walker).length).toBe(1);
  });

  test("shows somebody who comes back what is near then, and only that", async () => {
    const { stage, join } = await town();
    const [ann, ben] = [await join(), await join()];
    const [log] = [heard(ann), heard(ben)];
    stage.room.walkers.get(2)!.position.set(10, 0);
    await stage.advance(500);
    expect(log).toEqual(["+1", "+2"]);
    ann.offline();
    await stage.advance(1000);
    stage.room.walkers.get(2)!.position.set(300, 0);
    await stage.advance(500);
    ann.online();
    await stage.advance(4000);
    expect(log).toEqual(["+1", "+2", "-2 out-of-view"]);
    expect([...ben.room.entities(Walker)].map(({ id }) => id)).toEqual([2]);
  });

  test("lets a player look from a place, from another entity, and watch a friend", async () => {
    const { stage, join } = await town();
    const [ann] = [await join(), await join(), await join()];
    heard(ann);
    const ids = () => [...ann.room.entities(Walker)].map(({ id }) => id);
    const [first] = stage.room.joined as [Player];
    await stage.advance(500);
    expect(ids()).toEqual([1]);
    first.watch(stage.room.walkers.get(3)!);
    await stage.advance(500);
    expect(ids()).toEqual([1, 3]);
    first.viewpoint = { x: 100, y: 0 };
    await stage.advance(500);
    expect(ids().sort()).toEqual([1, 2, 3]);
    first.unwatch(stage.room.walkers.get(3)!);
    first.viewpoint = stage.room.walkers.get(3);
    expect(first.viewpoint).toBe(stage.room.walkers.get(3));
    await stage.advance(500);
    expect(ids().sort()).toEqual([1, 3]);
  });

  test("sends a message to who is near", async () => {
    const { stage, join } = await town();
    const players = [await join(), await join(), await join()];
    const log: string[] = [];
    for (const [index, { room }] of players.entries())
      room.onMessage("bang", (message) => log.push(`${index + 1} ${String(message)}`));
    await stage.advance(300);
    stage.room.near({ x: 120, y: 0 }, 100, "bang", "boom");
    stage.room.near({ x: 0, y: 0 }, 10, "bang", "tick");
    stage.room.near({ x: 100, y: 0 }, 500, "bang", "far", { except: stage.room.joined[1]! });
    await stage.advance(300);
    expect(log.sort()).toEqual(["1 far", "1 tick", "2 boom", "3 boom", "3 far"]);
  });

  test.each([true, false])(
    "sends a message to who looks from where its own entity ended (with interest: %s)",
    async (isWithInterest) => {
      const stage = roomStage(
        isWithInterest
          ? Town
          : class extends Town {
              override readonly interest = undefined;
            },
      );
      onTestFinished(() => stage.stop());
      const { room } = await stage.join({ network: { delayMs: 30 } });
      const log: string[] = [];
      room.onMessage("bang", (message) => log.push(String(message)));
      const walker = stage.room.walkers.get(1)!;
      walker.position.set(40, 0);
      await stage.advance(300);
      stage.room.despawn(walker);
      stage.room.near({ x: 45, y: 0 }, 10, "bang", "at once");
      await stage.advance(300);
      stage.room.near({ x: 45, y: 0 }, 10, "bang", "later");
      stage.room.near({ x: 0, y: 0 }, 10, "bang", "elsewhere");
      stage.room.spawn(Walker, { position: { x: -100, y: 0 } }, stage.room.joined[0]);
      stage.room.near({ x: -100, y: 0 }, 10, "bang", "again");
      stage.room.near({ x: 45, y: 0 }, 10, "bang", "no more");
      await stage.advance(300);
      expect(log).toEqual(["at once", "later", "again"]);
    },
  );

  test("refuses viewpoints and distances that are none, with the field's name", async () => {
    const { stage, join } = await town();
    await join();
    const [player] = stage.room.joined as [Player];
    const walker = stage.room.walkers.get(1)!;
    expect(() => (player.viewpoint = { x: Number.NaN, y: 0 })).toThrow(/viewpoint\.x.*finite number \(m\)/);
    expect(() => (player.viewpoint = {})).toThrow(/entity/);
    expect(() => stage.room.near({ x: 0, y: Infinity }, 1, "a", 0)).toThrow(/position\.y/);
    expect(() => stage.room.near({ x: 0, y: 0 }, -1, "a", 0)).toThrow(/radiusM.*0 to 1000000 m/);
    const others = Array.from({ length: 33 }, () => stage.room.spawn(Walker));
    for (const other of others.slice(1)) player.watch(other);
    expect(() => player.watch(others[0]!)).toThrow(/at most 32 entities/);
    stage.room.despawn(walker);
    expect(() => (player.viewpoint = walker)).toThrow(/viewpoint.*despawned/);
    expect(() => player.watch(walker)).toThrow(/entity.*despawned/);
  });
});

const wrong: readonly (readonly [string, unknown, RegExp])[] = [
  ["no radius", {}, /interest\.radiusM/],
  ["a radius of 0", { radiusM: 0 }, /interest\.radiusM.*1 to 100000 m/],
  ["both", { radiusM: 10, rings: [{ radiusM: 5 }] }, /interest\.radiusM.*nothing beside rings/],
  [
    "rings in the wrong order",
    { rings: [{ radiusM: 50 }, { radiusM: 20 }] },
    /interest\.rings\[1\]\.radiusM/,
  ],
  ["cells of zero size", { radiusM: 50, cellM: 0 }, /interest\.cellM/],
  ["no entities", { radiusM: 50, maxEntities: 0 }, /interest\.maxEntities/],
  ["a rule that is none", { radiusM: 50, relevant: true }, /interest\.relevant/],
  ["another ground", { radiusM: 50, ground: "yz" }, /interest\.ground.*"xy" or "xz"/],
  [
    "a kind of another room",
    { radiusM: 50, kinds: [{ definition: {} }] },
    /interest\.kinds\[0\]\.definition/,
  ],
  [
    "a weight of 0",
    { radiusM: 50, kinds: [{ definition: Walker, weight: 0 }] },
    /interest\.kinds\[0\]\.weight/,
  ],
  ["a word that is none", { radius: 50 }, /interest\.radius/],
];

test.each(wrong)("a room's interest with %s is refused before a player is in", (_what, interest, message) => {
  class Wrong extends Town {
    override readonly interest = interest as never;
  }
  expect(() => {
    assertRoom(new Wrong());
  }).toThrow(message);
});

describe("a room whose scheme is an aura", () => {
  class Dusk extends Town {
    readonly facing = new Map<Player, number>();
    override readonly interest: RoomInterest<Player, ServerEntity> = {
      radiusM: 50,
      scheme: aura({
        media: { sight: { angleDeg: 90 }, hearing: { radiusM: 10 } },
        facing: (player: Player) => this.facing.get(player) ?? 0,
      }),
    };
  }

  test("shows a player what is ahead of it, and what it hears, as it turns", async () => {
    const stage = roomStage(Dusk);
    onTestFinished(() => stage.stop());
    const [ann, ben] = [await stage.join({ network: { delayMs: 30 } }), await stage.join()];
    const [atAnn, atBen] = [heard(ann), heard(ben)];
    const walker = stage.room.walkers.get(2)!;
    walker.position.set(40, 0);
    await stage.advance(500);
    // Both look along x: Ann sees Ben ahead, and Ben has Ann behind himself.
    expect([atAnn, atBen]).toEqual([["+1", "+2"], ["+2"]]);
    const [playerOfAnn, playerOfBen] = stage.room.joined;
    stage.room.facing.set(playerOfAnn!, Math.PI / 2);
    stage.room.facing.set(playerOfBen!, -Math.PI);
    await stage.advance(500);
    expect([atAnn.at(-1), atBen.at(-1)]).toEqual(["-2 out-of-view", "+1"]);
    walker.position.set(5, 0);
    await stage.advance(500);
    expect(atAnn.at(-1)).toBe("+2");
  });
});
