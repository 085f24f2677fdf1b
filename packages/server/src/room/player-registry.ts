import { ConfigError } from "@paceline/protocol";
import type { PlayerStates } from "../states/player-states.js";
import type { Player } from "./player.js";

/** The players and spectators of a room. */
export class PlayerRegistry {
  /** Players by number, in the order of joining. */
  readonly players = new Map<number, Player>();
  readonly spectators = new Map<number, Player>();
  readonly #all = new Set<Player>();
  readonly #known = new WeakSet<Player>();

  /** Players and spectators, also those whose `onJoin` still runs. */
  values(): Iterable<Player> {
    return this.#all;
  }

  /** Returns a player of this room, also one who has left. Throws {@link ConfigError} for others. */
  of(player: Player): Player {
    if (this.#known.has(player)) return player;
    throw new ConfigError("player", player, "a player of this room");
  }

  add(player: Player): void {
    this.#known.add(player);
    this.#all.add(player);
    this.#placeOf(player).set(player.number, player);
  }

  delete(player: Player): void {
    this.#all.delete(player);
    this.#placeOf(player).delete(player.number);
  }

  /** Returns the states of the players for which `isMeant` returns true. */
  statesOf(isMeant: (player: Player) => boolean): PlayerStates[] {
    const playerStates: PlayerStates[] = [];
    for (const player of this.#all) if (isMeant(player)) playerStates.push(player.states);
    return playerStates;
  }

  #placeOf({ isSpectator }: Player): Map<number, Player> {
    return isSpectator ? this.spectators : this.players;
  }
}
