import {
  ByteWriter,
  downwardOf,
  writeEnvelopeHead,
  type Envelope,
  type TrafficClassName,
} from "@paceline/protocol";
import { frameHeadBytes, writeFrameHead } from "@paceline/transport/node";
import type { TrafficCount } from "../ops/relay-counters.js";

/** A packet in its envelope, as a WebSocket frame. */
interface Frame {
  readonly trafficClass: TrafficClassName;
  /** Waiting packets of one key replace each other. 0: the packet replaces none. */
  readonly key: number;
  readonly chunk: Buffer;
  readonly start: number;
  readonly envelopeAt: number;
  readonly end: number;
}

/** Frames that go to a receiver in one write. */
export interface FrameRun {
  readonly bytes: Uint8Array;
  readonly sent: ReadonlyMap<TrafficClassName, TrafficCount>;
}

/** Small, since a socket keeps a whole chunk while a part of it is unsent. */
const CHUNK_BYTES = 16_384;

/**
 * The frames of one window, in sequence in memory. Receivers of the same packets get the same bytes, and each
 * packet is copied only once.
 */
export class Frames {
  readonly #head = new ByteWriter(16);
  #frames: Frame[] = [];
  #chunk = Buffer.alloc(0);
  #chunkAt = 0;
  bytes = 0;
  /** Last result of {@link run}, since most receivers get the same run. */
  #newest: { readonly from: number; readonly to: number; readonly run: FrameRun } | undefined;

  /** Adds a packet of a sender and returns its place. `key`: see {@link Frame.key}. */
  add(envelope: Envelope, senderNumber: number, key: number): number {
    const { trafficClass, packet } = envelope;
    // The packet is copied directly to its place, not through the writer.
    writeEnvelopeHead(this.#head.reset(), downwardOf(envelope, senderNumber));
    const head = this.#head.view();
    const envelopeBytes = head.length + packet.length;
    const chunk = this.#chunkFor(frameHeadBytes(envelopeBytes) + envelopeBytes);
    const start = this.#chunkAt;
    const envelopeAt = writeFrameHead(chunk, start, envelopeBytes);
    chunk.set(head, envelopeAt);
    chunk.set(packet, envelopeAt + head.length);
    const end = (this.#chunkAt = envelopeAt + envelopeBytes);
    this.bytes += end - start;
    return this.#frames.push({ trafficClass, key, chunk, start, envelopeAt, end }) - 1;
  }

  /**
   * Returns the frames at these places as one run. Places come in pairs: the first, and the one after the
   * last.
   */
  run(places: readonly number[]): FrameRun {
    const [from = 0, to = 0] = places;
    const isOne = places.length === 2;
    if (isOne && this.#newest?.from === from && this.#newest.to === to) return this.#newest.run;
    const run = this.#runOf(this.#at(places));
    if (isOne) this.#newest = { from, to, run };
    return run;
  }

  /**
   * Yields copies of the frames, for a receiver that cannot take them all at once. They may wait for long.
   */
  *each(places: readonly number[]): Iterable<Pick<Frame, "trafficClass" | "key"> & { packet: Uint8Array }> {
    for (const { trafficClass, key, chunk, envelopeAt, end } of this.#at(places)) {
      yield { trafficClass, key, packet: Uint8Array.prototype.slice.call(chunk, envelopeAt, end) };
    }
  }

  /** Empties the window. Places begin at 0 again. */
  clear(): void {
    this.#frames = [];
    this.bytes = 0;
    this.#newest = undefined;
  }

  #at(places: readonly number[]): Frame[] {
    const frames: Frame[] = [];
    for (let pair = 0; pair < places.length; pair += 2) {
      for (let place = places[pair]!; place < places[pair + 1]!; place++) frames.push(this.#frames[place]!);
    }
    return frames;
  }

  #runOf(frames: readonly Frame[]): FrameRun {
    const sent = new Map<TrafficClassName, TrafficCount>();
    const parts: Buffer[] = [];
    let before: Frame | undefined;
    let start = 0;
    for (const frame of frames) {
      const count = sent.get(frame.trafficClass);
      const bytes = frame.end - frame.envelopeAt;
      sent.set(frame.trafficClass, {
        packets: (count?.packets ?? 0) + 1,
        bytes: (count?.bytes ?? 0) + bytes,
      });
      const follows = before?.chunk === frame.chunk && before.end === frame.start;
      if (before && !follows) parts.push(before.chunk.subarray(start, before.end));
      if (!follows) start = frame.start;
      before = frame;
    }
    if (before) parts.push(before.chunk.subarray(start, before.end));
    return { bytes: parts.length === 1 ? parts[0]! : Buffer.concat(parts), sent };
  }

  #chunkFor(bytes: number): Buffer {
    if (this.#chunk.length - this.#chunkAt < bytes) {
      this.#chunk = Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, bytes));
      this.#chunkAt = 0;
    }
    return this.#chunk;
  }
}
