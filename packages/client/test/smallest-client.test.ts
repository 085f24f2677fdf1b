import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { defineEntity, vec2, type Room } from "@paceline/client";
import { afterEach, describe, expect, test } from "vitest";
import { Stage } from "./stage.js";
import { pause, until } from "./until.js";

const PROGRAM = fileURLToPath(new URL("../../../examples/smallest-client/client.mjs", import.meta.url));
const RADIUS_M = 10;

const Dot = defineEntity(
  "dot",
  { position: vec2({ range: [-100, 100], precision: 0.01 }) },
  { motion: "hold" },
);

interface Line {
  readonly from: number;
  readonly id: number;
  readonly tick: number;
  readonly position: readonly [number, number];
}

class Program {
  readonly child: ChildProcess;
  readonly lines: Line[] = [];
  said = "";

  constructor(url: string) {
    this.child = spawn(process.execPath, [PROGRAM, url, "race"], { stdio: ["ignore", "pipe", "pipe"] });
    createInterface({ input: this.child.stdout! }).on("line", (line) => {
      this.lines.push(JSON.parse(line) as Line);
    });
    this.child.stderr!.on("data", (data) => (this.said += String(data)));
  }

  async leave(): Promise<number | null> {
    this.child.kill("SIGTERM");
    const [code] = (await once(this.child, "exit")) as [number | null];
    return code;
  }
}

function positionsIn(room: Room, owner: number): [number, number][] {
  const dots = [...room.entities(Dot)].filter((dot) => dot.owner?.number === owner);
  return dots.map(({ position: { x, y } }) => [x, y]);
}

describe("the smallest client", () => {
  const stage = new Stage();
  const children: ChildProcess[] = [];

  afterEach(() => {
    for (const child of children.splice(0)) child.kill("SIGKILL");
  });

  function start(url: string): Program {
    const program = new Program(url);
    children.push(program.child);
    return program;
  }

  test("has at most 150 lines, and imports no package of Paceline", () => {
    const code = readFileSync(PROGRAM, "utf8");
    expect(code.trimEnd().split("\n").length).toBeLessThanOrEqual(150);
    const imported = [...code.matchAll(/^import .* from "(.*)";$/gm)].map((match) => match[1]);
    expect(imported.toSorted()).toEqual(["msgpackr", "ws"]);
  });

  // To one receiver, a client sends whole states. To two, it sends differences from its last states until the
  // program requests whole ones.
  test.each([1, 2])("and %i real clients see each other's entities move", async (count) => {
    const server = await stage.server();
    const rooms: Room[] = [];
    for (let index = 0; index < count; index++) rooms.push(await stage.join(server));
    const program = start(server.url);
    await until("the program joins", () => rooms.every(({ peers }) => peers.length === count));
    const number = rooms[0]!.peers.map((peer) => peer.number).find((peer) => peer > count)!;
    const own = rooms.map((room, index) => room.spawn(Dot, { position: { x: 0, y: index } }));
    const seen: [number, number][] = [];
    const startMs = performance.now();
    const heard = (index: number): Line[] =>
      program.lines.filter(({ from }) => from === rooms[index]!.myNumber);
    const isDone = (): boolean => seen.length > 60 && rooms.every((_, index) => heard(index).length > 10);
    while (!isDone()) {
      const seconds = (performance.now() - startMs) / 1000;
      if (seconds > 12)
        throw new Error(`nobody moves: ${seen.length}, ${program.lines.length} ${program.said}`);
      for (const dot of own) dot.position.x = Math.min(90, 5 * seconds);
      seen.push(...positionsIn(rooms[0]!, number));
      await pause(1000 / 60);
    }
    for (const [x, y] of seen) expect(Math.hypot(x, y)).toBeCloseTo(RADIUS_M, 0);
    const ways = seen.map(([x, y]) => Math.atan2(y, x));
    expect(Math.max(...ways) - Math.min(...ways)).toBeGreaterThan(0.3);
    for (let index = 0; index < count; index++) {
      const xs = heard(index).map(({ position }) => position[0]);
      expect(xs).toEqual(xs.toSorted((a, b) => a - b));
      expect(xs.at(-1)! - xs[0]!).toBeGreaterThan(1);
      expect(heard(index).every(({ position }) => Math.abs(position[1] - index) < 0.006)).toBe(true);
    }
    expect(await program.leave()).toBe(0);
    await until("the others hear that it left", () => rooms.every(({ peers }) => peers.length === count - 1));
    expect(program.said).toBe("");
    expect(rooms.map(({ drops }) => drops.total)).toEqual(rooms.map(() => 0));
  });
});
