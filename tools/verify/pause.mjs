/**
 * Stops the built server's process for some seconds, as a debugger or a suspended machine does, while real
 * clients play. Each of them has to be back as the player that it was, and the rooms to hear of one absence.
 */
import { once } from "node:events";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { endChild, startChild } from "../children.mjs";
import { ROOT } from "../pnpm.mjs";
import { outcome } from "./outcome.mjs";

const PAUSES_S = [5, 12, 20, 30];
const SIZES = [3, 6];
const KINDS = ["relayed", "authority"];
/** Time for the players to meet, and for all to settle after a pause, ms. */
const SETTLE_MS = 10_000;

/** @param {number} ms */
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** @typedef {{ room: any, drops: number, returns: boolean[], ends: number[], news: Record<string, string[]> }} Watched */

/** @typedef {{ kind: string, players: Watched[] }} Played */

/** @param {any} room @returns {Watched} */
function watched(room) {
  /** @type {Watched} */
  const seen = { room, drops: 0, returns: [], ends: [], news: {} };
  /** @param {string} what @returns {(peer: { number: number }) => void} */
  const note = (what) => (peer) => (seen.news[peer.number] ??= []).push(what);
  room.onDrop(() => (seen.drops += 1));
  room.onReconnect((/** @type {{ resumed: boolean }} */ { resumed }) => seen.returns.push(resumed));
  room.onLeave((/** @type {number} */ code) => seen.ends.push(code));
  room.onPeerAway(note("away"));
  room.onPeerBack(note("back"));
  room.onPeerJoin(note("joined"));
  room.onPeerLeave(note("left"));
  return seen;
}

/**
 * @param {string[]} hooks @param {any} room the player's @param {number} drops @param {boolean} mayBeUnnoticed
 * @returns {string | undefined} what is wrong with what the room's hooks have heard of the player
 */
function hookFault(hooks, { roomId, myNumber }, drops, mayBeUnnoticed) {
  const own = hooks
    .filter((line) => line.endsWith(` ${roomId} ${myNumber}`))
    .map((line) => line.split(" ")[0]);
  const isUnnoticed = own.length === 0 && mayBeUnnoticed;
  const isPair = own.join() === "onDrop,onReconnect" && drops === 1;
  return isPair || isUnnoticed ? undefined : `the room heard of player ${myNumber}: ${own.join()}`;
}

/**
 * @param {Played} played @param {number} seconds @param {string[]} hooks
 * @returns {string | undefined} what is wrong
 */
function faultOf({ kind, players }, seconds, hooks) {
  // A link lasts 5 s without a packet. After the shortest pause it has just ended at the player, if at all. If it ends
  // while the server goes on, the server may read the first packet of the next link in the same turn, before that end.
  const mayBeUnnoticed = seconds <= 5;
  for (const { room, drops, returns, ends, news } of players) {
    const who = `player ${room.myNumber}`;
    const isOnce = drops === 1 || (mayBeUnnoticed && drops === 0);
    if (!isOnce || ends.length > 0) return `${who}: ${drops} onDrop, ended with ${ends.join()}`;
    if (returns.length !== drops || !returns.every(Boolean))
      return `${who}: onReconnect resumed ${returns.join()}`;
    if (room.state !== "joined" || room.peers.length !== players.length - 1)
      return `${who}: ${room.state}, ${room.peers.length} others`;
    for (const [peer, heard] of Object.entries(news))
      if (heard.join() !== "away,back") return `${who} heard of ${peer}: ${heard.join()}`;
    const heard = kind === "authority" ? hookFault(hooks, room, drops, mayBeUnnoticed) : undefined;
    if (heard !== undefined) return heard;
  }
  return undefined;
}

/** @typedef {(options?: object) => any} MakeClient */

/** Opens a room of each kind and size. @param {MakeClient} client @returns {Promise<Played[]>} */
async function openRooms(client) {
  const sorts = KINDS.flatMap((kind) => SIZES.map((size) => ({ kind, size })));
  const rooms = [];
  for (const { kind, size } of sorts) {
    const players = [watched(await client().create(kind))];
    const { roomId } = /** @type {Watched} */ (players[0]).room;
    while (players.length < size) players.push(watched(await client().joinById(roomId)));
    rooms.push({ kind, players });
  }
  return rooms;
}

/**
 * Asks for seats in all ways, and gives all of them up after a second. @param {MakeClient} client
 * @returns {Promise<string[]>} the outcomes
 */
