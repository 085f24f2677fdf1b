import {
  ByteWriter,
  downwardOf,
  writeEnvelopeHead,
  type Envelope,
  type TrafficClassName,
} from "@paceline/protocol";
import { frameHeadBytes, writeFrameHead } from "@paceline/transport/node";
import type { TrafficCount } from "../ops/relay-counters.js";

/** A packet in its envelope, as a frame of a WebSocket. */
interface Frame {
  readonly trafficClass: TrafficClassName;
  /** Packets of one key replace each other where they wait; 0: it replaces none. */
  readonly key: number;
  readonly chunk: Buffer;
  readonly start: number;
  /** Offset of the envelope. */
  readonly envelopeAt: number;
  readonly end: number;
}

/** Frames that go to a receiver in one write. */
export interface FrameRun {
  readonly bytes: Uint8Array;
  readonly sent: ReadonlyMap<TrafficClassName, TrafficCount>;
}

/** Sockets may hold on to a chunk as long as a part of it is not sent. */
const CHUNK_BYTES = 16_384;

/**
 * The frames of one window, one behind the other in memory: receivers of the same packets are given the same bytes, and
 * a packet is copied once for all of them.
 */
export class Frames {
  readonly #head = new ByteWriter(16);
  #frames: Frame[] = [];
  #chunk = Buffer.alloc(0);
  #chunkAt = 0;
  #bytes = 0;
  /** The run that was asked for last: most receivers get the same one. */
  #newest: { readonly from: number; readonly to: number; readonly run: FrameRun } | undefined;

  get bytes(): number {
    return this.#bytes;
  }

  /** Adds a packet of that sender. Returns its place. `key`: see {@link Frame.key}. */
  add(envelope: Envelope, senderNumber: number, key: number): number {
    const { trafficClass, packet } = envelope;
    // The packet is copied to its place, not by way of the writer.
    writeEnvelopeHead(this.#head.reset(), downwardOf(envelope, senderNumber));
    const head = this.#head.view();
    const envelopeBytes = head.length + packet.length;
    const chunk = this.#chunkFor(frameHeadBytes(envelopeBytes) + envelopeBytes);
    const start = this.#chunkAt;
    const envelopeAt = writeFrameHead(chunk, start, envelopeBytes);
    chunk.set(head, envelopeAt);
    chunk.set(packet, envelopeAt + head.length);
    const end = (this.#chunkAt = envelopeAt + envelopeBytes);
    this.#bytes += end - start;
    return this.#frames.push({ trafficClass, key, chunk, start, envelopeAt, end }) - 1;
  }

  /** Frames at places of the list. Places come in pairs: from the first to before the second. */
  run(places: readonly number[]): FrameRun {
    const [from = 0, to = 0] = places;
    const isOne = places.length === 2;
    if (isOne && this.#newest?.from === from && this.#newest.to === to) return this.#newest.run;
    const run = this.#runOf(this.#at(places));
    if (isOne) this.#newest = { from, to, run };
    return run;
  }

  /** Copies of the frames, one by one, for a receiver that does not take them all: they may wait long. */
  *each(places: readonly number[]): Iterable<Pick<Frame, "trafficClass" | "key"> & { packet: Uint8Array }> {
    for (const { trafficClass, key, chunk, envelopeAt, end } of this.#at(places)) {
      yield { trafficClass, key, packet: Uint8Array.prototype.slice.call(chunk, envelopeAt, end) };
    }
  }

  /** The window is over: places begin at 0 again. */
  clear(): void {
    this.#frames = [];
    this.#bytes = 0;
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
