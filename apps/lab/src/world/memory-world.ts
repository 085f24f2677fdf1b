import { setImmediate as nextTurn } from "node:timers/promises";
import { writeAuthority } from "@paceline/protocol";
import { silentLog } from "@paceline/relay";
import { defineServer } from "@paceline/server";
import { MemoryLink, VirtualScheduler } from "@paceline/testkit";
import { arenaInputBody } from "../bots/arena-input-body.js";
import { INPUTS_PER_SECOND, TurnPump } from "../bots/bot.js";
import { ONE_ADDRESS_LIMITS } from "../bots/one-address-limits.js";
import { PacelineBot, type BotConnect } from "../bots/paceline-bot.js";
import { StepTimes } from "./step-times.js";
import type { WorldFigures } from "./world-figures.js";
import { WORLD_ROOM, WorldRoom } from "./world-room.js";
import { meanInView, walkOf, type WorldShape } from "./world-shape.js";

const STEP_MS = 5;
const JOINS_AT_ONCE = 50;
const JOIN_LIMIT_MS = 10_000;
/** Exact states at each tick of which something is due. */
const GREETING = [writeAuthority({ type: "view", isInterpolated: true, everyTicks: 1 })];

/** The connections of all bots, under virtual time. The server's packets wait until its timers have run. */
export class MemoryNetwork {
  readonly scheduler: VirtualScheduler;
  /** Bytes that the server has sent. */
  bytes = 0;
  #arriving: (() => void)[] = [];

  constructor(scheduler = new VirtualScheduler()) {
    this.scheduler = scheduler;
  }

  /**
   * @param accept called with the server's end of each connection
   * @param tap called with the length of each packet that the server sends or receives
   */
  connect(
    accept: (link: MemoryLink, protocols: readonly string[]) => void,
    tap?: { sent(bytes: number): void; received(bytes: number): void },
  ): BotConnect {
    return ({ protocols, onMessage, onClose }) => {
      const pipe = {
        queuedBytes: 0,
        send: (packet: Uint8Array): void => {
          this.bytes += packet.length;
          tap?.sent(packet.length);
          const { buffer, byteOffset, length } = packet;
          this.#arriving.push(() => onMessage(Buffer.from(buffer as ArrayBuffer, byteOffset, length)));
        },
      };
      // One pipe for all: like a WebSocket, it loses nothing.
      const link = new MemoryLink({ scheduler: this.scheduler, reliable: pipe, unreliable: pipe });
      link.onLocalClose((code, reason) => this.#arriving.push(() => onClose(code, reason)));
      accept(link, protocols);
      return {
        opened: Promise.resolve(),
        send: (packet) => {
          tap?.received(packet.length);
          link.received(packet);
        },
        close: () => link.closeFromRemote(1000, "left"),
      };
    };
  }

  /** Lets time pass, ms. */
  async advance(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= STEP_MS) {
      this.scheduler.advance(Math.min(STEP_MS, left));
      while (this.#arriving.length > 0) for (const arrive of this.#arriving.splice(0)) arrive();
      // Gives promises a turn between two steps.
      await nextTurn();
    }
  }

  /** Lets time pass until a promise is settled. */
  async until(promise: Promise<unknown>): Promise<void> {
    let isSettled = false;
    const waited = promise.finally(() => (isSettled = true));
    waited.catch(() => undefined);
    for (let ms = 0; ms < JOIN_LIMIT_MS && !isSettled; ms += STEP_MS) await this.advance(STEP_MS);
    if (!isSettled) throw new Error("the bots did not join in time");
    await waited;
  }
}

export interface MeasuredTime {
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

/** Plays a world in this process: a whole server and bare sessions, over links of memory and under virtual time. */
export async function runMemoryWorld(
  shape: WorldShape,
  { warmUpSeconds, seconds }: MeasuredTime,
): Promise<WorldFigures> {
  const { receivers, tickHz } = shape;
  const network = new MemoryNetwork();
  const { scheduler } = network;
  const steps = new StepTimes(scheduler, false);
  WorldRoom.shape = shape;
  WorldRoom.steps = steps;
  WorldRoom.walk = walkOf(shape);
  const server = defineServer({
    rooms: { [WORLD_ROOM]: WorldRoom },
    limits: ONE_ADDRESS_LIMITS,
    ...{ scheduler: steps, wallClockMs: () => scheduler.nowMs(), log: silentLog, guardsProcess: false },
  });
  const connect = network.connect((link, protocols) =>
    server.takeLink(link, { address: "memory", protocols }),
  );
  const pump = new TurnPump(scheduler);
  let lost = 0;
  const join = async (index: number): Promise<void> => {
    const bot = await PacelineBot.join(
      {
        ...{ server: connect, clock: scheduler, room: WORLD_ROOM, options: { index }, greeting: GREETING },
        inputBody: (number) => arenaInputBody(number, tickHz / INPUTS_PER_SECOND),
      },
      () => (lost += 1),
    );
    pump.add(bot);
  };
  for (let first = 0; first < receivers; first += JOINS_AT_ONCE) {
    const indexes = Array.from({ length: Math.min(JOINS_AT_ONCE, receivers - first) }, (_, at) => first + at);
    await network.until(Promise.all(indexes.map(join)));
  }
  await network.advance(warmUpSeconds * 1000);
  steps.take();
  const { bytes } = network;
  await network.advance(seconds * 1000);
  const figures = {
    tickMs: steps.take(),
    bytesPerReceiverPerSecond: (network.bytes - bytes) / receivers / seconds,
    rssMB: process.memoryUsage.rss() / 1e6,
  };
  if (lost > 0) throw new Error(`the server closed the links of ${lost} bots`);
  pump.end();
  return { ...figures, inView: meanInView(shape, WorldRoom.walk.places) };
}
