import { ClockEstimate } from "@paceline/netcode";
import { seededRandom, simulatedPair, VirtualScheduler, type SimulatedPair } from "@paceline/testkit";
import { FRAME_HZ, type Measures } from "./measures.js";
import { wireBytes, type LabNetwork, type LinkKind } from "./networks.js";
import type { LabReceiver, LabSender, LabSystem, LocalTime, Update } from "./system.js";
import { TICK_SECONDS, TRUTH_WIDTH, truthAt, type Piece, type Track } from "./trace.js";

/** Time before a track begins, in which the clocks synchronise as in a session. */
const WARM_UP_SECONDS = 3;
/** Start of an appearance that does not count, because its first states are still under way. */
const GRACE_SECONDS = 0.5;
/** Offset of the receiver's clock, whose resolution is 0.1 ms as in browsers. */
const LOCAL_OFFSET_MS = 98_765.4;
const CLOCK_STEP_MS = 0.1;
/**
 * Time beyond a round trip until the sender of an ordered stream notices a loss: the interval of its packets
 * (RACK).
 */
const RETRANSMIT_MS = 50;
/** Sequences in one acknowledgement, which repeats earlier ones. */
const ACKS = 33;
const ACK_BYTES = 15;

export interface PlayOptions {
  readonly system: LabSystem;
  readonly network: LabNetwork;
  readonly link: LinkKind;
  readonly seed: number;
}

export interface PlayCounts {
  updates: number;
  wireBytes: number;
  seconds: number;
  frames: number;
  starvedFrames: number;
}

/** Plays one track: an owner that steps its simulation, a path, and one receiver that draws frames. */
export function playTrack(track: Track, options: PlayOptions, measures: Measures): PlayCounts {
  return new Play(options, measures).run(track);
}

type Carried =
  | { readonly kind: "update"; readonly update: Update }
  | { readonly kind: "acks"; readonly sequences: readonly number[] }
  | { readonly kind: "ping"; readonly sentMs: number }
  | { readonly kind: "pong"; readonly sentMs: number; readonly remoteMs: number };

class Play {
  readonly #options: PlayOptions;
  readonly #measures: Measures;
  readonly #scheduler = new VirtualScheduler({ maxTimersPerRun: 100_000_000 });
  readonly #pair: SimulatedPair;
  readonly #carried = new Map<number, Carried>();
  readonly #clock = new ClockEstimate();
  readonly #frame: number;
  readonly #counts: PlayCounts = { updates: 0, wireBytes: 0, seconds: 0, frames: 0, starvedFrames: 0 };
  readonly #shown = new Float64Array(TRUTH_WIDTH);
  readonly #truth = new Float64Array(TRUTH_WIDTH);
  readonly #sender: LabSender;
  readonly #receiver: LabReceiver;
  readonly #received: number[] = [];
  #nextId = 0;

