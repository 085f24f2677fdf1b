import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { angle, defineEntity, flag, scalar, vec2 } from "@paceline/client";
import { nodeWebRtc } from "@paceline/client/node";
import { afterEach, describe, expect, test } from "vitest";
import { hasPython } from "./second-reader.js";
import { Stage } from "./stage.js";
import { pause, until } from "./until.js";

const PROGRAM = fileURLToPath(new URL("../../../tools/conformance/player.py", import.meta.url));
/** Radius of the program's circle. Between two states, a receiver may show the car slightly off it. */
const RADIUS_M = 20;

const Car = defineEntity(
  "car",
  {
    position: vec2({ range: [-1000, 1000], precision: 0.01, unit: "m" }),
    velocity: vec2({ range: [-100, 100], precision: 0.01, unit: "m/s" }),
    heading: angle({ precision: 0.001, unit: "rad" }),
    throttle: scalar({ range: [-1, 1], precision: 1 / 127 }),
    isBraking: flag(),
  },
  { motion: "turn" },
);

interface Line {
  readonly joined?: number;
  readonly resumed?: boolean;
  readonly left?: number;
  readonly command?: [string, unknown];
  readonly drop?: string;
  readonly desync?: number;
  readonly tick?: number;
  readonly isWhole?: boolean;
  readonly isDirect?: boolean;
  readonly direct?: number;
  readonly values?: { readonly position: readonly [number, number]; readonly throttle: number };
}

class SecondPlayer {
  readonly lines: Line[] = [];
  readonly child: ChildProcess;
  errors = "";

  constructor(url: string, python = "python3", ...more: readonly string[]) {
    this.child = spawn(python, [PROGRAM, url, "race", ...more], { stdio: ["pipe", "pipe", "pipe"] });
    createInterface({ input: this.child.stdout! }).on("line", (line) => {
      this.lines.push(JSON.parse(line) as Line);
    });
    this.child.stderr!.on("data", (data) => (this.errors += String(data)));
    const { name, motion, fields } = Car;
    this.tell({ definition: { name, motion, fields } });
  }

  tell(line: object): void {
    this.child.stdin!.write(`${JSON.stringify(line)}\n`);
  }

  get states(): Required<Pick<Line, "tick" | "values" | "isWhole" | "isDirect">>[] {
    return this.lines.filter(({ values }) => values !== undefined) as never;
  }

  has(key: keyof Line): boolean {
    if (this.errors !== "") throw new Error(this.errors);
    return this.lines.some((line) => line[key] !== undefined);
  }
}

