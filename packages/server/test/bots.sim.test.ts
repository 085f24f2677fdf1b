import { ConfigError, Room, defineEntity, defineInput, scalar, vec2, type Player } from "@paceline/server";
import type { BotOptions, Bots, ServerEntity } from "@paceline/server";
import { roomStage, type RoomStage } from "@paceline/testkit/room";
import { describe, expect, onTestFinished, test } from "vitest";

const Steering = defineInput({
  speed: scalar({ range: [-10, 10], precision: 0.1, unit: "m/s" }),
});
const Walker = defineEntity("walker", {
  position: vec2({ range: [-1000, 1000], precision: 0.01, unit: "m" }),
});
type Options = BotOptions<typeof Steering>;

const forward: Options["drive"] = (_player, input) => {
  input.speed = 2;
};

/** A room in which each player's walker goes as its input says. */
abstract class Street extends Room {
  override readonly entities = [Walker];
  override readonly inputs = Steering;
  override readonly tickHz = 20;
  override maxPlayers = 4;
  readonly walkers = new Map<Player, ServerEntity<typeof Walker>>();
  readonly log: string[] = [];
  readonly errors: string[] = [];
  mostPlayers = 0;
  bots: Bots | undefined;

  override onCreate(): void {
    this.bots = this.addBot(this.botOptions);
  }
  override onJoin(player: Player<typeof Steering>): void {
    this.log.push(`+${player.isBot ? "bot" : "person"}`);
    this.walkers.set(player, this.spawn(Walker, { position: { x: 0, y: player.number } }, player));
    this.mostPlayers = Math.max(this.mostPlayers, this.players.size);
  }
  override onLeave(player: Player<typeof Steering>): void {
    this.log.push(`-${player.isBot ? "bot" : "person"}`);
    this.walkers.delete(player);
  }
  override onTick(seconds: number): void {
    for (const player of this.players.values()) {
      const walker = this.walkers.get(player);
      if (walker) walker.position.x += player.input.speed * seconds;
    }
  }
  override onUncaughtException(error: unknown, hook: string): void {
    this.errors.push(`${hook}: ${String(error)}`);
  }
  protected abstract readonly botOptions: Options;
}

function streetWith(botOptions: Options, maxPlayers = 4) {
  return class extends Street {
    override maxPlayers = maxPlayers;
    protected override readonly botOptions = botOptions;
  };
}

function staged<R extends Room>(of: new () => R): RoomStage<R> {
  const stage = roomStage<R>(of);
  onTestFinished(() => stage.stop());
  return stage;
}

function kindsOf(room: Room): string {
  return Array.from(room.players.values(), ({ isBot }) => (isBot ? "bot" : "person")).join(" ");
}

describe("a bot", () => {
  test("is a player whose input the room writes, and a peer with an entity on the page", async () => {
    const stage = staged(streetWith({ drive: forward, options: { skill: 3 } }));
    const ann = await stage.join({ network: { delayMs: 30 } });
    const walkers = ann.room.entities(Walker);
    await stage.advance(1000);
    const { room } = stage;
    expect(kindsOf(room)).toBe("bot person");
    const [bot] = room.bots!.players;
    expect(bot).toMatchObject({ isBot: true, isConnected: true, options: { skill: 3 }, rttMs: undefined });
    const { position } = room.walkers.get(bot!)!;
    expect(position.x).toBeGreaterThan(1.5);
    expect(ann.room.peers.map(({ number }) => number)).toEqual([bot!.number]);
    const seen = [...walkers].find(({ owner }) => owner?.number === bot!.number);
    expect(seen!.position.y).toBeCloseTo(bot!.number, 1);
    expect(Math.abs(seen!.position.x - position.x)).toBeLessThan(0.5);
    room.bots!.remove();
    await stage.advance(500);
    expect(kindsOf(room)).toBe("person");
    expect(room.bots!.players).toEqual([]);
    expect(ann.room.peers).toEqual([]);
    expect([...walkers]).toHaveLength(1);
  });

  test("fills seats, leaves when a person wants one, and comes back", async () => {
    const stage = staged(streetWith({ drive: forward, fill: 3 }));
    await stage.join();
    await stage.advance(200);
    const { room } = stage;
    expect(kindsOf(room)).toBe("bot bot person");
    const ben = await stage.join();
    await stage.advance(200);
    expect(kindsOf(room)).toBe("bot person person");
    const cat = await stage.join();
    const dan = await stage.join();
    expect(kindsOf(room)).toBe("person person person person");
    ben.room.leave();
    cat.room.leave();
    await stage.advance(500);
    expect(kindsOf(room)).toBe("person person bot");
    dan.room.leave();
    await stage.advance(500);
    expect(kindsOf(room)).toBe("person bot bot");
    expect(room.mostPlayers).toBe(4);
    expect(room.errors).toEqual([]);
  });

  test("has a seat that two people want: one gets it, and the other another room", async () => {
    const stage = staged(streetWith({ drive: forward, fill: 2 }, 2));
    await stage.join();
    await stage.advance(200);
    const [first] = stage.rooms;
    expect(kindsOf(first!)).toBe("bot person");
    const both = [stage.client().joinOrCreate("staged"), stage.client().joinOrCreate("staged")];
    const joined = await stage.until(Promise.all(both));
    await stage.advance(200);
    expect(new Set(joined.map(({ roomId }) => roomId)).size).toBe(2);
    expect(joined.map(({ roomId }) => roomId)).toContain(first!.roomId);
    expect(stage.rooms.map(kindsOf)).toEqual(["person person", "bot person"]);
    expect(Math.max(...stage.rooms.map(({ mostPlayers }) => mostPlayers))).toBe(2);
    for (const room of joined) room.leave();
  });

  test("drives a player whose link is lost, until it is back", async () => {
    const stage = staged(streetWith({ drive: forward, fill: 0, standsIn: true }));
    const ann = await stage.join({ network: { delayMs: 20 } });
    await stage.advance(500);
    const { room } = stage;
    const [walker] = room.walkers.values();
    expect(walker!.position.x).toBe(0);
    ann.offline();
    await stage.advance(12_000);
    const [player] = room.players.values();
    expect(player!.isConnected).toBe(false);
    const driven = walker!.position.x;
    expect(driven).toBeGreaterThan(2);
    ann.online();
    await stage.advance(10_000);
    expect(player!.isConnected).toBe(true);
    const back = walker!.position.x;
    await stage.advance(2000);
    expect(walker!.position.x).toBe(back);
    expect(kindsOf(room)).toBe("person");
  });
});

