import type { Envelope } from "@paceline/protocol";
import { TokenBucket, type Cancel, type Scheduler } from "@paceline/transport";
import type { RelaySettings } from "../options/relay-options.js";
import type { HeldFrames } from "../sessions/participant-links.js";
import type { Participant } from "../sessions/participant.js";
import { Frames } from "./frames.js";

/** A full window ends early, so that no socket gets more than this at once. */
const MAX_WINDOW_BYTES = 16_384;
/** Smaller rooms have no window, since their packets rarely meet in one. */
const MIN_PARTICIPANTS = 16;
/** Length of the default window, ms. */
const AUTOMATIC_MS = 5;
/** Rate at which packets marked as prompt leave a room at once. Beyond it they wait for the window too. */
const PROMPTS_PER_SECOND = 100;

/** Collects the packets of one room. All packets of a window leave in one write per socket. */
export class RoomWindow {
  readonly #scheduler: Scheduler;
  /** Length of the window; undefined: depends on the size of the room. */
  readonly #periodMs: number | undefined;
  readonly #frames = new Frames();
  readonly #prompts: TokenBucket;
  #waiting: { readonly held: HeldFrames; readonly receiver: Participant }[] = [];
  #flushedAtMs = -Infinity;
  #cancel: Cancel | undefined;
  /** Packets that leave at the end of this round of the event loop. */
  #atRoundsEnd: "nothing" | "prompt" | "all" = "nothing";

  constructor({ scheduler, coalesceMs }: RelaySettings) {
    this.#scheduler = scheduler;
    this.#periodMs = coalesceMs;
    this.#prompts = new TokenBucket(PROMPTS_PER_SECOND, PROMPTS_PER_SECOND / 10, scheduler.nowMs());
  }

  /** Adds a packet and returns its place, for {@link addReceiver}. */
  add(envelope: Envelope, senderNumber: number, key: number): number {
    return this.#frames.add(envelope, senderNumber, key);
  }

  /** Gives a receiver the packet at this place, which has to be the newest. */
  addReceiver(place: number, receiver: Participant, held: HeldFrames): void {
    const { places } = held;
    if (places.at(-1) === place) places[places.length - 1] = place + 1;
    else places.push(place, place + 1);
    if (held.isListed) return;
    held.isListed = true;
    this.#waiting.push({ held, receiver });
    held.link.beforeSend ??= () => this.#release(held, receiver);
  }

  /**
   * Schedules the packets since `place` for the window's end, or for the end of this round if they are prompt.
   * All their receivers must have been added.
   */
  schedule(place: number, participants: number, isPrompt: boolean): void {
    // A full window leaves first, so that the next write sees whether the sockets have room.
    if (this.#frames.bytes >= MAX_WINDOW_BYTES) return this.#flush();
    const nowMs = this.#scheduler.nowMs();
    const periodMs = this.#periodMs ?? (participants < MIN_PARTICIPANTS ? 0 : AUTOMATIC_MS);
    const waitMs = this.#flushedAtMs + periodMs - nowMs;
    if (waitMs <= 0) return this.#endRound("all");
    // Timers cut off fractions: the window would end up to a millisecond early.
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

  /** Sends at the end of the event loop's round, so that further packets of the round go along. */
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

  /** Sends the frames that wait for one receiver; never throws. */
  #release(held: HeldFrames, receiver: Participant): void {
    const { places } = held;
    held.isPrompt = false;
    if (places.length === 0) return;
    held.places = [];
    try {
      if (receiver.links.takesAtOnce(held)) {
        const { bytes, sent } = this.#frames.run(places);
        return held.link.sendFrames(bytes, sent);
      }
      // The receiver is slow or uses another link. Its queue decides about each packet.
      for (const { trafficClass, packet, key } of this.#frames.each(places)) {
        receiver.session.outbox.forward(trafficClass, packet, key);
      }
    } catch (error) {
      receiver.fail("packet", error);
    }
  }
}
