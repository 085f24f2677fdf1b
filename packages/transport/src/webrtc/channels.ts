/**
 * The data channels of a direct link. Both sides create them with the same fixed ids before any data flows
 * (`negotiated`), so that no channel has to be announced and none is missed.
 */
export const dataChannels = {
  /** Commands: in order, until the link dies. */
  command: { id: 0, init: { negotiated: true, id: 0, ordered: true } },
  /** States and inputs: in any order, never repeated. */
  state: { id: 1, init: { negotiated: true, id: 1, ordered: false, maxRetransmits: 0 } },
  /** Events: in any order, repeated within their lifetime. */
  event: { id: 2, init: { negotiated: true, id: 2, ordered: false, maxPacketLifeTime: 1500 } },
  /** References: in any order, until the link dies. */
  reference: { id: 3, init: { negotiated: true, id: 3, ordered: false } },
  /**
   * Bulk: in order, and only while nothing else waits, because the priorities of browsers are not reliable.
   */
  bulk: { id: 4, init: { negotiated: true, id: 4, ordered: true } },
} as const satisfies Record<string, { id: number; init: RTCDataChannelInit }>;

export type DataChannelName = keyof typeof dataChannels;

/** Returns the options of a channel. Each side chooses for itself how long it tries to deliver an event. */
export function channelInit(name: DataChannelName, eventLifetimeMs?: number): RTCDataChannelInit {
  const { init } = dataChannels[name];
  const isFinite = eventLifetimeMs !== undefined && Number.isFinite(eventLifetimeMs);
  return name === "event" && isFinite ? { ...init, maxPacketLifeTime: Math.round(eventLifetimeMs) } : init;
}
