import type { Room } from "@paceline/client";
import {
  ByteWriter,
  MessageKind,
  writeMessage,
  writePacketHeader,
  writePeerPayload,
} from "@paceline/protocol";
import { expect, test } from "vitest";
import { MAX_UNFINISHED_BYTES } from "../src/modes/mesh/pair-messages.js";
import type { PeerConnection } from "../src/peers/peer-connection.js";
import { RelayStage } from "./relay-stage.js";

const PART_BYTES = 16_000;
const HOSTILE = 6;

/** Delivers parts of bulk from a peer to its room, as packets through the relay would. */
class BulkParts {
  readonly #peer: PeerConnection;
  #next = 0;

  constructor(peer: PeerConnection) {
    this.#peer = peer;
  }

  take(part: Uint8Array, isLast = false): void {
    const id = this.#next++;
    const writer = new ByteWriter();
    writePacketHeader(writer, { sequence: 1000 + id, tick: 0, isPublished: false });
    const body = new ByteWriter().u16(id).u8(isLast ? 1 : 0);
    writeMessage(writer, MessageKind.bulk, body.bytes(part).view());
    this.#peer.relayedState?.received(writer.take());
  }
}

test(
  "messages that are not complete take no more memory than the limit over all peers, and honest ones arrive",
  { timeout: 600_000 },
  async () => {
    const stage = new RelayStage({ delayMs: 20 });
    const room = await stage.join();
    const others: Room[] = [];
    while (others.length < HOSTILE + 1) others.push(await stage.join());
    await stage.advance(1000);
    const [honest, ...hostile] = room.peers as readonly unknown[] as PeerConnection[];
    const resets: number[] = [];
    room.onPeerReset(({ number }) => resets.push(number));
    const heard: [number, number][] = [];
    room.onMessage("map", (map, { number }) => heard.push([number, (map as string).length]));
    const held = (): number =>
      (room.peers as readonly unknown[] as PeerConnection[]).reduce(
        (sum, { session }) => sum + session.unfinishedBytes,
        0,
      );
    const map = writePeerPayload({ kind: "command", type: "map", message: "x".repeat(1_000_000) });
    const honestParts = new BulkParts(honest!);
    const parts = hostile.map((peer) => new BulkParts(peer));
    let [at, highest] = [0, 0];
    // Each hostile peer sends 16 MB that never end: 96 MB together.
    for (let count = 0; count < 1000; count++) {
      for (const each of parts) each.take(new Uint8Array(PART_BYTES));
      highest = Math.max(highest, held());
      if (count % 7 !== 0 || at >= map.length) continue;
      const end = Math.min(at + PART_BYTES, map.length);
      honestParts.take(map.subarray(at, end), end === map.length);
      at = end;
    }
    expect(highest).toBeGreaterThan(MAX_UNFINISHED_BYTES / 2);
    // The memory of one message may double with the part that is taken.
    expect(highest).toBeLessThan(MAX_UNFINISHED_BYTES + 8_388_608 + PART_BYTES);
    expect(heard).toEqual([[honest!.number, 1_000_000]]);
    expect(resets.length).toBeGreaterThan(0);
    expect(resets).not.toContain(honest!.number);
    expect(room.drops.toRecord()["queue-full"]).toBe(resets.length);
  },
);
