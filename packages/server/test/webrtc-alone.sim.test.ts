import { Room, defineEntity, vec2, type ServerEntity } from "@paceline/server";
import { seededRandom } from "@paceline/testkit";
import { roomStage, virtualWebRtc } from "@paceline/testkit/room";
import { afterEach, expect, test, vi } from "vitest";
import { serveVirtualWebRtc } from "./virtual-server-webrtc.js";

const Ball = defineEntity("ball", { position: vec2({ range: [-4096, 4096], precision: 0.01 }) });

class BallRoom extends Room {
  override readonly entities = [Ball];
  override readonly tickHz = 20;
  override readonly reconnectSeconds = 2;
  readonly calls: string[] = [];
  #ball: ServerEntity<typeof Ball> | undefined;

  override onCreate(): void {
    this.#ball = this.spawn(Ball);
  }

  override onTick(_seconds: number, tick: number): void {
    this.#ball?.position.set(tick % 4000, 0);
  }

  override onDrop(): void {
    this.calls.push("drop");
  }

  override onReconnect(): void {
    this.calls.push("reconnect");
  }

  override onLeave(): void {
    this.calls.push("leave");
  }
}

let end: (() => Promise<void>) | undefined;
afterEach(() => end?.());

/** A player whose socket takes `socketMs` one way, and whose WebRTC link to the server takes `directMs`. */
async function scene({ socketMs, directMs }: { readonly socketMs: number; readonly directMs: number }) {
  const stage = roomStage(BallRoom);
  const webRtc = virtualWebRtc({ random: seededRandom(1), settings: { delayMs: directMs } });
  let offers = 0;
  const restore = serveVirtualWebRtc(webRtc, stage.scheduler, () => (offers += 1));
  end = async () => {
    await stage.stop();
    restore();
  };
  const client = { webRtc, transports: ["websocket", "webrtc"] } as const;
  const player = await stage.join({ network: { delayMs: socketMs }, client });
  expect([...player.room.entities(Ball)]).toEqual([]);
  const server = () => player.room.transport.server;
  const newestTick = () => Math.max(0, ...[...player.room.entities(Ball)].map(({ lastTick }) => lastTick));
  const until = async (isSo: () => boolean): Promise<void> => {
    for (let step = 0; step < 400 && !isSo(); step++) {
      await stage.advance(5);
      // The code of WebRTC is fetched in real time.
      await vi.dynamicImportSettled();
    }
    expect(isSo()).toBe(true);
  };
  return { stage, player, server, newestTick, until, offers: () => offers };
}

test("a client that hears over WebRTC that it has resumed opens another socket", async () => {
  const { stage, player, server, until } = await scene({ socketMs: 100, directMs: 10 });
  await until(() => server().stateLink === "webrtc");
  await stage.advance(500);
  // The server's answer to the new socket is lost with it, and comes again over WebRTC.
  player.offline();
  player.online();
  await until(() => server().sockets === 0);
  await stage.advance(5);
  player.offline();
  player.online();
  await stage.advance(3000);
  expect(server()).toMatchObject({ isConnected: true, sockets: 1 });
  expect(stage.room.calls).toEqual([]);
});

test("a player whose WebRTC link opens after its last socket has closed is back, and stays", async () => {
  const { stage, player, server, newestTick, until, offers } = await scene({ socketMs: 10, directMs: 200 });
  await until(() => offers() > 0);
  await stage.advance(100);
  expect(server().stateLink).toBe("websocket");
  player.offline();
  await stage.advance(5000);
  expect(stage.room.calls).toEqual(["drop", "reconnect"]);
  expect(server()).toMatchObject({ isConnected: true, stateLink: "webrtc" });
  expect(stage.room.tick - newestTick()).toBeLessThan(10);
  player.online();
  await stage.advance(3000);
  expect(server()).toMatchObject({ isConnected: true, sockets: 1 });
  expect(stage.room.calls).toEqual(["drop", "reconnect"]);
});
