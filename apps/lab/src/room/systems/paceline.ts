import { setTimeout as pause } from "node:timers/promises";
import { Client, type Entity, type HostedRoom } from "@paceline/client";
import {
  MessageKind,
  PayloadKind,
  readMessages,
  readPacket,
  readToAuthority,
  type ViewTerms,
} from "@paceline/protocol";
import type { WebRtcLinkMaker } from "@paceline/transport";
import { NodeWebSocket, nodeWebRtc } from "@paceline/client/node";
import type { ClientOptions, RoomClient, RoomSystem, SeenState } from "../system.js";
import { countChannels } from "../traffic.js";
import type { Car } from "../world.js";
import { ArenaCar, ArenaClock, ArenaInput } from "./arena-kinds.js";
import { defineArena, sentMsOf } from "./arena.js";
import { joinArenaLightly } from "./light-arena.js";

type Link = RoomSystem["link"];
type Arena = ReturnType<typeof defineArena>;
type SeenCar = Entity<typeof ArenaCar>;
type ArenaRoom = HostedRoom<Arena["kinds"]["arena"]>;

/** Half a step of each field, plus the rounding of a 32-bit float. */
export const PRECISION = {
  precision: "1 cm, 1 cm/s, 0.005 rad",
  tolerance: { positionM: 0.00502, velocityMps: 0.00502, headingRad: 0.00252 },
} as const;
const WEBRTC_LIMIT_MS = 10_000;
const POLL_MS = 50;
let tellTerms: (terms: ViewTerms) => void;
/**
 * The view terms of the first whole client. The server would put players with other terms into a separate
 * group.
 */
const termsTold = new Promise<ViewTerms>((resolve) => {
  tellTerms = resolve;
});

/** A WebSocket that reads the view terms which its client sends to the server. */
class OverheardSocket extends NodeWebSocket {
  override send(data: Uint8Array): void {
    const terms = termsIn(data);
    if (terms) tellTerms(terms);
    super.send(data);
  }
}

function termsIn(bytes: Uint8Array): ViewTerms | undefined {
  const packet = readPacket(bytes);
  const messages = typeof packet === "string" ? packet : readMessages(packet, () => undefined);
  for (const { kind, body } of typeof messages === "string" ? [] : messages) {
    // A reliable message has its number before its payload.
    if (kind !== MessageKind.reliable || body[2] !== PayloadKind.authority) continue;
    const message = readToAuthority(body.subarray(3));
    if (message?.type === "view") return message;
  }
  return undefined;
}

/** Joins the arena; with WebRTC, waits until states come over it. */
export async function joinArena(
  link: Link,
  { port, index, players, onState }: ClientOptions,
): Promise<RoomClient> {
  const webRtc = link === "webrtc" ? await nodeWebRtc() : undefined;
  if (link === "webrtc" && !webRtc) throw new Error("node-datachannel is not installed");
  const client = new Client<Arena>(`http://127.0.0.1:${port}`, {
    profile: "racing",
    transports: webRtc ? ["webrtc", "websocket"] : ["websocket"],
    webSocket: OverheardSocket,
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

/**
 * The room as its client has it once all of a tick has arrived. A car's values are read on request, as in a
 * game.
 */
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
    // The server sends only entities of the kinds that the client asks for.
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

  /** Returns true once for each tick, when every entity has the server's state of that tick. */
  isWholeAt(tick: number): boolean {
    const [clock] = this.#room.entities(ArenaClock);
    if (this.#found < this.#players) this.#find();
    this.count = this.#cars.reduce((count, car) => count + (car.lastTick === tick ? 1 : 0), 0);
    if (clock?.lastTick !== tick || this.count < this.#players || tick === this.#told) return false;
    this.#told = tick;
    this.tick = clock.worldTick;
    this.sentMs = sentMsOf(clock.sentMs);
    return true;
  }
}

/** Wraps a link maker so that all bytes of its links count, with acknowledgements and pings. */
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
    ...(link === "websocket" && {
      joinLight: async (options) => await joinArenaLightly(options, await termsTold),
    }),
  };
}

export const pacelineWebSocket = paceline("websocket");
export const pacelineWebRtc = paceline("webrtc");
