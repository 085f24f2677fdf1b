import { Client, type Room } from "@paceline/client";
import { workerScheduler } from "@paceline/transport";
import { Ball, type LineReport, type LineStage } from "../loss/scene.js";
import { connectionSteps } from "./peer-connections.js";

const WATCH_PERIOD_MS = 4;

/**
 * A player of a room with an authority and a profile that saves bytes: it uses a WebSocket while that is good
 * enough.
 */
export class BallWatch {
  readonly #room: Room;
  readonly #seen = new Set<number>();
  /** Time of the first observation of each stage, ms of the page's clock. */
  readonly #firstMs = new Map<string, number>();
  #startedAtMs = 0;

  private constructor(room: Room) {
    this.#room = room;
    workerScheduler.every(WATCH_PERIOD_MS, () => {
      for (const { position } of room.entities(Ball)) this.#seen.add(position.x);
      const { server } = room.transport;
      if (server.stalls.stalled > 0) this.#note("first round trip overdue");
      if (server.sockets > 1) this.#note("states on a second WebSocket");
      if (server.stateLink === "webrtc") this.#note("states on WebRTC");
    });
    room.transport.onChange(({ about, choice }) => this.#note(`${about}: ${choice}`));
  }

  static async begin(): Promise<BallWatch> {
    const profile = { base: "mmo", numbers: { tickHz: 60, stateHz: 60, sendPeriodMs: 8 } } as const;
    return new BallWatch(await new Client(location.origin, { profile }).joinOrCreate("ball"));
  }

  /** Starts the time of {@link stages}. */
  mark(): void {
    this.#startedAtMs = performance.now();
    this.#firstMs.clear();
  }

  /** Returns the events of the change to another link, in order. */
  stages(): LineStage[] {
    const own = [...this.#firstMs].map(([stage, atMs]) => ({ stage, atMs }));
    const steps = connectionSteps().flatMap((each, at) =>
      each.map(({ step, atMs }) => ({ stage: `connection ${at + 1}: ${step}`, atMs })),
    );
    return [...own, ...steps]
      .map(({ stage, atMs }) => ({ stage, atMs: Math.round(atMs - this.#startedAtMs) }))
      .filter(({ atMs }) => atMs >= 0)
      .toSorted((a, b) => a.atMs - b.atMs);
  }

  #note(stage: string): void {
    if (!this.#firstMs.has(stage)) this.#firstMs.set(stage, performance.now());
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
