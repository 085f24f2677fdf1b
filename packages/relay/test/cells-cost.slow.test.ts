import {
  ByteWriter,
  cellNumber,
  writeCellEnvelopeHead,
  writeControl,
  writeEnvelopeHead,
  writeView,
} from "@paceline/protocol";
import { expect, test } from "vitest";
import { VirtualRegistry } from "./virtual-registry.js";

const MEMBERS = 100;
const GROUP = 20;
const ROUNDS = 100;
/** A body of one whole state, as a walker has it. */
const BODY = new Uint8Array(16).fill(0x28);

/** A room in which each member sends a state in each round, to those in its cell or to all others. */
class Crowd extends VirtualRegistry {
  /** By member and round. An envelope names 64 receivers at most, so that to all others two of them go. */
  readonly #envelopes: Uint8Array[][][];
  readonly #members;

  constructor(isByCell: boolean) {
    super({
      rooms: { race: { maxPlayers: MEMBERS } },
      limits: { forwardsPerSecondPerRoom: 1e8, forwardsPerSecond: 1e8 },
      coalesceMs: 0,
    });
    const players = Array.from({ length: MEMBERS }, () => this.join().player);
    const numbers = players.map(({ number }) => number);
    const cellOf = (index: number): number => cellNumber(Math.floor(index / GROUP), 0);
    for (const [index, { session }] of players.entries())
      if (isByCell) session.sendReliable(writeControl({ type: "view", cells: writeView([cellOf(index)]) }));
    this.scheduler.advance(100);
    this.#members = [...this.registry.participants.values()];
    this.#envelopes = numbers.map((number, index) => {
      const head = { key: 1, peers: [0] };
      const subject = (sequence: number) => ({ entity: number * 0x10000, sequence });
      const others = numbers.filter((other) => other !== number);
      return Array.from({ length: ROUNDS }, (_, sequence) => {
        const own = { ...head, subject: subject(sequence) };
        const envelope = (write: (writer: ByteWriter) => void): Uint8Array => {
          const writer = new ByteWriter();
          write(writer);
          return writer.bytes(BODY).take();
        };
        if (isByCell)
          return [envelope((writer) => writeCellEnvelopeHead(writer, { ...own, cell: cellOf(index) }))];
        return [others.slice(0, 64), others.slice(64)].map((peers) =>
          envelope((writer) => writeEnvelopeHead(writer, { ...own, trafficClass: "state", peers })),
        );
      });
    });
  }

  /** Returns the CPU time of the relay's part of a round, ms. */
  round(round: number): number {
    const before = process.cpuUsage();
    for (const [index, member] of this.#members.entries())
      for (const envelope of this.#envelopes[index]![round]!) this.registry.onRouted(member, envelope);
    const { user, system } = process.cpuUsage(before);
    this.scheduler.advance(50);
    return (user + system) / 1000;
  }
}

test("by cell, a relayed room of 100 costs the relay at most 0.3 of what it costs without", () => {
  const [byCell, toAll] = [new Crowd(true), new Crowd(false)];
  let [cellMs, allMs] = [0, 0];
  for (let round = 0; round < ROUNDS; round++) {
    const [cell, all] = [byCell.round(round), toAll.round(round)];
    // Until the code is compiled.
    if (round < ROUNDS / 4) continue;
    cellMs += cell;
    allMs += all;
  }
  process.stdout.write(`${JSON.stringify({ cellMs, allMs, ratio: cellMs / allMs })}\n`);
  expect(cellMs / allMs).toBeLessThan(0.3);
});
