import type { Room } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import {
  newLinkCounters,
  type LinkState,
  type SignalledLink,
  type WebRtcLinkMaker,
} from "@paceline/transport";
import { describe, expect, test } from "vitest";
import { Car, Sign } from "./definitions.js";
import type { GameServer } from "./game-server.js";
import { Stage } from "./stage.js";
import { pause, until } from "./until.js";

const stage = new Stage();

function lifeOf(room: Room): string[] {
  const life: string[] = [];
  room.onDrop(() => life.push("drop"));
  room.onReconnect(({ resumed }) => life.push(resumed ? "resumed" : "joined again"));
  room.onLeave((code) => life.push(`left ${code}`));
  room.onPeerJoin(() => life.push("peer"));
  room.onPeerLeave(() => life.push("peer left"));
  return life;
}

/** A link that signals, and that never opens. */
class DeafLink implements SignalledLink {
  readonly kind = "webrtc";
  readonly isUnreliable = true;
  readonly counters = newLinkCounters();
  readonly queuedBytes = 0;
  readonly route = undefined;
  readonly hint = undefined;
  readonly signal: (signal: unknown) => void;
  readonly #send: () => void;
  state: LinkState = "connecting";

  constructor(send: () => void, signal: (signal: unknown) => void) {
    this.#send = send;
    this.signal = signal;
  }

  start(): void {
    this.offer();
  }

  offer(): void {
    if (this.state !== "closed") this.#send();
  }

  send(): void {}

  hasRoom(): boolean {
    return true;
  }

  close(): void {
    this.state = "closed";
  }
}

function numbersHeard(room: Room): number[] {
  const numbers: number[] = [];
  room.onMessage("n", (n) => numbers.push(n as number));
  return numbers;
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);
const remoteCars = (room: Room) => [...room.entities(Car)].filter((car) => !car.isMine);

describe("a link that dies", () => {
  test("is replaced, and no message is lost or repeated in either direction", async () => {
    const server = await stage.server();
    const [a, b] = (await stage.meet(server, 2)) as [Room, Room];
    await until("a sees b", () => a.peers.length === 1);
    const [atA, atB] = [numbersHeard(a), numbersHeard(b)];
    const [lifeA, lifeB] = [lifeOf(a), lifeOf(b)];
    let sent = 0;
    const sendBoth = () => {
      a.send("n", sent);
      b.send("n", sent);
      sent += 1;
    };
    for (; sent < 40;) {
      sendBoth();
      // Half of the messages are sent, and some are on their way.
      if (sent === 20) server.cutLinks(0);
      if (sent % 5 === 0) await pause(2);
    }
    await until("a is back", () => lifeA.includes("resumed"));
    for (let more = 0; more < 10; more++) sendBoth();
    await until("all has arrived", () => atA.length >= sent && atB.length >= sent);
    await pause(80);
    expect(atA).toEqual(upTo(sent));
    expect(atB).toEqual(upTo(sent));
    expect(lifeA).toEqual(["drop", "resumed"]);
    // The others see no event: the session has not ended.
    expect(lifeB).toEqual([]);
    expect(a.state).toBe("joined");
  });

  test("may be that of all players at once, and entities continue", async () => {
    const server = await stage.server();
    const [a, b] = (await stage.meet(server, 2)) as [Room, Room];
    const car = a.spawn(Car);
    expect(remoteCars(b)).toEqual([]);
    await until("b sees the car", () => remoteCars(b).length === 1);
    const [seen] = remoteCars(b);
    const lives = [lifeOf(a), lifeOf(b)];
    server.cutLinks();
    await until("all know", () => a.state === "dropped" && b.state === "dropped");
    car.fuel = 0.5;
    const second = a.spawn(Car, { fuel: 0.75 });
    await until("both are back", () => lives.every((life) => life.includes("resumed")));
    await until("b sees what happened meanwhile", () => remoteCars(b).length === 2 && seen!.fuel === 0.5);
    expect(remoteCars(b)[1]!.id).toBe(second.id);
    expect(remoteCars(b)[0]).toBe(seen);
    expect(lives).toEqual([
      ["drop", "resumed"],
      ["drop", "resumed"],
    ]);
  });

  test("may die again and again", async () => {
    const server = await stage.server();
    const [a, b] = (await stage.meet(server, 2)) as [Room, Room];
    await until("a sees b", () => a.peers.length === 1);
    const atB = numbersHeard(b);
    const life = lifeOf(a);
    for (let round = 0; round < 4; round++) {
      a.send("n", round);
      server.cutLinks();
      await until("a is back", () => life.length === 2 * (round + 1) && b.state === "joined");
    }
    await until("all has arrived", () => atB.length === 4);
    expect(atB).toEqual([0, 1, 2, 3]);
  });
});

