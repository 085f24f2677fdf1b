import { Room, defineEntity, vec2 } from "@paceline/server";
import { seededRandom } from "@paceline/testkit";
import { roomStage, virtualWebRtc } from "@paceline/testkit/room";
import type { ProfileChoice } from "@paceline/transport";
import { expect, onTestFinished, test, vi } from "vitest";
import { serveVirtualWebRtc } from "./virtual-server-webrtc.js";

const Ball = defineEntity(
  "ball",
  { position: vec2({ range: [-4096, 4096], precision: 0.01 }) },
  { motion: "hold" },
);

class BallRoom extends Room {
  override readonly entities = [Ball];
  override readonly tickHz = 60;
  readonly #ball = { x: 0 };

  override onCreate(): void {
    const { position } = this.spawn(Ball);
    this.clock.setInterval(() => position.set((this.#ball.x += 1) % 4000, 0), 16);
  }
}

const CLEAN = { delayMs: 40 } as const;
const LOSSY = { ...CLEAN, loss: { kind: "uniform", ratio: 0.2 } } as const;

/** A player of a room with an authority. */
async function scene(profile: ProfileChoice, serverHasWebRtc: boolean) {
  const stage = roomStage(BallRoom, { seed: 1 });
  const maker = virtualWebRtc({ random: seededRandom(31), settings: CLEAN });
  const restore = serverHasWebRtc ? serveVirtualWebRtc(maker, stage.scheduler) : () => undefined;
  onTestFinished(async () => {
    await stage.stop();
    restore();
  });
  const player = await stage.join({
    network: CLEAN,
    sockets: "auto",
    client: { profile, transports: ["websocket", "webrtc"], webRtc: maker },
  });
  expect([...player.room.entities(Ball)]).toBeDefined();
  let mostSockets = 0;
  return {
    player,
    transport: player.room.transport,
    mostSockets: () => mostSockets,
    async pass(seconds: number) {
      for (let step = 0; step < seconds * 10; step++) {
        await stage.advance(100);
        mostSockets = Math.max(mostSockets, player.room.transport.server.sockets);
        if (step % 10 === 0) await vi.dynamicImportSettled();
      }
    },
    async rowOf(about: string) {
      return (await player.room.transport.explain()).find((row) => row.about === about)!;
    },
  };
}

test("a room whose states move to WebRTC opens no sockets that would carry nothing", async () => {
  const { player, transport, pass, mostSockets, rowOf } = await scene("mmo", true);
  await pass(5);
  player.change(LOSSY);
  await pass(20);
  expect(transport.server.stateLink).toBe("webrtc");
  expect(transport.plan.stripes).toBeGreaterThan(1);
  expect(mostSockets()).toBe(1);
  expect((await rowOf("server")).choice).toMatch(/^states on webrtc, the rest on websocket/);
});

test("the row of the sockets repeats no stalls of a line that has healed", async () => {
  const { player, transport, pass, rowOf } = await scene("mmo", false);
  await pass(5);
  player.change(LOSSY);
  await pass(20);
  expect(transport.server.sockets).toBeGreaterThan(1);
  player.change({ loss: { kind: "none" } });
  await pass(30);
  expect(transport.server.sockets).toBeGreaterThan(1);
  expect(transport.server.stallRatio).toBe(0);
  const { choice, reason } = await rowOf("server");
  expect(choice).toMatch(/^\d websockets/);
  expect(reason).toMatch(/round trips stalled behind lost segments \((some|many)\): states alternate$/);
});

test("explain() says that the channel to the server keeps the lifetime of events it was opened with", async () => {
  const { transport, pass, rowOf } = await scene("shooter", true);
  await pass(5);
  expect((await rowOf("server")).choice).toMatch(/^states on webrtc/);
  expect((await rowOf("server")).choice).not.toContain("as it was opened");
  transport.configure({ profile: { base: "shooter", numbers: { eventLifetimeMs: 5000 } } });
  expect((await rowOf("messages")).choice).toContain("events are dropped after 5000 ms");
  expect((await rowOf("server")).choice).toContain(
    "it repeats what it has taken of events for 500 ms, as it was opened",
  );
});
