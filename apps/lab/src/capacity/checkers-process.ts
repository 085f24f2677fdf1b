import { INPUTS_PER_SECOND } from "../bots/bot.js";
import type { RoomClient } from "../room/system.js";
import { LoadMeter, answerOrders, type ChildArguments, type CheckersFigures } from "./child-process.js";
import { checkerSeats } from "./seating.js";
import { systemNamed } from "./systems/all.js";
import { WalkerCheck } from "./walker-check.js";

interface Checker extends RoomClient {
  readonly nextInput: () => number;
}

/** Runs the process of the whole clients, which decode and check. The first `join` returns the bots' greeting. */
export function runCheckers(options: ChildArguments): void {
  const { port } = options;
  const system = systemNamed(options.system);
  const check = new WalkerCheck(system.tolerance);
  const seats = checkerSeats(options);
  const checkers: Checker[] = [];
  const meter = new LoadMeter();
  answerOrders({
    async join() {
      const seat = seats.shift();
      if (!seat) return [];
      const { onState, nextInput } = check.add(seat);
      checkers.push({ ...(await system.joinChecker({ ...seat, port, onState })), nextInput });
      return checkers.length === 1 ? ((await system.greeting?.()) ?? []) : [];
    },
    play: () => pumpInputs(checkers),
    begin() {
      meter.begin();
      check.begin();
    },
    end(): CheckersFigures {
      return { ...meter.end(), ...check.end(), checkers: checkers.length };
    },
  });
}

/** Sends the inputs of all clients, evenly over the time. */
function pumpInputs(checkers: readonly Checker[]): void {
  let sent = 0;
  setInterval(
    () => {
      const { nextInput, sendInput } = checkers[sent++ % checkers.length]!;
      sendInput(nextInput());
    },
    1000 / INPUTS_PER_SECOND / checkers.length,
  );
}
