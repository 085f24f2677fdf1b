import { Room, defineEntity, vec2, type ServerEntity } from "@paceline/server";
import type { RoomStage, StagePlayer } from "@paceline/testkit/room";

export const Car = defineEntity("car", {
  position: vec2({ range: [-4096, 4096], precision: 0.01, unit: "m" }),
});
export const TICK_HZ = 20;
export const PERIOD_MS = 1000 / TICK_HZ;
const CARS = 30;
/** They stand still: only what goes whole tells of them again. */
const POSTS = 150;
const TAIL_BYTES = 48;

/** Somewhere else at every tick, and never where one could have guessed it. */
function placeOf(car: number, tick: number): { readonly x: number; readonly y: number } {
  const hash = Math.imul(car * 7919 + tick, 0x9e3779b1) >>> 0;
  return { x: (hash % 8000) - 4000, y: ((hash >>> 13) % 8000) - 4000 };
}

/** Cars of the room's that jump about; every player may own one more. */
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

  /** How many of the states of this tick tell a player something else than the room had. */
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

/** What the server sent on one link: bytes in all, and how the states of each tick end. */
export interface SentOnLink {
  bytes: number;
  readonly tails: Map<number, string>;
}

/** Each link to come, in the order of their opening. Where one encoding went to two, the tails are equal. */
export function watchLinks(stage: RoomStage<Arena>): SentOnLink[] {
  const links: SentOnLink[] = [];
  const { server } = stage;
  const take = server.takeLink.bind(server);
  server.takeLink = (link, request) => {
    const sent: SentOnLink = { bytes: 0, tails: new Map() };
    links.push(sent);
    const send = link.send.bind(link);
    link.send = (trafficClass, packet, ...rest) => {
      sent.bytes += packet.length;
      const isState = trafficClass === "state" && packet.length > 2 * TAIL_BYTES;
      if (isState) sent.tails.set(stage.room.tick, Buffer.from(packet.subarray(-TAIL_BYTES)).toString("hex"));
      send(trafficClass, packet, ...rest);
    };
    take(link, request);
  };
  return links;
}
