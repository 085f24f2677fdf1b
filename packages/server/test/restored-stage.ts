import { Client, type ClientOptions, type Room as ClientRoom } from "@paceline/client";
import { silentLog } from "@paceline/relay";
import { defineServer, type RoomEntry, type Server, type ServerOptions } from "@paceline/server";
import { VirtualScheduler, seededRandom, virtualSocketPair, type VirtualSocket } from "@paceline/testkit";
import { preloadRooms } from "@paceline/testkit/room";
import { WebSocketLink, type Cancel, type Scheduler } from "@paceline/transport";
import { setImmediate as nextTurn, setTimeout as realPause } from "node:timers/promises";
import { KeptRooms } from "./kept-rooms.js";
import { stubFetch } from "./virtual-fetch.js";

const STEP_MS = 5;
const DELAY_MS = 20;
/** `readyState` of a closed WebSocket. */
const CLOSED = 3;

/** A process that ends: no timer of it runs any more. Its clock begins at 0, as that of each process does. */
class MortalProcess implements Scheduler {
  readonly #clock: Scheduler;
  readonly #startedAtMs: number;
  isDead = false;

  constructor(clock: Scheduler) {
    this.#clock = clock;
    this.#startedAtMs = clock.nowMs();
  }

  nowMs(): number {
    return this.#clock.nowMs() - this.#startedAtMs;
  }

  after(delayMs: number, fn: () => void): Cancel {
    return this.#clock.after(delayMs, () => void (this.isDead || fn()));
  }

  every(periodMs: number, fn: () => void): Cancel {
    return this.#clock.every(periodMs, () => void (this.isDead || fn()));
  }
}

interface Running {
  readonly server: Server<{ kept: RoomEntry }>;
  readonly process: MortalProcess;
}

/** Servers that follow each other with one store, and whole clients, in virtual time. */
export class RestoredStage {
  readonly scheduler = new VirtualScheduler({ startMs: 5000 });
  readonly store = new KeptRooms();
  /** Time by which the wall clock of the next server is wrong, ms. */
  wallErrorMs = 0;
  readonly #random;
  readonly #sockets = new Set<{ readonly player: VirtualSocket; readonly server: VirtualSocket }>();
  #running: Running | undefined;

  constructor(seed = 1) {
    this.#random = seededRandom(seed);
    stubFetch({
      handleRequest: (request, response) => {
        if (this.#running) return this.#running.server.handleRequest(request, response);
        throw new TypeError("nothing listens");
      },
    });
  }

  get server(): Server<{ kept: RoomEntry }> {
    return this.#running!.server;
  }

  /** Starts a server, which restores the rooms of the one before. */
  async start(rooms: RoomEntry, options: Partial<ServerOptions<{ kept: RoomEntry }>> = {}): Promise<void> {
    const process = new MortalProcess(this.scheduler);
    const { store, wallErrorMs } = this;
    const wallClockMs = (): number => Math.max(0, this.scheduler.nowMs() + wallErrorMs);
    const plain = { store, log: silentLog, guardsProcess: false };
    const server = defineServer({
      ...plain,
      ...options,
      scheduler: process,
      wallClockMs,
      rooms: { kept: rooms },
    });
    await this.until(server.restore());
    this.#running = { server, process };
  }

  /** Ends the server without a goodbye. What the store has by now stays. */
  async kill(): Promise<void> {
    const { process } = this.#running!;
    process.isDead = true;
    this.#running = undefined;
    for (const { player, server } of this.#sockets) {
      server.readyState = CLOSED;
      player.end(1006, "the process has ended");
    }
    this.#sockets.clear();
    await nextTurn();
  }

  /** Stops the server as SIGTERM does. */
  async terminate(): Promise<void> {
    const { server, process } = this.#running!;
    this.#running = undefined;
    await this.until(server.stop({ drainMs: 0 }));
    process.isDead = true;
  }

  async join(options: Partial<ClientOptions> = {}): Promise<ClientRoom> {
    const connect = (protocols: readonly string[]): VirtualSocket => this.#connect(protocols);
    const webSocket = function socket(_url: string, protocols: readonly string[] = []): VirtualSocket {
      return connect(protocols);
    };
    const { scheduler } = this;
    const plain = { profile: "racing", transports: ["websocket"], sockets: 1 } as const;
    const client = new Client("http://kept.example", { ...plain, ...options, scheduler, webSocket });
    return (await this.until(client.joinOrCreate("kept"))) as ClientRoom;
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

  async stop(): Promise<void> {
    if (this.#running) await this.terminate();
  }

  #connect(protocols: readonly string[]): VirtualSocket {
    const { scheduler } = this;
    const pair = virtualSocketPair({
      scheduler,
      random: this.#random.fork(),
      settings: { delayMs: DELAY_MS },
    });
    const { player, server } = pair;
    const running = this.#running;
    if (!running) {
      scheduler.after(DELAY_MS, () => player.end(1006, "nothing listens"));
      return player;
    }
    this.#sockets.add(pair);
    const link = new WebSocketLink(server, { scheduler: running.process });
    running.server.takeLink(link, { address: "stage", protocols: [...protocols] });
    return player;
  }
}
