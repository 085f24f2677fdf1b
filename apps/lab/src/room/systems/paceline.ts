import { setTimeout as pause } from "node:timers/promises";
import { Client, type HostedRoom } from "@paceline/client";
import type { WebRtcLinkMaker } from "@paceline/transport";
import { NodeWebSocket, nodeWebRtc } from "@paceline/client/node";
import type { ClientOptions, RoomClient, RoomSystem, SeenState } from "../system.js";
import { countChannels } from "../traffic.js";
import { machineMs, type Car } from "../world.js";
import { ArenaCar, ArenaClock, ArenaInput, CLOCK_MS, defineArena } from "./arena.js";

type Link = RoomSystem["link"];
type Arena = ReturnType<typeof defineArena>;
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

/** The room as its client has it, once all of a tick is there. */
class ArenaView implements SeenState {
  tick = 0;
  sentMs = 0;
  count = 0;
  readonly #room: ArenaRoom;
  readonly #players: number;
  readonly #cars: Car[];
  #told = -1;

  constructor(room: ArenaRoom, players: number) {
    this.#room = room;
    this.#players = players;
    this.#cars = Array.from({ length: players }, (_, index) => {
      return { index, x: 0, y: 0, yaw: 0, vx: 0, vy: 0, lastInput: 0 };
    });
    // Asking for entities of a kind is what makes the server tell of them.
    this.isWholeAt(0);
  }

  car(index: number): Car | undefined {
    return this.#cars[index];
  }

  /** Whether everything has a state of that tick of the server; once for each tick. */
  isWholeAt(tick: number): boolean {
    const room = this.#room;
    this.count = 0;
    let isTimed = false;
    for (const clock of room.entities(ArenaClock)) {
      isTimed = clock.lastTick === tick;
      this.tick = clock.worldTick;
      this.sentMs = latestMs(clock.sentMs);
    }
    for (const seen of room.entities(ArenaCar)) {
      if (seen.lastTick !== tick) continue;
      const { index, position, velocity, yaw, lastInput } = seen;
      const { x, y } = position;
      const { x: vx, y: vy } = velocity;
      this.#cars[index] = { index, x, y, yaw, vx, vy, lastInput };
      this.count += 1;
    }
    if (!isTimed || this.count < this.#players || tick === this.#told) return false;
    this.#told = tick;
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
