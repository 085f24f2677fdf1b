import { request as httpRequest } from "node:http";
import { TrafficClass, type TrafficClassName } from "@paceline/protocol";
import type { SignalledLink, WebRtcLinkMaker } from "@paceline/transport";
import { credentialOf, sleep, type Hostile } from "./hostile.js";
import { hostileJson } from "./hostile-json.js";
import { mutated } from "./mutate.js";

const SOCKET_LANES = 8;
const FRAMES_PER_SOCKET = 400;
const FRAMES_PER_TURN = 32;
/**
 * Rate of all sockets together. A parser's faults show at any rate; above this one the server has time for
 * nothing else.
 */
const MUTANTS_PER_SECOND = 8000;
const MUTANT_SHARE = 0.8;

/**
 * Replays frames of honest clients, most of them mutated, on WebSockets; opens a new one when a socket ends.
 */
export async function mutantsOnSockets(hostile: Hostile): Promise<void> {
  await Promise.all(Array.from({ length: SOCKET_LANES }, () => socketLane(hostile)));
}

async function socketLane(hostile: Hostile): Promise<void> {
  const { random, captures, frames } = hostile;
  while (!hostile.isOver("mutants")) {
    const capture = captures.sockets[random.int(0, captures.sockets.length - 1)]!;
    const isJoin = capture.protocols.some((protocol) => protocol.startsWith("join."));
    const protocols = isJoin ? capture.protocols : hostile.protocols(hostile.credential("crowd"));
    const socket = await hostile.socket(protocols);
    if (!socket) {
      await sleep(20);
      continue;
    }
    for (let sent = 0; sent < FRAMES_PER_SOCKET && socket.readyState === 1; sent++) {
      const frame = capture.frames[sent % capture.frames.length]!;
      socket.send(random.bool(MUTANT_SHARE) ? mutated(frame, random, frames) : frame);
      hostile.count("mutants");
      if (sent % FRAMES_PER_TURN !== 0) continue;
      await hostile.drained(socket);
      await sleep((1000 * FRAMES_PER_TURN * SOCKET_LANES) / MUTANTS_PER_SECOND);
      if (hostile.isOver("mutants")) break;
    }
    // Gives the server time to answer or close.
    await sleep(5);
    hostile.end(socket);
  }
}

const CHANNEL_LANES = 3;
const PACKETS_PER_LINK = 3000;
/** Unopened links in a row that count as a fault. A single one may be late beside so many mutants. */
const MAX_UNOPENED_LINKS = 3;

/** Sends mutants over the data channels of links to the server, on channels of every class. */
export async function mutantsOnChannels(hostile: Hostile): Promise<void> {
  const newLink = await hostile.webRtc();
  if (!newLink || hostile.captures.channels.length === 0) {
    return hostile.fail("there is no WebRTC to the server here");
  }
  await Promise.all(Array.from({ length: CHANNEL_LANES }, () => channelLane(hostile, newLink)));
}

async function channelLane(hostile: Hostile, newLink: WebRtcLinkMaker): Promise<void> {
  let unopened = 0;
  while (!hostile.isOver("mutants")) {
    const links: SignalledLink[] = [];
    const webRtc: WebRtcLinkMaker = (options) => {
      const link = newLink(options);
      links.push(link);
      return link;
    };
    try {
      const room = await hostile.client("crowd", { webRtc });
      const link = await openOf(links);
      unopened = link ? 0 : unopened + 1;
      if (link) await sendMutants(hostile, link);
      else if (unopened === MAX_UNOPENED_LINKS && !hostile.isOver()) {
        hostile.fail(`${unopened} links to the server in a row did not open`);
      }
      room.leave();
    } catch {
      // The server refuses this join.
      await sleep(50);
    }
  }
}

async function sendMutants(hostile: Hostile, link: SignalledLink): Promise<void> {
  const { random, captures, frames } = hostile;
  const classes = Object.keys(TrafficClass) as TrafficClassName[];
  for (let sent = 0; link.state === "open" && sent < PACKETS_PER_LINK; sent++) {
    const { packet, trafficClass } = captures.channels[random.int(0, captures.channels.length - 1)]!;
    const channel = random.bool(0.2) ? classes[random.int(0, classes.length - 1)]! : trafficClass;
    const mutant = mutated(packet, random, frames);
    link.send(channel, mutant);
    hostile.countBytes(mutant.length);
    hostile.count("mutants");
    if (sent % FRAMES_PER_TURN !== 0) continue;
    await sleep(2);
    if (hostile.isOver("mutants")) return;
  }
}

async function openOf(links: readonly SignalledLink[]): Promise<SignalledLink | undefined> {
  for (let waitedMs = 0; waitedMs < 5000; waitedMs += 10) {
    const open = links.find(({ state }) => state === "open");
    if (open) return open;
    await sleep(10);
  }
  return undefined;
}

const BODY_LANES = 4;
/** Allowed statuses of a match request. 500 is not one of them. */
const statuses = new Set([200, 400, 401, 403, 404, 408, 409, 413, 414, 429, 431, 503]);

/** Match requests with hostile JSON, over HTTP and in the upgrade of a link, for rooms of both kinds. */
export async function matchBodies(hostile: Hostile): Promise<void> {
  await Promise.all(Array.from({ length: BODY_LANES }, () => bodyLane(hostile)));
}

async function bodyLane(hostile: Hostile): Promise<void> {
  const { random, captures } = hostile;
  const bodies = [...captures.requests.map(({ body }) => body), JSON.stringify({ version: 5, options: {} })];
  while (!hostile.isOver("bodies")) {
    const target = random.bool(0.5) ? "crowd" : "arena";
    const method = random.bool(0.5) ? "create" : "joinOrCreate";
    const json = hostileJson(bodies[random.int(0, bodies.length - 1)]!, random);
    hostile.count("bodies");
    if (random.bool(0.5)) {
      const text = json.replace(/\}$/, `,"method":"${method}","target":"${target}"}`);
      const socket = await hostile.socket(hostile.protocols(credentialOf(text)));
      await sleep(2);
      if (socket) hostile.end(socket);
      continue;
    }
    const status = await post(hostile, `/match/${method}/${target}`, json);
    if (!statuses.has(status))
      hostile.fail(`match requests were answered with ${status}`, json.slice(0, 300));
    // The server frees reserved seats, and their rooms, when the ticket has expired.
  }
}

/** Resolves with the status, or 0 if there is no answer. */
function post(hostile: Hostile, path: string, body: string): Promise<number> {
  return new Promise((resolve) => {
    const request = httpRequest(hostile.order.url + path, {
      method: "POST",
      headers: { "content-type": "application/json", "X-Forwarded-For": hostile.address() },
      timeout: 5000,
    });
    request.on("response", (response) => {
      response.resume();
      response.on("close", () => resolve(response.statusCode ?? 0));
    });
    request.on("socket", (socket) => hostile.measure(socket));
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(0));
    request.end(body);
  });
}
