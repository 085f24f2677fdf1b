import { Client, defineEntity, vec2, type Room as ClientRoom } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import { defineServer, Room } from "@paceline/server";
import { openLimits } from "./paceline-limits.js";
import type { JoinSystem } from "../system.js";

const Car = defineEntity(
  "car",
  { position: vec2({ range: [-4096, 4096], precision: 0.01, unit: "m" }) },
  { motion: "velocity" },
);

class TrackRoom extends Room {
  override readonly tickHz = 30;
  override readonly entities = [Car];

  override onCreate(): void {
    this.keep();
    this.spawn(Car, { position: { x: 1, y: 2 } });
  }
}

interface JoinWay {
  /** True for a room without an authority, in which the first state comes from another player. */
  readonly isRelay: boolean;
  /** True if the WebSocket's upgrade carries the request; false if an HTTP request precedes it. */
  readonly isOneStep: boolean;
}

export function pacelineJoin({ isRelay, isOneStep }: JoinWay): JoinSystem {
  const name = isRelay ? "players" : "track";
  const enter = (url: string): Promise<ClientRoom> => {
    const client = new Client(url, {
      profile: { base: "racing", exposeAddress: false },
      webSocket: NodeWebSocket,
      transports: ["websocket"],
      // A secret must travel in the body of a request, so the client requests the seat by HTTP.
      ...(!isOneStep && { authToken: "nobody" }),
    });
    return client.joinOrCreate(name);
  };
  return {
    serve(host) {
      const server = defineServer({ rooms: { track: TrackRoom, players: {} }, limits: openLimits });
      return server.listen(0, host);
    },

    async reside(url) {
      if (!isRelay) return;
      const room = await enter(url);
      room.spawn(Car, { position: { x: 1, y: 2 } });
    },

    async join(url) {
      const room = await enter(url);
      const spawned = new Promise<void>((resolve) => {
        room.onSpawn(Car, () => resolve());
      });
      await spawned;
      return { leave: () => room.leave() };
    },
  };
}
