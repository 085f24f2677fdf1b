import { defineEntity } from "@paceline/client";
import {
  ClockEstimate,
  DEFAULT_CONVERGENCE,
  ReceiverReplication,
  RemoteBody,
  kinematicsOf,
  lostAfterMsOf,
  newReckoner,
  repeatAfterMsFor,
  sendDecisionOf,
  type ReplicationPolicy,
} from "@paceline/netcode";
import {
  SnapshotWriter,
  SnapshotReader,
  SoleReceiver,
  StateHistory,
  limits,
  planState,
  restore,
} from "@paceline/protocol";
import type { Scheduler } from "@paceline/transport";
import type { SimulatedPair } from "@paceline/testkit";
import { STEP_HZ, STEP_MS, STEP_S } from "../car/step-car.js";
import { carFields } from "../net/car-model.js";
import { HEAD_BYTES, nearest, readHead, writeHead, type Lane, type Moment } from "./lane.js";
import type { Pose } from "./truth.js";

/** The game's car without steering, throttle and handbrake: the other lanes do not send those either. */
const ShownCar = defineEntity(
  "shown-car",
  { position: carFields.position, velocity: carFields.velocity, heading: carFields.heading },
  { motion: "turn", threshold: { position: 0.1, heading: 0.035 } },
);
const CAR = 0;
const WIDTH = ShownCar.components.length;
/** Delays besides the line, on average: until a step notices an error, and until a frame shows the state. */
const SHOWN_AFTER_MS = 14;
/** The values of the racing profile. */
const HEARTBEATS = { minIntervalMs: 1000 / 30, heartbeatMs: 1000, movingHeartbeatMs: 300 } as const;
/** Sequences in one acknowledgement: the newest received one and the 32 before. */
const ACKS = 33;
const AVERAGED = 16;
const KIND = { state: 0, ping: 1 } as const;

interface Sent {
  readonly sequence: number;
  readonly atMs: number;
}

/**
 * The parts of Paceline, put together as a room does: the decision when to send, the codec with acknowledged
 * baselines, the clock by pings over the same line, dead reckoning and smoothing. Round trip and loss are
 * measured.
 */
