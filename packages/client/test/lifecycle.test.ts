import { Client, type Room } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import { CloseCode } from "@paceline/protocol";
import {
  newLinkCounters,
  systemScheduler,
  type LinkHandlers,
  type LinkState,
  type SignalledLink,
  type WebRtcLinkMaker,
} from "@paceline/transport";
import { afterEach, describe, expect, test, vi } from "vitest";
import { Stage } from "./stage.js";
import { TestPage } from "./test-page.js";
import { pause, until } from "./until.js";

const stage = new Stage();

/** A link that no peer can be reached over. */
class RefusedLink implements SignalledLink {
  readonly kind = "webrtc";
  readonly isUnreliable = true;
  readonly counters = newLinkCounters();
  readonly queuedBytes = 0;
  readonly route = undefined;
  readonly hint = undefined;
  state: LinkState = "connecting";

  start(handlers: LinkHandlers): void {
    setTimeout(() => {
      this.state = "closed";
      handlers.onClose({ code: CloseCode.timeout, reason: "no way" });
    });
  }

  signal(): void {}
  send(): void {}

  hasRoom(): boolean {
    return true;
  }

  close(): void {
    this.state = "closed";
  }
}

function lifeOf(room: Room): string[] {
  const life: string[] = [];
  room.onDrop(() => life.push("drop"));
  room.onReconnect(({ resumed }) => life.push(resumed ? "resumed" : "joined again"));
  room.onLeave((code) => life.push(`left ${code}`));
  room.onPeerLeave(() => life.push("peer left"));
  room.onMessage("n", () => life.at(-1) === "message" || life.push("message"));
  return life;
}

