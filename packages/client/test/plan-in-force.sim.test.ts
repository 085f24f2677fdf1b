import { type ProfileChoice, type Room } from "@paceline/client";
import type { Plan } from "@paceline/transport";
import { describe, expect, test, vi } from "vitest";
import { PlanInForce } from "../src/policy/plan-in-force.js";
import { Car, Sign } from "./definitions.js";
import { VirtualHub } from "./virtual-hub.js";

// Each test changes a setting of the plan, and checks its effect on bytes, times or deliveries.

const DELAY_MS = 30;

async function pair(
  profile: ProfileChoice,
  network: Partial<ConstructorParameters<typeof VirtualHub>[0]> = {},
  players = 2,
) {
  const hub = new VirtualHub({ delayMs: DELAY_MS, ...network });
  const [mine, theirs] = (await hub.meet(players, { profile })) as [Room, Room];
  return { hub, mine, theirs };
}

function arrivals(
  hub: VirtualHub,
  room: Room,
  type: string,
): { readonly atMs: number; readonly value: unknown }[] {
  const heard: { atMs: number; value: unknown }[] = [];
  room.onMessage(type, (value) => heard.push({ atMs: hub.scheduler.nowMs(), value }));
  return heard;
}

async function talk(hub: VirtualHub, count: number, send: (value: number) => void): Promise<void> {
  for (let value = 0; value < count; value++) {
    send(value);
    await hub.advance(5, 5);
  }
  await hub.advance(500, 5);
}

describe("messages of a game", () => {
  test.each<[ProfileChoice, "send" | "sendEvent", number]>([
    ["strategy", "send", 4],
    ["strategy", "sendEvent", 4],
    ["rpg", "send", 4],
    ["rpg", "sendEvent", 4],
    [{ base: "strategy", numbers: { sendPeriodMs: 10 } }, "send", 14],
  ])("of %j share packets by the plan's period: %s", async (profile, method, mostPackets) => {
    const { hub, mine, theirs } = await pair(profile);
    const heard = arrivals(hub, theirs, "word");
    await talk(hub, 50, (value) => mine[method]("word", value));
    expect(heard.map(({ value }) => value)).toEqual(Array.from({ length: 50 }, (_, value) => value));
    const times = new Set(heard.map(({ atMs }) => atMs));
    expect(times.size).toBeLessThanOrEqual(mostPackets);
    expect(times.size).toBeGreaterThan(1);
  });

  test("to several players share packets by the plan's period, too", async () => {
    const hub = new VirtualHub({ delayMs: DELAY_MS });
    const rooms = await hub.meet(3, { profile: "rpg" });
    const heard = rooms.slice(1).map((room) => arrivals(hub, room, "word"));
    await talk(hub, 50, (value) => rooms[0]!.sendEvent("word", value));
    for (const each of heard) {
      expect(each.map(({ value }) => value)).toEqual(Array.from({ length: 50 }, (_, value) => value));
      expect(new Set(each.map(({ atMs }) => atMs)).size).toBeLessThanOrEqual(4);
    }
  });

  test.each(["send", "sendEvent"] as const)(
    "leave at once if the profile favours latency: %s",
    async (method) => {
      const { hub, mine, theirs } = await pair("racing");
      const heard = arrivals(hub, theirs, "word");
      await talk(hub, 50, (value) => mine[method]("word", value));
      expect(new Set(heard.map(({ atMs }) => atMs)).size).toBe(50);
    },
  );

  test("are not delayed by the period when they are sent singly", async () => {
    const { hub, mine, theirs } = await pair("strategy");
    const heard = arrivals(hub, theirs, "word");
    for (let count = 0; count < 3; count++) {
      await hub.advance(500);
      const sentAtMs = hub.scheduler.nowMs();
      mine.send("word", count);
      await hub.advance(DELAY_MS + 20, 5);
      expect(heard.at(-1)?.value).toBe(count);
      expect(heard.at(-1)!.atMs - sentAtMs).toBeLessThanOrEqual(DELAY_MS + 10);
    }
  });

  test("that wait for others arrive even if their sender leaves", async () => {
    const { hub, mine, theirs } = await pair("strategy");
    const heard = arrivals(hub, theirs, "word");
    for (const value of [1, 2, 3]) mine.send("word", value);
    mine.leave();
    await hub.advance(300);
    expect(heard.map(({ value }) => value)).toEqual([1, 2, 3]);
  });

  test.each<[ProfileChoice, players: number, arrives: boolean]>([
    ["shooter", 2, false],
    ["shooter", 3, false],
    ["racing", 2, true],
    ["racing", 3, true],
    [{ base: "racing", numbers: { eventLifetimeMs: 500 } }, 2, false],
    [{ base: "shooter", numbers: { eventLifetimeMs: 1500 } }, 3, true],
    // In this profile all events arrive in order, however late.
    [{ base: "strategy", topology: "relay", numbers: { eventLifetimeMs: 50 } }, 2, true],
  ])("of %j, %d players: events that wait for 1 s arrive: %s", async (profile, players, arrives) => {
    const { hub, mine, theirs } = await pair(profile, {}, players);
    const heard = arrivals(hub, theirs, "shot");
    const done = mine.transport.simulate({ rateBps: 16_000 });
    await hub.fetches();
    await done;
    // The simulated line passes 2 kB/s and holds 4 kB of the fill. The other 2 kB wait in the queue for 1 s.
    const [receiver] = mine.peers;
    for (let count = 0; count < 6; count++) mine.send("fill", "x".repeat(1000), receiver);
    await hub.advance(200);
    mine.sendEvent("shot", 1);
    await hub.advance(6000);
    expect(heard.map(({ value }) => value)).toEqual(arrives ? [1] : []);
  });

  test.each([2, 3])(
    "obey the lifetime of events after a change by configure(): %d players",
    async (players) => {
      const { hub, mine, theirs } = await pair("racing", {}, players);
      const heard = arrivals(hub, theirs, "shot");
      const done = mine.transport.simulate({ rateBps: 16_000 });
      await hub.fetches();
      await done;
      const [receiver] = mine.peers;
      for (const [shot, eventLifetimeMs] of [300, 5000, 300].entries()) {
        mine.transport.configure({ profile: { base: "racing", numbers: { eventLifetimeMs } } });
        for (let count = 0; count < 6; count++) mine.send("fill", "x".repeat(1000), receiver);
        await hub.advance(200);
        mine.sendEvent("shot", shot);
        await hub.advance(6000);
      }
      expect(heard.map(({ value }) => value)).toEqual([1]);
    },
  );
});

