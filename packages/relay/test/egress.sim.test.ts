import { CloseCode, type TrafficClassName } from "@paceline/protocol";
import { describe, expect, it } from "vitest";
import type { RelayOptions } from "../src/index.js";
import type { Player } from "./player.js";
import { VirtualRegistry } from "./virtual-registry.js";

const STEP_MS = 50;

interface Sending {
  readonly trafficClass: TrafficClassName;
  readonly bytes: number;
  /** Packets per second, each to all other players. */
  readonly hz: number;
}

/** Joins players who count the packets that they get, and keep none. */
function countingPlayers(
  virtual: VirtualRegistry,
  count: number,
  addressOf: (index: number) => string = () => "",
): Counting[] {
  return Array.from({ length: count }, (_, index) => {
    const { player } = virtual.join({}, addressOf(index));
    const counting: Counting = { player, bytes: 0, packets: 0 };
    player.onForwarded = ({ packet }) => {
      player.forwarded.length = 0;
      counting.bytes += packet.length;
      counting.packets += 1;
    };
    return counting;
  });
}

interface Counting {
  readonly player: Player;
  bytes: number;
  packets: number;
}

function registry(limits: NonNullable<RelayOptions["limits"]>, maxPlayers: number): VirtualRegistry {
  return new VirtualRegistry({ rooms: { race: { maxPlayers } }, limits });
}

/** Sends the packets that are due between two moments. */
function send(
  { player }: Counting,
  to: readonly Player[],
  { trafficClass, bytes, hz }: Sending,
  [fromMs, untilMs]: readonly [number, number],
): void {
  const [first, end] = [Math.floor((fromMs * hz) / 1000), Math.floor((untilMs * hz) / 1000)];
  for (let number = first; number < end; number++) {
    player.forward(to, new Uint8Array(bytes), {
      trafficClass,
      key: trafficClass === "state" ? 1 + (number % 50) : 0,
    });
  }
}

/** Lets the senders send for a time, and everybody receive. */
function run(
  virtual: VirtualRegistry,
  all: readonly Counting[],
  senders: ReadonlyMap<Counting, readonly Sending[]>,
  durationMs: number,
): void {
  for (let atMs = 0; atMs < durationMs; atMs += STEP_MS) {
    for (const [sender, sendings] of senders) {
      const others = all
        .map(({ player }) => player)
        .filter((other) => other !== sender.player && !other.close);
      for (const sending of sendings) send(sender, others, sending, [atMs, atMs + STEP_MS]);
    }
    virtual.scheduler.advance(STEP_MS);
  }
  virtual.scheduler.advance(1000);
}

const sum = (all: readonly Counting[]): number => all.reduce((bytes, counting) => bytes + counting.bytes, 0);

/** Small limits in the proportions of the defaults: one megabyte per second instead of sixteen. */
const MIB = 1_048_576;
const small = { egressBytesPerSecondPerRoom: MIB, egressBurstPerRoom: MIB } as const;

describe("what the relay forwards in a room", () => {
  it("is bounded when all of its sessions send states up to their limits", () => {
    const virtual = registry(small, 16);
    const all = countingPlayers(virtual, 16);
    const states: Sending[] = [{ trafficClass: "state", bytes: 8000, hz: 20 }];
    run(virtual, all, new Map(all.map((each) => [each, states])), 4000);
    // 16 senders x 160 kB/s x 15 receivers are 38 MB/s.
    expect(sum(all)).toBeLessThan(7 * MIB);
    expect(sum(all)).toBeGreaterThan(3 * MIB);
    expect(virtual.settings.counters.limited.egressPerRoom).toBeGreaterThan(500);
    // States may be lost, since newer ones follow. So nobody is cut.
    expect(all.map(({ player }) => player.close)).toEqual(Array(16).fill(undefined));
  });

  it("cuts a flood of reliable packets, and drops nothing of other players", () => {
    const virtual = registry(small, 16);
    const all = countingPlayers(virtual, 16);
    const [flooder, ...others] = all as [Counting, ...Counting[]];
    const flood: Sending[] = [{ trafficClass: "command", bytes: 12_000, hz: 15 }];
    // Each player's packets make 45 kB/s for all receivers: below a sixteenth of the room's rate.
    const play: Sending[] = [
      { trafficClass: "state", bytes: 80, hz: 20 },
      { trafficClass: "command", bytes: 70, hz: 20 },
    ];
    run(virtual, all, new Map([[flooder, flood], ...others.map((each) => [each, play] as const)]), 8000);
    expect(flooder.player.close?.code).toBe(CloseCode.flooding);
    expect(virtual.settings.counters.sessionEnds).toEqual({ flooding: 1 });
    const ownPackets = 2 * 20 * 8 * 14;
    for (const { packets, player } of others) {
      expect(player.close).toBeUndefined();
      expect(packets).toBeGreaterThanOrEqual(ownPackets);
    }
  });

  it("is not limited in ordinary use: 24 players, 30 events a second, states at 60 Hz", () => {
    // Small bursts, so that the rates alone have to suffice.
    const virtual = registry({ egressBurstPerRoom: MIB, egressBurstPerAddress: MIB }, 24);
    const all = countingPlayers(virtual, 24, () => "198.51.100.1");
    const play: Sending[] = [
      { trafficClass: "state", bytes: 150, hz: 60 },
      { trafficClass: "event", bytes: 60, hz: 30 },
    ];
    const durationMs = 1000;
    run(virtual, all, new Map(all.map((each) => [each, play])), durationMs);
    expect(virtual.settings.counters.limited).toMatchObject({ egressPerRoom: 0, egressPerAddress: 0 });
    expect(all.map(({ player }) => player.close)).toEqual(Array(24).fill(undefined));
  });
});

