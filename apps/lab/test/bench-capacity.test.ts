import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { silentLog } from "@paceline/relay";
import { Room, defineServer, type ServerEntity } from "@paceline/server";
import {
  MessageKind,
  readMessages,
  readPacket,
  writeAuthority,
  writeInputs,
  type Packet,
} from "@paceline/protocol";
import { afterEach, describe, expect, test, vi } from "vitest";
import { TURNS_PER_SECOND, TurnPump, type Bot } from "../src/bots/bot.js";
import { PacelineBot } from "../src/bots/paceline-bot.js";
import { verdictOf, type Probe, type ProbeFigures } from "../src/capacity/probe.js";
import { capacityBounds, capacityRows } from "../src/capacity/rows.js";
import type { Found } from "../src/capacity/run-capacity.js";
import { Search, type SearchOptions } from "../src/capacity/search.js";
import { botStages, checkerSeats } from "../src/capacity/seating.js";
import { poseOf } from "../src/capacity/world.js";
import { Walker } from "../src/capacity/systems/walker-kinds.js";
import { ArenaInput } from "../src/room/systems/arena-kinds.js";

const WAIT_MS = 15_000;

async function until(holds: () => boolean): Promise<void> {
  const untilMs = performance.now() + WAIT_MS;
  while (!holds() && performance.now() < untilMs) await pause(10);
  expect(holds()).toBe(true);
}

describe("a search for the largest size", () => {
  const options: SearchOptions = {
    first: 64,
    step: 1,
    largest: 4096,
    factor: 2,
    precision: 0.05,
    maxProbes: 30,
    attempts: 2,
  };

  function searched(
    capacity: number,
    more: Partial<SearchOptions> = {},
  ): { search: Search; sizes: number[] } {
    const search = new Search({ ...options, ...more });
    const sizes: number[] = [];
    for (let size = search.next(); size !== undefined; size = search.next()) {
      sizes.push(size);
      search.take(size, size <= capacity);
    }
    return { search, sizes };
  }

  test.each([1, 3, 40, 64, 65, 700, 1023])("finds %i to 5 %% from below", (capacity) => {
    const { held = 0, failed = 0 } = searched(capacity).search;
    expect(held).toBeLessThanOrEqual(capacity);
    expect(failed).toBeGreaterThan(capacity);
    expect(failed - held).toBeLessThanOrEqual(Math.max(1, 0.05 * held));
  });

  test("grows by the factor, then halves, and tries a size that fails twice", () => {
    expect(searched(150, { precision: 0.3 }).sizes).toEqual([64, 128, 256, 256, 181, 181, 152, 152]);
  });

  test("takes multiples of the step only", () => {
    const { search, sizes } = searched(333, { step: 16 });
    expect(sizes.every((size) => size % 16 === 0)).toBe(true);
    expect([search.held, search.failed]).toEqual([320, 336]);
  });

  test("forgives a size one failure", () => {
    const search = new Search(options);
    search.take(64, false);
    expect(search.next()).toBe(64);
    search.take(64, true);
    expect(search.next()).toBe(128);
  });

  test("ends at the largest size, at the last probe, and where nothing holds", () => {
    expect(searched(9999).search.held).toBe(4096);
    const { search, sizes } = searched(1000, { maxProbes: 3 });
    expect([sizes.length, search.isPrecise]).toEqual([3, false]);
    expect(searched(0).search).toMatchObject({ held: undefined, failed: 1, isPrecise: true });
  });
});

describe("the seats of a probe", () => {
  test.each([
    [9, 9],
    [128, 128],
    [701, 701],
    [128, 16],
    [1024, 16],
  ])("are all taken once: %i players in rooms of %i", (players, roomPlayers) => {
    const seating = { players, roomPlayers };
    const checkers = checkerSeats(seating);
    const bots = [0, 1, 2].flatMap((process) => botStages(seating, process, 3).flat());
    const taken = [...checkers, ...bots].map(({ index }) => index).sort((a, b) => a - b);
    expect(taken).toEqual(Array.from({ length: players }, (_, index) => index));
    expect(checkers).toHaveLength(8);
    // The first and the last of those to whom a server sends.
    expect([checkers[0]!.index, checkers.at(-1)!.index]).toEqual([0, players - 1]);
  });

  test("give each checker a room of its own if there are enough, and each room to one process", () => {
    const seating = { players: 256, roomPlayers: 16 };
    expect(new Set(checkerSeats(seating).map(({ room }) => room)).size).toBe(8);
    const rooms = [0, 1].map((process) => {
      return new Set(botStages(seating, process, 2).flatMap((stage) => stage.map(({ room }) => room)));
    });
    expect([...rooms[0]!].filter((room) => rooms[1]!.has(room))).toEqual([]);
  });
});

