import { Client, type Entity, type HostedRoom } from "@paceline/client";
import { Room, defineServer, type ServerEntity } from "@paceline/server";
import { arenaInputBody } from "../../bots/arena-input-body.js";
import { ONE_ADDRESS_LIMITS } from "../../bots/one-address-limits.js";
import { OverheardSocket, overheardGreeting } from "../../bots/overheard-socket.js";
import { PacelineBot } from "../../bots/paceline-bot.js";
import { ArenaClock, ArenaInput, CLOCK_MS } from "../../room/systems/arena-kinds.js";
import { sentMsOf } from "../../room/systems/arena.js";
import type { SeenState } from "../../room/system.js";
import { TICK_HZ, machineMs, type Car } from "../../room/world.js";
import { INPUTS_PER_SECOND } from "../../bots/bot.js";
import { SIXTEEN_BITS, type CapacitySystem, type CheckerOptions } from "../system.js";
import type { WalkerWorld, Worlds } from "../world.js";
import { Walker } from "./walker-kinds.js";

const ROOM = "walkers";
const MAX_ROOM_PLAYERS = 1000;
/** More than a room of a thousand needs. */
const STATE_BYTES_PER_SECOND = 10_000_000;
const TICKS_PER_INPUT = TICK_HZ / INPUTS_PER_SECOND;

type WalkersTypes = { readonly options: { readonly room: number; readonly index: number } };

class WalkersRoom extends Room<WalkersTypes> {
  static override readonly filterBy = ["room"];
  static worlds: Worlds;
  static roomPlayers: number;
  override maxPlayers = WalkersRoom.roomPlayers;
  override readonly tickHz = TICK_HZ;
  override readonly entities = [Walker, ArenaClock];
  override readonly inputs = ArenaInput;
  override readonly stateBytesPerSecond = STATE_BYTES_PER_SECOND;
  readonly #walkers: ServerEntity<typeof Walker>[] = [];
  #clock!: ServerEntity<typeof ArenaClock>;
  #world!: WalkerWorld;

  override onCreate({ room }: WalkersTypes["options"]): void {
    this.#world = WalkersRoom.worlds.of(room);
    for (const { index, x, y, vx, vy, yaw } of this.#world.walkers) {
      const values = { index, position: { x, y }, velocity: { x: vx, y: vy }, yaw };
      this.#walkers.push(this.spawn(Walker, values));
    }
    this.#clock = this.spawn(ArenaClock);
  }

  override onTick(): void {
    const world = this.#world;
    for (const player of this.players.values()) {
      world.input(player.options["index"] as number, player.input.number);
    }
    if (!world.step()) return;
    let seat = 0;
    for (const { x, y, vx, vy, yaw, lastInput } of world.walkers) {
      const walker = this.#walkers[seat++]!;
      walker.position.set(x, y);
      walker.velocity.set(vx, vy);
      walker.yaw = yaw;
      walker.lastInput = lastInput;
    }
    this.#clock.worldTick = world.tick;
    this.#clock.sentMs = machineMs() % CLOCK_MS;
  }
}

function defineWalkers() {
  return defineServer({ rooms: { [ROOM]: WalkersRoom }, limits: ONE_ADDRESS_LIMITS });
}

type Game = ReturnType<typeof defineWalkers>;
type WalkersClientRoom = HostedRoom<{ readonly options: WalkersTypes["options"] }>;

async function joinChecker({ port, room, index, roomPlayers, onState }: CheckerOptions) {
  const client = new Client<Game>(`http://127.0.0.1:${port}`, {
    profile: { base: "racing", numbers: { stateBytesPerSecond: STATE_BYTES_PER_SECOND } },
    transports: ["websocket"],
    webSocket: OverheardSocket,
  });
  const joined = await client.joinOrCreate(ROOM, { room, index });
  const input = joined.input(ArenaInput);
  Object.assign(input, { steer: -127, throttle: 127, brake: 1.25, aim: 2.5 });
  const view = new WalkersView(joined, room * roomPlayers, roomPlayers);
  joined.onStateChange((tick) => {
    if (view.isWholeAt(tick)) onState(view);
  });
  return { sendInput: (number: number) => void (input.number = number & 0xffff) };
}

/** The room as its client has it once all of a tick has arrived. */
class WalkersView implements SeenState {
  tick = 0;
  sentMs = 0;
  count = 0;
  readonly #room: WalkersClientRoom;
  readonly #first: number;
  readonly #players: number;
  readonly #walkers: Entity<typeof Walker>[] = [];
  #found = 0;
  #lastTick = -1;

  constructor(room: WalkersClientRoom, first: number, players: number) {
    this.#room = room;
    this.#first = first;
    this.#players = players;
    // The server sends only entities of the kinds that the client asks for.
    this.isWholeAt(0);
  }

  car(index: number): Car | undefined {
    const seen = this.#walkers[index - this.#first];
    if (!seen) return undefined;
    const { position, velocity, yaw, lastInput } = seen;
    const { x, y } = position;
    return { index: seen.index, x, y, yaw, vx: velocity.x, vy: velocity.y, lastInput };
  }

  /** Returns true once for each tick, when every entity has the server's state of that tick. */
  isWholeAt(tick: number): boolean {
    const [clock] = this.#room.entities(ArenaClock);
    if (this.#found < this.#players) this.#find();
    this.count = 0;
    for (const { lastTick } of this.#walkers) if (lastTick === tick) this.count += 1;
    if (clock?.lastTick !== tick || this.count < this.#players || tick === this.#lastTick) return false;
    this.#lastTick = tick;
    this.tick = clock.worldTick;
    this.sentMs = sentMsOf(clock.sentMs);
    return true;
  }

  #find(): void {
    this.#found = 0;
    for (const walker of this.#room.entities(Walker)) {
      this.#walkers[walker.index - this.#first] = walker;
      this.#found += 1;
    }
  }
}

/** Returns the input that the checkers send. */
function inputBody(number: number): Uint8Array {
  return arenaInputBody(number, TICKS_PER_INPUT);
}

export const paceline: CapacitySystem = {
  name: "paceline",
  packages: [],
  tolerance: SIXTEEN_BITS,
  maxRoomPlayers: MAX_ROOM_PLAYERS,
  async serve(port, worlds, roomPlayers) {
    WalkersRoom.worlds = worlds;
    WalkersRoom.roomPlayers = roomPlayers;
    await defineWalkers().listen(port);
  },
  joinChecker,
  joinBot({ port, room, index, greeting, onEnd }) {
    const payloads = greeting.map((text) => Buffer.from(text, "base64"));
    return PacelineBot.join(
      { server: port, room: ROOM, options: { room, index }, greeting: payloads, inputBody },
      onEnd,
    );
  },
  greeting: overheardGreeting,
};
