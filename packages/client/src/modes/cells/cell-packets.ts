import {
  MessageKind,
  limits,
  writeCellEnvelopeHead,
  writeMessage,
  writePacketHeader,
  type ByteWriter,
} from "@paceline/protocol";
import { packetOf, type SharedPackets, type Uplink } from "@paceline/transport";
import type { PeerConnection } from "../../peers/peer-connection.js";
import type { RoomCells } from "./room-cells.js";

/** States of entities in one cell, as one packet. */
export interface CellStates {
  readonly cell: number;
  readonly left: number | undefined;
  /** A place in the cell, m. */
  readonly x: number;
  readonly y: number;
  readonly tick: number;
  readonly head: Uint8Array;
  readonly body: Uint8Array;
  /** Id of the entity in the room, if the packet is about one entity only. A later packet about it replaces this one. */
  readonly alone: number | undefined;
}

/** A peer that is so near sees this player's entity: a cell enters a view at 0.9 of the radius, and peers may have moved. */
const SURE_SHARE = 0.8;
const NOBODY: readonly number[] = [0];

/**
 * Sends states by cell: directly to the peers that are known to be near, and once to the server for all others who see
 * the cell.
 */
export class CellPackets {
  readonly #cells: RoomCells;
  readonly #publications: SharedPackets;
  readonly #uplink: () => Uplink | undefined;

  constructor(cells: RoomCells, publications: SharedPackets, uplink: () => Uplink | undefined) {
    this.#cells = cells;
    this.#publications = publications;
    this.#uplink = uplink;
  }

  /** Returns the bytes of the packet. */
  send(states: CellStates, peers: readonly PeerConnection[]): number {
    const { cell, left, tick, head, body, alone } = states;
    const sequence = this.#publications.takeSequence();
    const key = alone === undefined ? 0 : (alone + 1) & 0xffff;
    const subject = key === 0 ? undefined : { entity: alone!, sequence };
    const near = this.#directOf(states, peers);
    const excluded = near.length > 0 ? near.map(({ sessionNumber }) => sessionNumber) : NOBODY;
    const write = (writer: ByteWriter): void => {
      // The whole sequence: a receiver may have missed many packets, which were for others.
      writePacketHeader(writer, { sequence, tick, isPublished: true });
      writeMessage(writer, MessageKind.state, body, { head });
    };
    let headBytes = 0;
    const envelope = packetOf((writer) => {
      writeCellEnvelopeHead(writer, { key, subject, cell, left, peers: excluded });
      headBytes = writer.length;
      write(writer);
    });
    const packet = envelope.subarray(headBytes);
    for (const { session } of near) session.outbox.forward("state", packet, key);
    this.#uplink()?.outbox.forward("state", envelope, key);
    return packet.length;
  }

  /** Returns the peers that get the packet directly: those with a direct link that are near for certain. */
  #directOf({ x, y }: CellStates, peers: readonly PeerConnection[]): PeerConnection[] {
    const withinM = this.#cells.radiusM * SURE_SHARE;
    const isDirect = (peer: PeerConnection): boolean =>
      peer.relayedState === undefined &&
      peer.session.activeLink !== undefined &&
      this.#cells.storeOf(peer)?.isNear(x, y, withinM) === true;
    return peers.filter(isDirect).slice(0, limits.envelopeTargets);
  }
}
