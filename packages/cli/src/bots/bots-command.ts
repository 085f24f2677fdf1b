import process from "node:process";
import { parseArgs } from "node:util";
import { profiles, type Genre } from "@paceline/client";
import { nodeWebRtc } from "@paceline/client/node";
import { RoomBot } from "./room-bot.js";
import { definitionsOf, type RoomDefinitions } from "./room-definitions.js";
import { Swarm, type StayFigures } from "./swarm.js";
import type { PlayerBot } from "./player-bot.js";
import { WALK_EDGE_M, WalkingBot } from "./walking-bot.js";
import { walkNames, walkOf, type Walk, type WalkName } from "./walks.js";

const STEP_HZ = 30;
const genres = Object.keys(profiles) as Genre[];
const USAGE = `paceline bots [URL] --room NAME    players in this process, that speak the real protocol and end by themselves

  URL                 the server (http://127.0.0.1:8787)
  --room NAME         the kind of rooms to join
  --game FILE         the game's file, as of paceline dev: bots read its entities and send its authority random inputs
  --count 1..1000     how many (10)
  --seconds 1..86400  for how long, after the last has joined (10)
  --profile NAME      ${genres.join(", ")} (action)
  --walk NAME         each bot owns an entity and walks with it, on a square of 1 km: ${walkNames.join(", ")}
  --data DIR          folder of recorded traces, for --walk trace
  --webrtc            states over WebRTC, which needs the package node-datachannel (WebSockets only)
  --metrics URL       the server's /metrics: adds its ticks, processor time and memory
  --json              all figures as JSON

Among players a bot walks in a circle and sends a message every two seconds. In a room with an
authority it reads all kinds of entities and holds random inputs, each for half a second, if --game names the file that
declares them; else it receives no entities.
With --walk a bot sends as the test client of the thesis on MilMo: three positions a second while it walks, one in 10 s while it
stands, and it walks and stands for 30 s each. random-waypoint: to random places. hotspot: 30 % of the bots in 1 % of the ground.
trace: as recorded entities, scaled to the ground. With an authority that takes a kind among the room's playerEntities in --game.
Exits with 1 if a bot could not join.`;

const BLIND =
  "without --game they read no entities of the room's authority: a player of the game receives more bytes";

interface BotsCall {
  readonly server: string;
  readonly room: string;
  readonly game: string | undefined;
  readonly count: number;
  readonly seconds: number;
  readonly profile: Genre;
  readonly walk: WalkName | undefined;
  readonly data: string | undefined;
  readonly hasWebRtc: boolean;
  readonly metrics: string | undefined;
  readonly isJson: boolean;
}

/**
 * Reads the command line. Returns undefined if only help was requested. Throws an error with a message for
 * the user.
 */
function callOf(args: readonly string[]): BotsCall | undefined {
  const text = { type: "string" } as const;
  const flag = { type: "boolean", default: false } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      room: text,
      game: text,
      count: text,
      seconds: text,
      profile: text,
      metrics: text,
      walk: text,
      data: text,
      webrtc: flag,
      json: flag,
      help: flag,
    },
  });
  if (values.help) return undefined;
  const [server = "http://127.0.0.1:8787", ...more] = positionals;
  if (more.length > 0) throw new Error(`expected one address, got ${positionals.join(", ")}`);
  if (!URL.canParse(server)) throw new Error(`expected an address, got "${server}"`);
  if (values.room === undefined) throw new Error("room: expected the name of a kind of rooms, got none");
  const wanted = values.profile ?? "action";
  const profile = genres.find((name) => name === wanted);
  if (profile === undefined)
    throw new Error(`profile: expected one of ${genres.join(", ")}, got "${wanted}"`);
  return {
    server,
    room: values.room,
    game: values.game,
    count: wholeOf("count", values.count ?? "10", 1000),
    seconds: wholeOf("seconds", values.seconds ?? "10", 86_400),
    profile,
    walk: walkNameOf(values.walk),
    data: values.data,
    hasWebRtc: values.webrtc,
    metrics: values.metrics,
    isJson: values.json,
  };
}

function walkNameOf(wanted: string | undefined): WalkName | undefined {
  const walk = walkNames.find((name) => name === wanted);
  if (walk === wanted) return walk;
  throw new Error(`walk: expected one of ${walkNames.join(", ")}, got "${wanted}"`);
}

function wholeOf(name: string, text: string, max: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= max) return value;
  throw new Error(`${name}: expected a whole number from 1 to ${max}, got "${text}"`);
}

/** Runs `paceline bots`, then ends the process. */
export async function bots(args: readonly string[]): Promise<void> {
  let call: BotsCall | undefined;
  let definitions: RoomDefinitions | undefined;
  let walk: Walk | undefined;
  try {
    call = callOf(args);
    if (call?.walk !== undefined)
      walk = walkOf({ name: call.walk, bots: call.count, edgeM: WALK_EDGE_M, data: call.data });
    if (call?.game !== undefined) definitions = await definitionsOf(call.game, call.room);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    console.error(`${why}\npaceline bots --help lists all options.`);
    process.exitCode = 2;
    return;
  }
  if (!call) return console.log(USAGE);
  const webRtc = call.hasWebRtc ? await nodeWebRtc() : undefined;
  if (call.hasWebRtc && !webRtc) {
    console.error("webrtc: the optional package node-datachannel is not installed");
    process.exitCode = 2;
    return;
  }
  const { server, room, profile, metrics, count, seconds, isJson } = call;
  const players: RoomBot[] = [];
  const makeBot = (index: number): PlayerBot => {
    if (walk)
      return new WalkingBot(
        {
          room,
          profile,
          walk,
          kind: definitions?.owned,
          ...(definitions && { reads: definitions.entities }),
        },
        index,
      );
    const bot = new RoomBot({ room, profile, definitions }, index);
    players.push(bot);
    return bot;
  };
  const swarm = new Swarm({ count, seconds, sessions: 0, stepHz: STEP_HZ, makeBot }, webRtc);
  const figures = await swarm.stay(server, metrics);
  console.log(isJson ? JSON.stringify(figures) : linesOf(figures, count).join("\n"));
  if (!isJson && players.some((bot) => bot.isBlind)) console.log(BLIND);
  // Does not wait for clients that are still leaving.
  process.exit(Object.keys(figures.failures).length === 0 ? 0 : 1);
}

function linesOf(figures: StayFigures, count: number): string[] {
  const { players, seconds, joinMs, rttMs, messages, drops, paths, failures, server } = figures;
  const { in: received, out: sent } = figures.bytesPerPlayerPerSecond;
  const tally = (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .map(([name, number]) => `${name} ${number}`)
      .join(", ");
  const lines = [
    `${players} of ${count} joined, in ${joinMs.p50} ms (p50), ${joinMs.p99} ms (p99); stayed ${seconds} s`,
    `each received ${received} bytes/s and sent ${sent} bytes/s`,
    `messages: ${messages.heard} heard, ${messages.lost} lost; connections lost: ${drops}`,
  ];
  if (Object.keys(paths).length > 0) lines.push(`states over: ${tally(paths)}`);
  if (!Number.isNaN(rttMs.p50)) lines.push(`round trip: ${rttMs.p50} ms (p50), ${rttMs.p99} ms (p99)`);
  if (server)
    lines.push(
      `server: ticks ${server.tickMs.p99} ms (p99), ${server.cpuCores} cores, ${server.heapMb} MB of heap`,
    );
  if (Object.keys(failures).length > 0) lines.push(`could not join: ${tally(failures)}`);
  return lines;
}
