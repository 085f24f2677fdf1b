import { NetError } from "@paceline/protocol";
import type { Scheduler } from "@paceline/transport";
import { ANSWER_TIMEOUT_MS, type JoinParts } from "./first-attempt.js";
import type { JoinCall } from "./match-request.js";
import type { MatchRequest, Seat } from "./match-http.js";
import type { Welcome } from "./server-connection-options.js";

/** Time for which a server keeps a seat for the ticket, ms: longer than {@link ANSWER_TIMEOUT_MS}. */
const TICKET_LIFETIME_MS = 25_000;

interface SeatRequest
  extends Pick<MatchRequest, "serverUrl" | "webrtc" | "signal">, Pick<JoinParts, "doors"> {
  readonly scheduler: Scheduler;
}

/**
 * Requests seats: for the game's call until the first welcome, then for the room of the last welcome, and for
 * any room like it if that room is gone or full.
 */
export class SeatRequests {
  /** The call that the next request repeats. */
  call: JoinCall;
  /** Seat of the last request. A second one could be one too many for the room. */
  #seat: (Seat & { readonly untilMs: number }) | undefined;
  /** The room of the last welcome, with the options by which it differs from others of its name. */
  #room: Pick<Welcome, "roomName" | "options"> | undefined;

  constructor(call: JoinCall) {
    this.call = call;
  }

  /** Returns the seat of the last request if it is still valid, or requests one. Rejects with {@link NetError}. */
  async seat(request: SeatRequest): Promise<Seat> {
    const nowMs = request.scheduler.nowMs();
    if (this.#seat && nowMs <= this.#seat.untilMs) return this.#seat;
    const { call } = this;
    const { requestSeat } = await request.doors.seats.open();
    const seat = await requestSeat({ ...request, call, timeoutMs: ANSWER_TIMEOUT_MS });
    this.#seat = { ...seat, untilMs: nowMs + TICKET_LIFETIME_MS };
    return seat;
  }

  /** Drops the seat of the last request, because the server has refused its link. */
  drop(): void {
    this.#seat = undefined;
  }

  /** A returning player belongs in the room of the welcome, not in another room of the same name. */
  welcomed(welcome: Welcome, options: JoinCall["options"]): void {
    this.#room = welcome;
    const { credentials, build, terms: asked } = this.call;
    // A page that has taken over a seat by its token knows only from the welcome that it spectates.
    const terms = welcome.spectator ? { ...asked, spectate: true } : asked;
    this.call = { method: "joinById", target: welcome.roomId, options, credentials, build, terms };
  }

  /**
   * Widens the call to any room of the same kind and options if the room is gone or full. Returns false
   * otherwise.
   */
  widen(error: unknown): boolean {
    const isGone =
      error instanceof NetError && (error.code === "match/not-found" || error.code === "match/full");
    if (!isGone || this.call.method !== "joinById" || !this.#room) return false;
    // A player who joined by the room's id has not named the options that lead to this kind of room.
    const options = { ...this.#room.options, ...this.call.options };
    this.call = { ...this.call, method: "joinOrCreate", target: this.#room.roomName, options };
    return true;
  }
}
