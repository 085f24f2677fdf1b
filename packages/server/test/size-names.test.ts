import { silentLog } from "@paceline/relay";
import { ConfigError, Room, defineServer } from "@paceline/server";
import { roomStage } from "@paceline/testkit/room";
import { describe, expect, onTestFinished, test } from "vitest";

describe.each(["maxClients", "maxPeers"] as const)("a room class with a field %s", (name) => {
  test("gets a hint to maxPlayers when a room of it opens, and the player does not get in", async () => {
    class Arena extends Room {
      constructor() {
        super();
        // Sets the field like a class field of plain JavaScript.
        Object.assign(this, { [name]: 4 });
      }
    }
    const errors: string[] = [];
    const log = { ...silentLog, error: (_: string, fields = {}) => errors.push(JSON.stringify(fields)) };
    const stage = roomStage(Arena, { log });
    onTestFinished(() => stage.stop());
    await expect(stage.join()).rejects.toMatchObject({ code: "match/room-failed" });
    expect(errors.join("\n")).toContain(`${name}: expected nothing: say maxPlayers, got 4`);
  });

  test("as a static or on its prototype is refused by defineServer", () => {
    class Static extends Room {}
    Object.assign(Static, { [name]: 4 });
    class Proto extends Room {}
    Object.assign(Proto.prototype, { [name]: 4 });
    for (const arena of [Static, Proto]) {
      const problem = new ConfigError(name, 4, "nothing: say maxPlayers");
      expect(() => defineServer({ rooms: { arena } })).toThrow(problem);
    }
  });
});

describe("a name that differs from a setting or a hook in upper and lower case alone", () => {
  test.each([
    ["maxplayers", "maxPlayers", 4],
    ["tickHZ", "tickHz", 20],
    ["onjoin", "onJoin", () => undefined],
  ])("%s as a field fails when a room opens, with a hint to %s", async (wrong, right, value) => {
    class Arena extends Room {
      constructor() {
        super();
        Object.assign(this, { [wrong]: value });
      }
    }
    const errors: string[] = [];
    const log = { ...silentLog, error: (_: string, fields = {}) => errors.push(JSON.stringify(fields)) };
    const stage = roomStage(Arena, { log });
    onTestFinished(() => stage.stop());
    await expect(stage.join()).rejects.toMatchObject({ code: "match/room-failed" });
    expect(errors.join("\n")).toContain(`${wrong}: expected nothing: it is spelt ${right}`);
  });

  test("as a method or a static is refused by defineServer", () => {
    class Method extends Room {
      onjoin(): void {}
    }
    class Static extends Room {
      static onauth(): boolean {
        return true;
      }
    }
    expect(() => defineServer({ rooms: { arena: Method } })).toThrow(
      "onjoin: expected nothing: it is spelt onJoin",
    );
    expect(() => defineServer({ rooms: { arena: Static } })).toThrow(
      "onauth: expected nothing: it is spelt onAuth",
    );
  });

  test("is the game's own otherwise, and inherited settings stand", async () => {
    class Base extends Room {
      override maxPlayers = 4;
      input = "the game's own";
    }
    class Arena extends Base {
      override readonly tickHz = 20;
    }
    const stage = roomStage(Arena);
    onTestFinished(() => stage.stop());
    await expect(stage.join()).resolves.toBeDefined();
  });
});

test("other names for maxPlayers do not compile", () => {
  class Colyseus extends Room {
    // @ts-expect-error it is called maxPlayers
    maxClients = 4;
  }
  class Paceline0 extends Room {
    // @ts-expect-error it is called maxPlayers
    override readonly maxPeers = 4;
  }
  class Here extends Room {
    override maxPlayers = 4;
  }
  expect([Colyseus, Paceline0, Here].map((each) => new each().maxPlayers)).toEqual([16, 16, 4]);
});
