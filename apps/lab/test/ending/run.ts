/** A run that starts processes, says so, and ends as its argument says. */
import { start } from "../../src/network/commands.js";

/** It ignores requests to end, and starts a process itself. */
const STUBBORN = `
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => undefined);
  require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => undefined, 1000)"], { stdio: "ignore" });
  process.stdout.write("up");
  setInterval(() => undefined, 1000);`;

const children = Array.from({ length: 3 }, () =>
  start(process.execPath, ["-e", STUBBORN], { stdio: ["ignore", "pipe", "ignore"] }),
);
await Promise.all(children.map((child) => new Promise((resolve) => child.stdout!.once("data", resolve))));
process.stdout.write("started");
const [, , ending] = process.argv;
if (ending === "exit") process.exit(3);
if (ending === "exception") setTimeout(() => JSON.parse("{"), 1);
if (ending === "rejection") await Promise.reject(new Error("a case threw"));
setInterval(() => undefined, 1000);
