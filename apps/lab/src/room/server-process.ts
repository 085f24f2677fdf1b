import { answerOrders, type ChildArguments, type ServerFigures } from "./child-process.js";
import { systemNamed } from "./systems/all.js";
import { PERIOD_MS, World } from "./world.js";

/** Runs the server's process: one system, and the world's loop if the system has none. */
export async function runServer({ system, port, players }: ChildArguments): Promise<void> {
  const world = new World(players);
  const { publish } = await systemNamed(system).serve({ port, world });
  const emptyRssMb = rssMb();
  if (publish) loop(world, publish);
  let cpu = process.cpuUsage();
  let startedMs = performance.now();
  let [ticks, inputs, wakeUps] = [0, 0, 0];
  answerOrders({
    begin() {
      cpu = process.cpuUsage();
      startedMs = performance.now();
      ({ tick: ticks, inputs } = world);
      wakeUps = wakeUpsSoFar();
    },
    end(): ServerFigures {
      const { user, system: kernel } = process.cpuUsage(cpu);
      return {
        cpuSeconds: (user + kernel) / 1e6,
        seconds: (performance.now() - startedMs) / 1000,
        rssMb: rssMb(),
        emptyRssMb,
        inputs: world.inputs - inputs,
        ticks: world.tick - ticks,
        wakeUps: wakeUpsSoFar() - wakeUps,
      };
    },
  });
}

function loop(world: World, publish: () => void): void {
  let nextMs = performance.now() + PERIOD_MS;
  const run = (): void => {
    world.step();
    publish();
    nextMs += PERIOD_MS;
    setTimeout(run, Math.max(0, nextMs - performance.now()));
  };
  setTimeout(run, PERIOD_MS);
}

function rssMb(): number {
  return process.memoryUsage.rss() / 2 ** 20;
}

function wakeUpsSoFar(): number {
  return process.resourceUsage().voluntaryContextSwitches;
}
