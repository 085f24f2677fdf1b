import { Client, type ClientOptions, type Room as ClientRoom } from "@paceline/client";
import { preloadRooms } from "@paceline/testkit/room";
import { defineServer, type Room, type RoomEntry } from "@paceline/server";
import { VirtualScheduler, seededRandom, virtualSocketPair, type VirtualSocket } from "@paceline/testkit";
import { WebSocketLink, type Cancel, type Scheduler } from "@paceline/transport";
import { setImmediate as nextTurn, setTimeout as realPause } from "node:timers/promises";
import { vi } from "vitest";
import { stubFetch } from "./virtual-fetch.js";

/**
 * A process that can be paused, as by a debugger or a suspended machine. While it is, its timers and all that
 * comes over its sockets wait; then it reads the sockets first, as Node does.
 */
export class PausableProcess implements Scheduler {
  readonly #clock: Scheduler;
  readonly #reads: (() => void)[] = [];
  readonly #timers = new Set<() => void>();
  #isPaused = false;

  constructor(clock: Scheduler) {
    this.#clock = clock;
  }

  nowMs(): number {
    return this.#clock.nowMs();
  }

  after(delayMs: number, fn: () => void): Cancel {
    const run = (): void => (this.#isPaused ? void this.#timers.add(run) : fn());
    const cancel = this.#clock.after(delayMs, run);
    return () => {
      this.#timers.delete(run);
      cancel();
    };
  }

  every(periodMs: number, fn: () => void): Cancel {
    const run = (): void => (this.#isPaused ? void this.#timers.add(run) : fn());
    const cancel = this.#clock.every(periodMs, run);
    return () => {
      this.#timers.delete(run);
      cancel();
    };
  }

  /** Runs `fn` when the process reads its sockets next. */
  read(fn: () => void): void {
    if (this.#isPaused) this.#reads.push(fn);
    else fn();
  }

  pause(): void {
    this.#isPaused = true;
  }

  goOn(): void {
    this.#isPaused = false;
    for (const read of this.#reads.splice(0)) read();
    for (const run of [...this.#timers]) if (this.#timers.delete(run)) run();
  }
}

/** What one player of a {@link PausingStage} has seen. */
interface Seen {
  drops: number;
  /** `resumed` of each return. */
  readonly returns: boolean[];
  /** Codes with which the player was removed. */
  readonly ends: number[];
  /** News of the others: `away 2`, `back 2`, `joined 3`, `left 1`, in order. */
  readonly news: string[];
}

export interface PausingPlayer {
  readonly client: Client;
  readonly room: ClientRoom;
  readonly seen: Seen;
}

/** A page of a {@link PausingStage}. */
export interface PageOptions extends Partial<ClientOptions> {
  /** Further delay of the server's answers to requests and upgrades of this page, ms. */
  readonly answerDelayMs?: number;
  readonly loop?: PausableProcess;
}

const STEP_MS = 5;
const DELAY_MS = 20;

/** A server that can be paused, and whole clients whose upgrades wait for it, in virtual time. */
export class PausingStage {
  readonly scheduler = new VirtualScheduler({ startMs: 1000 });
  readonly process = new PausableProcess(this.scheduler);
  /** The path of the next sockets to the server. While it is paused, packets wait. */
  line = new PausableProcess(this.scheduler);
  readonly server;
  readonly players: PausingPlayer[] = [];
  readonly #random = seededRandom(1);
  /** Further delay of the upgrades of new sockets, ms, as in a proxy that holds them. */
  upgradeDelayMs = 0;
  /** Number of sockets that were opened. */
  sockets = 0;
  #breakNewest: (() => void) | undefined;
  /** Paths of the requests over HTTP. */
  readonly requests: string[] = [];
  /** True while the server answers no request over HTTP. */
  isSilent = false;

  constructor(rooms: (new () => Room) | { readonly maxPlayers: number }, options: object = {}) {
    const wallClockMs = (): number => this.scheduler.nowMs();
    const kinds = { staged: rooms as RoomEntry };
    this.server = defineServer({ scheduler: this.process, wallClockMs, rooms: kinds, ...options });
    stubFetch(this.server, (fn) => this.process.read(fn));
    const answer = globalThis.fetch;
    vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
      this.requests.push(new URL(url).pathname);
      const answerDelayMs = Number(/late-(\d+)/.exec(url)?.[1]);
      if (this.isSilent) return new Promise(() => undefined);
      const response = await answer(url, init);
      await new Promise<void>((resolve) => void this.scheduler.after(DELAY_MS + answerDelayMs, resolve));
      return response;
    });
  }

  /** Makes a client, whose page can be paused. `options`: further ones of the client. */
  client({
    answerDelayMs = 0,
    loop = new PausableProcess(this.scheduler),
    ...options
  }: PageOptions = {}): Client {
    const connect = (protocols: readonly string[]): VirtualSocket =>
      this.#connect(protocols, answerDelayMs, loop);
    const webSocket = function socket(_url: string, protocols: readonly string[] = []): VirtualSocket {
      return connect(protocols);
    };
    const plain = { profile: "racing", transports: ["websocket"], sockets: 1 } as const;
    return new Client(`http://late-${answerDelayMs}.example`, {
      ...plain,
      ...options,
      scheduler: loop,
      webSocket,
    });
  }

  async join(client = this.client()): Promise<PausingPlayer> {
    const room = (await this.until(client.joinOrCreate("staged"))) as ClientRoom;
    const seen: Seen = { drops: 0, returns: [], ends: [], news: [] };
    room.onDrop(() => (seen.drops += 1));
    room.onReconnect(({ resumed }) => seen.returns.push(resumed));
    room.onLeave((code) => seen.ends.push(code));
    room.onPeerAway(({ number }) => seen.news.push(`away ${number}`));
    room.onPeerBack(({ number }) => seen.news.push(`back ${number}`));
    room.onPeerJoin(({ number }) => seen.news.push(`joined ${number}`));
    room.onPeerLeave(({ number }) => seen.news.push(`left ${number}`));
    const player = { client, room, seen };
    this.players.push(player);
    return player;
  }

  async until<Value>(promise: Promise<Value>, maxMs = 30_000): Promise<Value> {
    let isSettled = false;
    const settle = (): void => void (isSettled = true);
    promise.then(settle, settle);
    await preloadRooms();
    for (let ms = 0; ms < maxMs && !isSettled; ms += STEP_MS) {
      await this.advance(STEP_MS);
      if (!isSettled) await realPause(1);
    }
    return promise;
  }

  async advance(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= STEP_MS) {
      this.scheduler.advance(Math.min(STEP_MS, left));
      await nextTurn();
    }
  }

  /** Breaks the socket that has opened last. The server reads its packets before its end. */
  breakNewest(): void {
    this.#breakNewest?.();
  }

  async pause(ms: number): Promise<void> {
    this.process.pause();
    await this.advance(ms);
    this.process.goOn();
  }

  async stop(): Promise<void> {
    for (const { room } of this.players) room.leave();
    await this.advance(200);
    void this.server.stop({ drainMs: 0 });
    await this.advance(200);
  }

  #connect(protocols: readonly string[], answerDelayMs: number, loop: PausableProcess): VirtualSocket {
    const { scheduler, process, line } = this;
    this.sockets += 1;
    const random = this.#random.fork();
    const { player, server } = virtualSocketPair({ scheduler, random, settings: { delayMs: DELAY_MS } });
    player.connect();
    // The first packets arrive after the answer to the upgrade.
    const opening = new PausableProcess(scheduler);
    opening.pause();
    const link = new WebSocketLink(server, { scheduler: process });
    link.filters.push({
      queuedBytes: 0,
      hasRoom: () => true,
      send: (_, packet, pass) => {
        const copy = packet.slice();
        opening.read(() => line.read(() => loop.read(() => pass(copy))));
      },
      receive: (packet, pass) => pass(packet),
      end: (tell) => tell(),
      close: () => undefined,
    });
    const listen = server.addEventListener.bind(server);
    server.addEventListener = (type, listener) => {
      if (type !== "message") return listen(type, listener);
      // The server must not even count a packet that has not arrived.
      listen(type, (event) => line.read(() => process.read(() => listener(event))));
    };
    // The end of a connection arrives after its packets.
    player.onClosed = (code, reason) => {
      const end = (): void => server.end(code, reason);
      scheduler.after(DELAY_MS, () => line.read(() => process.read(end)));
    };
    scheduler.after(DELAY_MS + this.upgradeDelayMs, () => {
      process.read(() => {
        this.server.takeLink(link, { address: "stage", protocols: [...protocols] });
        scheduler.after(DELAY_MS + answerDelayMs, () =>
          loop.read(() => {
            player.open();
            opening.goOn();
            this.#breakNewest = () => {
              player.end(1006, "");
              line.read(() => process.read(() => server.end(1006, "")));
            };
          }),
        );
      });
    });
    return player;
  }
}
