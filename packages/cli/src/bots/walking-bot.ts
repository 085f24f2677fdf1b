import { defineEntity, vec2, type EntityDefinition, type Room } from "@paceline/client";
import { PlayerBot, type PlayerBotOptions } from "./player-bot.js";
import { MOVING_UPDATE_SECONDS, STANDING_UPDATE_SECONDS, type Walk } from "./walks.js";

/** Edge of the ground on which bots walk, if nothing names another one, m. */
export const WALK_EDGE_M = 1000;

/** The kind of bots among players. It is sent when the bot writes it, as MilMo's test client sends. */
const Pedestrian = defineEntity(
  "paceline-pedestrian",
  { position: vec2({ range: [0, 16_384], precision: 0.05, unit: "m" }) },
  { motion: "hold", threshold: { position: 0.05 }, heartbeatMs: STANDING_UPDATE_SECONDS * 1000 },
);

/** `walk`: shared by all bots. `kind`: an entity with a `position` on the ground that a player may own. */
export interface WalkingBotOptions extends PlayerBotOptions {
  readonly walk: Walk;
  readonly kind?: EntityDefinition | undefined;
  /** Further kinds that the bot reads, as a player does. */
  readonly reads?: readonly EntityDefinition[];
}

interface Placed {
  readonly position: { x: number; y: number; z?: number; set(...values: number[]): void };
}

/**
 * A player that owns one entity and walks with it, by the room's rules for own entities: three writes a second while it
 * moves, one in 10 s while it stands.
 */
export class WalkingBot extends PlayerBot {
  /** Number of positions that it has written. */
  updates = 0;
  readonly #options: WalkingBotOptions;
  #own: Placed | undefined;
  #startedMs = 0;
  #nextSeconds = 0;
  #updatedSeconds = 0;

  constructor(options: WalkingBotOptions, index: number) {
    super(options, index);
    this.#options = options;
  }

  protected override enter(room: Room): void {
    const { kind = Pedestrian, reads = [kind] } = this.#options;
    if (room.authority && kind === Pedestrian)
      throw new Error(
        "game: the room's authority decides who owns what: name the file that says playerEntities",
      );
    // A room sends only the kinds that a game reads.
    for (const each of reads) room.entities(each);
    const { x, y } = this.#options.walk.at(this.index, 0);
    this.#own = room.spawn(kind, { position: placeOf(kind, x, y) }) as unknown as Placed;
    this.#startedMs = performance.now();
    // With an authority a room runs in the authority's steps.
    if (room.authority) room.loop(() => this.#walk(performance.now()));
    // Bots of a swarm do not write all at once.
    this.#nextSeconds = (this.index % 10) * (MOVING_UPDATE_SECONDS / 10);
  }

  protected override play(room: Room, nowMs: number): void {
    if (room.authority) return;
    this.#walk(nowMs);
    room.advance(nowMs);
  }

  #walk(nowMs: number): void {
    const seconds = (nowMs - this.#startedMs) / 1000;
    if (!this.#own || seconds < this.#nextSeconds) return;
    this.#nextSeconds += MOVING_UPDATE_SECONDS;
    this.#update(this.#own.position, seconds);
  }

  #update(position: Placed["position"], seconds: number): void {
    const { x, y, isMoving } = this.#options.walk.at(this.index, seconds);
    if (!isMoving && seconds < this.#updatedSeconds + STANDING_UPDATE_SECONDS) return;
    this.#updatedSeconds = seconds;
    this.updates += 1;
    if (position.z === undefined) position.set(x, y);
    else position.set(x, position.y, y);
  }

  protected override speak(): void {
    // It says nothing, since a game's authority does not know its message.
  }
}

function placeOf({ leaves }: EntityDefinition, x: number, y: number): object {
  const field = leaves.find(({ path }) => path === "position")?.field;
  return field?.kind === "vec3" ? { x, y: 0, z: y } : { x, y };
}
