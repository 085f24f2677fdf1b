import type { ClientOptions, Room } from "@paceline/client";
import { createRelay, type LinkRequest, type Relay, type RelayOptions } from "@paceline/relay";
import { VirtualScheduler, seededRandom } from "@paceline/testkit";
import { StagePlayer, preloadRooms } from "@paceline/testkit/room";
import type { Link } from "@paceline/transport";
import type { NetworkSettings, Random } from "@paceline/transport/simulated";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach } from "vitest";

const STEP_MS = 5;
const MAX_JOIN_STEPS = 400;

interface RelayStageOptions extends Partial<RelayOptions> {
  readonly delayMs?: number;
  /** Further settings of each client's network. */
  readonly network?: Partial<NetworkSettings>;
  readonly seed?: number;
}

/** A real relay and whole clients on a virtual clock. Each client is `delayMs` from the relay, one way. */
export class RelayStage {
  readonly scheduler = new VirtualScheduler({ startMs: 1000 });
  readonly relay: Relay;
  readonly #network: Partial<NetworkSettings>;
  readonly #random: Random;
  readonly #rooms: Room[] = [];
  readonly #links: Link[] = [];

  constructor({ delayMs = 50, network = {}, seed = 1, ...options }: RelayStageOptions = {}) {
    const { scheduler } = this;
    this.#network = { delayMs, ...network };
    this.#random = seededRandom(seed);
    const rooms = { race: { maxPlayers: 16 } };
    this.relay = createRelay({ rooms, scheduler, wallClockMs: () => scheduler.nowMs(), ...options });
    afterEach(() => {
      for (const room of this.#rooms.splice(0)) room.leave();
    });
  }

  /** @param headers headers that a browser would send with the upgrade */
  player(headers: LinkRequest["headers"] = {}, client: Partial<ClientOptions> = {}): StagePlayer {
    return new StagePlayer({
      scheduler: this.scheduler,
      random: this.#random.fork(),
      network: this.#network,
      client,
      accept: (link, protocols) => {
        this.#links.push(link);
        this.relay.takeLink(link, { address: "stage", headers, protocols });
      },
    });
  }

  bytesReceived(connection: number): number {
    return this.#links[connection]!.counters.bytesReceived;
  }

  /** Calls the listener with each packet that the relay receives over the n-th connection. */
  watch(connection: number, onPacket: (packet: Uint8Array) => void): void {
    this.#links[connection]!.filters!.push({
      queuedBytes: 0,
      hasRoom: () => true,
      send: (_, packet, pass) => pass(packet),
      receive: (packet, pass) => {
        onPacket(packet);
        pass(packet);
      },
      end: (tell) => tell(),
      close: () => undefined,
    });
  }

  /** Sends bytes to a player over the n-th connection, as a lying relay could. */
  sendTo(connection: number, packet: Uint8Array): void {
    this.#links[connection]!.send("command", packet);
  }

  get packetsReceived(): number {
    return this.#links.reduce((sum, { counters }) => sum + counters.packetsReceived, 0);
  }

  async join(player = this.player()): Promise<Room> {
    const room = await this.until(player.client.joinOrCreate("race"));
    this.#rooms.push(room);
    return room;
  }

  async until<Value>(promise: Promise<Value>): Promise<Value> {
    let isSettled = false;
    const settle = (): void => void (isSettled = true);
    promise.then(settle, settle);
    await preloadRooms();
    for (let step = 0; step < MAX_JOIN_STEPS && !isSettled; step++) await this.advance(STEP_MS);
    return promise;
  }

  async advance(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= STEP_MS) {
      this.scheduler.advance(Math.min(STEP_MS, left));
      await nextTurn();
    }
  }
}