/** What a player's life says when it is in its room again. */
const BACK: ReadonlySet<string> = new Set(["resumed", "joined again"]);

/**
 * Cuts links until the server has forgotten the session: the one with number `first`, and after each return
 * the one with number `last`. A client that returns before the server notices the cut is resumed.
 */
async function forget(server: GameServer, [first, last]: [number, number], life: string[]): Promise<void> {
  for (let drops = 0; !life.includes("joined again"); drops++) {
    server.cutLinks(drops === 0 ? first : last);
    await until("it is back", () => life.filter((event) => BACK.has(event)).length > drops);
  }
}

describe("a server that is replaced", () => {
  test.each(["stop", "crash"] as const)(
    "after a %s: the players join a room again and the game continues",
    async (end) => {
      const server = await stage.server();
      const { port } = server;
      const client = stage.client(server);
      const a = stage.keep(await client.create("race", { track: "hill" }));
      const b = stage.keep(await client.joinById(a.roomId));
      const c = stage.keep(await client.joinOrCreate("race", { track: "hill" }));
      expect(remoteCars(b)).toEqual([]);
      const [carA] = [a.spawn(Car, { fuel: 0.25 }), c.spawn(Car, { fuel: 0.75 })];
      await until("b sees both cars", () => remoteCars(b).length === 2);
      const rooms = [a, c];
      const lives = rooms.map(lifeOf);
      const before = a.roomId;
      b.leave();
      await server[end]();
      await until("all know", () => rooms.every(({ state }) => state === "dropped"));
      expect(rooms.map(({ state }) => state)).toEqual(["dropped", "dropped"]);
      const next = await stage.server({}, port);
      // Up to 1 s of spread, then waits of 0.25, 0.5, 1, 2 and 3 s, each up to 1.5 times as long. A slow
      // start costs an attempt.
      await until("all are back", () => lives.every((life) => life.includes("joined again")), 15_000);
      expect(a.roomId).not.toBe(before);
      expect(c.roomId).toBe(a.roomId);
      expect(next.relay.health()).toMatchObject({ rooms: 1, sessions: 2 });
      await until("cars are visible again", () => remoteCars(a).length === 1 && remoteCars(c).length === 1);
      expect(remoteCars(a)[0]!.fuel).toBe(0.75);
      expect(remoteCars(c)[0]).toMatchObject({ fuel: 0.25, id: carA.id });
      const atC = numbersHeard(c);
      a.send("n", 1);
      carA.fuel = 0.5;
      await until("messages and states flow", () => atC.length === 1 && remoteCars(c)[0]!.fuel === 0.5);
    },
  );

  test("passes on no signal that was meant for the players of the old one", async () => {
    const server = await stage.server();
    const { port } = server;
    const rooms: Room[] = [];
    const [links, heard]: [DeafLink[], unknown[]] = [[], []];
    const webRtc: WebRtcLinkMaker = ({ onSignal }) => {
      const number = links.length;
      links.push(
        new DeafLink(
          () => onSignal({ number }),
          (signal) => heard.push(signal),
        ),
      );
      return links[number]!;
    };
    for (let count = 0; count < 3; count++) rooms.push(await stage.join(server, { webRtc }));
    await until("they have signalled", () => heard.length > 0);
    const lives = rooms.map(lifeOf);
    await server.crash();
    await until("all know", () => rooms.every(({ state }) => state === "dropped"));
    const ofOldServer = links.length;
    heard.length = 0;
    // ICE finds candidates at any time, also between the server's refusal and the new seat.
    const candidates = setInterval(() => {
      for (const link of links.slice(0, ofOldServer)) link.offer();
    }, 1);
    await stage.server({}, port);
    await until("all are back", () => lives.every((life) => life.includes("joined again")), 15_000);
    clearInterval(candidates);
    await until("they signal again", () => links.length > ofOldServer && heard.length > 0);
    await pause(100);
    expect(heard.filter((signal) => (signal as { number: number }).number < ofOldServer)).toEqual([]);
  });

  test("lets a game send to each player when it hears of the player", async () => {
    const server = await stage.server();
    const { port } = server;
    const rooms = await stage.meet(server, 3);
    const [greetings, errors]: [string[], string[]] = [[], []];
    for (const room of rooms) {
      room.onError(({ code }) => errors.push(code));
      room.onPeerJoin((peer) => room.send("greeting", room.sessionId, peer));
      room.onMessage("greeting", (from, { id }) => greetings.push(`${from} ${id} to ${room.sessionId}`));
    }
    await server.crash();
    await stage.server({}, port);
    await until("each has greeted each", () => greetings.length === 6, 15_000);
    const ids = rooms.map(({ sessionId }) => sessionId);
    const all = ids.flatMap((to) => ids.filter((id) => id !== to).map((from) => `${from} ${from} to ${to}`));
    expect(greetings.sort()).toEqual(all.sort());
    expect(errors).toEqual([]);
  });

  test("learns that a player gave up WebRTC between its request for a seat and its welcome", async () => {
    const server = await stage.server();
    const { port } = server;
    const rooms: Room[] = [];
    class TellingSocket extends NodeWebSocket {
      constructor(url: string, protocols: string[]) {
        super(url, protocols);
        const isReturn =
          rooms[0]?.state === "dropped" && protocols.some((name) => name.startsWith("ticket."));
        if (isReturn) rooms[0]!.transport.configure({ transports: ["websocket"] });
      }
    }
    const webRtc: WebRtcLinkMaker = () =>
      new DeafLink(
        () => undefined,
        () => undefined,
      );
    rooms.push(await stage.join(server, { webRtc, webSocket: TellingSocket }));
    rooms.push(await stage.join(server, { webRtc }));
    await until("they have met", () => rooms.every(({ peers }) => peers.length === 1));
    const lives = rooms.map(lifeOf);
    await server.crash();
    await stage.server({}, port);
    await until("both are back", () => lives.every((life) => life.includes("joined again")), 15_000);
    const reason = (): string => rooms[1]!.peers[0]?.reason ?? "";
    await until("the other knows it", () => reason().startsWith("the peer has no WebRTC"));
    expect(reason()).toBe("the peer has no WebRTC, or does not want it");
  });

  test("a single forgotten player returns to the room that it was in", async () => {
    const server = await stage.server({ limits: { reconnectGraceMs: 0 } });
    const client = stage.client(server);
    const other = stage.keep(await client.create("race"));
    const [a, b] = [stage.keep(await client.create("race")), undefined];
    const mate = stage.keep(await client.joinById(a.roomId));
    const life = lifeOf(a);
    a.spawn(Car);
    mate.spawn(Car);
    const sprites: string[] = [];
    a.onSpawn(Car, ({ isMine }) => sprites.push(isMine ? "my car" : "a car"));
    a.onDespawn(Car, ({ isMine }) => sprites.push(isMine ? "my car is gone" : "a car is gone"));
    await until("a sees both cars", () => sprites.length === 2);
    await forget(server, [1, 2], life);
    expect(b).toBeUndefined();
    expect(a.roomId).toBe(mate.roomId);
    expect(other.peers).toEqual([]);
    await until("they see each other", () => a.peers.length === 1 && mate.peers.length === 1);
    expect(mate.peers[0]!.number).toBe(a.myNumber);
    await until("a sees the other car again", () => sprites.length === 4);
    expect(sprites).toEqual(["my car", "a car", "a car is gone", "a car"]);
  });

  test("a single forgotten player keeps one seat until a link opens, so that a room for two is not full", async () => {
    const rooms = { race: { maxPlayers: 2 } };
    const server = await stage.server({ rooms, limits: { reconnectGraceMs: 0 } });
    let blocked = 3;
    class BlockedSocket extends NodeWebSocket {
      constructor(url: string, protocols: string[]) {
        const isBlocked = protocols.some((name) => name.startsWith("ticket.")) && blocked-- > 0;
        super(isBlocked ? "ws://127.0.0.1:9" : url, protocols);
      }
    }
    const mate = await stage.join(server);
    const a = await stage.join(server, { webSocket: BlockedSocket });
    const life = lifeOf(a);
    await forget(server, [1, 1], life);
    expect(blocked).toBeLessThan(0);
    expect(a.roomId).toBe(mate.roomId);
    expect(server.relay.health()).toMatchObject({ rooms: 1, sessions: 2 });
  });

  test("a single forgotten player hands its one-of-a-kind state to the player who stayed", async () => {
    const server = await stage.server({ limits: { reconnectGraceMs: 0 } });
    const client = stage.client(server);
    const a = stage.keep(await client.create("race"));
    const mate = stage.keep(await client.joinById(a.roomId));
    const life = lifeOf(a);
    a.only(Sign).place.set(3, 4);
    await until("the other has it", () => mate.only(Sign).place.x === 3);
    await forget(server, [0, 1], life);
    await until("the other writes it now", () => mate.only(Sign).isMine && !a.only(Sign).isMine);
    mate.only(Sign).lit = true;
    await until("a reads it", () => a.only(Sign).lit);
    expect([a, mate].map((room) => ({ ...room.only(Sign).place }))).toEqual([
      { x: 3, y: 4 },
      { x: 3, y: 4 },
    ]);
    await until("there is one", () => [a, mate].every((room) => [...room.entities(Sign)].length === 1));
  });
});

