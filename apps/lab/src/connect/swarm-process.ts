/** A process with many clients that executes its parent's orders. */
import { Swarm } from "./swarm.js";
import { joinSystemOf } from "./systems/all.js";
import type { Fault, JoinAnswer, Order } from "./messages.js";

// A client tells its developer each time that it found full rooms, and these clients fill rooms on purpose.
Object.assign(console, { info: () => undefined });
const swarm = new Swarm();

async function obey(order: Order): Promise<unknown> {
  switch (order.do) {
    case "connect":
      return await swarm.connect(order);
    case "churn":
      return await swarm.churn(order);
    case "rate":
      return await swarm.rate(order);
    case "echo":
      return await swarm.echo(order);
    case "disconnect":
      return await swarm.disconnect();
    case "reside":
      await (await joinSystemOf(order.join)).reside?.(order.url);
      return {};
    case "join":
      return await join(order);
  }
}

async function join({ join: name, url }: Order & { readonly do: "join" }): Promise<JoinAnswer> {
  const system = await joinSystemOf(name);
  const startMs = performance.now();
  const joined = await system.join(url);
  const joinMs = performance.now() - startMs;
  await joined.leave();
  return { joinMs };
}

process.on("message", (order: Order) => {
  obey(order).then(
    (answer) => process.send!(answer ?? {}),
    (error: unknown) => process.send!({ fault: String(error) } satisfies Fault),
  );
});
process.on("disconnect", () => process.exit());
// A rival may leave a rejection unhandled. Its missing result shows in the figures.
process.on("unhandledRejection", (error) => process.stderr.write(`${String(error)}\n`));
process.send!("ready");
