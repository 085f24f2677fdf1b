import { setTimeout as pause } from "node:timers/promises";
import { Client, type Room as ClientRoom } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import { defineServer, type Player, type UncaughtAnswer } from "@paceline/server";
import { afterEach, beforeEach, describe, expect, it, vi, type MockInstance } from "vitest";
import { RaceRoom } from "./race.js";

vi.setConfig({ testTimeout: 20_000 });

/** The open sockets. A test cuts them without a close, like a pulled cable. */
const sockets: InstanceType<typeof NodeWebSocket>[] = [];
let isCut = false;
class CutSocket extends NodeWebSocket {
  constructor(url: string, protocols: string[]) {
    super(isCut ? "ws://127.0.0.1:1" : url, protocols);
    sockets.push(this);
  }
}

const mistake = (): never => {
  throw new TypeError("a mistake of the game");
};
const late = async (): Promise<never> => {
  await pause(1);
  return mistake();
};

/** A room that fails in the hook that its options name. Good rooms of the class run beside bad ones. */
class FrailRoom extends RaceRoom {
  static override onAuth({ options }: { readonly options: Readonly<Record<string, unknown>> }): unknown {
    if (options["name"] === "onAuth") setTimeout(mistake, 5);
    return true;
  }

  static readonly rooms: FrailRoom[] = [];
  static hasHook = false;
  readonly heard: string[] = [];
  fault = "";
  answer: UncaughtAnswer | "throw" = undefined;
  override readonly reconnectSeconds = 2;

  override onCreate({ track = "" }: { track?: string } = {}): unknown {
    const [fault = "", answer] = track.split(" ");
    this.fault = fault;
    this.answer = answer as UncaughtAnswer;
    FrailRoom.rooms.push(this);
    if (answer !== undefined) {
      this.onUncaughtException = (error, hook) => {
        this.heard.push(`${hook}: ${(error as Error).message}`);
        return this.answer === "throw" ? mistake() : this.answer;
      };
    }
    this.onMessage("horn", () => {
      if (this.fault === "timer") setTimeout(mistake, 1);
      if (this.fault === "immediate") setImmediate(mistake);
      if (this.fault === "floating") void late();
      return this.#maybe("onMessage");
    });
    this.onRequest("lap", () => this.#maybe("onRequest") as never);
    this.clock.setTimeout(() => this.#maybe("clock"), 30);
    return this.#maybe("onCreate");
  }
  override onJoin(player: Player): unknown {
    super.onJoin(player);
    return this.#maybe("onJoin");
  }
  override onAnyMessage(): unknown {
    return this.#maybe("onAnyMessage");
  }
  override onTick(): unknown {
    return this.#maybe("onTick");
  }
  override onDrop(): unknown {
    return this.#maybe("onDrop");
  }
  override onReconnect(): unknown {
    return this.#maybe("onReconnect");
  }
  override onLeave(): unknown {
    return this.#maybe("onLeave");
  }
  override onDrain(): unknown {
    return this.#maybe("onDrain");
  }
  override onDispose(): unknown {
    return this.#maybe("onDispose");
  }

  #maybe(hook: string): unknown {
    if (this.fault === hook) return mistake();
    return this.fault === `${hook}Late` ? late() : { laps: 1 };
  }
}

/** Cut every socket since the last join of a good player: on a busy machine a client opens a second one. */
let firstToCut = 0;
const cut = async (): Promise<void> => {
  isCut = true;
  for (const socket of sockets.slice(firstToCut)) (socket as unknown as { terminate(): void }).terminate();
  // The server must notice the loss before the client is back.
  await pause(100);
  isCut = false;
};
const provoked: Readonly<Record<string, (room: ClientRoom | undefined, server: Frail) => unknown>> = {
  onCreate: () => undefined,
  onJoin: () => undefined,
  onTick: () => undefined,
  clock: () => undefined,
  onMessage: (room) => room!.send("horn", { loud: true }),
  onAnyMessage: (room) => room!.send("other", 1),
  onRequest: (room) => void room!.request("lap", { car: 1 }).catch(() => undefined),
  onDrop: cut,
  onReconnect: cut,
  onLeave: (room) => room!.leave(),
  onDispose: (room) => room!.leave(),
  onDrain: (_, server) => void server.drain({ timeoutMs: 10 }),
};
type Frail = ReturnType<typeof newServer>;
const newServer = () => defineServer({ rooms: { race: FrailRoom }, guardsProcess: true });

let server: Frail;
let url: string;
let printed: MockInstance<typeof console.error>;
/** Remove vitest's listeners, which would report these contained errors as failures of the run. */
let others: (() => void)[] = [];
beforeEach(async () => {
  others = [];
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    for (const fn of process.listeners(event as "uncaughtException"))
      others.push(() => process.on(event as "uncaughtException", fn));
    process.removeAllListeners(event);
  }
  FrailRoom.rooms.length = 0;
  printed = vi.spyOn(console, "error").mockImplementation(() => undefined);
  server = newServer();
  url = await server.listen(0);
});
afterEach(async () => {
  await server.stop({ drainMs: 100 });
  for (const restore of others) restore();
  vi.restoreAllMocks();
});

