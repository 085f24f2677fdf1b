import { ConfigError } from "@paceline/protocol";
import type { HostedParticipant } from "@paceline/relay";
import type { Player } from "../players/player.js";
import type { PlayerConnection } from "./player-connection.js";
import type { PlayerSnapshotStream } from "../states/player-snapshot-stream.js";

/** The players and spectators of a room, with the connection to each. */
export class PlayerRegistry {
  /** Players by number, in the order of joining. */
  readonly players = new Map<number, Player>();
  readonly spectators = new Map<number, Player>();
  readonly #connections = new Map<HostedParticipant, PlayerConnection>();
  readonly #byPlayer = new WeakMap<Player, PlayerConnection>();

  get(participant: HostedParticipant): PlayerConnection | undefined {
    return this.#connections.get(participant);
  }

  values(): Iterable<PlayerConnection> {
    return this.#connections.values();
  }

  /** Returns the connection to a player, also of one who has left. Throws {@link ConfigError} for others. */
  of(player: Player): PlayerConnection {
    const connection = this.#byPlayer.get(player);
    if (connection) return connection;
    throw new ConfigError("player", player, "a player of this room");
  }

  add(connection: PlayerConnection): void {
    this.#byPlayer.set(connection.player, connection);
    this.#enter(connection);
  }

  /** Gives a connection the participant of the reloaded page. */
  rebind(connection: PlayerConnection, participant: HostedParticipant): void {
    // The number stays, and with it the player's place in the order of joining.
    this.#connections.delete(connection.participant);
    connection.rebind(participant);
    this.#enter(connection);
  }

  /** Removes a player from the lists. */
  delete(connection: PlayerConnection): void {
    const { participant } = connection;
    this.#connections.delete(participant);
    this.#placeOf(connection).delete(participant.number);
  }

  /** Returns the snapshot streams of the connections for which `isMeant` returns true. */
  snapshotStreams(isMeant: (connection: PlayerConnection) => boolean): PlayerSnapshotStream[] {
    const snapshotStreams: PlayerSnapshotStream[] = [];
    for (const connection of this.#connections.values())
      if (isMeant(connection)) snapshotStreams.push(connection.snapshots);
    return snapshotStreams;
  }

  #enter(connection: PlayerConnection): void {
    const { participant, player } = connection;
    this.#connections.set(participant, connection);
    this.#placeOf(connection).set(participant.number, player);
  }

  #placeOf({ isSpectator }: PlayerConnection): Map<number, Player> {
    return isSpectator ? this.spectators : this.players;
  }
}
