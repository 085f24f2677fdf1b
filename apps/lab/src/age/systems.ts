/**
 * The compared ways to bring states to a receiver. The naive ones send every state as soon as it is written.
 */
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

/** Returns the number of WebSockets of one stream. The first one also carries the signalling of WebRTC. */
export function socketsOf(system: AgeSystem): number {
  return Number(/striped-(\d)/.exec(system)?.[1] ?? 1);
}
