import { Client, type Room as ClientRoom } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import { silentLog } from "@paceline/relay";
import { defineEntity, defineServer, Room, vec2, type Player } from "@paceline/server";
import { systemScheduler, type Scheduler, type WebSocketConstructor } from "@paceline/transport";
import { expect, test } from "vitest";
import { eventually } from "./stage.js";

const Ball = defineEntity(
  "ball",
  { position: vec2({ range: [-4096, 4096], precision: 0.01 }) },
  { motion: "hold" },
);

class BallRoom extends Room {
  override readonly entities = [Ball];
  override readonly tickHz = 60;
  readonly #balls: { position: { x: number; set(x: number, y: number): void } }[] = [];

  override onJoin(player: Player): void {
    this.#balls.push(this.spawn(Ball, {}, player));
    this.onMessage("word" as never, () => undefined);
  }

  override onTick(): void {
    for (const { position } of this.#balls) position.set((position.x + 1) % 4000, 0);
  }
}

interface Counted {
  readonly socket: { readonly bytesRead: number; readonly bytesWritten: number };
  /** Bytes of the RFC 6455 frame headers: 2 or 4, and a mask of 4 from a client. */
  framingIn: number;
  framingOut: number;
}

/** Counts the bytes of TCP connections, and of the frame headers in them. */
function countingSockets() {
  const sockets: Counted[] = [];
  const head = (bytes: number): number => (bytes < 126 ? 2 : 4);
  const Base = NodeWebSocket as unknown as new (
    url: string,
    protocols?: string[],
  ) => EventTarget & { send(data: Uint8Array): void };
  class CountingSocket extends Base {
    constructor(url: string, protocols?: string[]) {
      super(url, protocols);
      const counted = { socket: { bytesRead: 0, bytesWritten: 0 }, framingIn: 0, framingOut: 0 };
      sockets.push(counted);
      this.addEventListener(
        "open",
        () => (counted.socket = Reflect.get(this, "_socket") as typeof counted.socket),
      );
      this.addEventListener("message", (event) => {
        counted.framingIn += head((event as MessageEvent<ArrayBuffer>).data.byteLength);
      });
      const send = this.send.bind(this);
      this.send = (data: Uint8Array) => {
        counted.framingOut += head(data.length) + 4;
        send(data);
      };
    }
  }
  const payload = () =>
    sockets.reduce(
      (sum, { socket, framingIn, framingOut }) => ({
        in: sum.in + socket.bytesRead - framingIn,
        out: sum.out + socket.bytesWritten - framingOut,
      }),
      { in: 0, out: 0 },
    );
  return { webSocket: CountingSocket as unknown as WebSocketConstructor, sockets, payload };
}

/** Runs on real timers, and calls every `look` after each of them, before anything else happens. */
function watchedScheduler(): { readonly scheduler: Scheduler; readonly looks: Set<() => void> } {
  const looks = new Set<() => void>();
  const watched = (fn: () => void) => (): void => {
    fn();
    for (const look of looks) look();
  };
  const scheduler: Scheduler = {
    ...systemScheduler,
    after: (delayMs, fn) => systemScheduler.after(delayMs, watched(fn)),
    every: (periodMs, fn) => systemScheduler.every(periodMs, watched(fn)),
  };
  return { scheduler, looks };
}

test("a room shows the bytes of its sockets without their framing, over one socket or three", async () => {
  const server = defineServer({ rooms: { ball: BallRoom }, log: silentLog });
  const url = await server.listen(0);
  const rooms: ClientRoom[] = [];
  const talks: NodeJS.Timeout[] = [];
  try {
    const measured = ([1, 3] as const).map(async (sockets) => {
      const counting = countingSockets();
      const { webSocket, payload } = counting;
      const { scheduler, looks } = watchedScheduler();
      const transports = ["websocket"] as const;
      const client = new Client(url, { profile: "shooter", webSocket, sockets, transports, scheduler });
      const room = await client.joinOrCreate("ball");
      rooms.push(room);
      expect([...room.entities(Ball)]).toBeDefined();
      await eventually(() => expect(room.transport.server.sockets).toBe(sockets));
      expect(counting.sockets).toHaveLength(sockets);
      const talking = setInterval(() => room.send("word", "a few bytes"), 20);
      talks.push(talking);
      /**
       * Resolves with the next rates that the room shows, and with the counts of its sockets at that moment.
       */
      const nextRates = () => {
        const { server } = room.transport;
        return new Promise<typeof server & { atMs: number; payload: ReturnType<typeof payload> }>(
          (resolve) => {
            const look = (): void => {
              const { server: now } = room.transport;
              if (now.bytesInPerSecond === server.bytesInPerSecond) return;
              looks.delete(look);
              resolve({ ...now, atMs: performance.now(), payload: payload() });
            };
            looks.add(look);
          },
        );
      };
      await nextRates();
      const [from, to] = [await nextRates(), await nextRates()];
      clearInterval(talking);
      const seconds = (to.atMs - from.atMs) / 1000;
      const perSecond = (way: "in" | "out") => (to.payload[way] - from.payload[way]) / seconds;
      // A slow machine sends less. The ratios below are meaningful from a hundred bytes on.
      expect(perSecond("in")).toBeGreaterThan(100);
      expect(perSecond("out")).toBeGreaterThan(100);
      // A socket may hold read bytes until their frame is complete.
      expect(Math.abs(to.bytesInPerSecond / perSecond("in") - 1)).toBeLessThan(0.08);
      expect(Math.abs(to.bytesOutPerSecond / perSecond("out") - 1)).toBeLessThan(0.08);
    });
    await Promise.all(measured);
  } finally {
    for (const talking of talks) clearInterval(talking);
    for (const room of rooms) room.leave();
    await server.stop({ drainMs: 100 });
  }
});
