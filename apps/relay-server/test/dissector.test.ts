import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import { createRelay } from "@paceline/relay";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ComputerDriver } from "../../demo-game/src/drivers/computer-driver.js";
import { identityOf } from "../../demo-game/src/drivers/driver-options.js";
import { skillOf } from "../../demo-game/src/drivers/racecraft.js";
import { STEP_MS } from "../../demo-game/src/car/step-car.js";
import { Car, ComputerCar } from "../../demo-game/src/net/car-entity.js";
import { ROOM_NAME } from "../../demo-game/src/net/join-race.js";
import { Participant } from "../../demo-game/src/net/participant.js";
import { TcpRecording } from "./tcp-recording.js";

const GENERATOR = fileURLToPath(new URL("../../../tools/dissector.mjs", import.meta.url));
const hasTshark = existsSync("/usr/bin/tshark");
const RUN_MS = 8000;
const KINDS = ["car", "computer-car"] as const;

/** A car's pose at its owner in one step. */
interface Pose {
  readonly x: number;
  readonly y: number;
  readonly headingRad: number;
}

/** A car's decoded state at a receiver. */
interface Sample extends Pose {
  readonly kind: string;
  readonly number: number;
  readonly tick: number;
}

/** One packet in tshark's output: every field with all its values. */
type Row = Readonly<Record<string, readonly string[]>>;

/** A player of the real game, driven by the computer driver. */
class Player {
  readonly participant: Participant;
  readonly poses: Pose[] = [];
  readonly #driver: ComputerDriver;

  constructor(participant: Participant, index: number) {
    this.participant = participant;
    this.#driver = new ComputerDriver(skillOf(index));
  }

