import { Room, defineServer, type Server, type ServerEntity } from "@paceline/server";
import { TICK_HZ, machineMs, type Car } from "../world.js";
import { ArenaCar, ArenaClock, ArenaInput, CLOCK_MS } from "./arena-kinds.js";

/** Returns the newest past moment whose time within the clock's round is `inRound`. */
export function sentMsOf(inRound: number): number {
  const nowMs = machineMs();
  const ageMs = (nowMs - inRound) % CLOCK_MS;
  // Rounding may put the clock slightly into the future.
  return nowMs - (ageMs > CLOCK_MS - 1 ? ageMs - CLOCK_MS : ageMs);
}

/** The room's game: moving cars, and inputs that are echoed. */
interface ArenaWorld {
  readonly tick: number;
  readonly cars: readonly Car[];
  input(index: number, number: number): void;
}

export interface ArenaOptions {
  readonly world: ArenaWorld;
  /** Steps the world before a tick is sent. Undefined if the caller steps it. */
  readonly step?: (() => void) | undefined;
  readonly hasWebRtc: boolean;
}

type ArenaTypes = { readonly options: { readonly index: number } };

/** All players come from one address, at the same time. */
const LIMITS = {
  matchesPerSecondPerAddress: 10_000,
  matchBurstPerAddress: 10_000,
  linksPerSecondPerAddress: 10_000,
  linkBurstPerAddress: 10_000,
  joinsPerSecondPerRoom: 10_000,
  joinBurstPerRoom: 10_000,
};

/** The only room of this process. */
class ArenaRoom extends Room<ArenaTypes> {
  static setup: ArenaOptions;
  override maxPlayers = 1000;
  override readonly tickHz = TICK_HZ;
  override readonly entities = [ArenaCar, ArenaClock];
  override readonly inputs = ArenaInput;
  readonly #cars: ServerEntity<typeof ArenaCar>[] = [];
  #clock: ServerEntity<typeof ArenaClock> | undefined;

  override onCreate(): void {
    for (const { index } of ArenaRoom.setup.world.cars) this.#cars.push(this.spawn(ArenaCar, { index }));
    this.#clock = this.spawn(ArenaClock);
  }

  override onTick(): void {
    const { world, step } = ArenaRoom.setup;
    for (const player of this.players.values()) {
      const { number } = player.input;
      if (number > 0) world.input(player.options["index"] as number, number);
    }
    step?.();
    for (const { index, x, y, vx, vy, yaw, lastInput } of world.cars) {
      const car = this.#cars[index]!;
      car.position.set(x, y);
      car.velocity.set(vx, vy);
      car.yaw = yaw;
      car.lastInput = lastInput;
    }
    const clock = this.#clock!;
    clock.worldTick = world.tick;
    clock.sentMs = machineMs() % CLOCK_MS;
  }
}

/** Returns the server, which does not listen yet. A process can have only one. */
export function defineArena(options: ArenaOptions): Server<{ arena: typeof ArenaRoom }> {
  ArenaRoom.setup = options;
  return defineServer({
    rooms: { arena: ArenaRoom },
    limits: LIMITS,
    // The pages of `pnpm bench client` have another origin.
    allowedOrigins: "*",
    ...(options.hasWebRtc && { webrtc: { port: 0, bindAddress: "127.0.0.1" } }),
  });
}
