import type { ProfileChoice } from "@paceline/client";
import { Room, angle, defineEntity, vec2 } from "@paceline/server";
import { seededRandom } from "@paceline/testkit";
import { roomStage, StagePlayer, type RoomStage, type StageJoin } from "@paceline/testkit/room";
import { SimulatedLine } from "@paceline/transport/simulated";
import { afterEach, describe, expect, test } from "vitest";

// The server of a room follows each client's plan, from the join on and after configure().

const fields = {
  position: vec2({ range: [-4096, 4096], precision: 0.01, unit: "m" }),
  heading: angle({ precision: 0.001, unit: "rad" }),
};
const Car = defineEntity("car", fields, { motion: "velocity" });
/** The definition names its own threshold. */
const Ship = defineEntity("ship", fields, { motion: "velocity", threshold: { position: 0.02 } });

class WindingRoom extends Room {
  override readonly entities = [Car, Ship];
  override readonly tickHz: number = 60;
  readonly #driven: { position: { set(x: number, y: number): void } }[] = [];

  override onCreate(): void {
    this.#driven.push(this.spawn(Car), this.spawn(Ship));
  }

  override onTick(_seconds: number, tick: number): void {
    const phase = tick / this.tickHz;
    for (const { position } of this.#driven) position.set(20 * Math.sin(phase), 20 * Math.cos(phase));
  }
}

class TalkingRoom extends Room {
  say(method: "send" | "sendEvent", value: unknown): void {
    for (const player of this.players.values()) this[method](player, "word" as never, value);
  }

