import { readFileSync } from "node:fs";
import {
  CloseCode,
  ConfigError,
  planState,
  writeInputs,
  writePeerPayload,
  writeWholeState,
  type ToAuthority,
} from "@paceline/protocol";
import { Room, type PlayerEntities, type PlayerLimits } from "@paceline/server";
import { roomStage, type RoomStage } from "@paceline/testkit/room";
import { afterEach, describe, expect, it, vi } from "vitest";
import { checkedPlayerLimits, playerLimitTable } from "../src/players/player-limits.js";
import { World } from "../src/entities/world.js";
import { Car, Drive, Gate } from "./race.js";
import { RawPlayer } from "./raw-player.js";

class FreeRoom extends Room {
  override maxPlayers = 8;
  override maxSpectators = 1;
  override readonly entities = [Car, Gate];
  override readonly inputs = Drive;
  override readonly playerEntities: readonly PlayerEntities[] = [{ definition: Car }];
  readonly heard: unknown[] = [];

  override onCreate(): void {
    this.onMessage("alive", (player, message) => {
      this.heard.push(message);
      this.send(player, "alive", message);
    });
  }
}

let stage: RoomStage<Room>;
afterEach(() => stage.stop());

function own(localId: number, x = 0): ToAuthority {
  const row = new Float32Array(Car.components.length);
  row[0] = x;
  const { name, schemaHash } = Car;
  const tickHz = 60;
  const plan = planState(Car, { tickHz, hasRates: true });
  return { type: "own", localId, name, schemaHash, state: writeWholeState(plan, localId, row), tickHz };
}

const report = () => stage.server.reports()[0]!;
const drops = () => stage.server.health().drops;

/** Sends `perSecond` messages a second for some seconds, many in a packet. */
async function flood(
  raw: RawPlayer,
  seconds: number,
  perSecond: number,
  message: (index: number) => ToAuthority,
) {
  let sent = 0;
  for (let ms = 0; ms < seconds * 1000 && !raw.session.isClosed && !raw.close; ms += 50) {
    const batch = Array.from({ length: perSecond / 20 }, (_, index) => message(sent + index));
    if (raw.tell(...batch)) sent += batch.length;
    await stage.advance(50);
  }
  return sent;
}

/** Adds an honest player. The result checks that its messages still reach the room and come back. */
async function withHonest(): Promise<() => Promise<void>> {
  const honest = await stage.join();
  let said = 0;
  const back: unknown[] = [];
  honest.room.onMessage("alive", (message) => back.push(message));
  return async () => {
    honest.room.send("alive", ++said);
    await stage.advance(100);
    expect([honest.room.state, back.at(-1)]).toEqual(["joined", said]);
  };
}

