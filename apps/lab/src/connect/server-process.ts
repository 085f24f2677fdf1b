/** A process with one server. Arguments: `Served` as JSON, the address to listen on. */
import { joinSystemOf, systemOf } from "./systems/all.js";
import { ROOM_CLIENTS } from "./system.js";
import type { Served, Usage } from "./messages.js";

const [given = "", host = "127.0.0.1"] = process.argv.slice(2);
const served = JSON.parse(given) as Served;
const url =
  "system" in served
    ? await (await systemOf(served.system)).serve(host, served.roomClients ?? ROOM_CLIENTS)
    : await (await joinSystemOf(served.join)).serve(host);

process.on("message", () => {
  globalThis.gc?.();
  const { user, system: kernel } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  const usage: Usage = { cpuMs: (user + kernel) / 1000, rssKB: rss / 1024, heapKB: heapUsed / 1024 };
  process.send!(usage);
});
process.on("disconnect", () => process.exit());
process.send!(url);