describe("states", () => {
  async function seenValues(profile: ProfileChoice): Promise<number[]> {
    const { hub, mine, theirs } = await pair(profile, { loss: { kind: "uniform", ratio: 0.4 } });
    const sign = mine.spawn(Sign);
    await hub.advance(500);
    const seen = new Set<number>();
    for (let value = 1; value <= 20; value++) {
      sign.place.set(value, 0);
      for (let left = 0; left < 500; left += 20) {
        await hub.advance(20);
        for (const each of theirs.entities(Sign)) seen.add(each.place.x);
      }
    }
    return [...seen].filter((value) => value > 0);
  }

  test("of a game whose plan says so all arrive, in order, over a line that loses two of five", async () => {
    const all = Array.from({ length: 20 }, (_, value) => value + 1);
    expect(await seenValues("strategy")).toEqual(all);
  });

  test("go no more often than the plan's period, and those of several entities share packets", async () => {
    const packets = async (sendPeriodMs: number): Promise<number> => {
      const { hub, mine } = await pair({
        base: "party",
        numbers: { stateHz: 60, sendPeriodMs, heartbeatMs: 60_000 },
      });
      const signs = Array.from({ length: 4 }, () => mine.spawn(Sign));
      await hub.advance(1000);
      const before = mine.transport.server;
      const sent = (): number => mine.peers[0]!.stats.packetsOutPerSecond;
      for (let step = 0; step < 240; step++) {
        signs[step % 4]!.place.set(step / 10, 0);
        mine.advance();
        await hub.advance(1000 / 60, 1000 / 60);
      }
      expect(before.isConnected).toBe(true);
      return sent();
    };
    const [often, seldom] = [await packets(0), await packets(100)];
    expect(often).toBeGreaterThan(50);
    expect(seldom).toBeLessThan(20);
  });
});