function join(track: string, more: object = {}): Promise<ClientRoom> {
  const client = new Client(url, { profile: "racing", webSocket: CutSocket, transports: ["websocket"] });
  return client.joinOrCreate("race", { track, ...more });
}

const eventually = <Value>(check: () => Value): Promise<Value> =>
  vi.waitFor(check, { timeout: 5000, interval: 5 });

function errorsOf(hook: string): number {
  return server.classReports()[0]!.counters.hookErrors[hook] ?? 0;
}

const texts = (): string[] => printed.mock.calls.map((parts) => parts.join(" "));

async function expectAlive(other: ClientRoom): Promise<void> {
  expect(other.state).toBe("joined");
  await expect(other.request("lap", { car: 1 })).resolves.toEqual({ laps: 1 });
}

describe("an error of a hook is its room's", () => {
  it.each(Object.keys(provoked).flatMap((hook) => [hook, `${hook}Late`]))(
    "%s: counted, printed once with its stack; another room goes on",
    async (fault) => {
      const hook = fault.replace("Late", "");
      // `onAnyMessage` counts as a message handler.
      const name = hook.replace("Any", "");
      const other = await join("good");
      firstToCut = sockets.length;
      const room = await join(fault).catch(() => undefined);
      await provoked[hook]!(room, server);
      await eventually(() => expect(errorsOf(name)).toBeGreaterThan(0));
      const lines = texts().filter((text) => text.includes(`hook=${name}`));
      expect(lines).toHaveLength(1);
      expect(lines[0]).toContain("TypeError: a mistake of the game\n    at ");
      await expectAlive(other);
      void room?.leave();
    },
  );
});

describe("an error in code that a hook has started", () => {
  it.each(["timer", "immediate"])("%s: ends its room, and nothing else", async (fault) => {
    const other = await join("good");
    const room = await join(fault);
    room.send("horn", { loud: true });
    await eventually(() => expect(room.state).toBe("left"));
    expect(errorsOf("uncaughtException")).toBe(1);
    expect(texts()[0]).toContain("hook=uncaughtException startedBy=onMessage");
    await expectAlive(other);
  });

  it("a promise that nothing awaits: its room goes on", async () => {
    const room = await join("floating");
    room.send("horn", { loud: true });
    await eventually(() => expect(errorsOf("unhandledRejection")).toBe(1));
    expect(texts()[0]).toContain("hook=unhandledRejection startedBy=onMessage");
    await expectAlive(room);
  });

  it("in onAuth, before there is a room: counted for its class, and survived", async () => {
    const room = await join("good", { name: "onAuth" });
    await eventually(() => expect(errorsOf("uncaughtException")).toBe(1));
    await expectAlive(room);
  });

  it("a promise outside of rooms: counted, logged and survived", async () => {
    const room = await join("good");
    void late();
    await eventually(() => expect(server.counts.faults.rejection).toBe(1));
    expect(texts()[0]).toContain("TypeError: a mistake of the game\n    at ");
    await expectAlive(room);
  });
});

describe("onUncaughtException", () => {
  it.each([
    ["onMessage end", "left"],
    ["onMessage continue", "joined"],
    ["onMessage throw", "joined"],
    ["onRequest end", "left"],
    ["floating end", "left"],
    ["timer continue", "joined"],
    ["timer throw", "left"],
  ])("%s: the room is %s", async (track, state) => {
    const other = await join("good");
    const room = await join(track);
    room.send("horn", { loud: true });
    room.request("lap", { car: 1 }).catch(() => undefined);
    await eventually(() => expect(FrailRoom.rooms[1]!.heard).toHaveLength(1));
    expect(FrailRoom.rooms[1]!.heard[0]).toMatch(/^\w+: a mistake of the game$/);
    await eventually(() => expect(room.state).toBe(state));
    await expectAlive(other);
    await pause(20);
    expect(room.state).toBe(state);
  });
});

it("logs at most one line a second for each hook, for all rooms together", async () => {
  await Promise.all([join("onTick"), join("onTick continue"), join("onTick throw")]);
  await eventually(() => expect(errorsOf("onTick")).toBeGreaterThan(30));
  expect(texts().filter((text) => text.includes("hook=onTick")).length).toBeLessThan(5);
});
