import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Car, Drive, Gate, RaceRoom } from "./race.js";
import { Stage, eventually } from "./stage.js";

let stage: Stage<RaceRoom>;
beforeEach(async () => {
  stage = await new Stage(RaceRoom).start();
});
afterEach(() => stage.stop());

describe("a room with an authority, over WebSockets", () => {
  it("shows its entities to everybody, each with its owner", async () => {
    const a = await stage.join();
    const b = await stage.join();
    const cars = await eventually(() => {
      const all = [...a.entities(Car)].sort((one, two) => one.position.x - two.position.x);
      expect(all).toHaveLength(2);
      return all;
    });
    expect(cars.map(({ isMine }) => isMine)).toEqual([true, false]);
    expect(cars[1]!.owner).toMatchObject({ number: b.myNumber, path: "server" });
    expect(a.peers.map(({ number }) => number)).toEqual([b.myNumber]);
    stage.rooms[0]!.spawn(Gate, { height: 3 });
    await eventually(() => expect([...b.entities(Gate)].map(({ height }) => height)).toEqual([3]));
    expect([...b.entities(Gate)][0]!.owner).toBe(b.authority);
  });

  it("takes inputs, one per tick, and answers with states", async () => {
    const room = await stage.join();
    const input = room.input(Drive);
    input.throttle = 1;
    const mine = await eventually(() => {
      const [car] = room.entities(Car);
      expect(car!.position.x).toBeGreaterThan(5);
      return car!;
    });
    expect(mine.velocity.x).toBeCloseTo(20, 1);
    expect(stage.server.reports()[0]!.counters.inputs).toBeGreaterThan(5);
  });

  it("[WF35] drops what a player is not entitled to", async () => {
    const room = await stage.join();
    room.spawn(Car);
    const errors: string[] = [];
    room.onError(({ code }) => errors.push(code));
    await eventually(() => expect(errors).toEqual(["entity/refused"]));
    // States of the refused entity may be on their way when the client receives the refusal. They count too.
    expect(stage.server.reports()[0]!.counters.notAllowed).toBeGreaterThan(0);
    expect(stage.server.reports()[0]!.entities).toBe(1);
  });

  it("carries messages and requests", async () => {
    const [a, b] = [await stage.join(), await stage.join()];
    const heard: unknown[] = [];
    b.onMessage("horn", (message, from) => heard.push([message, from.number]));
    a.send("horn", { loud: true });
    await eventually(() => expect(heard).toEqual([[{ from: a.myNumber, loud: true }, 0]]));
    expect(await a.request("lap", { car: 4 })).toEqual({ laps: 8 });
    await expect(a.request("laps", {})).rejects.toMatchObject({ code: "request/refused" });
  });

  it("despawns the entities of players who leave, and ends with the last player", async () => {
    const [a, b] = [await stage.join(), await stage.join()];
    await eventually(() => expect([...a.entities(Car)]).toHaveLength(2));
    b.leave();
    await eventually(() => expect([...a.entities(Car)]).toHaveLength(1));
    a.leave();
    await eventually(() => expect(stage.rooms[0]!.calls.at(-1)).toBe("dispose"));
    expect(stage.server.health().rooms).toBe(0);
  });
});
