export { Broadcast, type BroadcastReceiver } from "./fan-out/broadcast.js";
export { SharedPackets } from "./fan-out/shared-packets.js";
export { type HeldBands, measuredBands } from "./profiles/bands.js";
export * from "./profiles/circumstances.js";
export * from "./profiles/decide.js";
export * from "./profiles/explain-plan.js";
export type { ChannelPolicyOf, Plan, PlannedClass } from "./profiles/plan.js";
export {
  checkBoolean,
  favours,
  type Genre,
  genres,
  movements,
  ordinaryTraffic,
  type Profile,
  type ProfileChoice,
  type ProfileNumbers,
  type ProfileOverrides,
  profileRanges,
  topologies,
  type Topology,
} from "./profiles/profile.js";
export { choiceAt, profileOf, profiles } from "./profiles/profiles.js";
export * from "./profiles/steady-measurements.js";
export {
  type Conditions,
  decisionTree,
  type Effect,
  END,
  type Facts,
  type Question,
  type Row,
} from "./profiles/tree.js";
export { packetOf } from "./relayed/fan-out.js";
export { RelayedLink, type Uplink } from "./relayed/relayed-link.js";
export type { LinkMonitorOptions } from "./session/links/link-monitor.js";
export * from "./session/links/own-lateness.js";
export { ANSWER_PACKET_BYTES, AnswerBudget } from "./session/outbox/answer-budget.js";
export * from "./session/outbox/byte-budget.js";
export * from "./session/outbox/class-queue.js";
export { Outbox, type OutboxCounters } from "./session/outbox/outbox.js";
export {
  assertBytes,
  assertEventBytes,
  assertMessageBytes,
  MAX_PAYLOAD_BYTES,
} from "./session/outbox/payload-limits.js";
export type { LossReading } from "./session/loss-count.js";
export * from "./session/read-allowance.js";
export * from "./session/requests.js";
export * from "./session/routed-loss.js";
export { type BulkRate, Sender, type StateMoment } from "./session/sender.js";
export { DropCounters, type PongTimes, type SavedSession } from "./session/session-options.js";
export * from "./session/session.js";
export * from "./session/shared-timer.js";
export * from "./striped/stall-meter.js";
export { StripeFilter } from "./striped/stripe-filter.js";
export { SocketBacklog } from "./websocket/socket-backlog.js";
export { type WebSocketConstructor, type WebSocketLike, WebSocketLink } from "./websocket/websocket-link.js";
export * from "./guarded-scheduler.js";
export {
  type Link,
  type LinkClose,
  type LinkFilter,
  type LinkGuard,
  type LinkHandlers,
  type LinkKind,
  type LinkState,
  mayBeLost,
  newLinkCounters,
} from "./link.js";
export { PathChoice } from "./path-choice.js";
export * from "./path-link.js";
export {
  afterOwnTime,
  type Cancel,
  type Clock,
  type Scheduler,
  systemScheduler,
  turnMsOf,
} from "./scheduler.js";
export {
  hasWebRtc,
  type LinkRoute,
  type SignalledLink,
  type WebRtcLinkMaker,
  type WebRtcLinkOptions,
} from "./signalled-link.js";
export * from "./token-bucket.js";
export { workerScheduler } from "./worker-scheduler.js";
