/** Players who give up while the room's class still decides about them. */
import { Client, type ClientOptions } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import { silentLog } from "@paceline/relay";
import { Room, defineServer } from "@paceline/server";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "./stage.js";

let hooks: string[];
let slowHook: string;
let goOn: () => void;
let slow: Promise<void>;

async function run(hook: string): Promise<void> {
  hooks.push(hook);
  if (hook === slowHook) await slow;
}

class SlowRoom extends Room {
  static override readonly onAuth = async (): Promise<unknown> => {
    await run("onAuth");
    return true;
  };

  override async onCreate(): Promise<void> {
    await run("onCreate");
  }

  override onJoin(): void {
    hooks.push("onJoin");
  }

  override onLeave(): void {
    hooks.push("onLeave");
  }
}

class CutSocket extends NodeWebSocket {
  static readonly all: CutSocket[] = [];
  /** Breaks the socket without a close frame, as when the page's process ends. */
  declare readonly terminate: () => void;

  constructor(...parts: ConstructorParameters<typeof NodeWebSocket>) {
    super(...parts);
    CutSocket.all.push(this);
  }
}

let server: ReturnType<typeof serve>;
let url: string;
const serve = () =>
  defineServer({ rooms: { race: SlowRoom }, queues: { race: { players: 2 } }, log: silentLog });

beforeEach(async () => {
  hooks = [];
  slowHook = "";
  slow = new Promise((resolve) => (goOn = resolve));
  server = serve();
  url = await server.listen(0);
});
afterEach(() => server.stop({ drainMs: 50 }));

const clientWith = (options: Partial<ClientOptions> = {}): Client =>
  new Client(url, { profile: "racing", webSocket: CutSocket, transports: ["websocket"], ...options });

const taken = (): number => server.rooms().reduce((sum, room) => sum + room.taken, 0);

/** Expects that nobody has a seat, and that no `onJoin` has run, also a moment after the slow hook. */
async function expectNobody(before: readonly string[]): Promise<void> {
  // The server reads the end of the socket, or of the match request, a moment after the client has written it.
  await eventually(() => expect(server.health().connections).toBe(0));
  await pause(50);
  goOn();
  await eventually(() => expect([server.health().sessions, taken()]).toEqual([0, 0]), 3000);
  await pause(100);
  expect(hooks).toEqual(before);
  expect([server.health().sessions, taken(), server.health().rooms]).toEqual([0, 0, 0]);
}

const tokens = { "in one step": {}, "in two steps": { authToken: "a token" } };
const waysOut = ["aborts", "loses its page"] as const;
const cases = Object.entries(tokens).flatMap(([step, options]) =>
  waysOut.flatMap((out) => ["onAuth", "onCreate"].map((hook) => ({ step, options, out, hook }))),
);

describe("a player", () => {
  test.each(cases)("who joins $step and $out in $hook leaves no player and no seat", async (each) => {
    slowHook = each.hook;
    const controller = new AbortController();
    const { signal } = controller;
    const joining = clientWith(each.options).joinOrCreate("race", {}, { signal });
    joining.catch(() => undefined);
    await eventually(() => expect(hooks).toContain(each.hook));
    if (each.out === "loses its page") for (const socket of CutSocket.all.splice(0)) socket.terminate();
    controller.abort();
    await expect(joining).rejects.toMatchObject({ name: "AbortError" });
    await expectNobody(each.hook === "onAuth" ? ["onAuth"] : ["onAuth", "onCreate"]);
  });

  test("who waits for a match and aborts in onAuth of the queue leaves no player and no seat", async () => {
    slowHook = "onAuth";
    const controller = new AbortController();
    const queueing = clientWith().queue("race", { signal: controller.signal });
    queueing.catch(() => undefined);
    await eventually(() => expect(hooks).toContain("onAuth"));
    controller.abort();
    await expectNobody(["onAuth"]);
  });

  test("who leaves the queue while the room of the match opens has no seat in it", async () => {
    slowHook = "onCreate";
    const [a, b] = [await clientWith().queue("race"), await clientWith().queue("race")];
    for (const { room } of [a, b]) room.catch(() => undefined);
    await eventually(() => expect(hooks).toContain("onCreate"));
    a.cancel();
    b.cancel();
    await eventually(() => expect(server.health().sessions).toBe(0));
    await expectNobody(["onAuth", "onAuth", "onCreate"]);
  });
});
