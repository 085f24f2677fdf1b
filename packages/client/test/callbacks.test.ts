/**
 * Invalid callbacks: no functions, functions that throw, promises that reject, and errors without a listener.
 */
import { ConfigError, defineEntity, scalar, type NetError, type Room } from "@paceline/client";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Queueing } from "../src/room/queueing.js";
import { Car } from "./definitions.js";
import { Stage } from "./stage.js";
import { until } from "./until.js";

const stage = new Stage();
const CarOfAnotherBuild = defineEntity("car", { fuel: scalar({ range: [0, 2], precision: 0.01 }) });
let reported: Error[];

beforeEach(() => {
  reported = [];
  vi.stubGlobal("reportError", (error: Error) => reported.push(error));
});
afterEach(() => vi.unstubAllGlobals());

const noFunctions: readonly unknown[] = [undefined, null, "console.log", 7, {}, Promise.resolve()];

describe("a callback that is no function is refused at once", () => {
  test("by every method of a room, of its transport and of a queue", async () => {
    const room = await stage.join(await stage.server());
    const methods = Object.fromEntries(
      subscriptions(room).map((name) => [
        name,
        (fn: unknown) => (room as unknown as Record<string, (fn: unknown) => unknown>)[name]!(fn),
      ]),
    );
    const all: Record<string, (fn: unknown) => unknown> = {
      ...methods,
      onMessage: (fn) => room.onMessage("horn", fn as never),
      onRequest: (fn) => room.onRequest("lap", fn as never),
      "transport.onChange": (fn) => room.transport.onChange(fn as never),
      onProgress: (fn) => Queueing.prototype.onProgress.call(queueing(room), fn as never),
    };
    expect(Object.keys(all)).toEqual(expect.arrayContaining(["onPeerJoin", "onError", "onLeave", "onDrop"]));
    for (const [name, call] of Object.entries(all)) {
      for (const wrong of noFunctions) {
        expect(() => call(wrong), `${name}(${String(wrong)})`).toThrow(ConfigError);
      }
    }
    expect(() => room.onLeave("leave" as never)).toThrow('listener: expected a function, got "leave"');
    expect(() => room.onRequest("lap", undefined as never)).toThrow(
      "handler: expected a function, got undefined",
    );
  });
});

describe("a listener that throws or rejects", () => {
  test("is reported with its stack, and affects neither the other listeners nor the room", async () => {
    const server = await stage.server();
    const [a, b] = (await stage.meet(server, 2)) as [Room, Room];
    const heard: unknown[] = [];
    b.onMessage("horn", () => {
      throw new TypeError("thrown at once");
    });
    b.onMessage("horn", async () => {
      await Promise.resolve();
      throw new RangeError("rejected later");
    });
    b.onMessage("horn", (message) => heard.push(message));
    a.send("horn", 1);
    a.send("horn", 2);
    await until("both are heard", () => heard.length === 2 && reported.length === 2);
    expect(reported.map(String)).toEqual(["TypeError: thrown at once", "RangeError: rejected later"]);
    for (const error of reported) expect(error.stack).toContain("callbacks.test.ts");
    expect([a.state, b.state]).toEqual(["joined", "joined"]);
  });

  test("a value with a `then` that throws is an error like others", async () => {
    const server = await stage.server();
    const [a, b] = (await stage.meet(server, 2)) as [Room, Room];
    // oxlint-disable-next-line unicorn/no-thenable -- the test needs such an object
    const trap = Object.defineProperty({}, "then", {
      get: () => {
        throw new Error("a trap");
      },
    });
    b.onMessage("horn", () => trap);
    a.send("horn", 1);
    await until("it is reported", () => reported.length === 1);
    expect(String(reported[0])).toBe("Error: a trap");
  });
});

describe("two rooms in one page", () => {
  test("of one client receive their own messages, and the end of one does not end the other", async () => {
    const server = await stage.server();
    const client = stage.client(server);
    const options = { track: "loop" };
    const [race, duel] = [await client.create("race", options), await client.create("duel")];
    const guests = [await client.joinById(race.roomId), await client.joinById(duel.roomId)];
    [race, duel, ...guests].forEach((room) => stage.keep(room));
    const heard: string[] = [];
    race.onMessage("horn", (message) => heard.push(`race ${String(message)}`));
    duel.onMessage("horn", (message) => heard.push(`duel ${String(message)}`));
    guests.forEach((guest, index) => guest.send("horn", index));
    await until("both are heard", () => heard.length === 2);
    expect([...heard].sort()).toEqual(["duel 1", "race 0"]);
    await race.leave();
    guests[1]!.send("horn", "still here");
    await until("the other room goes on", () => heard.includes("duel still here"));
    expect([race.state, duel.state]).toEqual(["left", "joined"]);
  });
});

describe("an error of the room", () => {
  test("goes to the console once, if the game does not listen for errors", async () => {
    const warned = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const server = await stage.server();
    const [deaf, listening, ...others] = (await stage.meet(server, 4)) as [Room, Room, Room, Room];
    const errors: NetError[] = [];
    listening.onError((error) => errors.push(error));
    const done: unknown[] = [];
    deaf.onMessage("done", (message) => done.push(message));
    for (const room of [listening, ...others]) room.onMessage("done", () => undefined);
    for (const room of [deaf, listening]) expect([...room.entities(Car)]).toEqual([]);
    for (const other of others) {
      other.spawn(CarOfAnotherBuild);
      other.send("done", null);
    }
    await until("both have both", () => errors.length === 2 && done.length === 2);
    await until("the deaf room has told the console", () => warned.mock.calls.length > 0);
    const lines = warned.mock.calls.map(([line]) => String(line));
    warned.mockRestore();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^paceline: .*describes "car" differently.*\[schema\/mismatch\]; room\.onError/);
  });
});

/** Returns the names of all methods that subscribe to a room's events, without a message type. */
function subscriptions(room: Room): string[] {
  const names = new Set<string>();
  for (let at: object = room; at !== Object.prototype; at = Object.getPrototypeOf(at) as object) {
    for (const name of Object.getOwnPropertyNames(at)) if (/^on[A-Z]/.test(name)) names.add(name);
  }
  for (const typed of ["onMessage", "onRequest"]) names.delete(typed);
  return [...names];
}

function queueing(queue: Room): Queueing {
  return new Queueing({ queue, wish: {}, enter: () => Promise.reject(new Error("not used")) });
}