  step(atMs: number): void {
    const { racer, remotes } = this.participant;
    this.participant.update();
    this.participant.step(this.#driver.decide(racer.car, remotes, 1), atMs);
    const { x, y, headingRad } = racer.car;
    this.poses.push({ x, y, headingRad });
  }

  get samples(): Sample[] {
    const { room } = this.participant;
    return [Car, ComputerCar].flatMap((kind) =>
      [...room.entities(kind)].flatMap((car) => {
        if (car.isMine) return [];
        const { position, heading: headingRad, lastTick: tick, owner } = car;
        return [{ kind: kind.name, number: owner.number, tick, x: position.x, y: position.y, headingRad }];
      }),
    );
  }
}

async function join(url: string, index: number): Promise<Player> {
  const client = new Client(url, { profile: "racing", webSocket: NodeWebSocket, transports: ["websocket"] });
  const room = await client.joinOrCreate(ROOM_NAME);
  const card = { ...identityOf(index), isComputer: index > 0 };
  return new Player(new Participant(room, card, () => performance.now()), index);
}

/**
 * True if the state lies between two successive poses of its owner, or a step further: states belong to
 * ticks, not to steps.
 */
function isOnTheWay(poses: readonly Pose[], { x, y, headingRad }: Pose): boolean {
  return poses.slice(1).some((pose, index) => {
    const before = poses[index]!;
    const [wayX, wayY] = [pose.x - before.x, pose.y - before.y];
    const squared = wayX ** 2 + wayY ** 2;
    const along = squared === 0 ? 0 : ((x - before.x) * wayX + (y - before.y) * wayY) / squared;
    const share = Math.max(0, Math.min(2.5, along));
    const offM = Math.hypot(before.x + share * wayX - x, before.y + share * wayY - y);
    return offM < 0.05 && angleBetween(pose.headingRad, headingRad) < 0.1;
  });
}

const angleBetween = (a: number, b: number): number => Math.abs(Math.atan2(Math.sin(a - b), Math.cos(a - b)));

describe.skipIf(!hasTshark)("the dissector, on traffic of the demo game", () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "paceline-capture-"));
  const lua = path.join(folder, "paceline.lua");
  const capture = path.join(folder, "race.pcap");
  const cut = path.join(folder, "cut.pcap");
  const seen = new Map<string, Sample>();
  const posesOf = new Map<number, readonly Pose[]>();

  function tshark(file: string, ...args: string[]): string {
    const all = ["-X", `lua_script:${lua}`, "-r", file, ...args];
    const run = spawnSync("/usr/bin/tshark", all, { encoding: "utf8", maxBuffer: 2 ** 29 });
    expect(run.status).toBe(0);
    return run.stdout;
  }

  function rows(filter: string, fields: readonly string[], file = capture): Row[] {
    const columns = fields.flatMap((field) => ["-e", field]);
    const text = tshark(
      file,
      "-Y",
      filter,
      "-T",
      "fields",
      "-E",
      "separator=;",
      "-E",
      "aggregator=,",
      ...columns,
    );
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => {
        const cells = line.split(";");
        return Object.fromEntries(
          fields.map((field, index) => [
            field,
            (cells[index] ?? "").split(",").filter((cell) => cell !== ""),
          ]),
        );
      });
  }

  async function race(server: Server): Promise<TcpRecording> {
    const recording = new TcpRecording((server.address() as AddressInfo).port);
    const url = await recording.listen();
    const players: Player[] = [];
    for (const index of [0, 1, 2]) players.push(await join(url, index));
    const startMs = performance.now();
    let steps = 0;
    while (performance.now() - startMs < RUN_MS) {
      await new Promise((resolve) => setTimeout(resolve, STEP_MS / 2));
      for (const player of players)
        for (const sample of player.samples)
          seen.set(`${sample.kind} ${sample.number} ${sample.tick}`, sample);
      if (performance.now() - startMs < steps * STEP_MS) continue;
      steps += 1;
      for (const player of players) player.step(performance.now());
    }
    for (const { participant, poses } of players) {
      posesOf.set(participant.room.myNumber, poses);
      participant.dispose();
      participant.room.leave();
    }
    return recording;
  }

  beforeAll(async () => {
    const made = spawnSync(process.execPath, [GENERATOR], { encoding: "utf8", maxBuffer: 2 ** 26 });
    if (made.stderr !== "") throw new Error(made.stderr);
    writeFileSync(lua, made.stdout);
    const relay = createRelay({ rooms: { [ROOM_NAME]: {} } });
    const server = createServer((request, response) => {
      if (!relay.handleRequest(request, response)) response.writeHead(404).end();
    });
    server.on("upgrade", (request, socket, head) => relay.handleUpgrade(request, socket, head));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const recording = await race(server);
    await relay.stop({ drainMs: 200 });
    await recording.stop();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    writeFileSync(capture, recording.pcap());
    writeFileSync(cut, recording.pcap(25));
  }, 60_000);

  afterAll(() => rmSync(folder, { recursive: true }));

  test(
    "shows positions and headings by name, equal to those sent and those received",
    { timeout: 60_000 },
    () => {
      let compared = 0;
      for (const kind of KINDS) {
        const named = ["x", "y"].map((axis) => `paceline.${kind}.position.${axis}`);
        const fields = ["paceline.participant", "paceline.tick", ...named, `paceline.${kind}.heading`];
        // Only from the server, whose packets name the sender. All states of such a packet belong to one car.
        const found = rows(`tcp.srcport == 8080 && ${named[0]}`, fields);
        expect(found.length).toBeGreaterThan(10);
        expect(new Set(found.flatMap((row) => row[named[0]!]!)).size).toBeGreaterThan(5);
        for (const row of found) {
          const [numbers, ticks, xs, ys, headings] = fields.map((field) => row[field]!.map(Number));
          if (new Set(numbers).size > 1 || ticks!.length > 1) continue;
          const [number, tick, x, y, headingRad] = [
            numbers![0]!,
            ticks![0]!,
            xs![0]!,
            ys![0]!,
            headings![0]!,
          ];
          const isSent = isOnTheWay(posesOf.get(number)!, { x, y, headingRad });
          expect(isSent, `${kind} of ${number} at tick ${tick}: ${x}, ${y}, ${headingRad}`).toBe(true);
          const sample = seen.get(`${kind} ${number} ${tick}`);
          if (!sample) continue;
          compared += 1;
          expect([sample.x, sample.y, sample.headingRad]).toEqual([x, y, headingRad].map(Math.fround));
        }
      }
      expect(compared).toBeGreaterThan(20);
    },
  );

  test(
    "decodes every state of a capture that begins with the race, in both directions",
    { timeout: 60_000 },
    () => {
      // The other fields show which packet such a state belongs to.
      const fields = ["undecoded", "kind", "participant", "tick", "baseline", "stream", "sequence"];
      const where = ["frame.number", "frame.time_relative", "tcp.srcport", "tcp.dstport"];
      expect(rows("paceline.undecoded", [...where, ...fields.map((field) => `paceline.${field}`)])).toEqual(
        [],
      );
      // Wireshark's mark for a dissector that failed or met unexpected bytes.
      expect(rows("_ws.malformed", ["frame.number"])).toEqual([]);
      const checked = rows("paceline.checksum", ["paceline.checksum"]).flatMap(
        (row) => row["paceline.checksum"]!,
      );
      expect(checked.length).toBeGreaterThan(0);
      expect([...new Set(checked)]).toEqual(["1"]);
      expect(rows("tcp.dstport == 8080 && paceline.car.position.x", ["frame.number"]).length).toBeGreaterThan(
        10,
      );
    },
  );

  test("shows headers, control messages, streams and messages of the game", { timeout: 60_000 }, () => {
    const fields = ["paceline.control", "paceline.name", "paceline.type", "paceline.kind"];
    const found = rows("paceline", [...fields, "paceline.sequence", "paceline.id", "paceline.value"]);
    const values = (field: string) => new Set(found.flatMap((row) => row[field]!));
    expect([...values("paceline.control")]).toEqual(expect.arrayContaining(["welcome", "joined", "leave"]));
    expect([...values("paceline.name")].toSorted()).toEqual([...KINDS]);
    expect([...values("paceline.type")]).toContain("driver");
    expect([...values("paceline.kind")].length).toBeGreaterThanOrEqual(4);
    // A broadcast contains no packet, only messages with numbers.
    const numbers = (row: (typeof found)[number]) => [...row["paceline.sequence"]!, ...row["paceline.id"]!];
    expect(found.every((row) => numbers(row).length > 0)).toBe(true);
    expect(
      tshark(capture, "-Y", 'paceline.type == "driver"', "-T", "fields", "-e", "paceline.value"),
    ).toContain('"name": "Vela"');
  });

  test("shows only headers if the capture lacks a baseline, and says so", { timeout: 60_000 }, () => {
    const why = "paceline.undecoded";
    const found = rows(`${why} && tcp.srcport == 8080`, [why, "paceline.entities", "paceline.states"], cut);
    expect(found.length).toBeGreaterThan(5);
    expect(found.flatMap((row) => row[why]!).join()).toContain("the capture does not have");
    expect(found.some((row) => row["paceline.entities"]!.includes("1"))).toBe(true);
    expect(found.every((row) => row["paceline.states"]!.length > 0)).toBe(true);
    // The capture has every packet that a client sent on its first socket, so those are decoded.
    const position = "paceline.computer-car.position.x";
    expect(rows(`${position} && tcp.dstport == 8080`, [position], cut).length).toBeGreaterThan(5);
  });
});
