/** Runs `paceline COMMAND`. Exits with 2 if the command line is wrong. */
import process from "node:process";
import { serve } from "./server/serve.js";

const USAGE = `paceline COMMAND [options]

  dev [game.ts]   a server for development: relay, rooms of game.ts reloaded on save, files of a folder
  start           the server for production
  bots [URL]      players for load, who end by themselves and print rates
  rooms           the saved rooms of a server: list, or show one

  paceline COMMAND --help prints the options of a command.`;

const commands: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {
  // Loaded only for these commands: the server for production has no compiler.
  dev: async (args) => (await import("./dev/dev-command.js")).dev(args),
  bots: async (args) => (await import("./bots/bots-command.js")).bots(args),
  rooms: async (args) => (await import("./rooms/rooms-command.js")).rooms(args),
  start: (args) => serve(args, "paceline start"),
};

const [name = "--help", ...args] = process.argv.slice(2);
const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
if (command !== undefined) await command(args);
else if (name === "--help" || name === "-h") console.log(USAGE);
else {
  console.error(`there is no command "${name}"; there are ${Object.keys(commands).join(", ")}\n\n${USAGE}`);
  process.exitCode = 2;
}
