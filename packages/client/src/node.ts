import type { WebRtcLinkMaker } from "@paceline/transport";
import { loadNativeWebRtc, NodeWebRtcLink } from "@paceline/transport/node";

export { NodeWebSocket } from "@paceline/transport/node";

/**
 * WebRTC for clients in Node (bots, tests, native players): give it as `webRtc` to the client. Undefined where the
 * optional package `node-datachannel` is not there: the client then uses WebSockets. A process that has used it ends
 * with `process.exit()`.
 */
export async function nodeWebRtc(): Promise<WebRtcLinkMaker | undefined> {
  const { native } = await loadNativeWebRtc();
  return native && ((options) => new NodeWebRtcLink({ native, ...options }));
}
