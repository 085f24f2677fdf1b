import type { ConnectSystem, JoinName, JoinSystem, SystemName } from "../system.js";

/**
 * Loads a system's code. Only the processes that use it load it: its memory would count against other
 * systems.
 */
export async function systemOf(name: SystemName): Promise<ConnectSystem> {
  switch (name) {
    case "paceline":
    case "paceline-webrtc": {
      const { pacelineSystem } = await import("./paceline.js");
      return await pacelineSystem({ isWebRtc: name === "paceline-webrtc" });
    }
    case "colyseus":
      return (await import("./colyseus.js")).colyseus;
    case "socket.io":
      return (await import("./socket-io.js")).socketIo;
    case "ws":
      return (await import("./raw-web-socket.js")).ws;
    case "geckos.io":
      return (await import("./geckos.js")).geckosIo;
  }
}

export async function joinSystemOf(name: JoinName): Promise<JoinSystem> {
  switch (name) {
    case "colyseus":
      return (await import("./colyseus.js")).colyseusJoin;
    case "socket.io":
      return (await import("./socket-io.js")).socketIoJoin;
    default: {
      const { pacelineJoin } = await import("./paceline-join.js");
      return pacelineJoin({ isRelay: name.includes("relay"), isOneStep: name.includes("one step") });
    }
  }
}
