import { CloseCode } from "@paceline/protocol";
import type { Participant, SeatRequest } from "@paceline/relay";
import type { Cancel, LinkClose } from "@paceline/transport";
import { failureText, type Hooks } from "../hooks/hooks.js";
import { Player, type PlayerParticipant, type PlayerRoom } from "./player.js";
import type { PlayerRegistry } from "./player-registry.js";
import type { Room } from "./room.js";

export interface PlayerLifecycleOptions extends Omit<PlayerRoom, "lifecycle"> {
  readonly room: Room;
  readonly hooks: Hooks;
  readonly players: PlayerRegistry;
}

/** Entities that a player simulates outlive its page by this time. The next page spawns others. */
const ENTITIES_OF_CLOSED_PAGE_MS = 2000;

/** Lets players join, go away, come back and leave, and calls the room's hooks for each of these. */
export class PlayerLifecycle {
  readonly #options: PlayerLifecycleOptions;
  readonly #playerRoom: PlayerRoom;
  /** Runs of `onJoin` and `onLeave` that have not ended. */
  readonly #joinsAndLeaves = new Set<Promise<unknown>>();

  constructor(options: PlayerLifecycleOptions) {
    this.#options = options;
    this.#playerRoom = { ...options, lifecycle: this };
  }

  /** Admits the participant, or resolves with the reason of a refusal. Never rejects. */
  async join(participant: PlayerParticipant, seat: SeatRequest): Promise<string | undefined> {
    if (seat.replaces !== undefined) return this.#rejoin(participant, seat.replaces);
    return this.#noted(this.#admit(participant, seat));
  }

  /** Goes on with a player of an earlier process, who is away. */
  restore(participant: Participant, seat: Omit<SeatRequest, "replaces">): Player {
    const { entities, players, room } = this.#options;
    const world = seat.isSpectator ? entities.spectators.world : entities.world;
    const player = new Player(
      participant,
      seat,
      this.#playerRoom,
      world,
      seat.isSpectator ? undefined : room.inputs,
    );
    players.add(player);
    player.goAway();
    participant.keepAtLeast(room.reconnectSeconds * 1000);
    return player;
  }

  async #admit(participant: PlayerParticipant, seat: SeatRequest): Promise<string | undefined> {
    const { counters, entities, hooks, players, room } = this.#options;
    const world = seat.isSpectator ? entities.spectators.world : entities.world;
    const inputs = seat.isSpectator ? undefined : room.inputs;
    const player = new Player(participant, seat, this.#playerRoom, world, inputs);
    players.add(player);
    const outcome = await hooks.wait("onJoin", () =>
      room.onJoin?.(player as never, seat.options as never, seat.auth),
    );
    if (!outcome.ok) {
      counters.joinsRefused += 1;
      player.leave();
      this.#forget(player);
      return outcome.refusal ?? failureText("onJoin");
    }
    counters.joins += 1;
    const { presence } = player;
    if (presence.at === "joining" && presence.leftWith !== undefined) {
      void this.#leave(player, presence.leftWith);
    } else player.enter();
    return undefined;
  }

  /**
   * Continues a player as another participant, after a reload of the page. Returns a reason if its session is
   * over.
   */
  #rejoin(participant: PlayerParticipant, sessionId: string): string | undefined {
    const { entities, players } = this.#options;
    for (const player of players.values()) {
      const { presence } = player;
      if (player.id !== sessionId || presence.at !== "away") continue;
      // In `onDrop`, when the page's session was over and the next page had not come yet.
      if (presence.kickedFor !== undefined) {
        void this.#leave(player, CloseCode.kicked);
        participant.end(CloseCode.kicked, presence.kickedFor);
        return undefined;
      }
      entities.owned.disownAll(player);
      player.rebind(participant);
      entities.announceOwner(player);
      this.returned(player);
      return undefined;
    }
    return "the session is over";
  }

  /** Called when a player's link is lost. */
  dropped(player: Player): void {
    const { entities, room, scheduler } = this.#options;
    if (player.presence.at !== "in") return;
    const { unloadGraceMs } = player.participant;
    // A game that wants to wait longer for the player calls `allowReconnection` in `onDrop`.
    player.participant.keepFor(Math.min(room.reconnectSeconds * 1000, unloadGraceMs ?? Infinity));
    const disown = (): void => entities.owned.disownAll(player);
    this.#drop(
      player,
      unloadGraceMs === undefined ? undefined : scheduler.after(ENTITIES_OF_CLOSED_PAGE_MS, disown),
    );
  }

  /** Called when a player is back. */
  returned(player: Player): void {
    const { counters, hooks, room } = this.#options;
    if (player.presence.at !== "away") return;
    player.enter();
    counters.reconnects += 1;
    player.settle(true);
    hooks.call("onReconnect", () => room.onReconnect?.(player));
  }

  /** Called when a player's participant has ended. Resolves when `onLeave` has ended. */
  left(player: Player, { code }: LinkClose): Promise<void> | undefined {
    switch (player.presence.at) {
      case "joining":
        this.#options.players.delete(player);
        player.leaveEarly(code);
        return undefined;
      case "in":
        if (code !== CloseCode.replaced) return this.#leave(player, code);
        // The page was reloaded: the player's next session is already joining.
        this.#drop(player, undefined);
        return undefined;
      case "away":
        return code === CloseCode.replaced ? undefined : this.#leave(player, code);
      case "left":
        return undefined;
    }
  }

  /** Lets all players leave, since the room is closed. */
  leaveAll(): void {
    for (const player of [...this.#options.players.values()]) {
      if (player.isIn) void this.#leave(player, CloseCode.roomClosed);
    }
  }

  /** Resolves when every `onJoin` and `onLeave` has ended. */
  async ended(): Promise<void> {
    while (this.#joinsAndLeaves.size > 0) await Promise.allSettled(this.#joinsAndLeaves);
  }

  #drop(player: Player, cancelDisown: Cancel | undefined): void {
    const { counters, hooks, room } = this.#options;
    player.goAway(cancelDisown);
    counters.drops += 1;
    hooks.call("onDrop", () => room.onDrop?.(player));
  }

  /** Resolves when `onLeave` has ended. */
  #leave(player: Player, code: number): Promise<void> {
    const { counters, hooks, players, room } = this.#options;
    counters.leaves += 1;
    players.delete(player);
    player.leave();
    const left = hooks
      .wait("onLeave", () => room.onLeave?.(player as never, code))
      .then(() => hooks.guard("onLeave", () => this.#forget(player)));
    return this.#noted(left);
  }

  /** Despawns the entities of a player that has left, and forgets the player. */
  #forget(player: Player): void {
    const { entities, players, scheduler } = this.#options;
    players.delete(player);
    entities.despawnAllOf(player);
    player.forget(scheduler.nowMs());
  }

  #noted<Value>(hook: Promise<Value>): Promise<Value> {
    this.#joinsAndLeaves.add(hook);
    const ended = (): void => void this.#joinsAndLeaves.delete(hook);
    hook.then(ended, ended);
    return hook;
  }
}
