import { setTimeout as sleep } from "node:timers/promises";
import { systemScheduler } from "@paceline/transport";
import { loadNativeWebRtc, NodeWebRtcLink, type NativeWebRtc } from "@paceline/transport/node";
import type { LinkPair } from "@paceline/testkit";
import { freeUdpPort } from "../../testkit/test/free-udp-port.js";
import { signalThrough } from "./signal-through.js";
import { UdpBottleneck } from "./udp-bottleneck.js";

const LOOPBACK = "127.0.0.1";

/** The native library, or the reason to skip its tests. */
export const loaded = await loadNativeWebRtc();

/** A link of a client, which offers, and one of a server, which answers on one port. Neither is started. */
export function nativePair(native: NativeWebRtc, udpPort: number): NativePair {
  const scheduler = systemScheduler;
  const common = { native, scheduler, iceServers: [], bindAddress: LOOPBACK };
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

/** Such a pair over a path that can be made narrow. Neither link is started. */
export async function congestiblePair(native: NativeWebRtc): Promise<LinkPair> {
  const path = await UdpBottleneck.open(LOOPBACK);
  const udpPort = await freeUdpPort();
  const { address, ports } = path;
  const common = { native, scheduler: systemScheduler, iceServers: [], bindAddress: address };
  const client: NodeWebRtcLink = new NodeWebRtcLink({
    ...common,
    isInitiator: true,
    onSignal: (data) => server.signal(signalThrough(data, address, ports.b)),
  });
  const server: NodeWebRtcLink = new NodeWebRtcLink({
    ...common,
    isInitiator: false,
    udpPort,
    onSignal: (data) => client.signal(signalThrough(data, address, ports.a)),
  });
  return {
    a: client,
    b: server,
    pass: async (ms) => {
      await sleep(ms);
    },
    congest: (isSlow) => path.narrow(isSlow ? 64_000 : Number.POSITIVE_INFINITY),
    async dispose() {
      client.close(4000, "test over");
      server.close(4000, "test over");
      await sleep(20);
      path.close();
    },
  };
}
