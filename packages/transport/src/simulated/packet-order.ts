import {
  MessageKind,
  isRouted,
  readEnvelope,
  readMessages,
  readPacket,
  type TrafficClassName,
} from "@paceline/protocol";

/**
 * What an unreliable link does with a lost packet, as its data channels do: `ordered` packets are repeated until
 * they arrive, and later ones wait for them; `event` packets are repeated within their lifetime; `loose` ones are
 * gone.
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