export class PacelineLane implements Lane {
  readonly #pair: SimulatedPair;
  readonly #scheduler: Scheduler;
  readonly #plan = planState(ShownCar, { tickHz: STEP_HZ, hasRates: true });
  readonly #history = new StateHistory({ plans: [this.#plan], historyTicks: limits.historyTicks });
  readonly #sender = new SoleReceiver({
    writer: new SnapshotWriter([this.#plan]),
    checksumTicks: 8,
  });
  readonly #reader = new SnapshotReader({
    plans: [this.#plan],
    historyTicks: limits.historyTicks,
    maxEntities: 1,
  });
  readonly #replication = new ReceiverReplication({ tickSeconds: STEP_S, decisionOf: sendDecisionOf });
  readonly #kinematics = kinematicsOf(ShownCar)!;
  readonly #layout = ShownCar.motionLayout!;
  readonly #state = new Float32Array(WIDTH);
  readonly #entity = { id: CAR, definition: ShownCar, state: this.#state, texts: [] };
  readonly #clock = new ClockEstimate();
  readonly #body = new RemoteBody(
    {
      layout: this.#layout,
      reckoner: newReckoner(this.#layout, "turn"),
      convergence: DEFAULT_CONVERGENCE,
      extrapolationLimitMs: 1000,
    },
    WIDTH,
  );
  readonly #shown = new Float64Array(WIDTH);
  readonly #row = new Float64Array(WIDTH);
  readonly #inFlight: Sent[] = [];
  readonly #received: number[] = [];
  #sequence = 0;
  #newestTick = 0;
  #rttMs = 0;
  #lossRatio = 0;
  sentBytes = 0;
  sentPackets = 0;

  constructor(pair: SimulatedPair, scheduler: Scheduler) {
    this.#pair = pair;
    this.#scheduler = scheduler;
    this.#history.spawn(CAR, this.#plan);
    pair.a.onPacket((packet) => this.#atOwner(packet));
    pair.b.onPacket((packet) => this.#atReceiver(packet));
    this.#ping();
  }

  step(truth: Pose, moment: Moment): void {
    const state = this.#state;
    state[this.#layout.position] = truth.x;
    state[this.#layout.position + 1] = truth.y;
    state[this.#layout.velocity!] = truth.velocityX;
    state[this.#layout.velocity! + 1] = truth.velocityY;
    state[this.#layout.heading!] = truth.headingRad;
    this.#kinematics.derive(state, moment.tick, STEP_S);
    this.#noticeLoss(moment.nowMs);
    if (this.#replication.due([this.#entity], moment, this.#policy()).length > 0) this.#send(moment);
  }

  show(nowMs: number): Pose | undefined {
    if (!this.#clock.isReady) return undefined;
    if (!this.#body.show(this.#clock.nowMs(nowMs) / 1000, this.#shown)) return undefined;
    const { position, velocity, heading } = this.#layout;
    const at = (index: number): number => this.#shown[index] as number;
    return {
      x: at(position),
      y: at(position + 1),
      velocityX: at(velocity!),
      velocityY: at(velocity! + 1),
      headingRad: at(heading!),
    };
  }

  #policy(): ReplicationPolicy {
    return {
      ...HEARTBEATS,
      positionThresholdM: 0.1,
      headingThresholdRad: 0.035,
      horizonMs: this.#rttMs / 2 + SHOWN_AFTER_MS,
      repeatAfterMs: repeatAfterMsFor(this.#lossRatio),
      bytesPerSecond: 1_000_000,
      lostAfterMs: lostAfterMsOf(this.#rttMs),
    };
  }

  #send(moment: Moment): void {
    const { tick, nowMs } = moment;
    const rows = this.#history.find(CAR)!;
    if (rows.find(tick) < 0) this.#history.write(rows, tick, this.#state);
    // A packet with sequence 0 answers a ping.
    this.#sequence += (this.#sequence + 1) % 0x10000 === 0 ? 2 : 1;
    const sequence = this.#sequence;
    this.#sender.write(tick, [rows], ({ body }) => {
      const packet = new Uint8Array(HEAD_BYTES + body.length);
      writeHead(packet, sequence, tick);
      packet.set(body, HEAD_BYTES);
      this.sentBytes += packet.length;
      this.sentPackets += 1;
      this.#replication.spent(packet.length, 1);
      this.#pair.a.send(packet);
      return sequence;
    });
    const row = Float32Array.from(this.#state);
    restore(this.#plan, rows.rows, rows.find(tick), row);
    this.#replication.sent(this.#entity, row, moment, sequence);
    this.#inFlight.push({ sequence, atMs: nowMs });
  }

  /** Counts a packet without an acknowledgement as lost, in a moving average. */
  #noticeLoss(nowMs: number): void {
    while (this.#inFlight[0] && nowMs - this.#inFlight[0].atMs > lostAfterMsOf(this.#rttMs) + 100) {
      this.#inFlight.shift();
      this.#lossRatio += (1 - this.#lossRatio) / AVERAGED;
    }
  }

  #acknowledged(bits: number, nowMs: number): void {
    const sequence = nearest(bits, this.#sequence);
    this.#sender.acknowledge(sequence);
    this.#replication.acknowledged(sequence);
    const at = this.#inFlight.findIndex((sent) => sent.sequence === sequence);
    if (at < 0) return;
    const [sent] = this.#inFlight.splice(at, 1);
    const rttMs = nowMs - sent!.atMs;
    this.#rttMs = this.#rttMs === 0 ? rttMs : this.#rttMs + (rttMs - this.#rttMs) / AVERAGED;
    this.#lossRatio -= this.#lossRatio / AVERAGED;
  }

  #ping(): void {
    const packet = new Uint8Array(9);
    packet[0] = KIND.ping;
    new DataView(packet.buffer).setFloat64(1, this.#scheduler.nowMs());
    this.#pair.b.send(packet);
    this.#scheduler.after(this.#clock.pingIntervalMs, () => this.#ping());
  }

  #atOwner(packet: Uint8Array): void {
    const view = new DataView(packet.buffer, packet.byteOffset);
    const nowMs = this.#scheduler.nowMs();
    if (packet[0] !== KIND.ping) {
      for (let at = 1; at < packet.length; at += 2) this.#acknowledged(view.getUint16(at), nowMs);
      return;
    }
    const pong = new Uint8Array(HEAD_BYTES + 16);
    new DataView(pong.buffer).setFloat64(HEAD_BYTES, view.getFloat64(1));
    new DataView(pong.buffer).setFloat64(HEAD_BYTES + 8, nowMs);
    this.#pair.a.send(pong);
  }

  #atReceiver(packet: Uint8Array): void {
    const nowMs = this.#scheduler.nowMs();
    const { sequence, tick } = readHead(packet, this.#newestTick);
    if (sequence === 0) {
      const view = new DataView(packet.buffer, packet.byteOffset);
      const ownerMs = view.getFloat64(HEAD_BYTES + 8);
      const sentMs = view.getFloat64(HEAD_BYTES);
      this.#clock.observePing({
        sentMs,
        remoteReceivedMs: ownerMs,
        remoteSentMs: ownerMs,
        receivedMs: nowMs,
      });
      return;
    }
    this.#newestTick = Math.max(this.#newestTick, tick);
    const dropped = this.#reader.read(packet.subarray(HEAD_BYTES), tick, {
      onState: (entity, stateTick, place) => {
        restore(this.#plan, entity.rows, place, this.#row);
        const ownerSeconds = this.#clock.nowMs(nowMs) / 1000;
        this.#body.receive(this.#row, (stateTick * STEP_MS) / 1000, ownerSeconds);
      },
      onRemoved: () => undefined,
      onDesync: () => undefined,
    });
    if (dropped !== undefined) return;
    if (this.#received.push(sequence) > ACKS) this.#received.shift();
    const acks = new Uint8Array(1 + 2 * this.#received.length);
    for (const [at, each] of this.#received.entries()) {
      new DataView(acks.buffer).setUint16(1 + 2 * at, each);
    }
    this.#pair.b.send(acks);
  }
}
