import type { PeerPayload } from "@paceline/protocol";
import type { PlayerRegistry } from "./player-registry.js";
import { DelayedView } from "../entities/delayed-view.js";
import type { Player } from "./player.js";
import type { RoomCounters } from "../ops/room-counters.js";
import { Replicator, type ReplicatorOptions } from "../states/replicator.js";
import type { World, WorldOptions } from "../entities/world.js";

export interface SpectatorStreamOptions
  extends ReplicatorOptions, Pick<WorldOptions, "definitions" | "historyTicks"> {
  readonly delayMs: number;
  readonly counters: RoomCounters;
  readonly players: PlayerRegistry;
}

interface Waiting {
  readonly tick: number;
  readonly payload: Uint8Array;
  /** The receiver. Undefined: all spectators but those in `except`. */
  readonly to: Player | undefined;
  readonly except: ReadonlySet<Player>;
}

/** Limits of one room's waiting messages. Further ones are dropped and counted. */
const MAX_WAITING_BYTES = 4_194_304;
const MAX_WAITING = 8192;
const NOBODY: ReadonlySet<Player> = new Set();

/**
 * Sends states and messages to spectators, later than to players by a fixed delay. Refuses the messages of
 * spectators.
 */
export class SpectatorStream {
  readonly #options: SpectatorStreamOptions;
  readonly #view: DelayedView | undefined;
  readonly #replicator: Replicator | undefined;
  readonly #delayTicks: number;
  readonly #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #tick = 0;

  constructor(options: SpectatorStreamOptions) {
    const { delayMs, tickHz } = options;
    this.#options = options;
    this.#delayTicks = Math.round((delayMs / 1000) * tickHz);
    if (this.#delayTicks === 0) return;
    const view = new DelayedView({
      ...options,
      delayTicks: this.#delayTicks,
      onRemoved: (record) =>
        replicator.removed(
          record,
          options.players.statesOf(({ isSpectator }) => isSpectator),
        ),
      onJumped: (record) => replicator.teleported(record),
      onOwnerChanged: (record) => replicator.force(record),
    });
    const replicator = new Replicator({ ...options, world: view.world });
    this.#view = view;
    this.#replicator = replicator;
  }

  /** The world as spectators see it. */
  get world(): World {
    return this.#view?.world ?? this.#options.world;
  }

  /** Returns true for a spectator, if spectators see a delayed world. */
  isDelayed({ isSpectator }: Player): boolean {
    return isSpectator && this.#view !== undefined;
  }

  /** Returns the tick that spectators see at a tick of the room. */
  tickAt(tick: number): number {
    return Math.max(0, tick - this.#delayTicks);
  }

  /** Records the states of the room's newest step, and sends what is due after the delay. */
  step(tick: number, nowMs: number): void {
    this.#tick = tick;
    this.#deliver();
    const view = this.#view;
    if (!view) return;
    view.record(tick, this.#options.world);
    const shown = view.advance(tick);
    this.#options.counters.spectatorsMissed += view.takeOmitted();
    if (shown === undefined) return;
    this.#replicator?.write(
      { tick: shown, nowMs },
      this.#options.players.statesOf(({ isSpectator, isReachable }) => isSpectator && isReachable),
    );
  }

  /** Sends a message to one spectator, or to all of them, after the delay. */
  send(payload: Uint8Array, to?: Player, except: ReadonlySet<Player> = NOBODY): void {
    const waiting = { tick: this.#tick + this.#delayTicks, payload, to, except };
    if (!this.#view) return this.#sendNow(waiting);
    const isFull = this.#waitingBytes + payload.length > MAX_WAITING_BYTES;
    if (isFull || this.#waiting.length >= MAX_WAITING) {
      this.#options.counters.spectatorsMissed += 1;
      return;
    }
    this.#waiting.push(waiting);
    this.#waitingBytes += payload.length;
  }

  /** Counts and refuses a spectator's message. */
  refuse(player: Player, message?: PeerPayload): void {
    this.#options.counters.fromSpectators += 1;
    player.participant.session.drops.count("not-allowed");
    player.refuse("spectator", "spectators only watch", message);
  }

  #deliver(): void {
    while (this.#waiting[0] && this.#waiting[0].tick <= this.#tick) {
      const waiting = this.#waiting.shift()!;
      this.#waitingBytes -= waiting.payload.length;
      this.#sendNow(waiting);
    }
  }

  #sendNow({ payload, to, except }: Waiting): void {
    if (to) return to.send(payload);
    for (const player of this.#options.players.values()) {
      if (player.isSpectator && !except.has(player)) player.send(payload);
    }
  }
}
