import type { Room } from "@paceline/client";
import { describe, expect, test } from "vitest";
import { Car } from "./definitions.js";
import { Stage } from "./stage.js";
import { until } from "./until.js";

const stage = new Stage();

describe("leaving", () => {
  test("is reported to the others and ends everything here, onLeave last", async () => {
    const server = await stage.server();
    const [a, b] = (await stage.meet(server, 2)) as [Room, Room];
    a.spawn(Car);
    expect([...b.entities(Car)]).toEqual([]);
    await until("b sees the car", () => [...b.entities(Car)].length === 1);
    const atB: unknown[] = [];
    b.onPeerLeave((peer) => atB.push(peer.number));
    const atA: unknown[] = [];
    a.onPeerLeave((peer) => atA.push(`left ${peer.number}`));
    a.onLeave((code, reason) => atA.push(`end ${code} ${reason}`));
    const drops: string[] = [];
    a.onDrop((reason) => drops.push(reason));
    a.leave();
    expect(a.state).toBe("left");
    await until("b was told", () => atB.length === 1);
    expect(atB).toEqual([a.myNumber]);
    expect(b.peers).toEqual([]);
    expect([...b.entities(Car)]).toEqual([]);
    expect(atA).toEqual([`left ${b.myNumber}`, "end 4000 left"]);
    expect(drops).toEqual([]);
    a.leave();
    expect(atA).toHaveLength(2);
    await until("the server has let go", () => server.relay.health().sessions === 1);
  });

  test("makes the room unusable", async () => {
    const server = await stage.server();
    const [a, b] = (await stage.meet(server, 2)) as [Room, Room];
    await until("a sees b", () => a.peers.length === 1);
    const [peer] = a.peers;
    const car = a.spawn(Car);
    a.leave();
    const ended = expect.objectContaining({ name: "NetError", code: "session/ended" });
    expect(() => a.send("x", 1)).toThrow(ended);
    expect(() => a.send("x", 1, peer)).toThrow(ended);
    expect(() => a.sendEvent("x", 1)).toThrow(ended);
    expect(() => a.spawn(Car)).toThrow(ended);
    await expect(a.request("x", 1, peer)).rejects.toThrow(ended);
    // Calls that a game's loop makes anyway throw nothing.
    expect(() => a.advance()).not.toThrow();
    expect(() => a.loop(() => undefined)).toThrow(ended);
    expect(() => (car.fuel = 1)).not.toThrow();
    expect(() => a.despawn(car)).not.toThrow();
    expect(b.state).toBe("joined");
  });

  test("fails requests that wait", async () => {
    const server = await stage.server();
    const [a, b] = (await stage.meet(server, 2)) as [Room, Room];
    b.onRequest("never", () => new Promise(() => undefined));
    await until("a sees b", () => a.peers.length === 1);
    const waiting = a.request("never", 1, a.peers[0]);
    a.leave();
    await expect(waiting).rejects.toMatchObject({ code: "transport/closed" });
  });

  test("is forced on a client that floods: the server removes it with a code, the others stay", async () => {
    const limits = { packetsPerSecond: 100, packetBurst: 100, floodPatienceMs: 0 };
    const server = await stage.server({ limits });
    const [a, b] = (await stage.meet(server, 2)) as [Room, Room];
    await until("a sees b", () => a.peers.length === 1);
    const ends: [number, string][] = [];
    a.onLeave((code, reason) => ends.push([code, reason]));
    const drops: string[] = [];
    a.onDrop((reason) => drops.push(reason));
    for (let count = 0; count < 1500 && a.state === "joined"; count++) {
      a.sendEvent("noise", count);
      if (count % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await until("a was put out", () => ends.length === 1);
    expect(ends[0]![0]).toBe(4201);
    expect([a.state, drops]).toEqual(["left", []]);
    await until("b sees it go", () => b.peers.length === 0);
    expect(b.state).toBe("joined");
  });
});
