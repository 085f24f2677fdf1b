import type { InputDefinition } from "@paceline/protocol";
import type { ReadonlyFields } from "@paceline/netcode";
import type { HostedParticipant, HostedSeat } from "@paceline/relay";

/** The fields of a room's inputs. */
export type InputOf<Inputs> = Inputs extends InputDefinition<infer F> ? ReadonlyFields<F> : undefined;

/** The room's end of a player, as far as the player tells of it. */
export interface PlayerEnd extends Pick<HostedSeat, "auth" | "options" | "isSpectator" | "address"> {
  readonly participant: Pick<HostedParticipant, "number" | "id" | "session">;
  readonly isConnected: boolean;
  readonly inputView: object | undefined;
}

/** Somebody in the room. The same object for as long as the player is in it, links and pages notwithstanding. */
export class Player<Inputs = unknown> {
  /** For the game's own use. */
  userData: unknown = undefined;
  readonly #line: PlayerEnd;

  /** @internal */
  constructor(line: PlayerEnd) {
    this.#line = line;
  }

  /** Counts in the order of joining; unchanged by a reload. */
  get number(): number {
    return this.#line.participant.number;
  }

  /** The session's id; unchanged by a reload. */
  get id(): string {
    return this.#line.participant.id;
  }

  /** The result of `onAuth`. */
  get auth(): unknown {
    return this.#line.auth;
  }

  /** The player's join options. */
  get options(): Readonly<Record<string, unknown>> {
    return this.#line.options;
  }

  /** True for a spectator: it receives everything, and the room ignores what it sends. */
  get isSpectator(): boolean {
    return this.#line.isSpectator;
  }

  /** The network address that the seat was asked for from. */
  get address(): string {
    return this.#line.address;
  }

  /** False between a drop and the return, or the leaving. */
  get isConnected(): boolean {
    return this.#line.isConnected;
  }

  /** The input of this tick, as far as it came; the last one before it where it did not. */
  get input(): InputOf<Inputs> {
    return this.#line.inputView as InputOf<Inputs>;
  }

  /** Round trip, ms; undefined before it was measured. */
  get rttMs(): number | undefined {
    return this.#line.participant.session.rttMs;
  }
}
