import type { TrafficClassName } from "@paceline/protocol";
import type { DataChannelName } from "./channels.js";

/**
 * Limit of unsent bytes per channel: one or two packets for states, because SCTP sends all that it holds, however
 * old.
 */
export const highWaterBytes: Readonly<Record<DataChannelName, number>> = {
  state: 1200,
  event: 2400,
  command: 65_536,
  reference: 16_384,
  bulk: 4096,
};

/** Returns the channel that carries a traffic class. */
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
