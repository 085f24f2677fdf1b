import type { Scheduler } from "@paceline/transport";
import {
  type NetworkSettings,
  NetworkSimulator,
  type NetworkSimulatorOptions,
  type Random,
} from "@paceline/transport/simulated";

/** Options of a {@link SimulatedPair}. */
export interface SimulatedPairOptions {
  readonly scheduler: Scheduler;
  readonly random: Random;
  /** Settings of both directions; `aToB` and `bToA` override them. */
  readonly settings?: Partial<NetworkSettings>;
  readonly aToB?: Partial<NetworkSettings>;
  readonly bToA?: Partial<NetworkSettings>;
  readonly ordered?: boolean;
  readonly reliable?: boolean;
  readonly retransmitMs?: number;
  readonly lifetimeMs?: number;
}

/** One end of a simulated path. */
export interface SimulatedEnd {
  /** Sends to the other end; the bytes are copied. */
  readonly send: (packet: Uint8Array) => void;
  /** Sets the receiver. Packets that arrive earlier are discarded, as by a closed port. */
  readonly onPacket: (receive: (packet: Uint8Array) => void) => void;
  /** The direction away from this end. */
  readonly outgoing: NetworkSimulator;
}

/** Two ends with a path in both directions between them. */
export interface SimulatedPair {
  readonly a: SimulatedEnd;
  readonly b: SimulatedEnd;
  /** Changes both directions; see {@link NetworkSimulator.change}. */
  change(changes: Partial<NetworkSettings>): void;
  /** Cuts both directions. */
  close(): void;
}

/** Makes two ends and the path between them. The round-trip time of a reliable pair is the sum of both delays. */
export function simulatedPair(options: SimulatedPairOptions): SimulatedPair {
  const { settings, aToB, bToA, ...common } = options;
  const rttMs = (): number => ab.outgoing.settings.delayMs + ba.outgoing.settings.delayMs;
  const ab = direction({ ...common, rttMs, settings: { ...settings, ...aToB } });
  const ba = direction({ ...common, rttMs, settings: { ...settings, ...bToA } });
  return {
    a: { send: ab.send, outgoing: ab.outgoing, onPacket: ba.onPacket },
    b: { send: ba.send, outgoing: ba.outgoing, onPacket: ab.onPacket },
    change(changes) {
      ab.outgoing.change(changes);
      ba.outgoing.change(changes);
    },
    close() {
      ab.outgoing.close();
      ba.outgoing.close();
    },
  };
}

/** One direction: `send` and `outgoing` belong to the end it starts from, `onPacket` to the end it leads to. */
function direction(options: Omit<NetworkSimulatorOptions, "deliver">): SimulatedEnd {
  let receive: ((packet: Uint8Array) => void) | undefined;
  const outgoing = new NetworkSimulator({ ...options, deliver: (packet) => receive?.(packet) });
  return {
    outgoing,
    send: (packet) => outgoing.send(packet),
    onPacket(fn) {
      receive = fn;
    },
  };
}