describe("entities that a player owns", () => {
  it("end when the player ends them, also beyond its rate", async () => {
    class Strict extends FreeRoom {
      override readonly playerEntities = [{ definition: Car, most: 10 }];
      override readonly playerLimits = { ownPerSecond: 1, ownBurst: 1 };
    }
    stage = roomStage(Strict);
    const { room } = await stage.join();
    const cars = Array.from({ length: 10 }, () => room.spawn(Car, {}));
    await stage.advance(300);
    expect([...stage.room.entitiesOf(Car)]).toHaveLength(10);
    for (const car of cars) room.despawn(car);
    await stage.advance(300);
    expect([...stage.room.entitiesOf(Car)]).toEqual([]);
  });

  it("are one for each local number: a second `own` replaces the first", async () => {
    stage = roomStage(FreeRoom);
    const honestIsFine = await withHonest();
    const raw = await RawPlayer.join(stage);
    for (let round = 0; round < 8; round++) raw.tell(own(7, round), own(7, round + 0.5));
    await stage.advance(200);
    expect(report().entities).toBe(1);
    expect(raw.heard.map(({ type }) => type)).toEqual(Array.from({ length: 16 }, () => "granted"));
    // With another number there is no place for a second entity until the first one ends.
    raw.tell(own(8));
    await stage.advance(100);
    expect(raw.heard.at(-1)).toMatchObject({ type: "refused", what: "entity" });
    raw.tell({ type: "disown", localId: 7 }, own(8));
    await stage.advance(100);
    expect(raw.heard.at(-1)).toMatchObject({ type: "granted", localId: 8 });
    expect(report().entities).toBe(1);
    await honestIsFine();
  });

  it("spawned without end get their sender disconnected for flooding, are counted, and leave nothing behind", async () => {
    stage = roomStage(FreeRoom);
    const honestIsFine = await withHonest();
    const raw = await RawPlayer.join(stage);
    const sent = await flood(raw, 10, 600, (index) => own(index % 2 === 0 ? 7 : index));
    expect(sent).toBeGreaterThan(1000);
    expect(raw.close?.code).toBe(CloseCode.flooding);
    expect(drops()["rate-limit"]).toBeGreaterThan(500);
    expect(stage.server.counts.limited.authorityMessagesPerSession).toBe(drops()["rate-limit"]);
    expect(stage.server.counts.sessionEnds).toMatchObject({ flooding: 1 });
    await stage.advance(200);
    expect(report().entities).toBe(0);
    await honestIsFine();
  });

  it("have a limit in a room, for all players together", async () => {
    stage = roomStage(
      class extends FreeRoom {
        override readonly playerEntities = [{ definition: Car, most: 10 }];
        override readonly playerLimits = { entitiesPerRoom: 12 };
      },
    );
    const honestIsFine = await withHonest();
    const [one, two] = [await RawPlayer.join(stage), await RawPlayer.join(stage)];
    for (const raw of [one, two]) raw.tell(...Array.from({ length: 11 }, (_, localId) => own(localId)));
    await stage.advance(200);
    expect(report().entities).toBe(12);
    const granted = (raw: RawPlayer) => raw.heard.filter(({ type }) => type === "granted").length;
    expect([granted(one), granted(two)]).toEqual([10, 2]);
    expect(two.heard.at(-1)).toMatchObject({ reason: "players of a room may own 12 entities together" });
    // Another player may take a free place.
    one.tell({ type: "disown", localId: 0 });
    two.tell(own(50));
    await stage.advance(200);
    expect(two.heard.at(-1)).toMatchObject({ type: "granted", localId: 50 });
    await honestIsFine();
  });

  it("are refused, without an error, if the room has no id left", async () => {
    stage = roomStage(FreeRoom);
    const raw = await RawPlayer.join(stage);
    const isFull = vi.spyOn(World.prototype, "isFull", "get").mockReturnValue(true);
    raw.tell(own(1));
    await stage.advance(100);
    expect(raw.heard).toEqual([
      { type: "refused", what: "entity", reason: "the room has no place for another entity" },
    ]);
    expect([raw.session.isClosed, stage.server.health().sessions]).toEqual([false, 1]);
    isFull.mockRestore();
    raw.tell(own(1));
    await stage.advance(100);
    expect(raw.heard.at(-1)).toMatchObject({ type: "granted", localId: 1 });
  });

  it("of a whole game may be spawned at once, and again as often as a game does", async () => {
    stage = roomStage(
      class extends FreeRoom {
        override readonly playerEntities = [{ definition: Car, most: 40 }];
      },
    );
    const { room } = await stage.join();
    const cars = Array.from({ length: 40 }, () => room.spawn(Car));
    await stage.advance(500);
    expect(report().entities).toBe(40);
    for (let shot = 0; shot < 100; shot++) {
      room.despawn(cars.shift()!);
      cars.push(room.spawn(Car));
      await stage.advance(50);
    }
    expect(report().entities).toBe(40);
    expect([room.state, drops()["rate-limit"]]).toEqual(["joined", undefined]);
  });
});

describe("a player's requests to its room", () => {
  const kinds = [{ name: Car.name, schemaHash: Car.schemaHash }];
  const asked: Record<string, (index: number) => ToAuthority> = {
    disown: (localId) => ({ type: "disown", localId }),
    resync: () => ({ type: "resync", ids: [] }),
    kinds: (index) => ({ type: "kinds", kinds: index % 2 === 0 ? kinds : [] }),
    view: (index) => ({ type: "view", isInterpolated: index % 2 === 0, everyTicks: 1 }),
  };

  it.each(Object.entries(asked))(
    "%s has a rate of its own; its sender is counted beyond it, then disconnected",
    async (_, message) => {
      stage = roomStage(FreeRoom);
      const honestIsFine = await withHonest();
      const raw = await RawPlayer.join(stage);
      // Messages within the burst pass.
      raw.tell(...Array.from({ length: 15 }, (_unused, index) => message(index)));
      await stage.advance(200);
      expect(drops()["rate-limit"]).toBeUndefined();
      await flood(raw, 6, 400, message);
      expect(raw.close?.code).toBe(CloseCode.flooding);
      expect(drops()["rate-limit"]).toBeGreaterThan(300);
      expect(stage.server.counts.limited.authorityMessagesPerSession).toBe(drops()["rate-limit"]);
      await honestIsFine();
    },
  );

  it("follow the limits of the room's class", async () => {
    stage = roomStage(
      class extends FreeRoom {
        override readonly playerLimits = { viewBurst: 3, viewPerSecond: 1 };
      },
    );
    const raw = await RawPlayer.join(stage);
    raw.tell(...Array.from({ length: 10 }, (_unused, index) => asked["view"]!(index)));
    await stage.advance(200);
    expect(drops()["rate-limit"]).toBe(7);
    expect(raw.session.isClosed).toBe(false);
  });
});

