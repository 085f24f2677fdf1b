import type { Envelope } from "@paceline/protocol";
import type { Cancel, Scheduler } from "@paceline/transport";
import { TokenBucket } from "../limits/token-bucket.js";
import type { HeldFrames } from "../sessions/held-frames.js";
import type { Participant } from "../sessions/participant.js";
import { Frames } from "./frames.js";

/** A full window ends early, so that no socket is given more than this at once. */
const MAX_WINDOW_BYTES = 16_384;
/** Smaller rooms have no window: their packets rarely meet in one. */
const MIN_PARTICIPANTS = 16;
/** The longest window that a relay chooses, ms. */
const AUTOMATIC_MS = 5;
/** So often the room's senders get what they ask for to be sent at once; beyond it they wait for the window too. */
const PROMPTS_PER_SECOND = 100;

/** Packets of one room wait here for each other: all that come within the window leave in one write per socket. */
export class RoomWindow {
  readonly #scheduler: Scheduler;
  readonly #periodMs: number | undefined;
  readonly #frames = new Frames();
  readonly #prompts: TokenBucket;
  #waiting: { readonly held: HeldFrames; readonly receiver: Participant }[] = [];
  #flushedAtMs = Number.NEGATIVE_INFINITY;
  #cancel: Cancel | undefined;
  /** Packets that leave at the end of this turn of the event loop. */
  #atRoundsEnd: "nothing" | "prompt" | "all" = "nothing";

  /** @param periodMs of the window; undefined: as the size of the room asks for */
  constructor(scheduler: Scheduler, periodMs: number | undefined) {
    this.#scheduler = scheduler;
    this.#periodMs = periodMs;
    this.#prompts = new TokenBucket(PROMPTS_PER_SECOND, PROMPTS_PER_SECOND / 10, scheduler.nowMs());
  }

  /** Takes a packet. Returns its place, for {@link give}. */
  add(envelope: Envelope, senderNumber: number, key: number): number {
    return this.#frames.add(envelope, senderNumber, key);
  }

  /** The packet at that place, the newest, goes to the receiver too. */
  give(place: number, receiver: Participant, held: HeldFrames): void {
    const { places } = held;
    if (places.at(-1) === place) places[places.length - 1] = place + 1;
    else places.push(place, place + 1);
    if (held.isListed) return;
    held.isListed = true;
    this.#waiting.push({ held, receiver });
    held.link.beforeSend ??= () => this.#release(held, receiver);
  }

  /** All receivers of what came since that place are known: it leaves when the window ends, or at once. */
  settle(place: number, participants: number, isPrompt: boolean): void {
    // Before a socket is given more, it is asked whether it has taken this.
    if (this.#frames.bytes >= MAX_WINDOW_BYTES) return this.#flush();
    const nowMs = this.#scheduler.nowMs();
    const periodMs = this.#periodMs ?? (participants < MIN_PARTICIPANTS ? 0 : AUTOMATIC_MS);
    const waitMs = this.#flushedAtMs + periodMs - nowMs;
    if (waitMs <= 0) return this.#endRound("all");
    // Timers cut fractions off: the window would end up to a millisecond early.
    this.#cancel ??= this.#scheduler.after(Math.ceil(waitMs), () => this.#flush());
    if (!isPrompt || !this.#prompts.take(1, nowMs)) return;
    let isForAll = true;
    for (const { held } of this.#waiting) {
      held.isPrompt ||= (held.places.at(-1) ?? 0) > place;
      isForAll &&= held.isPrompt || held.places.length === 0;
    }
    // If nobody else waits, the window ends with this packet, and the next one has its full length.
    this.#endRound(isForAll ? "all" : "prompt");
  }

  /** Not in this moment: what else comes in this round goes with it. */
  #endRound(releases: "prompt" | "all"): void {
    if (this.#atRoundsEnd === "nothing") setImmediate(() => this.#roundEnds());
    if (this.#atRoundsEnd !== "all") this.#atRoundsEnd = releases;
  }

  #roundEnds(): void {
    const releases = this.#atRoundsEnd;
    this.#atRoundsEnd = "nothing";
    if (releases === "all") return this.#flush();
    for (const { held, receiver } of this.#waiting) if (held.isPrompt) this.#release(held, receiver);
  }

  #flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#flushedAtMs = this.#scheduler.nowMs();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { held, receiver } of waiting) {
      held.isListed = false;
      this.#release(held, receiver);
    }
    this.#frames.clear();
  }

  /** Sends what waits for one receiver; never throws. */
  #release(held: HeldFrames, receiver: Participant): void {
    const { places } = held;
    held.isPrompt = false;
    if (places.length === 0) return;
    held.places = [];
    try {
      if (receiver.takesAtOnce(held)) {
        const { bytes, sent } = this.#frames.run(places);
        return held.link.sendFrames(bytes, sent);
      }
      // It is slow, or has gone to another link: its queue decides what becomes of each.
      for (const { trafficClass, packet, key } of this.#frames.each(places)) {
        receiver.session.outbox.forward(trafficClass, packet, key);
      }
    } catch (error) {
      receiver.fail("packet", error);
    }
  }
}
