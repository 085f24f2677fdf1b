/** A way to bring states to a receiver. Naive: what is written is sent, and that is all. */
export const ageSystems = [
  "websocket-naive",
  "websocket",
  "websocket-striped-2",
  "websocket-striped-3",
  "webrtc-naive",
  "webrtc-unreliable",
] as const;

export type AgeSystem = (typeof ageSystems)[number];

export function isWebRtc(system: AgeSystem): boolean {
  return system.startsWith("webrtc");
}

/** WebSockets of one stream. Over the first one WebRTC is negotiated, where it is used. */
export function socketsOf(system: AgeSystem): number {
  return Number(/striped-(\d)/.exec(system)?.[1] ?? 1);
}
