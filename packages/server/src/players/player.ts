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
  readonly #connection: PlayerSource;
  readonly #seat: Omit<HostedSeat, "replaces">;

  /** @internal */
  constructor(connection: PlayerSource, seat: Omit<HostedSeat, "replaces">) {
    this.#connection = connection;
    this.#seat = seat;
  }

  /** Number in the order of joining. A reload keeps it. */
  get number(): number {
    return this.#connection.participant.number;
  }

  /** Id of the player's current session. A reload changes it. */
  get id(): string {
    return this.#connection.participant.id;
  }

  /** The result of `onAuth`. */
  get auth(): unknown {
    return this.#seat.auth;
  }

  /** The player's join options. */
  get options(): Readonly<Record<string, unknown>> {
    return this.#seat.options;
  }

  /** True for a spectator. It receives everything, and the room refuses what it sends. */
  get isSpectator(): boolean {
    return this.#seat.isSpectator;
  }

  /** Network address from which the player asked for its seat. */
  get address(): string {
    return this.#seat.address;
  }

  /** False while the player has no link, and after it has left. */
  get isConnected(): boolean {
    return this.#connection.isConnected;
  }

  /** The player's input of this tick, or its last one if that of this tick has not arrived. */
  get input(): InputOf<Inputs> {
    return this.#connection.inputView as InputOf<Inputs>;
  }

  /** Round-trip time, ms. Undefined until it is measured. */
  get rttMs(): number | undefined {
    return this.#connection.participant.session.rttMs;
  }
}