describe("a car", () => {
  const FRAME_MS = 1000 / 60;

  /** Returns two rooms with a car of the first, and a function that drives it. */
  async function scene(profile: ProfileChoice, players = 2) {
    const { hub, mine, theirs } = await pair(profile, {}, players);
    const car = mine.spawn(Car);
    const seen = () => [...theirs.entities(Car)][0];
    expect(seen()).toBeUndefined();
    await hub.fetches();
    /** Drives for some seconds. Returns the times at which new positions arrived, ms. */
    const drive = async (seconds: number, xAt: (seconds: number) => number): Promise<number[]> => {
      const arrivedMs: number[] = [];
      let before = seen()?.position.x;
      for (let frame = 0; frame < seconds * 60; frame++) {
        car.position.set(xAt(frame / 60), 0);
        mine.advance();
        await hub.advance(FRAME_MS, FRAME_MS);
        const x = seen()?.position.x;
        if (x !== before) arrivedMs.push(hub.scheduler.nowMs());
        before = x;
      }
      return arrivedMs;
    };
    return { hub, mine, theirs, drive };
  }

  const straight = (seconds: number): number => 20 * seconds;
  const weaving = (seconds: number): number => 20 * Math.sin(3 * seconds);

  test.each([
    { extrapolationLimitMs: 250, mostMs: 150 },
    { extrapolationLimitMs: 1000, mostMs: 300 },
  ])("that drives straight on is sent before receivers stop it, and soon after a loss: %o", async (terms) => {
    const { extrapolationLimitMs, mostMs } = terms;
    const { drive } = await scene({ base: "racing", numbers: { extrapolationLimitMs } });
    const arrivedMs = (await drive(6, straight)).filter((_, index) => index > 5);
    const gapsMs = arrivedMs.slice(1).map((atMs, index) => atMs - arrivedMs[index]!);
    expect(gapsMs.length).toBeGreaterThan(10);
    // A state may wait for a step at its sender, and is seen in a frame.
    expect(Math.max(...gapsMs)).toBeLessThanOrEqual(mostMs + 3 * FRAME_MS);
  });

  test.each([150, 300])("is shown %d ms late before anything was measured", async (interpolationDelayMs) => {
    const { theirs, drive } = await scene({ base: "action", numbers: { interpolationDelayMs } });
    await drive(0.05, straight);
    const { clock } = theirs;
    expect(clock.serverNow() - clock.renderNow()).toBeCloseTo(interpolationDelayMs, -1);
  });

  test("of relayed players is sent half as often while bytes for all wait for the server", async () => {
    const { hub, mine, drive } = await scene("racing", 3);
    const hz = async (seconds: number): Promise<number> => (await drive(seconds, weaving)).length / seconds;
    expect(await hz(3)).toBeGreaterThan(25);
    const done = mine.transport.simulate({ rateBps: 64_000, queueBytes: 4000 });
    await hub.fetches();
    await done;
    for (let second = 0; second < 5; second++) {
      for (let count = 0; count < 10; count++) mine.sendEvent("fill", "x".repeat(1000));
      await drive(1, weaving);
    }
    await mine.transport.simulate(undefined);
    await drive(2, weaving);
    const slowHz = await hz(4);
    expect(slowHz).toBeGreaterThan(10);
    expect(slowHz).toBeLessThan(16);
    await drive(20, weaving);
    expect(await hz(3)).toBeGreaterThan(25);
  });
});