test("walkers move at every tick, by their velocity, within the ranges of the fields", () => {
  let [shortestM, farthestM, fastestMps, errorM] = [Infinity, 0, 0, 0];
  for (let index = 0; index < 50; index++) {
    for (let tick = 0; tick < 300; tick++) {
      const [now, next] = [poseOf(index, tick), poseOf(index, tick + 1)];
      shortestM = Math.min(shortestM, Math.hypot(next.x - now.x, next.y - now.y));
      farthestM = Math.max(farthestM, Math.abs(now.x), Math.abs(now.y));
      fastestMps = Math.max(fastestMps, Math.abs(now.vx), Math.abs(now.vy));
      // At a waypoint the next velocity is another.
      if (now.vx === next.vx) errorM = Math.max(errorM, Math.abs(next.x - now.x - now.vx / 20));
    }
  }
  expect(shortestM).toBeGreaterThan(0.1);
  expect(farthestM).toBeLessThanOrEqual(50);
  expect(fastestMps).toBeLessThan(32);
  expect(errorM).toBeLessThan(1e-9);
});

describe("turns of bots", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test("come ten times a second to each, every second one with the next input", () => {
    vi.useFakeTimers();
    const pump = new TurnPump();
    const turns: (number | undefined)[][] = [[], [], []];
    for (const own of turns) pump.add({ turn: (input) => own.push(input), leave: () => undefined });
    vi.advanceTimersByTime(1000);
    pump.end();
    for (const own of turns) {
      expect(own.slice(0, 6)).toEqual([1, undefined, 2, undefined, 3, undefined]);
      expect(Math.abs(own.length - TURNS_PER_SECOND)).toBeLessThanOrEqual(1);
    }
  });
});

