import type { TrafficClassName } from "@paceline/protocol";
import type { DataChannelName } from "./channels.js";

/** Bytes in flight per channel: one or two packets, since what SCTP has taken is sent however stale. */
export const highWaterBytes: Readonly<Record<DataChannelName, number>> = {
  state: 1200,
  event: 2400,
  command: 65_536,
  reference: 16_384,
  bulk: 4096,
};

/** The channel that carries a class of traffic. */
export function channelOf(trafficClass: TrafficClassName): DataChannelName {
  switch (trafficClass) {
    case "state":
    case "input":
      return "state";
    case "event":
      return "event";
    case "command":
    case "reference":
    case "bulk":
      return trafficClass;
  }
}
