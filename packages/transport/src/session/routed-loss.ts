import {
  ByteReader,
  ByteWriter,
  SEQUENCE_MODULUS,
  isRouted,
  routedClassOf,
  type TrafficClassName,
} from "@paceline/protocol";
import { MAX_GAP, type LossCount } from "./loss-count.js";

/** Bytes of a report: the number of the ping that it answers, and both counts. */
const REPORT_BYTES = 2 + 2 + 2;
/** Pings whose reports may still come. */
const MAX_OPEN_PINGS = 64;

/** Compares two counts of the same packets: those that one side has sent, and those that the other has received. */
class Comparison {
  #sent: number | undefined;
  #received = 0;
  /** Packets that have been sent and not received so far. A late one becomes fewer again. */
  #missing = 0;

  /** Takes both counts, circular numbers of 16 bits, and adds what is new to the loss. */
  take(sent: number, received: number, loss: LossCount): void {
    const isFirst = this.#sent === undefined;
    const sentMore = circular(sent - (this.#sent ?? sent));
    const receivedMore = circular(received - this.#received);
    this.#sent = sent;
    this.#received = received;
    // A first report, or one of more packets than a link carries between two, only begins the comparison.
    if (isFirst || sentMore > MAX_GAP) return;
    // No side can have received more than was sent, whatever it says.
    const missing = Math.max(0, this.#missing + sentMore - receivedMore);
    const lost = missing - this.#missing;
    this.#missing = missing;
    loss.window.lost += lost;
    loss.window.arrived += sentMore - lost;
  }
}

/**
 * Finds the loss of the routed packets that one link carries and nobody repeats: states and inputs. They have no
 * numbers of the session, so both sides count them, and report their counts beside their pongs.
 */
export class RoutedLoss {
  #sent = 0;
  #received = 0;
  /** Number of sent packets at each ping, oldest first. */
  readonly #sentAtPing = new Map<number, number>();
  readonly #outgoing = new Comparison();
  readonly #incoming = new Comparison();

  countSent(trafficClass: TrafficClassName, packet: Uint8Array): void {
    if (isSentOnce(trafficClass) && isRouted(packet)) this.#sent += 1;
  }

  /** Counts a routed packet that has arrived. */
  countReceived(packet: Uint8Array): void {
    if (isSentOnce(routedClassOf(packet))) this.#received += 1;
  }

  /** Takes note of a ping over the link. */
  pinged(number: number): void {
    this.#sentAtPing.set(number, this.#sent);
    const [oldest] = this.#sentAtPing.keys();
    if (this.#sentAtPing.size > MAX_OPEN_PINGS) this.#sentAtPing.delete(oldest!);
  }

  /** Returns the report beside the pong to a ping with that body. Undefined before the first packet. */
  reportTo(ping: Uint8Array): Uint8Array | undefined {
    if (this.#sent + this.#received === 0) return undefined;
    const writer = new ByteWriter(REPORT_BYTES);
    return writer.bytes(ping).u16(circular(this.#received)).u16(circular(this.#sent)).view();
  }

  /**
   * Takes the other side's report, and adds what is new to the losses. Ignores a report that answers no ping.
   * Returns false if it is malformed.
   */
  take(report: Uint8Array, outgoing: LossCount, incoming: LossCount): boolean {
    if (report.length !== REPORT_BYTES) return false;
    const reader = new ByteReader(report);
    const number = reader.u16();
    const sentBefore = this.#sentAtPing.get(number);
    if (sentBefore === undefined) return true;
    this.#sentAtPing.delete(number);
    this.#outgoing.take(circular(sentBefore), reader.u16(), outgoing);
    this.#incoming.take(reader.u16(), circular(this.#received), incoming);
    return true;
  }
}

function isSentOnce(trafficClass: TrafficClassName | undefined): boolean {
  return trafficClass === "state" || trafficClass === "input";
}

function circular(count: number): number {
  return count & (SEQUENCE_MODULUS - 1);
}
