import type { ConnectSystem, JoinName, JoinSystem, SystemName } from "./system.js";

/**
 * Loads a system's code. Only the processes that use it load it: its memory would count against other
 * systems.
 */
export async function systemOf(name: SystemName): Promise<ConnectSystem> {
  switch (name) {
    case "paceline":
    case "paceline-webrtc": {
      const { pacelineSystem } = await import("./paceline-system.js");
      return await pacelineSystem({ isWebRtc: name === "paceline-webrtc" });
    }
    case "colyseus":
      return (await import("./colyseus-system.js")).colyseus;
    case "socket.io":
      return (await import("./socket-io-system.js")).socketIo;
    case "ws":
      return (await import("./ws-system.js")).ws;
    case "geckos.io":
      return (await import("./geckos-system.js")).geckosIo;
  }
}

export async function joinSystemOf(name: JoinName): Promise<JoinSystem> {
  switch (name) {
    case "colyseus":
      return (await import("./colyseus-system.js")).colyseusJoin;
    case "socket.io":
      return (await import("./socket-io-system.js")).socketIoJoin;
    default: {
      const { pacelineJoin } = await import("./paceline-join.js");
      return pacelineJoin({ isRelay: name.includes("relay"), isOneStep: name.includes("one step") });
    }
  }
}
