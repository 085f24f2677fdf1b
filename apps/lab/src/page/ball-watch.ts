import { Client, type Room } from "@paceline/client";
import { workerScheduler } from "@paceline/transport";
import { Ball, type LineReport } from "../loss/scene.js";

const WATCH_PERIOD_MS = 4;

/** A player of a room with an authority, whose game spares bytes: over a WebSocket while that is good enough. */
export class BallWatch {
  readonly #room: Room;
  readonly #seen = new Set<number>();

  private constructor(room: Room) {
    this.#room = room;
    workerScheduler.every(WATCH_PERIOD_MS, () => {
      for (const { position } of room.entities(Ball)) this.#seen.add(position.x);
    });
  }

  static async begin(): Promise<BallWatch> {
    const profile = { base: "mmo", numbers: { tickHz: 60, stateHz: 60, sendPeriodMs: 8 } } as const;
    return new BallWatch(await new Client(location.origin, { profile }).joinOrCreate("ball"));
  }

  async report(): Promise<LineReport> {
    const { transport } = this.#room;
    const { stateLink, sockets, stalls, loss, outgoingLoss } = transport.server;
    const rows = await transport.explain();
    const words = rows.find(({ about }) => about === "measured now")?.choice ?? "";
    const positions = this.#seen.size;
    this.#seen.clear();
    return { stateLink, sockets, ...stalls, loss, outgoingLoss, positions, words };
  }
}
