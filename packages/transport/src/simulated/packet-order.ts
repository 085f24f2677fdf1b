import {
  MessageKind,
  isRouted,
  readEnvelope,
  readMessages,
  readPacket,
  type TrafficClassName,
} from "@paceline/protocol";

/** Whether packets of that class arrive in order and without loss wherever a link has channels of every kind. */
export function isReliableClass(trafficClass: TrafficClassName): boolean {
  return trafficClass === "command" || trafficClass === "reference" || trafficClass === "bulk";
}

/** Whether a packet that came over such a link has come by its reliable channel; a link does not say. */
export function cameReliably(packet: Uint8Array): boolean {
  if (isRouted(packet)) {
    const envelope = readEnvelope(packet);
    return typeof envelope !== "string" && isReliableClass(envelope.trafficClass);
  }
  const head = readPacket(packet);
  if (typeof head === "string" || head.isPublished) return false;
  const messages = readMessages(head, () => undefined);
  if (typeof messages === "string") return false;
  // Receipts, which have no message, go where commands go.
  return messages.every(({ kind }) => kind === MessageKind.reliable || kind === MessageKind.close);
}
