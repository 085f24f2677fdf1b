import { ConfigError } from "@paceline/protocol";
import type { HostedParticipant } from "@paceline/relay";
import type { Player } from "../players/player.js";
import type { PlayerLine } from "./player-line.js";
import type { Feed } from "../states/feed.js";

/** Who is in a room: players, those who only watch, and the line to each. */
export class Attendance {
  /** By number, in the order of joining. */
  readonly players = new Map<number, Player>();
  readonly spectators = new Map<number, Player>();
  readonly #lines = new Map<HostedParticipant, PlayerLine>();
  readonly #byPlayer = new WeakMap<Player, PlayerLine>();

  get(participant: HostedParticipant): PlayerLine | undefined {
    return this.#lines.get(participant);
  }

  has(participant: HostedParticipant): boolean {
    return this.#lines.has(participant);
  }

  values(): Iterable<PlayerLine> {
    return this.#lines.values();
  }

  /** The line to a player; throws {@link ConfigError} for one who is in no room, or in another. */
  of(player: Player): PlayerLine {
    const line = this.#byPlayer.get(player);
    if (line) return line;
    throw new ConfigError({ field: "player", value: player, expected: "a player of this room" });
  }

  add(line: PlayerLine): void {
    this.#byPlayer.set(line.player, line);
    this.#enter(line);
  }

  /** A player goes on as another participant. */
  rebind(line: PlayerLine, participant: HostedParticipant): void {
    this.delete(line);
    line.rebind(participant);
    this.#enter(line);
  }

  /** Out of the lists; its line is still known. */
  delete(line: PlayerLine): void {
    const { participant } = line;
    this.#lines.delete(participant);
    this.#placeOf(line).delete(participant.number);
  }

  forget(line: PlayerLine): void {
    this.delete(line);
    this.#byPlayer.delete(line.player);
  }

  /** What brings states to those who are meant. */
  feeds(isMeant: (line: PlayerLine) => boolean): Feed[] {
    const feeds: Feed[] = [];
    for (const line of this.#lines.values()) if (isMeant(line)) feeds.push(line.feed);
    return feeds;
  }

  #enter(line: PlayerLine): void {
    const { participant, player } = line;
    this.#lines.set(participant, line);
    this.#placeOf(line).set(participant.number, player);
  }

  #placeOf({ isSpectator }: PlayerLine): Map<number, Player> {
    return isSpectator ? this.spectators : this.players;
  }
}
