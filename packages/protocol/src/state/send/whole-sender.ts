import { limits } from "../../limits.js";
import type { PacketEntries } from "../codec/packet-entries.js";
import type { EntityRows } from "../columns/entity-rows.js";
import { PacketSplitter } from "./packet-splitter.js";
import type { ReceiverGroupOptions } from "./receiver-group.js";

const DEFAULT_CHECKSUM_TICKS = 32;
const NO_IDS: readonly number[] = [];

type WholeSenderOptions = Pick<ReceiverGroupOptions, "writer" | "maxBytes" | "checksumTicks">;

/** Sends whole states, which any receiver can read. */
export class WholeSender {
  protected readonly splitter: PacketSplitter;
  readonly #maxBytes: number;
  readonly #checksumTicks: number;

  constructor({ writer, maxBytes, checksumTicks }: WholeSenderOptions) {
    this.splitter = new PacketSplitter(writer);
    this.#maxBytes = maxBytes ?? limits.unreliablePacketBytes - 16;
    this.#checksumTicks = checksumTicks ?? DEFAULT_CHECKSUM_TICKS;
  }

  /**
   * Writes the states of a tick for all receivers. Every packet contains `removed`; pass it as long as it is
   * to be repeated.
   */
  write(
    tick: number,
    entities: readonly EntityRows[],
    send: (body: Uint8Array, entities: readonly EntityRows[], from: number, to: number) => void,
    removed: readonly number[] = NO_IDS,
  ): void {
    const { splitter } = this;
    splitter.split(entities, {
      tick,
      removed,
      maxBytes: this.#maxBytes,
      checksumTicks: this.#checksumTicks,
      choose: (entries, index) => this.choose(entries, index, tick),
    });
    for (let body = splitter.next(); body; body = splitter.next())
      send(body, splitter.entries.entities, 0, splitter.entries.count);
  }

  /** Sets the baselines of an entry. A whole state has none. */
  protected choose(_entries: PacketEntries, _index: number, _tick: number): void {}
}
