import type { WebRtcLinkMaker } from "@paceline/transport";
import { loadNativeWebRtc, NodeWebRtcLink } from "@paceline/transport/node";

export { NodeWebSocket } from "@paceline/transport/node";

/**
 * Loads WebRTC for clients in Node (bots, tests, native players): the result is the client's option `webRtc`.
 * Resolves to undefined if the optional package `node-datachannel` is not installed; the client then uses
 * WebSockets. A process that has used it must end with `process.exit()`.
 */
export async function nodeWebRtc(): Promise<WebRtcLinkMaker | undefined> {
  const { native } = await loadNativeWebRtc();
  return native && ((options) => new NodeWebRtcLink({ native, ...options }));
}