describe("a reloaded page", () => {
  test("takes the seat of its earlier session, even in a full room, and leaves no second player", async () => {
    const server = await stage.server({ rooms: { race: { maxPlayers: 2 } } });
    const [a, b] = (await stage.meet(server, 2)) as [Room, Room];
    const life = lifeOf(b);
    const back = stage.keep(await stage.client(server).reconnect(b.reconnectionToken));
    await until("the earlier page is out", () => b.state === "left");
    expect(life.at(-1)).toBe("left 4003");
    await until("a sees the new one alone", () => a.peers.length === 1 && a.peers[0]!.id === back.sessionId);
    expect(back.roomId).toBe(a.roomId);
    const heard = numbersHeard(a);
    back.send("n", 7);
    await until("it is heard", () => heard.length === 1);
    expect(back.reconnectionToken).not.toBe(b.reconnectionToken);
  });

  test("is refused with a wrong, used or invalid token, and nobody is affected", async () => {
    const server = await stage.server();
    const [a, b] = (await stage.meet(server, 2)) as [Room, Room];
    const client = stage.client(server);
    const { reconnectionToken } = b;
    expect(() => client.reconnect("b")).toThrow(
      /reconnectionToken: expected what room.reconnectionToken said/,
    );
    await expect(client.reconnect(`${b.sessionId}.guessed`)).rejects.toThrow("match/not-found");
    expect([a.state, b.state, a.peers.length]).toEqual(["joined", "joined", 1]);
    stage.keep(await client.reconnect(reconnectionToken));
    await expect(client.reconnect(reconnectionToken)).rejects.toThrow("match/not-found");
  });
});
