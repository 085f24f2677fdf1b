import {
  MessageKind,
  isRouted,
  readEnvelope,
  readMessages,
  readPacket,
  type TrafficClassName,
} from "@paceline/protocol";

/** Returns true if packets of this class arrive without loss on a link with reliable channels. */
export function isReliableClass(trafficClass: TrafficClassName): boolean {
  return trafficClass === "command" || trafficClass === "reference" || trafficClass === "bulk";
}

/** Returns true if a packet came over a reliable channel of a link. The link itself does not report it. */
export function arrivedReliably(packet: Uint8Array): boolean {
  if (isRouted(packet)) {
    const envelope = readEnvelope(packet);
    return typeof envelope !== "string" && isReliableClass(envelope.trafficClass);
  }
  const head = readPacket(packet);
  if (typeof head === "string" || head.isPublished) return false;
  const messages = readMessages(head, () => undefined);
  if (typeof messages === "string") return false;
  // Receipts have no message. They travel where commands do.
  return messages.every(({ kind }) => kind === MessageKind.reliable || kind === MessageKind.close);
}
