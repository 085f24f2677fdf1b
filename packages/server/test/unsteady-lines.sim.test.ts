import { Room, defineEntity, vec2, type ServerEntity } from "@paceline/server";
import { roomStage, virtualWebRtc, type StagePlayer } from "@paceline/testkit/room";
import { seededRandom } from "@paceline/transport/simulated";
import { expect, test } from "vitest";
import { GOOD_LINE, badLine } from "../../testkit/test/bad-line.js";
import { BusyLoop } from "../../transport/test/busy-loop.js";
import { serveVirtualWebRtc } from "./virtual-server-webrtc.js";

const Car = defineEntity("car", {
  position: vec2({ range: [-4096, 4096], precision: 0.01, unit: "m" }),
});
/** A kind that the players ask for while the room is full of life. */
const Bird = defineEntity("bird", { position: vec2({ range: [-4096, 4096], precision: 0.01, unit: "m" }) });
const LOSSY = { delayMs: 20, jitterMs: 40, loss: { kind: "uniform", ratio: 0.1 } } as const;
const PLAYERS = 4;
const CHANGES = 60;

/** Returns another position at every tick, which no motion model predicts. */
function placeOf(id: number, tick: number): { readonly x: number; readonly y: number } {
  const hash = Math.imul(id * 7919 + tick, 0x9e3779b1) >>> 0;
  return { x: (hash % 8000) - 4000, y: ((hash >>> 13) % 8000) - 4000 };
}

/** Cars that jump at every tick, and that come and go until `isCalm`. */
class Traffic extends Room {
  override readonly entities = [Car, Bird];
  override readonly tickHz = 20;
  readonly cars = new Map<number, ServerEntity<typeof Car>>();
  random = seededRandom(1);
  isCalm = false;

  override onCreate(): void {
    for (let car = 0; car < 40; car++) this.#enter();
  }

  override onTick(_seconds: number, tick: number): void {
    if (!this.isCalm) {
      if (this.random.bool(0.2)) this.#enter();
      if (this.random.bool(0.2)) this.#exit();
      if (this.random.bool(0.1)) this.#any()?.teleport();
    }
    for (const [id, { position }] of this.cars) {
      const { x, y } = placeOf(id, tick);
      position.set(x, y);
    }
  }

  #enter(): void {
    const car = this.spawn(Car);
    this.cars.set(car.id, car);
  }

  #exit(): void {
    const car = this.#any();
    if (!car) return;
    this.cars.delete(car.id);
    this.despawn(car);
  }

  #any(): ServerEntity<typeof Car> | undefined {
    return [...this.cars.values()][this.random.int(0, this.cars.size - 1)];
  }
}

const sorted = (ids: Iterable<number>): number[] => [...ids].sort((a, b) => a - b);

interface Line {
  readonly seed: number;
  readonly sockets: 1 | 2 | 3;
  /** True: the states come over WebRTC, which loses some and brings others out of order. */
  readonly isDirect?: boolean;
}

test.each([
  { seed: 1, sockets: 1 },
  { seed: 2, sockets: 1 },
  { seed: 3, sockets: 3 },
  { seed: 1010, sockets: 2 },
  { seed: 5, sockets: 1, isDirect: true },
  { seed: 6, sockets: 1, isDirect: true },
] as const)(
  "players on lines that stall, break and come back see the room's entities and no other (%o)",
  async ({ seed, sockets, isDirect = false }: Line) => {
    const random = seededRandom(seed);
    const stage = roomStage(Traffic, { seed });
    const webRtc = virtualWebRtc({ random: random.fork(), settings: LOSSY });
    const restore = isDirect ? serveVirtualWebRtc(webRtc, stage.scheduler) : () => undefined;
    const transports = isDirect ? (["websocket", "webrtc"] as const) : (["websocket"] as const);
    const players: { readonly player: StagePlayer; readonly loop: BusyLoop }[] = [];
    const wrong: string[] = [];
    const birds: unknown[] = [];
    for (let count = 0; count < PLAYERS; count++) {
      const loop = new BusyLoop(stage.scheduler);
      const player = await stage.join({
        network: GOOD_LINE,
        sockets,
        client: { scheduler: loop, webRtc, transports },
      });
      // To ask for them is what makes the server tell of them.
      expect([...player.room.entities(Car)]).toEqual([]);
      player.room.onStateChange((tick) => {
        for (const { id, lastTick, position } of player.room.entities(Car)) {
          const { x, y } = placeOf(id, tick);
          if (lastTick === tick && (position.x !== x || position.y !== y))
            wrong.push(`${id} at tick ${tick}`);
        }
      });
      players.push({ player, loop });
    }
    stage.room.random = random.fork();
    for (let change = 0; change < CHANGES; change++) {
      const { player, loop } = players[random.int(0, PLAYERS - 1)]!;
      const kind = random.int(0, 7);
      if (kind < 3) player.change(badLine(random, 2));
      else if (kind === 3) player.change(GOOD_LINE);
      else if (kind === 4) loop.stall(random.int(50, 900));
      else if (kind === 5) {
        player.offline();
        await stage.advance(random.int(0, 300));
        player.online();
      } else if (kind === 6) birds.push(...player.room.entities(Bird));
      await stage.advance(random.int(50, 600));
    }
    for (const { player } of players) player.change(GOOD_LINE);
    await stage.advance(2000);
    stage.room.isCalm = true;
    await stage.advance(2000);
    const seen = players.map(({ player }) => sorted([...player.room.entities(Car)].map(({ id }) => id)));
    const links = players.map(({ player }) => player.room.transport.server.stateLink);
    // Over one socket everything comes in order, so nothing ever lacks what it builds on.
    const isInOrder = sockets === 1 && !isDirect;
    const lacking = players.map(({ player }) => (isInOrder ? player.room.drops.of("no-baseline") : 0));
    await stage.stop();
    restore();
    expect(lacking).toEqual(players.map(() => 0));
    expect(links).toContain(isDirect ? "webrtc" : "websocket");
    expect([...wrong, ...birds]).toEqual([]);
    expect(seen).toEqual(players.map(() => sorted(stage.room.cars.keys())));
  },
);
