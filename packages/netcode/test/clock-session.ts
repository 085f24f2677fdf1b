import { seededRandom, simulatedPair, VirtualScheduler, type NetworkSettings } from "@paceline/testkit";
import { ClockEstimate } from "../src/index.js";

interface ClockSessionOptions {
  readonly seed: number;
  readonly settings?: Partial<NetworkSettings>;
  readonly aToB?: Partial<NetworkSettings>;
  readonly bToA?: Partial<NetworkSettings>;
  /** Step of both clocks, ms. */
  readonly clockStepMs?: number;
  /** Drift of the other clock, as a share of elapsed time. */
  readonly drift?: number;
}

/** A client that pings a server over a simulated network, and estimates the server's time. */
export class ClockSession {
  readonly scheduler = new VirtualScheduler();
  readonly estimate = new ClockEstimate();
  /** Added to the local clock, so that a test can make it jump. */
  localJumpMs = 0;
  remoteJumpMs = 0;
  readonly #options: ClockSessionOptions;
  readonly #pair;

  constructor(options: ClockSessionOptions) {
    this.#options = options;
    const { seed, settings, aToB, bToA } = options;
    this.#pair = simulatedPair({
      scheduler: this.scheduler,
      random: seededRandom(seed),
      ...(settings && { settings }),
      ...(aToB && { aToB }),
      ...(bToA && { bToA }),
    });
    this.#pair.b.onPacket((ping) => {
      this.#pair.b.send(new Uint8Array(Float64Array.of(read(ping, 0), this.remoteMs).buffer));
    });
    this.#pair.a.onPacket((pong) => {
      const remoteMs = read(pong, 1);
      const stamps = { sentMs: read(pong, 0), remoteReceivedMs: remoteMs, remoteSentMs: remoteMs };
      this.estimate.observePing({ ...stamps, receivedMs: this.localMs });
    });
    this.#ping();
  }

  get localMs(): number {
    return this.#stepped(this.scheduler.nowMs() + 500_000 + this.localJumpMs);
  }

  get remoteMs(): number {
    return this.#stepped(this.trueRemoteMs);
  }

  get trueRemoteMs(): number {
    return this.scheduler.nowMs() * (1 + (this.#options.drift ?? 0)) + 7_000_000 + this.remoteJumpMs;
  }

  /** Estimate minus truth, ms. */
  get errorMs(): number {
    return this.estimate.nowMs(this.localMs) - this.trueRemoteMs;
  }

  #stepped(ms: number): number {
    const step = this.#options.clockStepMs ?? 0.1;
    return Math.floor(ms / step) * step;
  }

  #ping(): void {
    this.#pair.a.send(new Uint8Array(Float64Array.of(this.localMs).buffer));
    this.scheduler.after(this.estimate.pingIntervalMs, () => this.#ping());
  }
}

function read(packet: Uint8Array, index: number): number {
  return new DataView(packet.buffer, packet.byteOffset).getFloat64(index * 8, true);
}
