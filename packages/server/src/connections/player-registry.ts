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
  readonly #lines = new Map<HostedParticipant, PlayerConnection>();
  readonly #byPlayer = new WeakMap<Player, PlayerConnection>();

  get(participant: HostedParticipant): PlayerConnection | undefined {
    return this.#lines.get(participant);
  }

  has(participant: HostedParticipant): boolean {
    return this.#lines.has(participant);
  }

  values(): Iterable<PlayerConnection> {
    return this.#lines.values();
  }

  /** Returns the connection to a player. Throws {@link ConfigError} if the player is not in this room. */
  of(player: Player): PlayerConnection {
    const line = this.#byPlayer.get(player);
    if (line) return line;
    throw new ConfigError({ field: "player", value: player, expected: "a player of this room" });
  }

  add(line: PlayerConnection): void {
    this.#byPlayer.set(line.player, line);
    this.#enter(line);
  }

  /** Gives a connection another participant, after a reload of the page. */
  rebind(line: PlayerConnection, participant: HostedParticipant): void {
    this.delete(line);
    line.rebind(participant);
    this.#enter(line);
  }

  /** Removes a player from the lists. {@link of} still finds its connection. */
  delete(line: PlayerConnection): void {
    const { participant } = line;
    this.#lines.delete(participant);
    this.#placeOf(line).delete(participant.number);
  }

  forget(line: PlayerConnection): void {
    this.delete(line);
    this.#byPlayer.delete(line.player);
  }

  /** Returns the snapshot streams of the connections for which `isMeant` returns true. */
  snapshotStreams(isMeant: (line: PlayerConnection) => boolean): PlayerSnapshotStream[] {
    const snapshotStreams: PlayerSnapshotStream[] = [];
    for (const line of this.#lines.values()) if (isMeant(line)) snapshotStreams.push(line.snapshots);
    return snapshotStreams;
  }

  #enter(line: PlayerConnection): void {
    const { participant, player } = line;
    this.#lines.set(participant, line);
    this.#placeOf(line).set(participant.number, player);
  }

  #placeOf({ isSpectator }: PlayerConnection): Map<number, Player> {
    return isSpectator ? this.spectators : this.players;
  }
}
