import { Client, type Room } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import { epochMs, type Frame } from "./messages.js";
import { Cell, cellAt } from "./scene.js";

const FRAME_MS = 1000 / 60;

/** A player with a clean line in a room with an authority, who compares what is shown with what is. */
export class CellWatcher {
  readonly #url: string;
  #room: Room | undefined;
  #frames: NodeJS.Timeout | undefined;
  #seen: Frame[] = [];

  constructor(url: string) {
    this.#url = url;
  }

  async join(): Promise<void> {
    const client = new Client(this.#url, {
      profile: "action",
      transports: ["websocket"],
      webSocket: NodeWebSocket,
    });
    this.#room = await client.joinOrCreate("cells");
    this.#room.entities(Cell);
    this.#frames = setInterval(() => this.#look(), FRAME_MS);
  }

  leave(): void {
    clearInterval(this.#frames);
    void this.#room?.leave();
    this.#room = undefined;
  }

  /** Returns the frames since the last call. */
  take(): Frame[] {
    return this.#seen.splice(0);
  }

  #look(): void {
    const errorsM: number[] = [];
    for (const { index, shown } of this.#room!.entities(Cell)) {
      const { x, y } = cellAt(index);
      errorsM.push(Math.hypot(shown.position.x - x, shown.position.y - y));
    }
    this.#seen.push({ atMs: epochMs(), errorsM });
  }
}