describe("a bot that fails", () => {
  test.each([
    [
      "throws",
      () => {
        throw new Error("no way");
      },
    ],
    ["rejects", () => Promise.reject(new Error("no way"))],
  ] as [string, Options["drive"]][])(
    "because it %s is told once and removed, and none comes for it",
    async (_, fail) => {
      const drive: Options["drive"] = (player, input, tick) =>
        tick > 20 ? fail(player, input, tick) : forward(player, input, tick);
      const stage = staged(streetWith({ drive, fill: 3 }));
      await stage.join();
      await stage.advance(3000);
      const { room } = stage;
      expect(kindsOf(room)).toBe("person");
      expect(room.errors).toEqual(["drive: Error: no way", "drive: Error: no way"]);
      expect(room.log).toEqual(["+bot", "+bot", "+person", "-bot", "-bot"]);
    },
  );

  test("as it stands in leaves the player alone, who comes back", async () => {
    const drive: Options["drive"] = () => {
      throw new Error("no way");
    };
    const stage = staged(streetWith({ drive, fill: 0, standsIn: true }));
    const ann = await stage.join();
    await stage.advance(200);
    ann.offline();
    await stage.advance(12_000);
    expect(stage.room.errors).toEqual(["drive: Error: no way"]);
    ann.online();
    await stage.advance(10_000);
    expect([...stage.room.players.values()][0]!.isConnected).toBe(true);
  });

  test("in onJoin does not come again and again", async () => {
    const Picky = class extends streetWith({ drive: forward, fill: 4 }) {
      override onJoin(player: Player<typeof Steering>): void {
        if (player.isBot) throw new Error("people only");
        super.onJoin(player);
      }
    };
    const stage = staged(Picky);
    const ann = await stage.join();
    await stage.advance(1000);
    expect(kindsOf(stage.room)).toBe("person");
    expect(stage.room.errors).toEqual(Array.from({ length: 3 }, () => "onJoin: Error: people only"));
    expect(ann.room.peers).toEqual([]);
  });

  test("is not replaced after it was kicked", async () => {
    const stage = staged(streetWith({ drive: forward }));
    await stage.join();
    await stage.advance(200);
    const { room } = stage;
    room.kick(room.bots!.players[0]!);
    await stage.advance(500);
    expect(kindsOf(room)).toBe("person");
  });
});

test.each([
  [{}, "addBot.drive: expected a function, got undefined"],
  [{ drive: forward, fill: -1 }, "addBot.fill: expected a whole number from 0 to 1000 (members), got -1"],
  [
    { drive: forward, fil: 3 },
    "addBot.fil: expected no such option; known are drive, fill, standsIn, options",
  ],
  [{ drive: forward, options: 3 }, "addBot.options: expected an object, got 3"],
])("addBot(%j) is refused with the field's name, value and range", async (options, message) => {
  const stage = staged(streetWith({ drive: forward, fill: 0 }));
  await stage.join();
  const add = (): Bots => stage.room.addBot(options as never);
  expect(add).toThrow(ConfigError);
  expect(add).toThrow(message);
});
