import { connect } from "node:net";
import { Client, NetError, type ClientOptions, type Room as ClientRoom } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import {
  CloseCode,
  WEBSOCKET_PROTOCOL,
  writeAuthority,
  writeInputs,
  writePeerPayload,
} from "@paceline/protocol";
import { Session, WebSocketLink, systemScheduler } from "@paceline/transport";
import type { ServerOptions, RoomClass } from "@paceline/server";
import { afterEach, describe, expect, it } from "vitest";
import { Drive, RaceRoom } from "./race.js";
import { RudeProxy, type Rudeness } from "./rude-proxy.js";
import { Stage, eventually } from "./stage.js";

const LIMITS = { perSecond: 50, burst: 100 };
/** The most messages of one player that a room may have accepted since then, plus one. */
function allowedSince(startedAtMs: number): number {
  return LIMITS.burst + ((performance.now() - startedAtMs) / 1000) * LIMITS.perSecond + 1;
}

class Busy extends RaceRoom {
  override maxPlayers = 500;
  override readonly reconnectSeconds: number = 1;
  override readonly messageLimits = { ...LIMITS, types: { rare: 1 } };
  readonly heard = new Map<string, number>();

  override onCreate(): void {
    super.onCreate();
    for (const type of ["often", "rare"]) {
      this.onMessage(type as "horn", () => this.heard.set(type, (this.heard.get(type) ?? 0) + 1));
    }
  }
}

let stage: Stage<Busy>;
const proxies: RudeProxy[] = [];
const rooms: ClientRoom[] = [];
afterEach(async () => {
  for (const room of rooms.splice(0)) room.leave();
  for (const proxy of proxies.splice(0)) proxy.stop();
  await stage.stop();
});

type Options = Partial<Omit<ServerOptions<{ race: RoomClass }>, "rooms">>;

/** Starts a server with a room whose player must not notice what happens in other rooms. */
async function withNeighbour(options: Options = {}): Promise<() => Promise<void>> {
  stage = await new Stage(Busy, options).start();
  const neighbour = await stage.join({ track: "next door" });
  const host = stage.rooms[0]!;
  return async () => {
    const { tick } = host;
    const startedAtMs = performance.now();
    expect(await neighbour.request("lap", { car: 2 })).toEqual({ laps: 4 });
    expect(performance.now() - startedAtMs).toBeLessThan(1500);
    await eventually(() => expect(host.tick).toBeGreaterThan(tick + 3), 1500);
    expect(neighbour.state).toBe("joined");
    expect(host.players.size).toBe(1);
  };
}

const client = (url: string, options: Partial<ClientOptions> = {}): Client =>
  new Client(url, { profile: "racing", webSocket: NodeWebSocket, transports: ["websocket"], ...options });

async function through(rudeness: Rudeness, options: Partial<ClientOptions> = {}): Promise<ClientRoom> {
  const proxy = await RudeProxy.before(stage.url, rudeness);
  proxies.push(proxy);
  const room = await client(proxy.url, options).joinOrCreate("race", { track: "far" });
  rooms.push(room);
  return room;
}

/** A token makes the client ask for its ticket in a request of its own. */
const twoSteps = { authToken: "somebody" };

async function match(path: string, track: string): Promise<{ status: number; ticket: string }> {
  const body = JSON.stringify({ version: 5, options: { track } });
  const response = await fetch(`${stage.url}/match/${path}`, { method: "POST", body });
  const { ticket = "" } = (await response.json()) as { ticket?: string };
  return { status: response.status, ticket };
}

/** Opens a session through which a test sends any bytes. */
async function rawSession(track: string): Promise<Session> {
  const { ticket } = await match("joinOrCreate/race", track);
  const url = `${stage.url.replace("http", "ws")}/link`;
  const socket = new NodeWebSocket(url, [WEBSOCKET_PROTOCOL, `ticket.${ticket}`]);
  const ignore = (): void => undefined;
  let isIn = false;
  const session = new Session({
    scheduler: systemScheduler,
    handlers: {
      onReliable: () => (isIn = true),
      onRouted: ignore,
      onEvent: ignore,
      onState: ignore,
      onClosed: ignore,
    },
  });
  const link = new WebSocketLink(socket, { scheduler: systemScheduler });
  session.attach(link, {
    preference: 1,
    needsProof: false,
    connectTimeoutMs: 5000,
    timeoutMs: 10_000,
    heartbeatMs: 1000,
  });
  await eventually(() => expect(isIn).toBe(true));
  return session;
}