describe("the budget of bytes per second", () => {
  /**
   * Counts the bytes of payload that arrive in ten seconds while a player sends more of each class than the
   * budget allows.
   */
  async function shares(profile: ProfileChoice): Promise<Record<"command" | "event" | "bulk", number>> {
    const { hub, mine, theirs } = await pair(profile);
    const heard = { command: 0, event: 0, bulk: 0 };
    const payload = new Uint8Array(1000);
    for (const name of ["command", "event", "bulk"] as const)
      theirs.onMessage(name, (bytes) => void (heard[name] += (bytes as Uint8Array).length));
    for (let step = 0; step < 100; step++) {
      mine.send("command", payload);
      mine.sendEvent("event", payload);
      mine.send("bulk", payload, { class: "bulk" });
      await hub.advance(100);
    }
    return heard;
  }
  const base = { base: "racing", numbers: { sendBytesPerSecond: 8000 } } as const;

  test("is kept, and divided by priority and share", async () => {
    const heard = await shares(base);
    const all = heard.command + heard.event + heard.bulk;
    expect(all).toBeLessThan(10 * 8000 + 2000);
    expect(all).toBeGreaterThan(0.7 * 10 * 8000);
    expect(heard.command).toBeGreaterThan(2 * heard.event);
    expect(heard.event).toBeGreaterThan(heard.bulk);
    expect(heard.event).toBeGreaterThan(0.12 * all);
    // Waiting bulk gets its share beside the more important classes.
    expect(heard.bulk).toBeGreaterThan(0);
  });

  test("is divided by the weights of the game, and explained with them", async () => {
    const traffic = { event: { priority: 9, share: 0.3 }, state: { share: 0.15 }, bulk: { share: 0.01 } };
    const heard = await shares({ ...base, traffic });
    expect(heard.event).toBeGreaterThan(heard.command);
    const { mine } = await pair({ ...base, traffic });
    const row = (await mine.transport.explain()).find(({ about }) => about === "budget");
    expect(row?.choice).toBe(
      "at most 8000 bytes/s over all links; where not all can leave: event (priority 9, at least 30 %), command (priority 5, at least 30 %), " +
        "input (priority 4, at least 20 %), state (priority 2, at least 15 %), bulk (priority 1, at least 1 %)",
    );
  });
});

describe("a plan", () => {
  /** Wraps the plan, and records each field that the room reads. */
  function noted(plan: Plan, read: Set<string>): Plan {
    const noting = <Part extends object>(part: Part, path: string): Part =>
      new Proxy(part, {
        get: (target, name: string) => {
          read.add(`${path}.${name}`);
          return target[name as keyof Part];
        },
      });
    const channels = Object.entries(plan.channels).map(([name, policy]) => [name, noting(policy, "channel")]);
    const parts = {
      numbers: noting(plan.numbers, "numbers"),
      channels: Object.fromEntries(channels) as Plan["channels"],
    };
    return noting({ ...plan, ...parts }, "plan");
  }

  test("has no field that a room does not use", async () => {
    const read = new Set<string>();
    const real = Object.getOwnPropertyDescriptor(PlanInForce.prototype, "plan")!;
    const spy = vi.spyOn(PlanInForce.prototype, "plan", "get").mockImplementation(function (
      this: PlanInForce,
    ) {
      return noted(real.get!.call(this) as Plan, read);
    });
    const hub = new VirtualHub({ delayMs: DELAY_MS });
    const [mine, theirs] = (await hub.meet(3, { profile: "shooter" })) as [Room, Room];
    const sign = mine.spawn(Sign);
    theirs.onMessage("word", () => undefined);
    for (let step = 0; step < 20; step++) {
      sign.place.set(step, 0);
      mine.send("word", step);
      mine.sendEvent("word", step);
      for (const each of theirs.entities(Sign)) expect(each.place.x).toBeLessThan(20);
      await hub.advance(100);
    }
    spy.mockRestore();
    const { plan } = mine.transport;
    // Inputs and reasons serve explanations only. The room's transport itself reads the schemes.
    const { circumstances: _c, inputs: _i, reasons: _r, schemes: _s, ...outputs } = plan;
    const fields = [
      ...Object.keys(outputs).map((name) => `plan.${name}`),
      ...Object.keys(plan.numbers).map((name) => `numbers.${name}`),
      ...Object.values(plan.channels).flatMap((policy) =>
        Object.keys(policy).map((name) => `channel.${name}`),
      ),
    ];
    expect(fields.filter((field) => !read.has(field))).toEqual([]);
  });
});
