import {
  ByteWriter,
  CloseCode,
  MessageKind,
  limits,
  writeMessage,
  writePacketHeader,
} from "@paceline/protocol";
import { describe, expect, it } from "vitest";
import type { Player } from "./player.js";
import { VirtualRegistry } from "./virtual-registry.js";

const BIG = 16_000;
/** High rates, so that sessions fill up fast. */
const rates = {
  bytesPerSecond: 1_000_000_000,
  byteBurst: 1_000_000_000,
  bytesPerSecondPerRoom: 1_000_000_000,
};

/** Returns a reliable message out of order: nobody has sent the one with id 0. */
function earlyMessage(id: number): Uint8Array {
  const writer = new ByteWriter();
  writePacketHeader(writer, {
    sequence: id,
    tick: 0,
    isPublished: false,
    acks: undefined,
    receipt: 0,
  });
  writeMessage(
    writer,
    MessageKind.reliable,
    new ByteWriter(BIG + 2).u16(id).bytes(new Uint8Array(BIG)).view(),
  );
  return writer.take();
}

const messages = Array.from({ length: 80 }, (_, index) => earlyMessage(index + 100));

function hoard(virtual: VirtualRegistry, hoarders: readonly Player[]): void {
  for (const [index, message] of messages.entries()) {
    for (const { session } of hoarders) session.activeLink?.send("command", message);
    // The hoarders' sessions never sent these packets. After fifty acks of them they would end themselves.
    virtual.scheduler.advance(index % 2 === 0 ? 0 : 40);
  }
  virtual.scheduler.advance(1000);
}

function heldBytes(virtual: VirtualRegistry): number {
  const sessions = virtual.registry.reports().flatMap((room) => room.sessions);
  return sessions.reduce((sum, session) => sum + session.heldBytes, 0);
}

interface Scene {
  readonly virtual: VirtualRegistry;
  readonly hoarders: readonly Player[];
  readonly neighbours: readonly [Player, Player];
}

/** Joins forty hoarders, and two honest players in a room of their own. */
function scene(addressOf: (index: number) => string, heldLimit: number): Scene {
  const virtual = new VirtualRegistry({ limits: { ...rates, heldBytes: heldLimit } });
  const join = (address: string, room: string) => virtual.join({ options: { room } }, address).player;
  const neighbours = [join("192.0.2.1", "honest"), join("192.0.2.2", "honest")] as const;
  const hoarders = Array.from({ length: 40 }, (_, index) => join(addressOf(index), `${index >> 2}`));
  return { virtual, hoarders, neighbours };
}

function expectUnharmed({ virtual, neighbours: [a, b] }: Scene): void {
  a.forward([b], Uint8Array.of(7));
  virtual.scheduler.advance(50);
  expect(b.firstBytes).toEqual([7]);
  expect([a.close, b.close]).toEqual([undefined, undefined]);
}

describe("messages that are never complete", () => {
  it("take no more memory than an address's share: its largest holders are ended", () => {
    const all = scene(() => "198.51.100.1", limits.sessionQueueBytes * 32);
    const { virtual, hoarders } = all;
    hoard(virtual, hoarders);
    // Above half of 32 MiB, the address is cut to a quarter. Unlimited, 40 sessions of 1 MiB would hold 40
    // MiB.
    expect(heldBytes(virtual)).toBeLessThanOrEqual(limits.sessionQueueBytes * 16);
    const cut = hoarders.filter(({ close }) => close?.code === CloseCode.overBudget);
    expect(cut.length).toBeGreaterThanOrEqual(20);
    const { counters } = virtual.settings;
    expect(counters.sessionEnds).toEqual({ overBudget: cut.length });
    expect(counters.limited.heldBytesPerAddress).toBe(cut.length);
    expectUnharmed(all);
  });

  it.each([
    ["of many addresses", (index: number) => `198.51.100.${index}`],
    ["of this machine, whose addresses have no share,", () => "127.0.0.1"],
  ])("%s take no more than the budget together", (_, addressOf) => {
    const budget = limits.sessionQueueBytes * 8;
    const all = scene(addressOf, budget);
    hoard(all.virtual, all.hoarders);
    expect(heldBytes(all.virtual)).toBeLessThanOrEqual(budget);
    expect(heldBytes(all.virtual)).toBeGreaterThan(budget / 2);
    expect(all.virtual.settings.counters.limited.heldBytes).toBeGreaterThan(20);
    expectUnharmed(all);
  });
});

it("states and commands that wait for a receiver that does not read count as memory", () => {
  const virtual = new VirtualRegistry({ limits: { ...rates, heldBytes: 1_048_576 } });
  const sender = virtual.join().player;
  const deaf = Array.from({ length: 3 }, () => virtual.join());
  for (const { link } of deaf) link.downward.stall();
  for (let round = 0; round < 40; round++) {
    for (let key = 1; key <= 64; key++) {
      sender.forward(
        deaf.map(({ player }) => player),
        new Uint8Array(15_000),
        { trafficClass: "state", key },
      );
    }
    virtual.scheduler.advance(50);
  }
  expect(heldBytes(virtual)).toBeLessThanOrEqual(1_048_576);
  expect(virtual.settings.counters.sessionEnds).toEqual({ overBudget: 2 });
  expect(sender.close).toBeUndefined();
});
