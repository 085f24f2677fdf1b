import { Client } from "@paceline/client";
import { silentLog } from "@paceline/relay";
import { defineServer } from "@paceline/server";
import { systemScheduler } from "@paceline/transport";
import { arenaInputBody } from "../bots/arena-input-body.js";
import { INPUTS_PER_SECOND, TurnPump } from "../bots/bot.js";
import { ONE_ADDRESS_LIMITS } from "../bots/one-address-limits.js";
import { OverheardSocket, overheardGreeting } from "../bots/overheard-socket.js";
import { PacelineBot } from "../bots/paceline-bot.js";
import { answerOrders } from "../capacity/child-process.js";
import { botStages, checkerSeats, type Seating } from "../capacity/seating.js";
import { countSockets, traffic } from "../room/traffic.js";
import { SightCheck } from "./sight-check.js";
import { StepTimes } from "./step-times.js";
import type { WorldFigures } from "./world-figures.js";
import { WORLD_ROOM, WorldRoom, WorldWalker } from "./world-room.js";
import { meanInView, walkOf, type WorldShape } from "./world-shape.js";

/** Arguments of the processes that play a world over sockets. */
export interface SocketArguments {
  readonly role: "server" | "bots" | "checkers";
  readonly shape: WorldShape;
  readonly port: number;
  /** Number of this process among those of the bots. */
  readonly process: number;
  readonly processes: number;
  /** Payloads that a bot sends after its join, in base64. */
  readonly greeting: readonly string[];
}

/** `begin` and `end` limit the measured time. */
export type SocketOrder = "join" | "begin" | "end";

export interface BotsTraffic {
  readonly bots: number;
  readonly bytesIn: number;
  readonly seconds: number;
  /** Number of links that the server closed. */
  readonly lost: number;
}

const JOINS_AT_ONCE = 16;

function defineWorld(steps: StepTimes) {
  return defineServer({
    rooms: { [WORLD_ROOM]: WorldRoom },
    limits: ONE_ADDRESS_LIMITS,
    ...{ scheduler: steps, log: silentLog },
  });
}

export async function serveWorld({ shape, port }: SocketArguments): Promise<void> {
  const steps = new StepTimes(systemScheduler, true);
  WorldRoom.shape = shape;
  WorldRoom.steps = steps;
  WorldRoom.walk = walkOf(shape);
  await defineWorld(steps).listen(port);
  answerOrders<SocketOrder>({
    join: () => undefined,
    begin: () => void steps.take(),
    end: (): Omit<WorldFigures, "bytesPerReceiverPerSecond"> => {
      const inView = meanInView(shape, WorldRoom.walk.places);
      return { tickMs: steps.take(), inView, rssMB: process.memoryUsage.rss() / 1e6 };
    },
  });
}

function seatingOf({ receivers }: WorldShape): Seating {
  return { players: receivers, roomPlayers: receivers };
}

/** Runs a process of bots, which decode no states. */
export function runWorldBots({ shape, port, process: number, processes, greeting }: SocketArguments): void {
  const seats = botStages(seatingOf(shape), number, processes).flat();
  const bots = new TurnPump();
  const payloads = greeting.map((text) => Buffer.from(text, "base64"));
  const inputBody = (input: number): Uint8Array => arenaInputBody(input, shape.tickHz / INPUTS_PER_SECOND);
  let lost = 0;
  const joinAll = async (): Promise<void> => {
    for (let seat = seats.shift(); seat; seat = seats.shift()) {
      const options = { index: seat.index };
      bots.add(
        await PacelineBot.join(
          { server: port, room: WORLD_ROOM, options, greeting: payloads, inputBody },
          () => (lost += 1),
        ),
      );
    }
  };
  countSockets();
  let [bytesBefore, startedMs] = [0, 0];
  answerOrders<SocketOrder>({
    join: () => Promise.all(Array.from({ length: JOINS_AT_ONCE }, joinAll)),
    begin: () => {
      [bytesBefore, startedMs] = [traffic().tcpIn, performance.now()];
    },
    end: (): BotsTraffic => {
      const seconds = (performance.now() - startedMs) / 1000;
      return { bots: bots.size, bytesIn: traffic().tcpIn - bytesBefore, seconds, lost };
    },
  });
}

/** Runs the process of the whole clients, which decode and check. `join` returns the bots' greeting. */
export function runWorldCheckers({ shape, port }: SocketArguments): void {
  const check = new SightCheck(shape);
  const join = async (index: number): Promise<void> => {
    const client = new Client<ReturnType<typeof defineWorld>>(`http://127.0.0.1:${port}`, {
      profile: { base: "racing", numbers: { stateBytesPerSecond: shape.bytesPerSecond } },
      transports: ["websocket"],
      webSocket: OverheardSocket,
    });
    const room = await client.joinOrCreate(WORLD_ROOM, { index });
    // The server sends only entities of the kinds that the client asks for.
    room.entities(WorldWalker);
    room.onStateChange((tick) => check.take(room, index, tick));
  };
  answerOrders<SocketOrder>({
    async join() {
      for (const { index } of checkerSeats(seatingOf(shape))) await join(index);
      return overheardGreeting();
    },
    begin: () => check.begin(),
    end: () => check.end(),
  });
}
