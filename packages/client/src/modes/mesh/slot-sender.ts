import { limits, writeControl, writeSlot, type Slot } from "@paceline/protocol";
import type { Clock, Session } from "@paceline/transport";
import type { StateStream } from "../state-stream.js";

/** Longest time for which a slot may be older than its stream, ms. */
const REFRESH_MS = 5000;
/** Shortest time between two refreshes, ms: several players may join at once. */
const MIN_PAUSE_MS = 250;
/** Rate limit of refreshes: long ones are followed by a longer pause. */
const BYTES_PER_SECOND = 2048;
/** Bytes of the message around a slot. They also keep the slots of many streams below the server's rate of messages. */
const MESSAGE_BYTES = 100;
const MAX_ENTITIES = 256;
/** States begin with their tick, which differs even if the entities rest. */
const TICK_BYTES = 4;

/** A slot as the server has it. */
interface SentSlot {
  readonly states: Uint8Array | undefined;
  readonly bytes: number;
}

/**
 * Keeps the slots at the server: of each own stream the announcement and whole states. A newcomer gets them with
 * its welcome, one round trip before this owner could send it anything.
 */
export class SlotSender {
  readonly #clock: Clock;
  readonly #streams: () => Iterable<StateStream>;
  readonly #serverSession: () => Session | undefined;
  readonly #hasStates: (stream: StateStream) => boolean;
  /** By the number of the stream. */
  readonly #slots = new Map<number, SentSlot>();
  /** Sum over all slots. */
  #bytes = 0;
  #dueAtMs = Infinity;
  /** Sequence of the last message with a slot. */
  #sent = -1;
  #pausedUntilMs = -Infinity;

  /**
   * @param serverSession returns the session with the server, or undefined while it is not connected
   * @param hasStates returns false for a stream whose states the server keeps otherwise
   */
  constructor(
    clock: Clock,
    streams: () => Iterable<StateStream>,
    serverSession: () => Session | undefined,
    hasStates: (stream: StateStream) => boolean,
  ) {
    this.#hasStates = hasStates;
    this.#clock = clock;
    this.#streams = streams;
    this.#serverSession = serverSession;
  }

  /** Makes a refresh due: now, or in so many ms. */
  refresh(afterMs = 0): void {
    this.#dueAtMs = Math.min(this.#dueAtMs, this.#clock.nowMs() + afterMs);
  }

  /** Sends the slots that are due and have changed. Called once per tick, when its states are final. */
  step(tick: number): void {
    const nowMs = this.#clock.nowMs();
    if (nowMs < Math.max(this.#dueAtMs, this.#pausedUntilMs)) return;
    const session = this.#serverSession();
    // On a blocked link, more slots would only queue up.
    if (!session || session.isClosed || session.isBacklogged) return;
    if (this.#sent >= 0 && !session.commands.isAcknowledged(this.#sent)) return;
    let bytes = 0;
    for (const stream of this.#streams()) bytes += this.#send(stream, tick, session);
    this.#dueAtMs = nowMs + REFRESH_MS;
    if (bytes > 0) this.#pausedUntilMs = nowMs + Math.max(MIN_PAUSE_MS, (1000 * bytes) / BYTES_PER_SECOND);
  }

  /** Sends the slot of a stream if it has changed. Returns the bytes of the message, or 0. */
  #send(stream: StateStream, tick: number, session: Session): number {
    const before = this.#slots.get(stream.number);
    const others = this.#bytes - (before?.bytes ?? 0);
    const slot = slotOf(stream, this.#hasStates(stream) ? MAX_ENTITIES : 0, tick, limits.slotBytes - others);
    if (!slot || (before && isSame(slot.states, before.states))) return 0;
    const state = writeSlot(slot);
    this.#slots.set(stream.number, { states: slot.states, bytes: state.length });
    this.#bytes = others + state.length;
    this.#sent = session.sendReliable(writeControl({ type: "slot", stream: stream.number, state }));
    return state.length + MESSAGE_BYTES;
  }
}

/** Returns a slot with as many entities as there is room for; undefined if there is none for the announcement. */
function slotOf(stream: StateStream, maxEntities: number, tick: number, maxBytes: number): Slot | undefined {
  const { start } = stream;
  const records = [...stream.records.values()].slice(0, maxEntities);
  for (let count = records.length; ; count >>= 1) {
    const [whole, ...more] = count > 0 ? stream.whole(records.slice(0, count), tick) : [];
    const slot = { start, states: whole?.states };
    if (more.length === 0 && writeSlot(slot).length <= maxBytes) return slot;
    if (count === 0) return undefined;
  }
}

/** True if only the tick differs. */
function isSame(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (!a || !b) return a === b;
  return a.length === b.length && a.every((byte, at) => at < TICK_BYTES || byte === b[at]);
}
