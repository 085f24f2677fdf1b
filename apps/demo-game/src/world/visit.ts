import { Client, type Entity, type EntityList, type Room } from "@paceline/client";
import { ByteMeter } from "./byte-meter.js";
import type { Point } from "./crowd.js";
import { WHOLE_WORLD, Walker, roomNameOf, type WorldChoice } from "./world-kinds.js";

/** A walker as this page has it. */
export type SeenWalker = Entity<typeof Walker>;

interface Place {
  readonly room: Room;
  readonly walkers: EntityList<SeenWalker>;
}

/**
 * A visitor of the world: once with interest, and once in a room that sends everything. The second connection is there to
 * compare: it shows what the first one saves.
 */
export class Visit {
  readonly near = new ByteMeter();
  readonly whole = new ByteMeter();
  readonly #client: Client;
  readonly #whole: Place;
  #near: Place;
  #choice: WorldChoice;
  /** The newest choice, while the page joins its room. */
  #next: WorldChoice | undefined;

  private constructor(client: Client, choice: WorldChoice, near: Place, whole: Place) {
    this.#client = client;
    this.#choice = choice;
    this.#near = near;
    this.#whole = whole;
  }

  static async begin(server: string, choice: WorldChoice): Promise<Visit> {
    const client = new Client(server, { profile: "mmo" });
    const [near, whole] = await Promise.all([enter(client, roomNameOf(choice)), enter(client, WHOLE_WORLD)]);
    return new Visit(client, choice, near, whole);
  }

  get choice(): WorldChoice {
    return this.#choice;
  }

  /** The visitor's own walker; undefined until its first state is there. */
  get own(): SeenWalker | undefined {
    return this.#near.walkers.find(({ isMine }) => isMine);
  }

  /** All that the page gets with interest. */
  get seen(): EntityList<SeenWalker> {
    return this.#near.walkers;
  }

  /** All that there is, from the room without interest. */
  get all(): EntityList<SeenWalker> {
    return this.#whole.walkers;
  }

  walkTo(place: Readonly<Point>): void {
    for (const { room } of [this.#near, this.#whole]) room.send("walk", { x: place.x, y: place.y });
  }

  /** Goes on in the room of another choice, from the same place. Resolves when the page is there. */
  async choose(choice: WorldChoice): Promise<void> {
    const isOnTheWay = this.#next !== undefined;
    this.#next = choice;
    if (isOnTheWay) return;
    while (this.#next !== undefined) {
      const next: WorldChoice = this.#next;
      const place = await enter(this.#client, roomNameOf(next), this.own?.shown.position);
      const left = this.#near.room;
      this.#near = place;
      this.#choice = next;
      if (this.#next === next) this.#next = undefined;
      await left.leave();
    }
  }

  /** Measures; called once a second. */
  measure(): void {
    this.near.add(this.#near.room.transport.server.bytesInPerSecond);
    this.whole.add(this.#whole.room.transport.server.bytesInPerSecond);
  }
}

async function enter(client: Client, name: string, at?: Readonly<Point>): Promise<Place> {
  const room = await client.joinOrCreate(name, at ? { x: at.x, y: at.y } : {});
  return { room, walkers: room.entities(Walker) };
}
