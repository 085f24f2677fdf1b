import { CloseCode, NetError } from "@paceline/protocol";
import { afterOwnTime, type Cancel, type Link, type LinkClose, type Scheduler } from "@paceline/transport";
import { canJoinElsewhere, errorOf } from "./close-meaning.js";
import { ANSWER_TIMEOUT_MS, type FirstAttempt, type FirstResult, type JoinParts } from "./first-attempt.js";
import type { JoinCall } from "./match-request.js";
import type { MatchRequest } from "./match-http.js";
import type { Welcome } from "./server-connection-options.js";

/** Time limit of a join, ms, however often the server answers. */
export const JOIN_LIMIT_MS = 60_000;
/** Time after which the client asks over HTTP if the server runs at all, because the upgrade hangs, ms. */
const UPGRADE_DOUBT_MS = 4000;
/** Further time for the upgrade after the server has answered over HTTP, beside that of this answer, ms. */
const UPGRADE_GRACE_MS = 1000;
/** Close codes of a link whose ticket is void, or may be. */
const spentCodes: readonly number[] = [CloseCode.ticketExpired, CloseCode.ticketUsed, CloseCode.timeout];

interface ServerJoinOptions extends Pick<JoinParts, "doors"> {
  readonly scheduler: Scheduler;
  readonly serverUrl: string;
  readonly first: FirstAttempt;
  /** Returns the link over the socket of the first attempt; undefined if that has none. */
  open(this: void, result: FirstResult): Link | undefined;
  /** Requests a seat, and opens a link with its ticket. */
  requestSeat(this: void, signal: AbortSignal): Promise<void>;
  /** Returns true while a link opens. */
  isOpening(this: void): boolean;
  /**
   * Ends the connection: there will be no welcome. Only the first error counts. Without one, the join is aborted, and
   * rejects with its signal's reason.
   */
  onRefused(this: void, error?: unknown): void;
}

interface Settle {
  resolve(this: void, welcome: Welcome): void;
  reject(this: void, error: unknown): void;
}

/** A join, from the first attempt for a seat to the server's welcome. */
export class ServerJoin {
  readonly #options: ServerJoinOptions;
  readonly #abortion = new AbortController();
  /** Undefined before the begin, and after the end. */
  #settle: Settle | undefined;
  #cancelLimit: Cancel | undefined;
  #cancelSilence: Cancel | undefined;
  /** Link whose upgrade carries the join, until the server answers. */
  #oneStep: Link | undefined;
  /** True after a second request for a seat, because the first ticket was void. */
  #hasRetried = false;

  constructor(options: ServerJoinOptions) {
    this.#options = options;
  }

  get isAborted(): boolean {
    return this.#abortion.signal.aborted;
  }

  /** Resolves to the server's welcome. Rejects with the error of {@link refused}, or at a time limit. */
  begin(): Promise<Welcome> {
    const { first, onRefused } = this.#options;
    this.#cancelLimit = this.#giveUpAfter(JOIN_LIMIT_MS);
    const welcomed = new Promise<Welcome>((resolve, reject) => (this.#settle = { resolve, reject }));
    this.answered();
    first.take().then((result) => this.#open(result), onRefused);
    return welcomed;
  }

  /** Extends the join: the server runs, and may be slow. Late answers to a busy page do not count against it. */
  answered(): void {
    if (this.isAborted) return;
    this.#cancelSilence?.();
    this.#cancelSilence = this.#giveUpAfter(ANSWER_TIMEOUT_MS);
  }

  /**
   * The server may already have seated this participant, and would keep the seat of a link that breaks. A link
   * that is still opening is therefore closed when it is open.
   */
  abort(): void {
    this.#abortion.abort();
    if (!this.#options.isOpening()) this.#options.onRefused();
  }

  /** Rejects the join. The server may have given a seat meanwhile, which it gets back as after an abort. */
  giveUp(error: NetError): void {
    this.#settle?.reject(error);
    this.abort();
  }

  welcomed(welcome: Welcome): void {
    this.#end()?.resolve(welcome);
  }

  refused(error: unknown): void {
    this.#end()?.reject(error);
  }

  /** Handles the end of a link before the welcome: tries another request for a seat, or ends the join. */
  linkDown(close: LinkClose, link: Link | undefined): void {
    const isOneStep = link !== undefined && link === this.#oneStep;
    this.#oneStep = undefined;
    if (isOneStep && !this.isAborted && canJoinElsewhere(close.code)) return this.#request();
    // The path or this page was too slow, or a proxy has repeated the upgrade: try once more, with another ticket.
    const mayRetry = !this.isAborted && !this.#hasRetried && spentCodes.includes(close.code);
    if (!mayRetry) return this.#options.onRefused(errorOf(close));
    this.#hasRetried = true;
    this.#request();
  }

  #giveUpAfter(ms: number): Cancel {
    return afterOwnTime(this.#options.scheduler, ms, () =>
      this.giveUp(new NetError("session/timeout", "no welcome from the server", { retryable: true })),
    );
  }

  #end(): Settle | undefined {
    const settle = this.#settle;
    this.#settle = undefined;
    this.#cancelLimit?.();
    this.#cancelSilence?.();
    return settle;
  }

  #open(result: FirstResult): void {
    const { call, first } = result;
    if (!this.#settle) return first?.socket.close(CloseCode.left, "left");
    this.answered();
    const link = this.#options.open(result);
    if (!link) return this.#request();
    if (!first?.isOneStep) return;
    // The upgrade of the link carries the request. If the upgrade fails, a match request follows.
    this.#oneStep = link;
    this.#options.scheduler.after(UPGRADE_DOUBT_MS, () => void this.#doubtUpgrade(link, call));
  }

  #request(): void {
    const { requestSeat, onRefused } = this.#options;
    // The first refusal decides. A later rejection of the seat must not stay unhandled.
    requestSeat(this.#abortion.signal).catch(onRefused);
  }

  /**
   * Gives up an upgrade that hangs although the server answers over HTTP: the path blocks it. While the server
   * answers to neither it is busy, and may already have given the seat.
   */
  async #doubtUpgrade(link: Link, call: JoinCall): Promise<void> {
    const { scheduler } = this.#options;
    const hangs = (): boolean => this.#oneStep === link && link.state === "connecting" && !this.isAborted;
    if (!hangs()) return;
    const askedAtMs = scheduler.nowMs();
    const { signal } = this.#abortion;
    const request = { call, webrtc: false, timeoutMs: ANSWER_TIMEOUT_MS, signal };
    if (!(await isAnswered({ ...this.#options, ...request }))) return;
    const graceMs = scheduler.nowMs() - askedAtMs + UPGRADE_GRACE_MS;
    afterOwnTime(scheduler, graceMs, () => {
      if (hangs()) link.close(CloseCode.timeout, "the upgrade hangs");
    });
  }
}

/** Returns true if the server answers over HTTP, whatever it says. Takes no seat. */
async function isAnswered({ doors, ...request }: MatchRequest & Pick<JoinParts, "doors">): Promise<boolean> {
  try {
    const { askServer } = await doors.seats.open();
    await askServer({ ...request, call: { ...request.call, method: "list" } });
    return true;
  } catch (error) {
    // Without the code for it, nobody has asked.
    const isSilent = (code: string): boolean => code === "match/unreachable" || code === "session/code";
    return error instanceof NetError && !isSilent(error.code);
  }
}