function numbersHeard(room: Room): number[] {
  const numbers: number[] = [];
  room.onMessage("n", (n) => numbers.push(n as number));
  return numbers;
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

describe("one step into a room", () => {
  afterEach(() => vi.unstubAllGlobals());

  test("takes no request except that of the link", async () => {
    const server = await stage.server();
    vi.stubGlobal("fetch", () => Promise.reject(new Error("no HTTP here")));
    const room = await stage.join(server);
    expect(room.name).toBe("race");
    await expect(stage.client(server).join("duel")).rejects.toThrow("match/not-found");
    await expect(stage.client(server).create("chess")).rejects.toThrow("match/unknown-room");
  });

  test("falls back to a request over HTTP if the server does not understand the upgrade", async () => {
    const server = await stage.server();
    const webSocket = class extends NodeWebSocket {
      constructor(url: string, [name = "", credential = ""]: string[] = []) {
        super(url, [name, credential.replace("join.", "unheard-of.")]);
      }
    };
    const room = await stage.join(server, { webSocket });
    expect(room.state).toBe("joined");
    await expect(stage.client(server, { webSocket }).join("duel")).rejects.toThrow("match/not-found");
    expect(server.relay.health().sessions).toBe(1);
  });

  test("by a room's id learns the room's options, for a later return", async () => {
    const server = await stage.server();
    const { port } = server;
    const first = stage.keep(await stage.client(server).create("race", { track: "hill" }));
    const second = stage.keep(await stage.client(server).joinById(first.roomId));
    const life = lifeOf(second);
    first.leave();
    await server.stop();
    const next = await stage.server({}, port);
    await until("it is back", () => life.includes("joined again"));
    const third = stage.keep(await stage.client(next).join("race", { track: "hill" }));
    expect(third.roomId).toBe(second.roomId);
  });
});

describe("a network that changes", () => {
  test("moves the link without a drop; no message is lost, repeated or out of order", async () => {
    const server = await stage.server({ limits: { packetsPerSecond: 5000, packetBurst: 50_000 } });
    const page = new TestPage();
    // On a busy machine round trips are late, and without this limit a client opens more sockets.
    const [a, b] = [await stage.join(server, { page, sockets: 1 }), await stage.join(server, { sockets: 1 })];
    await until("they have met", () => a.peers.length === 1 && b.peers.length === 1);
    const [atA, atB, life] = [numbersHeard(a), numbersHeard(b), lifeOf(a)];
    let sent = 0;
    for (let move = 0; move < 20; move++) {
      page.tell("online");
      for (let count = 0; count < 10; count++, sent++) {
        a.send("n", sent);
        b.send("n", sent);
        if (count % 3 === 0) await pause(2);
      }
    }
    await until("all has arrived", () => atA.length >= sent && atB.length >= sent);
    await pause(100);
    expect([atA, atB]).toEqual([upTo(sent), upTo(sent)]);
    expect(life).toEqual(["message"]);
    await until("one socket each is left", () => server.relay.health().connections === 2);
    expect(server.relay.health().sessions).toBe(2);
  });
});

describe("a network that comes and goes", () => {
  /** Returns links that fail at once, and a counter of them. */
  function failingLinks(): { webRtc: WebRtcLinkMaker; count(): number } {
    let count = 0;
    const webRtc = (): SignalledLink => {
      count += 1;
      return new RefusedLink();
    };
    return { webRtc, count: () => count };
  }

  test("makes the client retry direct paths at once, instead of after seconds", async () => {
    const server = await stage.server();
    const page = new TestPage();
    const tried = failingLinks();
    const first = await stage.join(server, { webRtc: () => new RefusedLink() });
    // The one that joins later makes the offer.
    const second = await stage.join(server, { page, webRtc: tried.webRtc });
    await until("they have met", () => first.peers.length === 1 && second.peers.length === 1);
    // The fourth attempt comes ten seconds after the third.
    await until("three attempts were made", () => tried.count() >= 3, 10_000);
    await pause(100);
    const before = tried.count();
    page.tell("online");
    expect(tried.count()).toBe(before + 1);
  });

  test("is noticed: offline makes the client ping and closes nothing; online opens another link at once", async () => {
    const server = await stage.server();
    const page = new TestPage();
    const a = await stage.join(server, { page });
    const life = lifeOf(a);
    page.tell("offline");
    await pause(50);
    expect([life, a.state, server.relay.health().connections]).toEqual([[], "joined", 1]);
    page.tell("online");
    page.tell("online");
    await until("the session has moved", () =>
      a.transport.history.some(({ about, reason }) => about === "server" && reason !== "joined"),
    );
    await until("one socket is left", () => server.relay.health().connections === 1);
    expect([life, a.state]).toEqual([[], "joined"]);
  });
});

describe("a page", () => {
  test("reports that it sleeps and wakes: drop and return come before any message", async () => {
    const server = await stage.server({ limits: { reconnectGraceMs: 0 } });
    const page = new TestPage();
    const [a, b] = [await stage.join(server, { page }), await stage.join(server)] as const;
    await until("they have met", () => a.peers.length === 1 && b.peers.length === 1);
    const [lifeA, lifeB] = [lifeOf(a), lifeOf(b)];
    page.tell("suspend");
    await until("it is away", () => a.state === "dropped");
    for (const n of upTo(5)) b.send("n", n);
    await pause(200);
    expect(a.state).toBe("dropped");
    page.tell("wake");
    await until("what was sent meanwhile is here", () => lifeA.includes("message"));
    expect(lifeA).toEqual(["drop", "resumed", "message"]);
    expect(lifeB).toEqual([]);
  });

  test("refuses more sockets than are allowed", () => {
    const options = { profile: "racing", webSocket: NodeWebSocket } as const;
    expect(() => new Client("http://x.example", { ...options, sockets: 4 as 3 })).toThrow(/sockets/);
  });
});

describe("several sockets", () => {
  test("are opened if the game wants them, named in the reasons, and closed again", async () => {
    // A server that its clock shows to be slow gives no tickets for sockets, so this one stands still.
    const server = await stage.server({ scheduler: { ...systemScheduler, nowMs: () => 0 } });
    const a = await stage.join(server, { sockets: 3 });
    await until("three are open", () => server.relay.health().connections === 3);
    const server3 = await vi.waitFor(async () => {
      const row = (await a.transport.explain()).find(({ about }) => about === "server");
      expect(row?.choice).toMatch(/^3 websockets/);
      return row;
    });
    expect(server3?.reason).toContain("the game asks for so many");
    server.cutLinks(2);
    await until("the third is opened again", () => server.relay.health().connections === 3);
    a.leave();
    await until("all are closed", () => server.relay.health().connections === 0);
  });
});

describe("a server that moves", () => {
  test("names another one, at which its sessions continue", async () => {
    const [old, next] = [await stage.server(), await stage.server()];
    const [a, b] = (await stage.meet(old, 2)) as [Room, Room];
    const lives = [lifeOf(a), lifeOf(b)];
    await old.relay.stop({ drainMs: 200, moveTo: next.url });
    await until("both are there", () => lives.every((life) => life.includes("joined again")));
    expect(next.relay.health()).toMatchObject({ rooms: 1, sessions: 2 });
    expect(a.roomId).toBe(b.roomId);
    expect(CloseCode.serverShutdown).toBe(4001);
  });
});
