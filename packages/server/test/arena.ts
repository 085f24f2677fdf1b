import { Room, defineEntity, vec2, type ServerEntity } from "@paceline/server";
import type { RoomStage, StagePlayer } from "@paceline/testkit/room";

export const Car = defineEntity("car", {
  position: vec2({ range: [-4096, 4096], precision: 0.01, unit: "m" }),
});
export const TICK_HZ = 20;
export const PERIOD_MS = 1000 / TICK_HZ;
const CARS = 30;
/** Entities that stand still: only whole states carry them again. */
const POSTS = 150;
const TAIL_BYTES = 48;

/** Returns another position at every tick, which no motion model predicts. */
function placeOf(car: number, tick: number): { readonly x: number; readonly y: number } {
  const hash = Math.imul(car * 7919 + tick, 0x9e3779b1) >>> 0;
  return { x: (hash % 8000) - 4000, y: ((hash >>> 13) % 8000) - 4000 };
}

/** A room whose cars jump to another position at every tick. Every player may own one more car. */
export class Arena extends Room {
  override readonly entities = [Car];
  override readonly playerEntities = [{ definition: Car }];
  override readonly tickHz = TICK_HZ;
  readonly cars: ServerEntity<typeof Car>[] = [];
  readonly tickedAtMs = new Map<number, number>();
  nowMs = (): number => 0;

  override onCreate(): void {
    for (let car = 0; car < CARS; car++) this.cars.push(this.spawn(Car));
    for (let post = 0; post < POSTS; post++) this.spawn(Car, { position: { x: post, y: post } });
  }

  override onTick(_seconds: number, tick: number): void {
    this.tickedAtMs.set(tick, this.nowMs());
    for (const [car, { position }] of this.cars.entries()) {
      const { x, y } = placeOf(car, tick);
      position.set(x, y);
    }
  }

  /** Counts the states of this tick whose values differ from the room's. */
  countWrong({ room }: StagePlayer, tick: number): number {
    let wrong = 0;
    for (const { id, lastTick, position } of room.entities(Car)) {
      const car = this.cars.findIndex((each) => each.id === id);
      if (lastTick !== tick || car < 0) continue;
      const { x, y } = placeOf(car, tick);
      if (position.x !== x || position.y !== y) wrong += 1;
    }
    return wrong;
  }
}

/** Bytes that the server sent on one link: their sum, and the last bytes of each tick's states. */
export interface SentOnLink {
  bytes: number;
  readonly tails: Map<number, string>;
}

/** Watches each new link, in the order of opening. Links that share one encoding have equal tails. */
export function watchLinks(stage: RoomStage<Arena>): SentOnLink[] {
  const links: SentOnLink[] = [];
  const { server } = stage;
  const take = server.takeLink.bind(server);
  server.takeLink = (link, request) => {
    const sent: SentOnLink = { bytes: 0, tails: new Map() };
    links.push(sent);
    // Nearest to the path, so that it sees what goes over this link and not over a stripe of it.
    link.filters!.unshift({
      queuedBytes: 0,
      hasRoom: () => true,
      send: (trafficClass, packet, pass) => {
        sent.bytes += packet.length;
        const isState = trafficClass === "state" && packet.length > 2 * TAIL_BYTES;
        if (isState)
          sent.tails.set(stage.room.tick, Buffer.from(packet.subarray(-TAIL_BYTES)).toString("hex"));
        pass(packet);
      },
      receive: (packet, pass) => pass(packet),
      end: (tell) => tell(),
      close: () => undefined,
    });
    take(link, request);
  };
  return links;
}