describe("what the sessions of a room send", () => {
  it("is bounded together, and flooders take nothing from the share of others", () => {
    const room = { bytesPerSecondPerRoom: MIB / 2, byteBurstPerRoom: MIB / 2 };
    const virtual = registry({ ...room, egressBytesPerSecondPerRoom: 1e9, egressBurstPerRoom: 1e9 }, 16);
    const all = countingPlayers(virtual, 16);
    const [flooders, others] = [all.slice(0, 6), all.slice(6)];
    const witness = others[0]!.player;
    const got = new Map<number, number>();
    const count = witness.onForwarded!;
    witness.onForwarded = (envelope) => {
      for (const from of envelope.peers) got.set(from, (got.get(from) ?? 0) + 1);
      count(envelope);
    };
    // Each flooder keeps its own limits. A sixteenth of the room's rate is 32 kB/s.
    const flood: Sending[] = [{ trafficClass: "command", bytes: 12_000, hz: 20 }];
    const play: Sending[] = [
      { trafficClass: "state", bytes: 200, hz: 60 },
      { trafficClass: "command", bytes: 500, hz: 20 },
    ];
    const sendings = [
      ...flooders.map((each) => [each, flood] as const),
      ...others.map((each) => [each, play] as const),
    ];
    run(virtual, all, new Map(sendings), 5000);
    expect(virtual.settings.counters.limited.bytesPerRoom).toBeGreaterThan(300);
    expect(all.map(({ player }) => player.close)).toEqual(Array(16).fill(undefined));
    const numbers = others.slice(1).map(({ player }) => player.number);
    expect(numbers.map((number) => got.get(number))).toEqual(numbers.map(() => (60 + 20) * 5));
  });
});

describe("what the relay forwards for an address", () => {
  const limits = {
    egressBytesPerSecondPerAddress: MIB / 2,
    egressBurstPerAddress: MIB / 2,
    egressBytesPerSecondPerRoom: 100 * MIB,
    egressBurstPerRoom: 100 * MIB,
  };
  const states: Sending[] = [{ trafficClass: "state", bytes: 8000, hz: 20 }];

  it("is bounded even if its rooms may have more; other addresses go on", () => {
    const virtual = registry(limits, 16);
    const all = countingPlayers(virtual, 8, (index) => (index < 6 ? "198.51.100.1" : `203.0.113.${index}`));
    run(virtual, all, new Map(all.slice(0, 6).map((each) => [each, states])), 4000);
    expect(sum(all)).toBeLessThan(3.5 * MIB);
    expect(virtual.settings.counters.limited.egressPerAddress).toBeGreaterThan(100);
    const before = sum(all);
    run(virtual, all, new Map([[all[7]!, [{ trafficClass: "command", bytes: 1000, hz: 20 }]]]), 1000);
    expect(sum(all) - before).toBe(20 * 1000 * 7);
  });

  it("is not limited for this machine's own addresses, since anybody may be behind a proxy", () => {
    const virtual = registry(limits, 16);
    const all = countingPlayers(virtual, 4, () => "127.0.0.1");
    run(virtual, all, new Map(all.map((each) => [each, states])), 2000);
    expect(virtual.settings.counters.limited.egressPerAddress).toBe(0);
  });
});
