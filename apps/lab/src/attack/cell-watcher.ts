import { Client, type Room } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import { epochMs, type StateCount } from "./messages.js";
import { Cell } from "./scene.js";

const SAMPLE_PERIOD_MS = 50;

/**
 * A player with a clean line in a room with an authority, who counts the states that arrive. It counts by the
 * room's ticks and not by the time, so that a busy machine changes little.
 */
export class CellWatcher {
  readonly #url: string;
  #room: Room | undefined;
  #sampling: NodeJS.Timeout | undefined;
  #counts: StateCount[] = [];
  #states = 0;
  #tick = 0;

  constructor(url: string) {
    this.#url = url;
  }

  async join(): Promise<void> {
    const client = new Client(this.#url, {
      profile: "action",
      transports: ["websocket"],
      sockets: 1,
      webSocket: NodeWebSocket,
    });
    const room = await client.joinOrCreate("cells");
    this.#room = room;
    this.#states = this.#tick = 0;
    room.onSpawn(Cell, (cell) =>
      // The aim is another one at every tick.
      cell.onChange("aim", () => {
        this.#states += 1;
        this.#tick = Math.max(this.#tick, cell.lastTick);
      }),
    );
    this.#sampling = setInterval(
      () => this.#counts.push({ atMs: epochMs(), tick: this.#tick, states: this.#states }),
      SAMPLE_PERIOD_MS,
    );
  }

  leave(): void {
    clearInterval(this.#sampling);
    void this.#room?.leave();
    this.#room = undefined;
  }

  /** Returns the counts since the last call. */
  take(): StateCount[] {
    return this.#counts.splice(0);
  }
}