async function giveUp(client) {
  const signal = AbortSignal.timeout(1000);
  const joins = KINDS.flatMap((kind) =>
    [client(), client({ authToken: "anyone" })].map((each) => each.joinOrCreate(kind, {}, { signal })),
  );
  const ends = await Promise.allSettled([...joins, client().queue("authority", { signal })]);
  return ends.map((end) => (end.status === "rejected" ? end.reason.name : "joined"));
}

/**
 * Stops the server for some seconds, and compares what each player has seen. Meanwhile others give up to join.
 * @param {import("node:child_process").ChildProcess} server @param {Played[]} rooms @param {number} seconds
 * @param {string[]} hooks @param {MakeClient} client
 */
async function playPause(server, rooms, seconds, hooks, client) {
  await sleep(SETTLE_MS / 2);
  for (const each of rooms.flatMap(({ players }) => players)) each.news = {};
  const joins = hooks.splice(0).filter((line) => line.startsWith("onJoin ")).length;
  const guests = rooms.filter(({ kind }) => kind === "authority").flatMap(({ players }) => players).length;
  if (joins !== guests) throw new Error(`the rooms noted ${joins} of ${guests} joins`);
  server.kill("SIGSTOP");
  const givenUp = giveUp(client);
  await sleep(seconds * 1000);
  server.kill("SIGCONT");
  await sleep(SETTLE_MS);
  const ends = await givenUp;
  const seats = rooms.reduce((sum, { players }) => sum + players.length, 0);
  const strangers = hooks.filter((line) => line.startsWith("onJoin "));
  const taken = hooks.findLast((line) => line.startsWith("taken "));
  const isClean = ends.every((end) => end === "TimeoutError") && strangers.length === 0;
  const ghosts = isClean && taken === `taken ${seats}` ? undefined : [...ends, ...strangers, taken].join();
  console.log(`${`${seconds} s, given up`.padEnd(28)} ${ghosts ?? "no seat and no onJoin"}`);
  /** @type {[string, string | undefined][]} */
  const checks = rooms.map((played) => {
    const { kind, players } = played;
    const fault = faultOf(played, seconds, hooks);
    const drops = players.map((each) => each.drops).join(" ");
    const title = `${seconds} s, ${players.length} players, ${kind}`;
    const ids = players.map(({ room }) => ` ${room.roomId} ${room.myNumber}`);
    const heard = ["onDrop", "onReconnect"].map(
      (hook) => ids.filter((id) => hooks.includes(hook + id)).length,
    );
    const told = kind === "authority" ? `, room heard ${heard.join("+")}` : "";
    console.log(`${title.padEnd(28)} onDrop ${drops.padEnd(12)} ${fault ?? "all back once, resumed"}${told}`);
    return [title, fault];
  });
  return [...checks, /** @type {[string, string | undefined]} */ ([`${seconds} s, given up`, ghosts])];
}

/** @returns {Promise<import("./outcome.mjs").Outcome>} */
export async function pauses() {
  const dist = path.join(ROOT, "packages/client/dist");
  const { Client } = await import(pathToFileURL(path.join(dist, "index.js")).href);
  const { NodeWebSocket } = await import(pathToFileURL(path.join(dist, "node.js")).href);
  const server = startChild(process.execPath, [path.join(ROOT, "tools/verify/pause-server.mjs")], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  /** @type {string[]} */
  const lines = [];
  const output = /** @type {import("node:stream").Readable} */ (server.stdout);
  output.on("data", (text) => lines.push(...String(text).trim().split("\n")));
  try {
    const ended = once(server, "exit").then(() => Promise.reject(new Error("the server has ended")));
    await Promise.race([once(output, "data"), ended]);
    ended.catch(() => undefined);
    const url = `http://127.0.0.1:${lines[0]?.split(" ")[1]}`;
    /** @type {MakeClient} */
    const client = (options) =>
      new Client(url, {
        ...{ profile: "racing", transports: ["websocket"], webSocket: NodeWebSocket },
        ...options,
      });
    const checks = [];
    for (const seconds of PAUSES_S) {
      const rooms = await openRooms(client);
      checks.push(...(await playPause(server, rooms, seconds, lines, client)));
      const players = rooms.flatMap((each) => each.players);
      await Promise.all(players.map(({ room }) => room.leave()));
    }
    return outcome(checks);
  } finally {
    server.kill("SIGCONT");
    await endChild(server);
  }
}
