import {
  MessageKind,
  isRouted,
  readEnvelope,
  readMessages,
  readPacket,
  type TrafficClassName,
} from "@paceline/protocol";

/**
 * Fate of a packet that an unreliable link loses. As WebRTC's data channels do, the link sends an `ordered` packet
 * again until it arrives, and later ones wait for it. It sends an `event` packet again within its lifetime. It
 * never sends a `loose` packet again.
 */
export type PacketFate = "ordered" | "event" | "loose";

/** Returns the fate of the packets of a class. */
export function fateOf(trafficClass: TrafficClassName): PacketFate {
  switch (trafficClass) {
    case "command":
    case "reference":
    case "bulk":
      return "ordered";
    case "event":
      return "event";
    case "state":
    case "input":
      return "loose";
  }
}

/** Returns the fate of a packet that the link has received: the link itself does not report the channel. */
export function fateOfReceived(packet: Uint8Array): PacketFate {
  if (isRouted(packet)) {
    const envelope = readEnvelope(packet);
    return typeof envelope === "string" ? "loose" : fateOf(envelope.trafficClass);
  }
  const head = readPacket(packet);
  if (typeof head === "string") return "loose";
  const messages = readMessages(head, () => undefined);
  if (typeof messages === "string") return "loose";
  const isOnly = (...kinds: MessageKind[]): boolean => messages.every(({ kind }) => kinds.includes(kind));
  // Receipts have no message. They travel where commands do.
  if (!head.isPublished && isOnly(MessageKind.reliable, MessageKind.close)) return "ordered";
  return messages.length > 0 && isOnly(MessageKind.event) ? "event" : "loose";
}
