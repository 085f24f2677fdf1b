import { TurnPump } from "../bots/bot.js";
import { countSockets, traffic } from "../room/traffic.js";
import { LoadMeter, answerOrders, type BotsFigures, type ChildArguments } from "./child-process.js";
import { botStages } from "./seating.js";
import type { Seat } from "./system.js";
import { systemNamed } from "./systems/all.js";

const JOINS_AT_ONCE = 16;

/** Runs a process of bots. */
export function runBots(options: ChildArguments): void {
  const { port, greeting } = options;
  const system = systemNamed(options.system);
  const stages = botStages(options, options.process, options.processes);
  // From the first join on: a server sends again what nobody receipts.
  const bots = new TurnPump();
  const meter = new LoadMeter();
  let lost = 0;
  let example: string | undefined;
  const onEnd = (reason: string): void => {
    lost += 1;
    example ??= reason;
  };
  const joinChain = async (seats: readonly Seat[]): Promise<void> => {
    for (const seat of seats) bots.add(await system.joinBot({ ...seat, port, greeting, onEnd }));
  };
  countSockets();
  let before = traffic();
  answerOrders({
    async join() {
      const chains = chainsOf(stages.shift() ?? []);
      const joinAll = async (): Promise<void> => {
        for (let chain = chains.shift(); chain; chain = chains.shift()) await joinChain(chain);
      };
      await Promise.all(Array.from({ length: JOINS_AT_ONCE }, joinAll));
    },
    play: () => undefined,
    begin() {
      meter.begin();
      before = traffic();
    },
    end(): BotsFigures {
      const after = traffic();
      return {
        ...meter.end(),
        bots: bots.size,
        bytesIn: after.tcpIn - before.tcpIn,
        bytesOut: after.tcpOut - before.tcpOut,
        lost,
        example,
      };
    },
  });
}

/** Returns lists of seats; those of one list join one after the other, because the first creates the room. */
function chainsOf(seats: readonly Seat[]): Seat[][] {
  // The first checker has created the first room.
  const chains = seats.filter(({ room }) => room === 0).map((seat) => [seat]);
  const rooms = new Map<number, Seat[]>();
  for (const seat of seats) {
    if (seat.room > 0) rooms.set(seat.room, [...(rooms.get(seat.room) ?? []), seat]);
  }
  return [...chains, ...rooms.values()];
}
