import type { TrafficClassName } from "@paceline/protocol";
import type { SendQueueLimits } from "../send-queue.js";
import type { DataChannelName } from "./channels.js";

/** Bytes in flight per channel: one or two packets, since what SCTP has taken is sent however stale. */
export const channelLimits: Readonly<Record<DataChannelName, Partial<SendQueueLimits>>> = {
  state: { highWaterBytes: 1200 },
  event: { highWaterBytes: 2400 },
  command: { highWaterBytes: 65_536 },
  reference: { highWaterBytes: 16_384 },
  bulk: { highWaterBytes: 4096 },
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