describe("bots of Paceline in a real room", () => {
  const inputs = new Map<number, number>();
  let tick = 0;

  class WalkRoom extends Room<{ readonly options: { readonly index: number } }> {
    static opened: WalkRoom | undefined;
    override readonly tickHz = 20;
    override readonly entities = [Walker];
    override readonly inputs = ArenaInput;
    readonly #walkers: ServerEntity<typeof Walker>[] = [];

    override onCreate(): void {
      WalkRoom.opened = this;
      for (let index = 0; index < 30; index++) this.#walkers.push(this.spawn(Walker, { index }));
    }

    override onTick(): void {
      tick += 1;
      for (const player of this.players.values()) {
        inputs.set(player.options["index"] as number, player.input.number);
      }
      for (const [index, walker] of this.#walkers.entries()) walker.yaw = poseOf(index, tick * 100).yaw;
    }
  }

  function inputBody(number: number): Uint8Array {
    const row = Float32Array.from([number, -127, 127, 1.25, 2.5]);
    return writeInputs(ArenaInput, { newest: number * 4, rows: [row, row, row, row] });
  }

  test("are counted, heard and acknowledge what arrived", { timeout: 60_000 }, async () => {
    const server = defineServer({ rooms: { walk: WalkRoom }, log: silentLog, guardsProcess: false });
    const port = Number(new URL(await server.listen(0)).port);
    const tap = await tapOf(port);
    const ends: string[] = [];
    const greeting = [writeAuthority({ type: "view", isInterpolated: true, everyTicks: 1 })];
    const bots: Bot[] = [];
    for (let index = 0; index < 5; index++) {
      const options = { server: tap.port, room: "walk", options: { index }, greeting, inputBody };
      bots.push(await PacelineBot.join(options, (reason) => ends.push(reason)));
    }
    expect(WalkRoom.opened!.players.size).toBe(5);

    // More faults than a server forgives, if there were any.
    const TURNS = 120;
    for (let turn = 0; turn < TURNS; turn++) {
      for (const bot of bots) bot.turn(turn % 2 === 0 ? turn / 2 + 1 : undefined);
      await pause(20);
    }
    await until(() => [...inputs.values()].filter((number) => number === TURNS / 2).length === 5);
    await until(() => tap.links.every((link) => link.kinds.has(MessageKind.pong)));
    expect(ends).toEqual([]);
    expect(tap.links).toHaveLength(5);
    for (const { packets } of tap.links) {
      const own = packets.filter(({ acks }) => acks !== undefined);
      expect(own.length).toBeGreaterThanOrEqual(TURNS);
      const newest = own.map(({ acks }) => acks!.ack);
      expect(newest).toEqual(newest.toSorted((a, b) => a - b));
      expect(newest.at(-1)).toBeGreaterThan(20);
      // The welcome was reliable.
      expect(packets.some(({ receipt }) => receipt !== undefined && receipt > 0)).toBe(true);
    }
    for (const bot of bots) bot.leave();
    await tap.close();
    await server.stop({ drainMs: 0 });
  });

  test("say why the server ends them", { timeout: 60_000 }, async () => {
    const server = defineServer({ rooms: { walk: WalkRoom }, log: silentLog, guardsProcess: false });
    const port = Number(new URL(await server.listen(0)).port);
    const options = { server: port, room: "nowhere", options: {}, greeting: [], inputBody };
    await expect(PacelineBot.join(options, () => undefined)).rejects.toThrow("4106");
    const ends: string[] = [];
    await PacelineBot.join({ ...options, room: "walk", options: { index: 0 } }, (reason) =>
      ends.push(reason),
    );
    for (const player of WalkRoom.opened!.players.values()) player.kick("enough");
    await until(() => ends.length > 0);
    expect(ends[0]).toContain("enough");
    await server.stop({ drainMs: 0 });
  });
});

interface TappedLink {
  readonly packets: Packet[];
  readonly kinds: Set<MessageKind>;
}

/** Passes TCP on to a port, and reads the packets of the clients. */
async function tapOf(port: number) {
  const links: TappedLink[] = [];
  const sockets = new Set<Socket>();
  const tap = createServer((client) => {
    const link: TappedLink = { packets: [], kinds: new Set() };
    links.push(link);
    const server = connect(port, "127.0.0.1");
    for (const socket of [client, server]) sockets.add(socket.on("error", () => undefined));
    client.pipe(server).pipe(client);
    let rest: Buffer = Buffer.alloc(0);
    let isOpen = false;
    client.on("data", (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      if (!isOpen) {
        const end = rest.indexOf("\r\n\r\n");
        if (end < 0) return;
        isOpen = true;
        rest = rest.subarray(end + 4);
      }
      rest = takeFrames(rest, link);
    });
  });
  tap.listen(0, "127.0.0.1");
  await once(tap, "listening");
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    tap.close();
    await once(tap, "close");
  };
  return { port: (tap.address() as AddressInfo).port, links, close };
}

/** Reads short masked frames. The mask of bots is zero. */
function takeFrames(bytes: Buffer, { packets, kinds }: TappedLink): Buffer {
  let at = 0;
  while (at + 2 <= bytes.length) {
    const length = bytes[at + 1]! & 0x7f;
    expect(length).toBeLessThan(126);
    const end = at + 6 + length;
    if (end > bytes.length) break;
    const packet = readPacket(new Uint8Array(bytes.subarray(at + 6, end)));
    if (typeof packet === "string") throw new Error(packet);
    packets.push(packet);
    const messages = readMessages(packet, () => undefined);
    if (typeof messages === "string") throw new Error(messages);
    for (const { kind } of messages) kinds.add(kind);
    at = end;
  }
  return bytes.subarray(at);
}

