import { ConfigError } from "@paceline/client";
import { defineServer, Room, type RoomClass } from "@paceline/server";
import { silentLog, type LogFields } from "@paceline/relay";
import { afterEach, expect, it } from "vitest";
import { RaceRoom } from "./race.js";
import { Stage } from "./stage.js";

let stage: Stage<Room> | undefined;
afterEach(() => stage?.stop());

it("a handler that is not a function, or a schema that is not one, throws at once", async () => {
  const refused: string[] = [];
  class Careless extends RaceRoom {
    override onCreate(): void {
      const wrong = "a handler" as never;
      const calls: Readonly<Record<string, () => unknown>> = {
        onMessage: () => this.onMessage("horn", wrong),
        "onMessage without one": () => this.onMessage("horn", undefined as never),
        onRequest: () => this.onRequest("lap", wrong),
        schema: () => this.onMessage("horn", {} as never, () => undefined),
        "schema of a question": () => this.onRequest("lap", { parse: () => 1 } as never, () => 1 as never),
        setTimeout: () => this.clock.setTimeout(wrong, 10),
        setInterval: () => this.clock.setInterval(wrong, 10),
      };
      for (const [name, call] of Object.entries(calls)) {
        try {
          call();
        } catch (error) {
          refused.push(`${name}: ${error instanceof ConfigError ? error.field : String(error)}`);
        }
      }
    }
  }
  stage = await new Stage(Careless).start();
  await stage.join();
  expect(refused).toEqual([
    "onMessage: handler",
    "onMessage without one: handler",
    "onRequest: handler",
    "schema: schema",
    "schema of a question: schema",
    "setTimeout: fn",
    "setInterval: fn",
  ]);
});

it("a hook that is not a function keeps the room from opening, and the log names it", async () => {
  class Broken extends Room {
    override onTick = 30 as never;
  }
  const lines: LogFields[] = [];
  const log = { ...silentLog, error: (_message: string, fields: LogFields = {}) => lines.push(fields) };
  stage = await new Stage(Broken, { log }).start();
  await expect(stage.join()).rejects.toMatchObject({ code: "match/room-failed" });
  expect(lines).toHaveLength(1);
  expect(lines[0]!["error"]).toContain("ConfigError: onTick: expected a function, got 30");
});

it("an onAuth that is not a function is refused by defineServer", () => {
  class Open extends Room {}
  const rooms = { race: Object.assign(Open, { onAuth: true }) as unknown as RoomClass };
  expect(() => defineServer({ rooms })).toThrow("onAuth: expected a function, got true");
});
