import { setTimeout as sleep } from "node:timers/promises";
import { systemScheduler } from "@paceline/transport";
import { loadNativeWebRtc, NodeWebRtcLink, type NativeWebRtc } from "@paceline/transport/node";
import type { LinkPair } from "@paceline/testkit";

/** Below the ports that outgoing connections take. */
export const TEST_UDP_PORT = 20_000 + (process.pid % 10_000);

/** The native library, or why its tests are skipped. */
export const loaded = await loadNativeWebRtc();

/** A link of a client, which offers, and one of a server, which answers on one port; not started yet. */
export function nativePair(native: NativeWebRtc, udpPort = TEST_UDP_PORT): NativePair {
  const scheduler = systemScheduler;
  const common = { native, scheduler, iceServers: [], bindAddress: "127.0.0.1" };
  const client: NodeWebRtcLink = new NodeWebRtcLink({
    ...common,
    isInitiator: true,
    onSignal: (data) => server.signal(data),
  });
  const server: NodeWebRtcLink = new NodeWebRtcLink({
    ...common,
    isInitiator: false,
    udpPort,
    onSignal: (data) => client.signal(data),
  });
  return {
    a: client,
    b: server,
    pass: async (ms) => {
      await sleep(ms);
    },
    async dispose() {
      client.close(4000, "test over");
      server.close(4000, "test over");
      await sleep(20);
    },
  };
}

export interface NativePair extends LinkPair {
  readonly a: NodeWebRtcLink;
  readonly b: NodeWebRtcLink;
}