describe.skipIf(!hasPython)("a participant in Python, written from the documents alone", () => {
  const stage = new Stage();
  const children: ChildProcess[] = [];

  afterEach(() => {
    for (const child of children.splice(0)) child.kill("SIGKILL");
  });

  test("[WF45] [WF46] [WF49] joins, drives, resumes after a cut with its token, and leaves", async () => {
    const server = await stage.server();
    const room = await stage.join(server);
    const player = new SecondPlayer(server.url);
    children.push(player.child);
    const left: number[] = [];
    room.onPeerLeave(({ number }) => left.push(number));
    const heard: unknown[] = [];
    room.onMessage("lap", (message) => heard.push(message));
    await until("it joins", () => player.has("joined") && room.peers.length === 1);
    const car = room.spawn(Car);
    const shown: { x: number; y: number; heading: number }[] = [];
    const play = async (what: string, isTrue: () => boolean): Promise<void> => {
      const startMs = performance.now();
      while (!isTrue()) {
        if (performance.now() - startMs > 9000) throw new Error(`${what}: ${player.errors}`);
        const seconds = performance.now() / 1000;
        car.position.set(50 * Math.sin(seconds), 3);
        car.velocity.set(50 * Math.cos(seconds), 0);
        car.throttle = Math.sin(3 * seconds);
        for (const { owner, position, heading } of room.entities(Car))
          if (owner) shown.push({ x: position.x, y: position.y, heading });
        await pause(1000 / 60);
      }
    };

    player.tell({ send: ["lap", 1] });
    room.send("horn", { loud: true, notes: [1, -2, 0.5], name: "Grüße" });
    await play("each sees the other", () => player.states.length > 30 && shown.length > 60);
    await play("messages come", () => heard.length === 1 && player.has("command"));
    player.tell({ cut: true });
    for (const lap of [2, 3]) player.tell({ send: ["lap", lap] });
    room.send("horn", "after");
    await play("it resumes", () => player.has("resumed"));
    const [atResume, shownAtResume] = [player.states.length, shown.length];
    player.tell({ send: ["lap", 4] });
    await play("both go on", () => player.states.length > atResume + 20 && shown.length > shownAtResume + 40);
    await play("what was lost comes again", () => heard.length >= 4);
    await play("so does ours", () => player.lines.filter(({ command }) => command).length >= 2);
    player.tell({ leave: true });
    await once(player.child, "exit");
    await until("it has left", () => room.peers.length === 0);

    expect(player.errors).toBe("");
    expect(heard).toEqual([1, 2, 3, 4]);
    expect(player.lines.flatMap(({ command }) => (command ? [command] : []))).toEqual([
      ["horn", { loud: true, notes: [1, -2, 0.5], name: "Grüße" }],
      ["horn", "after"],
    ]);
    expect(left).toHaveLength(1);
    // After a cut, repeated messages are dropped as duplicates. There are no other drops.
    const drops = new Set(player.lines.flatMap(({ drop }) => drop ?? []));
    expect([...drops].filter((drop) => drop !== "duplicate")).toEqual([]);
    expect(player.has("desync")).toBe(false);
    expect(player.lines.at(-1)).toEqual({ left: 4000 });
    expect(player.states.filter(({ isWhole }) => !isWhole).length).toBeGreaterThan(20);
    for (const { values } of player.states.slice(5)) {
      expect(Math.abs(values.position[0])).toBeLessThanOrEqual(50.01);
      expect(values.position[1]).toBeCloseTo(3, 2);
    }
    const directions = shown.map(({ x, y }) => Math.atan2(y, x));
    expect(Math.max(...directions) - Math.min(...directions)).toBeGreaterThan(0.5);
    for (const { x, y } of shown) expect(Math.abs(Math.hypot(x, y) - RADIUS_M)).toBeLessThan(2);
    expect(room.drops.total).toBe(0);
  });

  // `pnpm verify` installs aiortc and sets this variable to its Python. Without it the test is skipped.
  const aiortcPython = process.env.PACELINE_AIORTC_PYTHON;
  test.runIf(aiortcPython)("[WF41] exchanges states with a real client over a direct link", async () => {
    const server = await stage.server();
    const webRtc = (await nodeWebRtc())!;
    const room = await stage.join(server, { webRtc });
    const player = new SecondPlayer(server.url, aiortcPython, "--webrtc");
    children.push(player.child);
    await until("it joins", () => player.has("joined") && room.peers.length === 1);
    const car = room.spawn(Car);
    const states = (): number => player.states.filter(({ isDirect }) => isDirect).length;
    const shown: number[] = [];
    const startMs = performance.now();
    while (states() < 40 || room.peers[0]!.path !== "direct" || shown.length < 60) {
      const { peers, drops } = room;
      const report = JSON.stringify({ states: states(), shown: shown.length, channel: peers[0]?.channel });
      if (performance.now() - startMs > 15_000)
        throw new Error(`${report} ${player.errors} ${JSON.stringify(drops.toRecord())}`);
      const seconds = performance.now() / 1000;
      car.position.set(50 * Math.sin(seconds), 3);
      car.velocity.set(50 * Math.cos(seconds), 0);
      for (const { owner, position } of room.entities(Car))
        if (owner && peers[0]!.path === "direct") shown.push(Math.hypot(position.x, position.y));
      await pause(1000 / 60);
    }
    expect(player.has("direct")).toBe(true);
    for (const radius of shown) expect(Math.abs(radius - RADIUS_M)).toBeLessThan(2);
    for (const { values } of player.states.slice(5)) expect(values.position[1]).toBeCloseTo(3, 2);
    player.tell({ leave: true });
    await once(player.child, "exit");
    expect(player.errors).toBe("");
  });
});
