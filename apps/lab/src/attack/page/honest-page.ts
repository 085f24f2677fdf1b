/**
 * An honest player in a browser, in a room with a hostile one. `pnpm attack` drives it and reads its figures.
 */
import { Client, type Room } from "@paceline/client";
import type { PageFigures } from "../page-figures.js";

const figures = { received: 0, lost: 0, twice: 0, lines: 0, errors: [] as string[] };
const heard = new Map<number, number>();
let room: Room;

for (const level of ["log", "info", "warn", "error", "debug"] as const) {
  console[level] = () => (figures.lines += 1);
}
addEventListener("error", ({ message }) => figures.errors.push(message));
addEventListener("unhandledrejection", ({ reason }) => figures.errors.push(String(reason)));

function arrived(message: unknown): void {
  const [from, number] = message as [number, number];
  const last = heard.get(from) ?? number - 1;
  if (number <= last) figures.twice += 1;
  else {
    figures.lost += number - last - 1;
    figures.received += 1;
    heard.set(from, number);
  }
}

async function enter(roomId: string): Promise<number> {
  room = await new Client(location.origin, { profile: "racing" }).joinById(roomId);
  room.onMessage("n", arrived);
  room.onLeave((code) => figures.errors.push(`the session ended with ${code}`));
  return room.myNumber;
}

/** Returns the figures since the last call. */
function take(): PageFigures {
  const taken = { ...figures, errors: figures.errors.splice(0), peers: room.peers.length };
  Object.assign(figures, { received: 0, lost: 0, twice: 0, lines: 0 });
  return taken;
}

Object.assign(globalThis, { honest: { enter, take, leave: () => room.leave() } });