  shout(value: unknown): void {
    this.broadcast("word" as never, value);
  }
}

let stop: (() => Promise<void>) | undefined;
afterEach(async () => {
  await stop?.();
  stop = undefined;
});

function staged<R extends Room>(roomClass: new () => R): RoomStage<R> {
  const stage = roomStage(roomClass);
  stop = () => stage.stop();
  return stage;
}

/** Returns a player with this profile, in the state that it has after its join. */
async function playerOf<R extends Room>(
  stage: RoomStage<R>,
  profile: ProfileChoice,
  network: StageJoin["network"] = {},
): Promise<StagePlayer> {
  const player = await stage.join({ network });
  player.room.transport.configure({ profile });
  await stage.advance(200);
  return player;
}

/** Counts the different positions of a kind that each player receives in a second. */
async function toldPerSecond(
  stage: RoomStage<WindingRoom>,
  players: readonly StagePlayer[],
  kind = Car,
): Promise<number[]> {
  const seen = players.map(() => new Set<number>());
  for (const { room } of players) expect([...room.entities(kind)]).toBeDefined();
  await stage.advance(500);
  for (let left = 3000; left > 0; left -= 5) {
    await stage.advance(5);
    for (const [index, { room }] of players.entries())
      for (const { position } of room.entities(kind)) seen[index]!.add(position.x);
  }
  // The first position was there before the count began.
  return seen.map(({ size }) => (size - 1) / 3);
}

const ratesOf = async ({ room }: StagePlayer) =>
  (await room.transport.explain()).find(({ about }) => about === "rates")!;

describe("states of an authority", () => {
  test("follow each player's own threshold", async () => {
    const stage = staged(WindingRoom);
    const near = await playerOf(stage, { base: "racing", numbers: { thresholdM: 0.02 } });
    const wide = await playerOf(stage, { base: "racing", numbers: { thresholdM: 2 } });
    const [often, seldom] = await toldPerSecond(stage, [near, wide]);
    expect(often).toBeGreaterThan(10);
    expect(seldom).toBeLessThan(often! / 2);
    const { choice } = await ratesOf(wide);
    expect(choice).toContain(
      "when it would be shown 2 m or 0.03 rad off, when anything else of it changes, or after 1000 ms",
    );
    wide.room.transport.configure({ profile: { base: "racing", numbers: { thresholdM: 0.02 } } });
    await stage.advance(200);
    expect((await toldPerSecond(stage, [wide]))[0]).toBeGreaterThan(often! * 0.8);
  });

  test("of a definition with a threshold keep it, and explain() says so", async () => {
    const stage = staged(WindingRoom);
    const wide = await playerOf(stage, { base: "racing", numbers: { thresholdM: 2 } });
    expect((await toldPerSecond(stage, [wide], Ship as never))[0]).toBeGreaterThan(10);
    expect((await ratesOf(wide)).reason).toContain("; ship by the threshold of the definition");
  });

  test("come by the plan's packet period, if that is longer than the period of its rate", async () => {
    const stage = staged(WindingRoom);
    const numbers = { stateHz: 30, sendPeriodMs: 100, thresholdM: 0 };
    const player = await playerOf(stage, { base: "racing", numbers });
    const [told] = await toldPerSecond(stage, [player]);
    expect(told).toBeGreaterThan(8);
    expect(told).toBeLessThanOrEqual(10.5);
    const { choice, reason } = await ratesOf(player);
    expect([choice.slice(0, 33), reason]).toEqual([
      "the server sends up to 10 times/s",
      "the plan wants 10 states/s; the room makes 60 steps/s",
    ]);
  });

  test("cannot be more frequent than the room's steps, and explain() says which limit counts", async () => {
    class SlowRoom extends WindingRoom {
      override readonly tickHz = 20;
    }
    const stage = staged(SlowRoom);
    const player = await playerOf(stage, { base: "racing", numbers: { thresholdM: 0, stateHz: 60 } });
    const [told] = await toldPerSecond(stage, [player]);
    expect(told).toBeGreaterThan(17);
    expect(told).toBeLessThanOrEqual(20.5);
    const { choice, reason } = await ratesOf(player);
    expect(choice).toContain("up to 20 times/s");
    expect(reason).toBe("the room's limit: it makes 20 steps/s, the plan wants 60 states/s");
  });
});

describe("a room that does not follow a player's plan", () => {
  const plan = (thresholdM: number): ProfileChoice => ({ base: "racing", numbers: { thresholdM } });

  test("says so if it already follows 16 other plans, and when it does follow this one", async () => {
    class LargeRoom extends WindingRoom {
      override readonly maxPlayers = 32;
    }
    const stage = staged(LargeRoom);
    const others: StagePlayer[] = [];
    for (let index = 0; index < 16; index++) {
      const player = await playerOf(stage, plan(2 + index / 10));
      expect([...player.room.entities(Car)]).toBeDefined();
      others.push(player);
    }
    const followed = others[1]!;
    const late = await playerOf(stage, plan(5));
    const [seldom, often] = await toldPerSecond(stage, [followed, late]);
    expect(often).toBeGreaterThan(15);
    expect(often! / seldom!).toBeGreaterThan(5);
    expect(await ratesOf(late)).toEqual({
      about: "rates",
      choice: expect.stringMatching(
        /^the server sends up to 60 times\/s \(now [\d.]+\): an entity when it would be shown off at all, when anything else of it changes, or after 2000 ms$/,
      ),
      reason: "the room's limit: it follows 16 different plans, and sends exactly to the players of others",
    });
    expect((await ratesOf(followed)).reason).toContain("the plan wants 30 states/s");
    await stage.until(others[0]!.room.leave());
    await stage.advance(2000);
    expect((await toldPerSecond(stage, [late]))[0]).toBeLessThan(often! / 5);
    expect((await ratesOf(late)).choice).toContain("when it would be shown 5 m or 0.03 rad off");
    expect((await ratesOf(late)).reason).toContain("the plan wants 30 states/s");
  });

  test("says how many bytes it sends if a player would take more", async () => {
    class FrugalRoom extends WindingRoom {
      override readonly stateBytesPerSecond = 4000;
    }
    const stage = staged(FrugalRoom);
    const greedy = await playerOf(stage, { base: "racing", numbers: { stateBytesPerSecond: 5000 } });
    const content = await playerOf(stage, { base: "racing", numbers: { stateBytesPerSecond: 3000 } });
    const words = "; the room's limit: 4000 bytes/s of states, the plan wants 5000";
    for (const player of [greedy, content]) expect([...player.room.entities(Car)]).toBeDefined();
    await stage.advance(500);
    expect((await ratesOf(greedy)).reason).toContain(words);
    expect((await ratesOf(content)).reason).not.toContain("limit");
    greedy.room.transport.configure({ profile: { base: "racing", numbers: { stateBytesPerSecond: 3500 } } });
    await stage.advance(1500);
    expect((await ratesOf(greedy)).reason).not.toContain("limit");
  });
});

describe("a server's messages to a player", () => {
  interface Heard {
    readonly atMs: number;
    readonly value: unknown;
  }

  function listen(stage: RoomStage<TalkingRoom>, { room }: StagePlayer): Heard[] {
    const heard: Heard[] = [];
    room.onMessage("word", (value) => heard.push({ atMs: stage.scheduler.nowMs(), value }));
    return heard;
  }

  const valuesOf = (heard: readonly Heard[]): unknown[] => heard.map(({ value }) => value);

  /**
   * Returns a player behind a 16 kbit/s line from the server. The line holds 4 kB; the rest waits in the
   * queue.
   */
  async function narrowPlayer(stage: RoomStage<TalkingRoom>, profile: ProfileChoice): Promise<StagePlayer> {
    const { scheduler, server } = stage;
    const line = new SimulatedLine({ scheduler });
    const player = new StagePlayer({
      scheduler,
      random: seededRandom(1),
      network: {},
      client: { profile },
      accept: (link, protocols) => {
        line.take(link);
        server.takeLink(link, { address: "stage", protocols });
      },
    });
    player.enter(await stage.until(player.client.joinOrCreate("staged")));
    await stage.advance(200);
    line.change({ rateBps: 16_000 });
    return player;
  }

  async function lateEvent(stage: RoomStage<TalkingRoom>, event: number): Promise<void> {
    for (let count = 0; count < 9; count++) stage.room.say("sendEvent", "x".repeat(700));
    stage.room.say("sendEvent", event);
    await stage.advance(5000);
  }

  test.each<[ProfileChoice, boolean]>([
    ["racing", true],
    ["shooter", false],
    [{ base: "racing", numbers: { eventLifetimeMs: 400 } }, false],
    [{ base: "shooter", numbers: { eventLifetimeMs: 5000 } }, true],
  ])("by the plan of %j: an event that has waited for a second arrives: %s", async (profile, arrives) => {
    const stage = staged(TalkingRoom);
    const player = await narrowPlayer(stage, profile);
    const heard = listen(stage, player);
    await lateEvent(stage, 1);
    expect(valuesOf(heard).filter((value) => value === 1)).toEqual(arrives ? [1] : []);
  });

  test("obey the lifetime that configure() has changed", async () => {
    const stage = staged(TalkingRoom);
    const player = await narrowPlayer(stage, "racing");
    const heard = listen(stage, player);
    for (const [event, eventLifetimeMs] of [300, 5000, 300].entries()) {
      player.room.transport.configure({ profile: { base: "racing", numbers: { eventLifetimeMs } } });
      await stage.advance(500);
      await lateEvent(stage, event);
    }
    expect(valuesOf(heard).filter((value) => typeof value === "number")).toEqual([1]);
  });

  test("all arrive, in order with the rest, if the plan says so", async () => {
    const stage = staged(TalkingRoom);
    const player = await playerOf(stage, "strategy", { rateBps: 16_000, delayMs: 50 });
    const heard = listen(stage, player);
    for (let value = 0; value < 40; value += 2) {
      stage.room.say("send", value);
      stage.room.say("sendEvent", value + 1);
      await stage.advance(5);
    }
    await stage.advance(5000);
    expect(valuesOf(heard)).toEqual(Array.from({ length: 40 }, (_, value) => value));
  });

  test.each<[ProfileChoice, "send" | "sendEvent" | "broadcast", least: number, most: number]>([
    ["racing", "sendEvent", 20, 20],
    ["racing", "send", 15, 20],
    ["rpg", "send", 2, 3],
    ["rpg", "sendEvent", 2, 3],
    ["rpg", "broadcast", 2, 3],
    [{ base: "rpg", numbers: { sendPeriodMs: 10 } }, "send", 4, 6],
  ])("share packets by the period of the plan of %j: %s", async (profile, method, least, most) => {
    const stage = staged(TalkingRoom);
    const player = await playerOf(stage, profile);
    const heard = listen(stage, player);
    for (let value = 0; value < 20; value++) {
      if (method === "broadcast") stage.room.shout(value);
      else stage.room.say(method, value);
      await stage.advance(5);
    }
    await stage.advance(300);
    expect(valuesOf(heard)).toEqual(Array.from({ length: 20 }, (_, value) => value));
    const times = new Set(heard.map(({ atMs }) => atMs));
    expect(times.size).toBeGreaterThanOrEqual(least);
    expect(times.size).toBeLessThanOrEqual(most);
  });
});