/** Figures of a probe that held. */
function figures(more: Partial<ProbeFigures["checkers"]> = {}, cores = 0.5, foreignCores = 0): ProbeFigures {
  const load = { seconds: 5, cpuSeconds: 5 * cores, delayMsP99: 1 };
  return {
    server: { ...load, rssMb: 100, ticks: 100, inputs: 500 },
    checkers: {
      ...load,
      checkers: 8,
      states: 800,
      ageMsP50: 3,
      ageMsP99: 20,
      wrong: 0,
      stale: 0,
      ...more,
    } as never,
    bots: [{ ...load, cpuSeconds: 0, bots: 92, bytesIn: 460_000, bytesOut: 1, lost: 0, example: undefined }],
    foreignCores,
  };
}

describe("the verdict of a probe", () => {
  test.each([
    [figures(), "none"],
    [figures({ ageMsP99: 51 }), "server"],
    [figures({ states: 700 }), "server"],
    [figures({ stale: 1 }), "server"],
    [figures({ ageMsP99: 51 }, 50), "bots"],
    [figures({ ageMsP99: 51, delayMsP99: 30 }), "bots"],
    [figures({ ageMsP99: 51 }, 0.5, 0.5), "machine"],
    [figures({}, 50, 0.5), "none"],
    [figures({ wrong: 1 }), "wrong"],
  ])("case %#", (probe, limit) => {
    expect(verdictOf(probe).limit).toBe(limit);
  });

  test("blames bots whose acknowledgements come late", () => {
    const late = figures({ ageMsP99: 51 });
    const bots = late.bots.map((each) => ({ ...each, delayMsP99: 200 }));
    expect(verdictOf({ ...late, bots }).limit).toBe("bots");
  });
});

describe("rows of capacity", () => {
  function found(system: string, held: number | undefined, limit: "server" | "bots" = "server"): Found {
    const options = { first: 64, step: 1, largest: 9999, factor: 2, precision: 1, maxProbes: 9, attempts: 1 };
    const search = new Search(options);
    if (held !== undefined) search.take(held, true);
    search.take((held ?? 0) + 1, false);
    const best: Probe | undefined =
      held === undefined
        ? undefined
        : { ...figures(), players: held, verdict: { limit: "none", reason: "in time" } };
    const reason = { limit, reason: "states are 60 ms old (p99)" };
    return { system, shape: "one-room", search, best, last: best, limit: reason, wrong: undefined };
  }

  test("have all keys, and the ratio to Colyseus", () => {
    const [ours, colyseus] = capacityRows([found("paceline", 300), found("colyseus", 200)]);
    expect(ours).toMatchObject({ system: "paceline", shape: "one-room", players: 300, hz: 20 });
    expect(ours).toMatchObject({ ageMsP99: 20, serverCpuCores: 0.5, ratioToColyseus: 1.5 });
    expect(ours).toMatchObject({ statesPerSecond: 20, bytesPerPlayerPerSecond: 1000 });
    expect(colyseus!.ratioToColyseus).toBe(1);
    expect(capacityBounds([ours!, colyseus!])).toMatchObject([{ value: 1.5, limit: 1, holds: true }]);
  });

  test("are no result if the bots' side failed, but show what held", () => {
    const rows = capacityRows([found("paceline", 300, "bots"), found("colyseus", 200)]);
    expect(rows[0]).toMatchObject({ atLeastPlayers: 300, limit: "bots: states are 60 ms old (p99)" });
    expect(rows[0]).not.toHaveProperty("players");
    expect(rows[0]).not.toHaveProperty("ratioToColyseus");
    expect(capacityBounds(rows)).toMatchObject([{ value: 1.5, holds: true }]);
  });

  test.each([
    [found("paceline", 100), found("colyseus", 200), 0.5],
    [found("paceline", 100, "bots"), found("colyseus", 200), Number.NaN],
    [found("paceline", 300), found("colyseus", 200, "bots"), Number.NaN],
    [found("paceline", undefined), found("colyseus", 200), Number.NaN],
  ])("miss their bound if they are worse, or unknown: case %#", (ours, colyseus, value) => {
    expect(capacityBounds(capacityRows([ours, colyseus]))).toMatchObject([{ value, holds: false }]);
  });

  test("have no players if any state was wrong", () => {
    const [row] = capacityRows([{ ...found("paceline", 300), wrong: "tick 7" }]);
    expect(row).toMatchObject({ limit: "tick 7" });
    expect(row).not.toHaveProperty("players");
  });
});