describe("messages", () => {
  it("10000 a second: most are dropped and counted, the player gets a notice, others are not affected", async () => {
    const othersAreFine = await withNeighbour();
    const room = await stage.join({ track: "loud" });
    const errors: string[] = [];
    room.onError(({ code, message }) => errors.push(`${code} ${message}`));
    const startedAtMs = performance.now();
    let sent = 0;
    // A busy machine takes longer.
    while (sent < 9000 && room.state === "joined") {
      const due = (performance.now() - startedAtMs) * 10;
      try {
        for (; sent < due; sent++) room.send("often", sent);
      } catch (error) {
        // The client's own queue of 1024 messages is full.
        if (!(error instanceof NetError)) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await othersAreFine();
    const host = stage.rooms[1]!;
    const { messagesLimited } = stage.server.reports().find(({ roomId }) => roomId === host.roomId)!.counters;
    expect(messagesLimited).toBeGreaterThan(200);
    expect(host.heard.get("often")).toBeLessThan(allowedSince(startedAtMs));
    await eventually(() => expect(errors[0]).toMatch(/^message\/refused too many messages/));
    expect(errors.length).toBeLessThan(10);
  });

  it("10000 a second in packets within all limits: those beyond the allowance are dropped and counted", async () => {
    const othersAreFine = await withNeighbour();
    const raw = await rawSession("loud");
    const host = stage.rooms[1]!;
    const startedAtMs = performance.now();
    const payload = writePeerPayload({ kind: "command", type: "often", message: 1 });
    let sent = 0;
    // A busy machine takes longer.
    while (sent < 5000 && !raw.isClosed) {
      const due = Math.min(5000, (performance.now() - startedAtMs) * 10);
      for (; sent + 50 <= due && raw.commands.length < 950; sent += 50) {
        raw.sendAllReliable(Array.from({ length: 50 }, () => payload));
      }
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(sent).toBe(5000);
    const counters = () => stage.server.reports().find(({ roomId }) => roomId === host.roomId)!.counters;
    await eventually(() => expect(counters().messages + counters().messagesLimited).toBe(sent));
    const allowed = allowedSince(startedAtMs);
    expect(host.heard.get("often")).toBeLessThan(allowed);
    expect(counters().messagesLimited).toBeGreaterThan(sent - allowed);
    await othersAreFine();
    raw.close(CloseCode.left, "done");
  });

  it("of a single type may have a lower limit; a request beyond it gets an error reply", async () => {
    const othersAreFine = await withNeighbour();
    const room = await stage.join({ track: "loud" });
    for (let sent = 0; sent < 10; sent++) room.send("rare", sent);
    const answers = await Promise.allSettled(
      Array.from({ length: 150 }, (_, car) => room.request("lap", { car })),
    );
    const refused = answers.filter(({ status }) => status === "rejected");
    expect(refused.length).toBeGreaterThan(20);
    expect((refused[0] as PromiseRejectedResult).reason).toMatchObject({ code: "request/refused" });
    expect(stage.rooms[1]!.heard.get("rare")).toBe(1);
    await othersAreFine();
  });

  it("packets without end: the sender is cut, and the cut is counted", async () => {
    const othersAreFine = await withNeighbour({ limits: { floodPatienceMs: 200 } });
    const { ticket } = await match("joinOrCreate/race", "loud");
    const socket = new NodeWebSocket(`${stage.url.replace("http", "ws")}/link`, [
      WEBSOCKET_PROTOCOL,
      `ticket.${ticket}`,
    ]);
    await new Promise<void>((resolve) => socket.addEventListener("open", () => resolve()));
    const closed = new Promise<number>((resolve) =>
      socket.addEventListener("close", (event) => resolve((event as { code: number }).code)),
    );
    const flood = setInterval(() => {
      for (let sent = 0; sent < 100; sent++)
        socket.send(Uint8Array.of(0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    }, 5);
    try {
      expect([CloseCode.flooding, CloseCode.protocolViolation]).toContain(await closed);
    } finally {
      clearInterval(flood);
    }
    const { counts } = stage.server;
    expect(Object.keys(counts.sessionEnds)).toHaveLength(1);
    await othersAreFine();
  });
});

describe("entities", () => {
  it("of others: states, removals and inputs for what one does not own are dropped and counted", async () => {
    const othersAreFine = await withNeighbour();
    const owner = await stage.join({ track: "mine" });
    const host = stage.rooms[1]!;
    const thief = await rawSession("mine");
    await eventually(() => expect(host.cars.size).toBe(2));
    const [car] = host.cars.values();
    const { x } = car!.position;
    for (const localId of [0, 1, car!.id]) {
      thief.sendState(Uint8Array.of(0, localId), localId + 1);
      thief.sendReliable(writeAuthority({ type: "disown", localId }));
    }
    const counters = () => stage.server.reports().find(({ roomId }) => roomId === host.roomId)!.counters;
    await eventually(() => expect(counters().notAllowed).toBeGreaterThanOrEqual(3));
    expect(car!.position.x).toBe(x);
    expect(host.cars.size).toBe(2);
    // Inputs always move the sender's own car: they cannot name another one.
    thief.sendInput(writeInputs(Drive, { newest: 1, rows: [Float32Array.of(0, 1, 0)] }));
    await eventually(() => expect(counters().inputs).toBe(1));
    expect(car!.velocity.x).toBe(0);
    expect(owner.state).toBe("joined");
    await othersAreFine();
    thief.close(CloseCode.left, "done");
  });
});

describe("joining", () => {
  it("in a storm: joins beyond the limit are told to retry later, and counted; others are not affected", async () => {
    const limits = { joinBurstPerRoom: 30, joinsPerSecondPerRoom: 1, matchBurstPerAddress: 1000 };
    const othersAreFine = await withNeighbour({ limits });
    const answers = await Promise.all(Array.from({ length: 200 }, () => match("joinOrCreate/race", "storm")));
    const taken = answers.filter(({ status }) => status === 200).length;
    expect(taken).toBeGreaterThanOrEqual(30);
    expect(taken).toBeLessThan(60);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(200 - taken);
    expect(stage.server.counts.limited.joinsPerRoom).toBe(200 - taken);
    await othersAreFine();
  });

  it("opens rooms for one address up to a limit", async () => {
    let address = "192.0.2.1";
    const limits = { roomBurstPerAddress: 5, roomsPerMinutePerAddress: 1 };
    const othersAreFine = await withNeighbour({ limits, addressOf: () => address });
    const statuses: number[] = [];
    for (let opened = 0; opened < 6; opened++) statuses.push((await match("create/race", "mine")).status);
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
    expect(stage.server.counts.limited.roomsPerAddress).toBe(2);
    // Players may still join a room that is already open.
    expect((await match("join/race", "mine")).status).toBe(200);
    address = "192.0.2.2";
    expect((await match("create/race", "mine")).status).toBe(200);
    await othersAreFine();
  });

  it("from a page of another origin is refused, and counted", async () => {
    const othersAreFine = await withNeighbour();
    const response = await fetch(`${stage.url}/match/joinOrCreate/race`, {
      method: "POST",
      headers: { Origin: "https://evil.example" },
      body: JSON.stringify({ version: 5, options: {} }),
    });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error: { code: "session/origin" } });
    expect(stage.server.counts.matchRefusals).toEqual({ "session/origin": 1 });
    await othersAreFine();
  });
});

describe("a proxy before the server", () => {
  it("delays the link until the ticket has expired: the client gets another one by itself", async () => {
    const othersAreFine = await withNeighbour({ limits: { ticketLifetimeMs: 300 } });
    const room = await through({ firstLinkLateMs: 700 }, twoSteps);
    expect(room.state).toBe("joined");
    expect(stage.server.counts.linkCloses).toMatchObject({ ticketExpired: 1 });
    await othersAreFine();
  });

  it("tries every upgrade twice: the ticket is used up, and the client gets another one", async () => {
    const othersAreFine = await withNeighbour();
    const room = await through({ triesTwice: 1 }, twoSteps);
    expect(room.state).toBe("joined");
    expect(stage.server.counts.linkCloses).toMatchObject({ ticketUsed: 1 });
    await othersAreFine();
  });

  it("always does so: the join fails with the cause", async () => {
    const othersAreFine = await withNeighbour();
    await expect(through({ triesTwice: 9 }, twoSteps)).rejects.toMatchObject({
      code: "session/expired",
      retryable: true,
    });
    expect(stage.server.counts.linkCloses).toMatchObject({ ticketUsed: 2 });
    await othersAreFine();
  });

  it("strips the upgrade: the join fails with possible causes, and the server counts it", async () => {
    const othersAreFine = await withNeighbour();
    await expect(through({ stripsUpgrade: true })).rejects.toMatchObject({
      code: "transport/closed",
      message: expect.stringContaining("lets no WebSocket through") as string,
    });
    expect(stage.server.counts.linkCloses["upgradeMissing"]).toBeGreaterThanOrEqual(1);
    const plain = await fetch(`${stage.url}/link`);
    expect([plain.status, plain.headers.get("upgrade")]).toEqual([426, "websocket"]);
    await othersAreFine();
  });

  it("swallows all packets: the room calls onDrop, then onLeave; others are not affected", async () => {
    const othersAreFine = await withNeighbour({ limits: { linkTimeoutMs: 1000 } });
    await through({});
    const host = stage.rooms[1]!;
    // The server has to have heard the newcomer: it waits longer for the first packet.
    await new Promise((resolve) => setTimeout(resolve, 300));
    proxies[0]!.swallow();
    await eventually(() => expect(host.calls).toContain("drop 1"));
    await othersAreFine();
    await eventually(() => expect(host.calls).toContain(`leave 1 ${CloseCode.timeout}`));
    expect(stage.server.counts.sessionEnds).toEqual({ timeout: 1 });
    await othersAreFine();
  }, 20_000);

  it("holds half-open connections: others are not affected", async () => {
    const othersAreFine = await withNeighbour();
    const { port } = new URL(stage.url);
    const sockets = Array.from({ length: 200 }, (_, index) => {
      const socket = connect(Number(port), "127.0.0.1").on("error", () => undefined);
      // Sockets that send nothing, or a request that never ends.
      if (index % 2 === 0) socket.write("GET /link HTTP/1.1\r\nHost: here\r\n");
      return socket;
    });
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once("connect", resolve))));
    expect((await stage.join({ track: "far" })).state).toBe("joined");
    expect(stage.server.health().connections).toBe(2);
    await othersAreFine();
    for (const socket of sockets) socket.destroy();
  });
});
