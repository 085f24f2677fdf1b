import type { InputDefinition } from "@paceline/protocol";
import type { ReadonlyFields } from "@paceline/netcode";
import type { HostedParticipant, HostedSeat } from "@paceline/relay";

/** The fields of a room's inputs. */
export type InputOf<Inputs> = Inputs extends InputDefinition<infer F> ? ReadonlyFields<F> : undefined;

/** The connection to a player, as {@link Player} uses it. */
export interface PlayerSource {
  readonly participant: Pick<HostedParticipant, "number" | "id" | "session">;
  readonly isConnected: boolean;
  readonly inputView: object | undefined;
}

/**
 * A player or spectator of a room. The object stays the same until the player leaves, across lost links and
 * reloads.
 */
export class Player<Inputs = unknown> {
  /** Free for the game's own data. */
  userData: unknown = undefined;
  /** The result of `onAuth`. */
  readonly auth: unknown;
  /** The player's join options. */
  readonly options: Readonly<Record<string, unknown>>;
  /** True for a spectator. It receives everything, and the room refuses what it sends. */
  readonly isSpectator: boolean;
  /** Network address from which the player asked for its seat. */
  readonly address: string;
  readonly #connection: PlayerSource;

  /** @internal */
  constructor(connection: PlayerSource, seat: Omit<HostedSeat, "replaces">) {
    this.#connection = connection;
    this.auth = seat.auth;
    this.options = seat.options;
    this.isSpectator = seat.isSpectator;
    this.address = seat.address;
  }

  /** Number in the order of joining. A reload keeps it. */
  get number(): number {
    return this.#connection.participant.number;
  }

  /** Id of the player's current session. A reload changes it. */
  get id(): string {
    return this.#connection.participant.id;
  }

  /** False while the player has no link, and after it has left. */
  get isConnected(): boolean {
    return this.#connection.isConnected;
  }

  /** The player's input of this tick, or its last one if that of this tick has not arrived. */
  get input(): InputOf<Inputs> {
    return this.#connection.inputView as InputOf<Inputs>;
  }

  /**
   * Round-trip time, ms. Undefined until it is measured. A player can make it longer by answering pings late:
   * give no privilege for a long one.
   */
  get rttMs(): number | undefined {
    return this.#connection.participant.session.rttMs;
  }
}
