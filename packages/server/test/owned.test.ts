import { Room, type BreachAnswer, type Player, type PlayerEntities } from "@paceline/server";
import { afterEach, describe, expect, it } from "vitest";
import type { Position } from "../src/players/plausibility.js";
import { Car, Gate } from "./race.js";
import { Stage, eventually } from "./stage.js";

class FreeRoom extends Room {
  override readonly entities = [Car, Gate];
  override readonly playerEntities: readonly PlayerEntities[] = [
    { definition: Car, limits: { maxSpeed: 40, maxStep: 50 } },
  ];
  readonly breaches: string[] = [];
  answer: BreachAnswer = "correct";

  override onBreach(player: Player, _entity: object, breach: string): BreachAnswer {
    this.breaches.push(`${player.number} ${breach}`);
    return this.answer;
  }
}

/** A room with a wall along y, 10 m thick, that nothing passes. */
class WalledRoom extends FreeRoom {
  override readonly playerEntities = [
    {
      definition: Car,
      limits: {
        positionAllowed: (to: Position, from: Position) =>
          Math.abs(to.x - 20) > 5 && to.x < 20 === from.x < 20,
      },
    },
  ];
}

let stage: Stage<FreeRoom>;
afterEach(() => stage.stop());

describe("entities that players own and simulate", () => {
  it("are passed on, but not back to their owner", async () => {
    stage = await new Stage(FreeRoom).start();
    const [a, b] = [await stage.join(), await stage.join()];
    const mine = a.spawn(Car, { position: { x: 5, y: 6 } });
    const seen = await eventually(() => {
      const [car] = b.entities(Car);
      expect(car!.position.x).toBeCloseTo(5, 2);
      return car!;
    });
    mine.position.set(9, 6);
    await eventually(() => expect(seen.position.x).toBeCloseTo(9, 2));
    expect(seen.owner).toMatchObject({ number: a.myNumber });
    expect([...a.entities(Car)]).toHaveLength(1);
    a.despawn(mine);
    await eventually(() => expect([...b.entities(Car)]).toHaveLength(0));
  });

  it("that exceed their limits are put back or counted, or their player is kicked, as the game decides", async () => {
    stage = await new Stage(FreeRoom).start();
    const [a, b] = [await stage.join(), await stage.join()];
    const mine = a.spawn(Car);
    await eventually(() => expect([...b.entities(Car)]).toHaveLength(1));
    mine.position.set(1000, 0);
    await eventually(() => expect(mine.position.x).toBe(0));
    const [room] = stage.rooms;
    expect(room!.breaches[0]).toBe(`${a.myNumber} teleport`);
    room!.answer = "count";
    mine.position.set(1000, 0);
    await eventually(() => expect([...b.entities(Car)][0]!.position.x).toBeCloseTo(1000, 1));
    room!.answer = "kick";
    const codes: number[] = [];
    a.onLeave((code) => codes.push(code));
    mine.position.set(0, 0);
    await eventually(() => expect(codes).toEqual([4004]));
    expect(b.state).toBe("joined");
  });

  it("cannot enter walls, pass through them, or begin in them", async () => {
    stage = await new Stage(WalledRoom).start();
    const [a, b] = [await stage.join(), await stage.join()];
    const errors: string[] = [];
    b.onError(({ message }) => errors.push(message));
    b.spawn(Car, { position: { x: 20, y: 0 } });
    await eventually(() => expect(errors[0]).toContain("it cannot be there"));
    const mine = a.spawn(Car, { position: { x: 10, y: 0 } });
    await eventually(() => expect([...b.entities(Car)].filter(({ isMine }) => !isMine)).toHaveLength(1));
    for (const x of [18, 30]) {
      mine.position.set(x, 0);
      await eventually(() => expect(mine.position.x).toBe(10));
    }
    mine.position.set(14, 3);
    await eventually(() => {
      const [seen] = [...b.entities(Car)].filter(({ isMine }) => !isMine);
      expect([seen!.position.x, seen!.position.y]).toEqual([14, 3]);
    });
    const [room] = stage.rooms;
    expect(new Set(room!.breaches)).toEqual(new Set([`${a.myNumber} position`]));
    expect(stage.server.reports()[0]!.counters.breaches).toBeGreaterThanOrEqual(2);
    expect(stage.server.reports()[0]!.entities).toBe(1);
  });

  it("are at most as many as the room allows", async () => {
    stage = await new Stage(FreeRoom).start();
    const room = await stage.join();
    const errors: string[] = [];
    room.onError(({ message }) => errors.push(message));
    room.spawn(Car);
    room.spawn(Car);
    room.spawn(Gate);
    await eventually(() => expect(errors).toHaveLength(2));
    expect(errors[0]).toContain('a player may own 1 of "car"');
    expect(errors[1]).toContain('players may not own a "gate" here');
    expect(stage.server.reports()[0]!.entities).toBe(1);
  });
});