  constructor(options: PlayOptions, measures: Measures) {
    this.#options = options;
    this.#measures = measures;
    const random = seededRandom(options.seed);
    this.#frame = random.next() / FRAME_HZ;
    const isOrdered = options.link === "ordered";
    this.#pair = simulatedPair({
      scheduler: this.#scheduler,
      random,
      settings: options.network.settings,
      ordered: isOrdered,
      reliable: isOrdered,
      retransmitMs: RETRANSMIT_MS,
    });
    this.#sender = options.system.sender(options.network, options.link);
    this.#receiver = options.system.receiver(options.network);
    this.#pair.a.onPacket((packet) => this.#atOwner(this.#take(packet)));
    this.#pair.b.onPacket((packet) => this.#atReceiver(this.#take(packet)));
    this.#ping();
  }

  run(track: Track): PlayCounts {
    const sender = this.#sender;
    for (const piece of track.pieces) {
      this.#measures.begin();
      for (let index = 0; index < piece.ticks; index++) {
        const tick = piece.startTick + index;
        this.#scheduler.runUntil(this.#atMs(tick * TICK_SECONDS));
        const truth = piece.rows.subarray(index * TRUTH_WIDTH, (index + 1) * TRUTH_WIDTH);
        const update = sender.step(truth, tick, index === 0);
        if (update) this.#publish(update);
        this.#draw(piece, tick * TICK_SECONDS + this.#frame);
      }
      this.#counts.seconds += piece.ticks * TICK_SECONDS;
    }
    this.#pair.close();
    return this.#counts;
  }

  #atMs(trackSeconds: number): number {
    return (WARM_UP_SECONDS + trackSeconds) * 1000;
  }

  #publish(update: Update): void {
    const { link } = this.#options;
    this.#counts.updates += 1;
    this.#counts.wireBytes += wireBytes(link, update.payloadBytes);
    this.#pair.a.send(this.#put({ kind: "update", update }, update.payloadBytes));
  }

  #draw(piece: Piece, trackSeconds: number): void {
    this.#scheduler.runUntil(this.#atMs(trackSeconds));
    const starvedBefore = this.#receiver.starvedFrames ?? 0;
    const isThere = this.#receiver.show(this.#now(), this.#shown);
    const age = trackSeconds - piece.startTick * TICK_SECONDS;
    const isOver = age > (piece.ticks - 2) * TICK_SECONDS;
    if (!isThere || isOver || age < GRACE_SECONDS) return;
    this.#counts.frames += 1;
    this.#counts.starvedFrames += (this.#receiver.starvedFrames ?? 0) - starvedBefore;
    truthAt(piece, trackSeconds, this.#truth);
    this.#measures.add(this.#shown, this.#truth);
  }

  /** Returns the receiver's time, and its estimate of the owner's time, which is the track's. */
  #now(): LocalTime {
    const localMs = this.#localMs();
    return { localMs, ownerSeconds: this.#clock.nowMs(localMs) / 1000 };
  }

  #localMs(): number {
    return Math.floor((this.#scheduler.nowMs() + LOCAL_OFFSET_MS) / CLOCK_STEP_MS) * CLOCK_STEP_MS;
  }

  #ownerMs(): number {
    return this.#scheduler.nowMs() - WARM_UP_SECONDS * 1000;
  }

  #ping(): void {
    this.#pair.b.send(this.#put({ kind: "ping", sentMs: this.#localMs() }, 16));
    this.#scheduler.after(this.#clock.pingIntervalMs, () => this.#ping());
  }

  #atOwner(carried: Carried): void {
    if (carried.kind === "acks") {
      for (const sequence of carried.sequences) this.#sender.acknowledged?.(sequence);
    }
    if (carried.kind !== "ping") return;
    this.#pair.a.send(this.#put({ kind: "pong", sentMs: carried.sentMs, remoteMs: this.#ownerMs() }, 16));
  }

  #atReceiver(carried: Carried): void {
    if (carried.kind === "update") this.#receive(carried.update);
    if (carried.kind !== "pong") return;
    const { sentMs, remoteMs } = carried;
    this.#clock.observePing({
      sentMs,
      remoteReceivedMs: remoteMs,
      remoteSentMs: remoteMs,
      receivedMs: this.#localMs(),
    });
  }

  #receive(update: Update): void {
    this.#receiver.receive(update, this.#now());
    if (update.sequence === undefined) return;
    if (this.#received.push(update.sequence) > ACKS) this.#received.shift();
    this.#pair.b.send(this.#put({ kind: "acks", sequences: this.#received.slice() }, ACK_BYTES));
  }

  /** Returns a packet of the real size; keeps its content here until the packet arrives. */
  #put(carried: Carried, bytes: number): Uint8Array {
    const id = this.#nextId++;
    this.#carried.set(id, carried);
    const packet = new Uint8Array(Math.max(4, bytes));
    new DataView(packet.buffer).setUint32(0, id);
    return packet;
  }

  #take(packet: Uint8Array): Carried {
    const id = new DataView(packet.buffer).getUint32(0);
    const carried = this.#carried.get(id)!;
    this.#carried.delete(id);
    return carried;
  }
}