describe("a message without a right", () => {
  it("[WF35] is counted in the room and in the server's health", async () => {
    stage = roomStage(
      class extends FreeRoom {
        override readonly inputs = undefined as unknown as typeof Drive;
      },
    );
    const raw = await RawPlayer.join(stage);
    raw.session.sendState(Uint8Array.of(0, 5));
    raw.session.sendInput(writeInputs(Drive, { newest: 1, rows: [Float32Array.of(0, 1, 0)] }));
    raw.tell({ ...own(1), name: "gate" } as ToAuthority);
    raw.session.sendReliable(writePeerPayload({ kind: "resync", stream: 1, entities: [] }));
    await stage.advance(100);
    expect(drops()).toEqual({ "not-allowed": 4 });
    expect(report().counters.notAllowed).toBe(4);
  });

  it("[WF35] from a spectator is counted there too", async () => {
    stage = roomStage(FreeRoom);
    await stage.join();
    const raw = await RawPlayer.join(stage, { spectate: true });
    raw.session.sendReliable(writePeerPayload({ kind: "command", type: "alive", message: 1 }));
    raw.session.sendReliable(writePeerPayload({ kind: "request", id: 1, type: "alive", message: 1 }));
    raw.session.sendInput(writeInputs(Drive, { newest: 1, rows: [Float32Array.of(0, 1, 0)] }));
    raw.session.sendState(Uint8Array.of(0, 5));
    raw.tell(own(1));
    await stage.advance(100);
    expect(drops()).toEqual({ "not-allowed": 5 });
    expect(raw.heard.filter(({ type }) => type === "refused")).toHaveLength(1);
    expect(raw.replies).toMatchObject([{ kind: "reply", id: 1, ok: false }]);
  });

  it("[WF30] may be a packet for another player", async () => {
    stage = roomStage(FreeRoom);
    const [one, two] = [await RawPlayer.join(stage), await RawPlayer.join(stage)];
    const head = Uint8Array.of(0x21, 2, two.number, 0);
    one.session.activeLink!.send("event", Uint8Array.of(...head, 0x20, 0, 0, 0, 0, 0, 0));
    await stage.advance(100);
    expect(two.routed).toBe(0);
    expect(drops()).toEqual({ "not-allowed": 1 });
  });
});

describe("malformed inputs", () => {
  const good = writeInputs(Drive, { newest: 1, rows: [Float32Array.of(0, 1, 0)] });
  // After number and count, `steer` has 8 bits for 0 to 254.
  const beyond = Uint8Array.from(good, (byte, index) =>
    index === 2 ? byte | 0x07 : index === 3 ? byte | 0xf8 : byte,
  );

  it.each([
    ["are empty", new Uint8Array(0), "length"],
    ["have a number alone", good.slice(0, 2), "length"],
    ["end too soon", good.slice(0, -1), "length"],
    ["go on after their end", Uint8Array.of(...good, 0), "length"],
    ["leave their range", beyond, "out-of-range"],
  ])("[WF32] that %s are dropped under that name", async (_, body, reason) => {
    stage = roomStage(FreeRoom);
    const raw = await RawPlayer.join(stage);
    raw.session.sendInput(body);
    await stage.advance(100);
    expect(drops()).toEqual({ [reason]: 1 });
  });
});

describe("the limits of a player", () => {
  it.each(Object.entries(playerLimitTable))("%s keeps its range", (name, { min, max, default: usual }) => {
    for (const value of [min, max]) {
      expect(checkedPlayerLimits({ [name]: value })).toMatchObject({ [name]: value });
    }
    for (const value of [min - 1, max + 1, Number.NaN, "7"]) {
      expect(() => checkedPlayerLimits({ [name]: value })).toThrow(ConfigError);
    }
    expect(checkedPlayerLimits({})[name as keyof PlayerLimits]).toBe(usual);
  });

  it("are the same in the documents and in the code", () => {
    const document = readFileSync(new URL("../../../docs/guides/authority.md", import.meta.url), "utf8");
    const cells = document.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
    for (const [name, row] of Object.entries(playerLimitTable)) {
      const line = cells.find(([, first]) => first === `\`${name}\``);
      expect([name, ...(line?.slice(2, 4) ?? [])]).toEqual([
        name,
        String(row.default),
        `${row.min} to ${row.max} ${row.unit}`,
      ]);
    }
    expect(() => checkedPlayerLimits({ owns: 3 } as Partial<PlayerLimits>)).toThrow(/known are ownPerSecond/);
  });
});
