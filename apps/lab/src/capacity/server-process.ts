import { Session } from "node:inspector/promises";
import { writeFile } from "node:fs/promises";
import { LoadMeter, answerOrders, type ChildArguments, type ServerFigures } from "./child-process.js";
import { systemNamed } from "./systems/all.js";
import { Worlds } from "./world.js";

const PROFILE_INTERVAL_US = 200;

/** Runs the server's process. */
export async function runServer({ system, port, roomPlayers, profile }: ChildArguments): Promise<void> {
  const worlds = new Worlds(roomPlayers);
  await systemNamed(system).serve(port, worlds, roomPlayers);
  const meter = new LoadMeter();
  const profiler = profile === undefined ? undefined : new Profiler(profile);
  let [ticks, inputs] = [0, 0];
  answerOrders({
    join: () => undefined,
    play() {
      worlds.isMoving = true;
    },
    async begin() {
      await profiler?.begin();
      meter.begin();
      ({ ticks, inputs } = worlds);
    },
    async end(): Promise<ServerFigures> {
      const figures = {
        ...meter.end(),
        rssMb: process.memoryUsage.rss() / 2 ** 20,
        ticks: worlds.ticks - ticks,
        inputs: worlds.inputs - inputs,
      };
      await profiler?.end();
      return figures;
    },
  });
}

/** Writes a CPU profile of this process. */
class Profiler {
  readonly #file: string;
  readonly #session = new Session();

  constructor(file: string) {
    this.#file = file;
    this.#session.connect();
  }

  async begin(): Promise<void> {
    await this.#session.post("Profiler.enable");
    await this.#session.post("Profiler.setSamplingInterval", { interval: PROFILE_INTERVAL_US });
    await this.#session.post("Profiler.start");
  }

  async end(): Promise<void> {
    const { profile } = await this.#session.post("Profiler.stop");
    await writeFile(this.#file, JSON.stringify(profile));
  }
}
