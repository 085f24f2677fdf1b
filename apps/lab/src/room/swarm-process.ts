import { answerOrders, type ChildArguments, type SwarmFigures } from "./child-process.js";
import { StateCheck } from "./state-check.js";
import type { RoomClient } from "./system.js";
import { systemNamed } from "./systems/all.js";
import { countSockets, traffic } from "./traffic.js";
import { PERIOD_MS } from "./world.js";

/** Shorter than the time between two inputs of 32 players: inputs that come together cost a server one wake-up. */
const PUMP_MS = 1;
const JOINS_AT_ONCE = 10;
/**
 * In rooms of this size or more, only the first players are whole clients and judged; the others are light if
 * possible.
 */
const LARGE_ROOM = 100;
const JUDGED_IN_LARGE_ROOM = 2;

/** Runs the clients' process: all players of a room, who decode and check their states. */
export async function runSwarm({ system: name, port, players }: ChildArguments): Promise<void> {
  const system = systemNamed(name);
  countSockets();
  const judged = players < LARGE_ROOM ? players : JUDGED_IN_LARGE_ROOM;
  const check = new StateCheck({ players, judged, tolerance: system.tolerance });
  const clients: RoomClient[] = [];
  let next = 1;
  const join = async (index: number): Promise<void> => {
    const options = { port, index, players, onState: check.listener(index) };
    const isLight = index >= judged && system.joinLight !== undefined;
    clients[index] = await (isLight ? system.joinLight!(options) : system.join(options));
  };
  const joinOneByOne = async (): Promise<void> => {
    while (next < players) {
      await join(next++);
    }
  };
  // The first client creates the room.
  await join(0);
  await Promise.all(Array.from({ length: JOINS_AT_ONCE }, joinOneByOne));
  pumpInputs(clients, check);
  let before = traffic();
  let cpu = process.cpuUsage();
  let startedMs = performance.now();
  answerOrders({
    begin() {
      check.begin();
      before = traffic();
      cpu = process.cpuUsage();
      startedMs = performance.now();
    },
    end(): SwarmFigures {
      const after = traffic();
      const { user, system: kernel } = process.cpuUsage(cpu);
      const channelBytesIn = after.channelIn - before.channelIn;
      return {
        ...check.end(),
        seconds: (performance.now() - startedMs) / 1000,
        cpuSeconds: (user + kernel) / 1e6,
        bytesIn: after.tcpIn - before.tcpIn + channelBytesIn,
        bytesOut: after.tcpOut - before.tcpOut + after.channelOut - before.channelOut,
        channelBytesIn,
      };
    },
  });
}

/** Sends one input of each player in every period, evenly over it. */
function pumpInputs(clients: readonly RoomClient[], check: StateCheck): void {
  const startedMs = performance.now();
  let sent = 0;
  setInterval(() => {
    const due = Math.floor(((performance.now() - startedMs) / PERIOD_MS) * clients.length);
    for (; sent < due; sent++) {
      const index = sent % clients.length;
      clients[index]!.sendInput(check.nextInput(index));
    }
  }, PUMP_MS);
}
