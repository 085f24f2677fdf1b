import { parseArgs } from "node:util";
import { walkNames, type WalkName } from "paceline/bots";
import { WORLD } from "../net/world.js";

export interface BotOptions {
  readonly room: string;
  readonly count: number;
  readonly isDriving: boolean;
  /** The way in which the bots of the room `world` walk. */
  readonly walk: WalkName;
  /** Folder of recorded traces. */
  readonly data: string | undefined;
  readonly mode: "server" | "mesh";
  /** Undefined: the swarm starts a server in a process of its own. */
  readonly server: string | undefined;
  readonly metrics: string | undefined;
  readonly seconds: number;
  /** If more than 0, the bots do not stay: this many joins and leaves in all. */
  readonly sessions: number;
  /** Sends states over WebRTC if the server offers it; needs node-datachannel. */
  readonly hasWebRtc: boolean;
  /** Pins the bots to all cores but the first, and the server that the swarm starts to the first. */
  readonly isPinned: boolean;
  /** Exits with code 1 if a bound is missed. */
  readonly isBound: boolean;
  readonly isJson: boolean;
}

export const USAGE = `pnpm bots [options]         players that speak the real protocol, in a process of their own

  --room NAME         kind of rooms to join (race: by the mode)
  --count 1..1000     how many (100)
  --walk NAME         in the room world: ${walkNames.join(", ")} (random-waypoint); 30 s each they walk and stand
  --data DIR          folder of recorded traces, for --walk trace
  --drive             they drive; else they only watch
  --mode server|mesh  who decides (server)
  --server URL        the server to join (one of its own)
  --metrics URL       that server's /metrics, where it can be reached
  --seconds 1..86400  for how long, after the last has joined (20)
  --sessions 1..1000000  joins and leaves so often instead, and says what memory the server has then
  --webrtc            states over WebRTC (WebSockets only); in a mesh, links from player to player
  --pin               its own server on the first core, the bots on the others (Linux)
  --bounds            exit code 1 where a bound is missed: ticks p99 10 ms, joins p99 250 ms, nothing lost;
                      with --sessions: heap and memory flat after the first half
  --json              figures as JSON`;

/** Throws an error whose message tells the user what to correct. */
export function readBotOptions(argv: readonly string[]): BotOptions {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const { values } = parseArgs({
    args: [...argv],
    options: {
      room: text,
      count: text,
      drive: flag,
      walk: text,
      data: text,
      mode: text,
      server: text,
      metrics: text,
      seconds: text,
      sessions: text,
      webrtc: flag,
      pin: flag,
      bounds: flag,
      json: flag,
    },
  });
  const { mode = "server", room = "race", server } = values;
  if (mode !== "server" && mode !== "mesh") throw new Error(`--mode must be server or mesh, not "${mode}"`);
  if (server !== undefined && !URL.canParse(server))
    throw new Error(`--server must be an address, not "${server}"`);
  const walk = walkNames.find((name) => name === (values.walk ?? "random-waypoint"));
  if (walk === undefined)
    throw new Error(`--walk must be one of ${walkNames.join(", ")}, not "${values.walk}"`);
  if (values.walk !== undefined && room !== WORLD)
    throw new Error(`--walk is for the room ${WORLD}, not for "${room}"`);
  if (walk === "trace" && values.data === undefined) throw new Error("--walk trace needs --data DIR");
  return {
    room,
    walk,
    data: values.data,
    count: wholeOf("count", values.count ?? "100", 1, 1000),
    isDriving: values.drive === true,
    mode,
    server,
    metrics: values.metrics,
    seconds: wholeOf("seconds", values.seconds ?? "20", 1, 86_400),
    sessions: wholeOf("sessions", values.sessions ?? "0", 0, 1_000_000),
    hasWebRtc: values.webrtc === true,
    isPinned: values.pin === true,
    isBound: values.bounds === true,
    isJson: values.json === true,
  };
}

function wholeOf(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new Error(`--${name} must be a whole number from ${min} to ${max}, not "${text}"`);
}
