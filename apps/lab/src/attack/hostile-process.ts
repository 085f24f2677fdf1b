/** A process that runs the attacks that its parent orders, one after the other, and reports each. */
import { setPriority } from "node:os";
import * as bytes from "./hostile/attacks-bytes.js";
import * as doors from "./hostile/attacks-doors.js";
import * as floods from "./hostile/attacks-floods.js";
import * as members from "./hostile/attacks-members.js";
import { Hostile } from "./hostile/hostile.js";
import { serveOrders, type HostileOrder } from "./messages.js";

const attacks: Readonly<Record<string, (hostile: Hostile) => Promise<void>>> = {
  ...bytes,
  ...doors,
  ...floods,
  ...members,
};

async function obey(order: HostileOrder): Promise<unknown> {
  const hostile = new Hostile(order);
  const attack = attacks[order.attack];
  if (!attack) throw new Error(`no attack is called ${order.attack}`);
  try {
    await attack(hostile);
  } catch (error) {
    hostile.fail(`the attack itself failed: ${String(error)}`);
  }
  return await hostile.finish();
}

// Lower priority: on two cores the attackers' own work must not delay the honest players.
setPriority(5);
// The SDK warns about the troubles of a hostile player. Those lines would only fill the output.
for (const level of ["log", "info", "warn", "error"] as const) console[level] = () => undefined;
process.on("unhandledRejection", () => undefined);
serveOrders(obey);
