import { seededRandom } from "@paceline/testkit";
import { answerOrders } from "../room/child-process.js";
import { countSockets, traffic } from "../room/traffic.js";
import { machineMs } from "../room/world.js";
import { TruthLog, type ArenaPlayer, type ArenaSystem } from "./arena-system.js";
import { pacelineArena } from "./paceline-arena.js";
import { socketIoArena } from "./socket-io-arena.js";

export const arenaSystems: readonly ArenaSystem[] = [pacelineArena, socketIoArena];

export interface ArenaArguments {
  readonly role: "server" | "swarm";
  readonly system: string;
  readonly players: number;
  /** The server's port, or that of the line to it. */
  readonly port: number;
}

export interface ArenaServerFigures {
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** The part of it that the game's rules took, s. */
  readonly rulesSeconds: number;
  /** As {@link TruthLog} writes them. */
  readonly steps: readonly number[];
}

export interface ArenaSwarmFigures {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** `[player, ms, count, id, x, y, ...]` for each frame of a judged player. */
  readonly frames: readonly number[];
}

const FRAME_MS = 1000 / 60;
const STEER_MS = 50;
const TURN_MS = 500;
/** Largest change of direction in one turn, rad. */
const TURN_RAD = 1.2;
const SPLIT_CHANCE = 0.02;
/** The first players, whose frames are kept. */
const JUDGED = 4;
const JOINS_AT_ONCE = 10;

function systemOf(name: string): ArenaSystem {
  const found = arenaSystems.find((system) => system.name === name);
  if (!found) throw new Error(`no system is called "${name}"`);
  return found;
}

/** Runs the server of one of the games. */
export async function runArenaServer({ system, port }: ArenaArguments): Promise<void> {
  const log = new TruthLog();
  await systemOf(system).serve(port, log);
  const figures = stopwatch();
  answerOrders({
    begin() {
      log.begin();
      figures.begin();
    },
    end(): ArenaServerFigures {
      const { steps, rulesMs } = log.end();
      return { ...figures.end(), rulesSeconds: rulesMs / 1000, steps };
    },
  });
}

/** Runs all players, each of whom reads at 60 frames a second what its page would draw. */
export async function runArenaSwarm({ system, players: count, port }: ArenaArguments): Promise<void> {
  countSockets();
  const players: ArenaPlayer[] = [];
  let next = 0;
  const joinOneByOne = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      players[index] = await systemOf(system).join(port, index);
    }
  };
  await Promise.all(Array.from({ length: JOINS_AT_ONCE }, joinOneByOne));
  players.forEach(wander);
  const frames = new Frames(players);
  setInterval(() => frames.draw(), FRAME_MS);
  let before = traffic();
  const figures = stopwatch();
  answerOrders({
    begin() {
      frames.begin();
      before = traffic();
      figures.begin();
    },
    end(): ArenaSwarmFigures {
      const { tcpIn, tcpOut } = traffic();
      const bytes = { bytesIn: tcpIn - before.tcpIn, bytesOut: tcpOut - before.tcpOut };
      return { ...figures.end(), ...bytes, frames: frames.end() };
    },
  });
}

/** Steers as a person does: in one direction, then a bit to the side. */
function wander(player: ArenaPlayer, index: number): void {
  const source = seededRandom(index + 1);
  const random = (): number => source.next();
  let angle = random() * 2 * Math.PI;
  setInterval(() => {
    angle += (random() * 2 - 1) * TURN_RAD;
    if (random() < SPLIT_CHANCE) player.split();
  }, TURN_MS);
  setInterval(() => player.steer(Math.cos(angle), Math.sin(angle)), STEER_MS);
}

class Frames {
  readonly #players: readonly ArenaPlayer[];
  #kept: number[] = [];
  #isKeeping = false;

  constructor(players: readonly ArenaPlayer[]) {
    this.#players = players;
  }

  begin(): void {
    this.#kept = [];
    this.#isKeeping = true;
  }

  draw(): void {
    for (const [index, player] of this.#players.entries()) {
      const cells: number[] = [];
      player.frame(({ id, x, y }) => cells.push(id, x, y));
      if (this.#isKeeping && index < JUDGED) this.#kept.push(index, machineMs(), cells.length / 3, ...cells);
    }
  }

  end(): readonly number[] {
    this.#isKeeping = false;
    return this.#kept;
  }
}

function stopwatch() {
  let cpu = process.cpuUsage();
  let startedMs = performance.now();
  return {
    begin() {
      cpu = process.cpuUsage();
      startedMs = performance.now();
    },
    end() {
      const { user, system } = process.cpuUsage(cpu);
      return { cpuSeconds: (user + system) / 1e6, seconds: (performance.now() - startedMs) / 1000 };
    },
  };
}
