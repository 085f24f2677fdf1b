import { setTimeout as pause } from "node:timers/promises";
import { Client, type Entity, type HostedRoom } from "@paceline/client";
import type { WebRtcLinkMaker } from "@paceline/transport";
import { NodeWebSocket, nodeWebRtc } from "@paceline/client/node";
import type { ClientOptions, RoomClient, RoomSystem, SeenState } from "../system.js";
import { countChannels } from "../traffic.js";
import { machineMs, type Car } from "../world.js";
import { ArenaCar, ArenaClock, ArenaInput, CLOCK_MS, defineArena } from "./arena.js";

type Link = RoomSystem["link"];
type Arena = ReturnType<typeof defineArena>;
type SeenCar = Entity<typeof ArenaCar>;
type ArenaRoom = HostedRoom<Arena["kinds"]["arena"]>;

/** Half a step of each field, and what a 32-bit float adds. */
export const PRECISION = {
  precision: "1 cm, 1 cm/s, 0.005 rad",
  tolerance: { positionM: 0.00502, velocityMps: 0.00502, headingRad: 0.00252 },
} as const;
const WEBRTC_LIMIT_MS = 10_000;
const POLL_MS = 50;

/** Joins the arena; with WebRTC, it waits until states go over it. */
export async function joinArena(
  link: Link,
  { port, index, players, onState }: ClientOptions,
): Promise<RoomClient> {
  const webRtc = link === "webrtc" ? await nodeWebRtc() : undefined;
  if (link === "webrtc" && !webRtc) throw new Error("node-datachannel is not installed");
  const client = new Client<Arena>(`http://127.0.0.1:${port}`, {
    profile: "racing",
    transports: webRtc ? ["webrtc", "websocket"] : ["websocket"],
    webSocket: NodeWebSocket,
    webRtc: webRtc && counted(webRtc),
  });
  const room = await client.joinOrCreate("arena", { index });
  const input = room.input(ArenaInput);
  Object.assign(input, { steer: -127, throttle: 127, brake: 1.25, aim: 2.5 });
  const view = new ArenaView(room, players);
  room.onStateChange((tick) => {
    if (view.isWholeAt(tick)) onState(view);
  });
  const untilMs = performance.now() + WEBRTC_LIMIT_MS;
  while (link === "webrtc" && room.transport.server.stateLink !== "webrtc") {
    if (performance.now() > untilMs) throw new Error("states do not go over WebRTC");
    await pause(POLL_MS);
  }
  return { sendInput: (number) => (input.number = number & 0xffff) };
}

/** The room as its client has it, once all of a tick is there; a car is read when it is asked for, as a game would. */
class ArenaView implements SeenState {
  tick = 0;
  sentMs = 0;
  count = 0;
  readonly #room: ArenaRoom;
  readonly #players: number;
  readonly #cars: SeenCar[] = [];
  #found = 0;
  #told = -1;

  constructor(room: ArenaRoom, players: number) {
    this.#room = room;
    this.#players = players;
    // Asking for entities of a kind is what makes the server tell of them.
    this.isWholeAt(0);
  }

  car(index: number): Car | undefined {
    const seen = this.#cars[index];
    if (!seen) return undefined;
    const { position, velocity, yaw, lastInput } = seen;
    return {
      index: seen.index,
      x: position.x,
      y: position.y,
      yaw,
      vx: velocity.x,
      vy: velocity.y,
      lastInput,
    };
  }

  #find(): void {
    this.#found = 0;
    for (const car of this.#room.entities(ArenaCar)) {
      this.#cars[car.index] = car;
      this.#found += 1;
    }
  }

  /** Whether everything has a state of that tick of the server; once for each tick. */
  isWholeAt(tick: number): boolean {
    const [clock] = this.#room.entities(ArenaClock);
    if (this.#found < this.#players) this.#find();
    this.count = this.#cars.reduce((count, car) => count + (car.lastTick === tick ? 1 : 0), 0);
    if (clock?.lastTick !== tick || this.count < this.#players || tick === this.#told) return false;
    this.#told = tick;
    this.tick = clock.worldTick;
    this.sentMs = latestMs(clock.sentMs);
    return true;
  }
}

/** The newest moment that is not in the future and lies so in the clock's round. */
function latestMs(inRound: number): number {
  const nowMs = machineMs();
  const ageMs = (nowMs - inRound) % CLOCK_MS;
  // Rounding may put the clock a little into the future.
  return nowMs - (ageMs > CLOCK_MS - 1 ? ageMs - CLOCK_MS : ageMs);
}

/** Counts what goes through the links that it makes: all of it, acknowledgements and pings too. */
function counted(make: WebRtcLinkMaker): WebRtcLinkMaker {
  return (options) => {
    const link = make(options);
    countChannels(() => [link.counters.bytesReceived, link.counters.bytesSent]);
    return link;
  };
}

function paceline(link: Link): RoomSystem {
  return {
    name: link === "websocket" ? "paceline" : "paceline-webrtc",
    link,
    ...PRECISION,
    packages: [],
    async serve({ port, world }) {
      const step = (): void => world.step();
      await defineArena({ world, step, hasWebRtc: link === "webrtc" }).listen(port);
      return {};
    },
    join: (options) => joinArena(link, options),
  };
}

export const pacelineWebSocket = paceline("websocket");
export const pacelineWebRtc = paceline("webrtc");
