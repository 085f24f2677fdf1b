import {
  ByteWriter,
  CloseCode,
  MessageKind,
  PayloadKind,
  planState,
  writeAuthority,
  writeControl,
  writePeerPayload,
  writeWholeState,
  type PeerPayload,
} from "@paceline/protocol";
import type { WebRtcLinkMaker } from "@paceline/transport";
import { Car } from "../scene.js";
import {
  isParticipant,
  reliableBody,
  sleep,
  type ClientWish,
  type Hostile,
  type Participant,
} from "./hostile.js";
import { mutated } from "./mutate.js";

const CHUNK = new Uint8Array(16_000).fill(0xa5);

/** Joins `count` participants, each with an address of its own. */
async function crowdOf(hostile: Hostile, count: number, target = "crowd"): Promise<Participant[]> {
  const all = await Promise.all(Array.from({ length: count }, () => hostile.session(target)));
  hostile.begin();
  return all.filter(isParticipant);
}

/**
 * Sends reliable messages of 16 kB without the first one, so that the server must hold them; within the rate
 * limits.
 */
export async function hoard(hostile: Hostile): Promise<void> {
  const hoarders = await crowdOf(hostile, 40);
  let id = 0;
  await hostile.paced(14, () => {
    id = 1 + (id % 1000);
    for (const each of hoarders) {
      if (!each.isOpen) continue;
      each.raw(each.packet(MessageKind.reliable, reliableBody(id, CHUNK)));
      hostile.count("bytes", CHUNK.length);
    }
  });
}

/**
 * Makes the server hold memory: slots, and chunks of a bulk message without its beginning or end.
 */
export async function lentMemory(hostile: Hostile): Promise<void> {
  const borrowers = await crowdOf(hostile, 60);
  let turn = 0;
  await hostile.paced(12, () => {
    turn += 1;
    for (const each of borrowers) {
      if (!each.isOpen) continue;
      const chunk = new ByteWriter(CHUNK.length + 3)
        .u16(turn & 0xffff)
        .u8(0)
        .bytes(CHUNK)
        .take();
      each.raw(each.packet(MessageKind.bulk, chunk));
      if (turn % 4 === 0)
        tellReliably(each, writeControl({ type: "slot", stream: 0, state: CHUNK.subarray(0, 4000) }));
      hostile.count("bytes", CHUNK.length);
    }
  });
}

function tellReliably({ session }: Participant, payload: Uint8Array): void {
  try {
    if (!session.isClosed) session.sendReliable(payload);
  } catch {
    // The send queue is full: this side cannot send as fast as it tries to.
  }
}

/** Lets each player claim an entity again and again, under the same local number. */
export async function ownStorm(hostile: Hostile): Promise<void> {
  const owners = await crowdOf(hostile, 4, "arena");
  if (owners.length === 0) return hostile.fail("nobody came into the arena");
  const { name, schemaHash, components } = Car;
  const tickHz = 60;
  const plan = planState(Car, { tickHz, hasRates: true });
  const state = writeWholeState(plan, 1, new Float32Array(components.length));
  const own = writeAuthority({ type: "own", localId: 1, name, schemaHash, state, tickHz });
  const others = [
    writeAuthority({ type: "disown", localId: 1 }),
    writeAuthority({ type: "resync", ids: Array.from({ length: 256 }, (_, id) => id) }),
    writeAuthority({ type: "view", isInterpolated: true, everyTicks: 1 }),
    writeAuthority({ type: "kinds", kinds: [{ name: Car.name, schemaHash: 1 }] }),
  ];
  let turn = 0;
  await hostile.paced(300, () => {
    turn += 1;
    for (const each of owners) {
      tellReliably(each, own);
      hostile.count("own");
      if (turn % 8 === 0) tellReliably(each, others[(turn >> 3) % others.length]!);
    }
  });
  await entitiesChecked(hostile);
}

/** Fails if the arena holds more entities than one of the room and one for each player. */
async function entitiesChecked(hostile: Hostile): Promise<void> {
  const response = await fetch(`${hostile.order.adminUrl}/metrics`);
  const text = await response.text();
  const gauge = (name: string): number =>
    Number(new RegExp(`^paceline_authority_${name}\\{room="arena"\\} (\\d+)`, "m").exec(text)?.[1]);
  const [entities, most] = [gauge("entities"), gauge("players") + gauge("rooms")];
  if (!(entities <= most)) hostile.fail(`${entities} entities in the arena, where ${most} are allowed`);
}

/** Two talkers flood ten members who never read their sockets. */
export async function deafReceivers(hostile: Hostile): Promise<void> {
  const room = await crowdOf(hostile, 12);
  const talkers = room.slice(0, 2);
  const deaf = room.slice(2);
  for (const { socket } of deaf) socket.pause();
  await hostile.paced(100, () => {
    for (const talker of talkers) {
      const numbers = deaf.map(({ number }) => number);
      if (!talker.isOpen || talker.socket.bufferedAmount > 1_000_000) continue;
      talker.raw(talker.envelope(numbers, CHUNK));
      hostile.count("envelopes");
    }
  });
}

/** Every member of a full room sends states to all others, each within its limits. */
export async function egress(hostile: Hostile): Promise<void> {
  const room = await crowdOf(hostile, 16);
  const state = new Uint8Array(900).fill(0x5a);
  await hostile.paced(250, () => {
    for (const each of room) {
      if (!each.isOpen) continue;
      const others = each.peers.slice(0, 15);
      if (others.length > 0) each.raw(each.envelope(others, state, "state"));
      hostile.count("states");
    }
  });
}

const FLOOD_PER_SECOND = 1500;

/** Floods the server with each kind of message, and with each kind of payload in reliable messages. */
export async function messageFloods(hostile: Hostile): Promise<void> {
  const { random } = hostile;
  const kinds = Object.entries(MessageKind).map(([name, kind]) => ({
    name,
    packet: (each: Participant) => each.packet(kind, random.bytes(12)),
  }));
  const payloads = Object.entries(PayloadKind).map(([name, kind]) => ({
    name: `reliable ${name}`,
    packet: (each: Participant) => {
      const body = Uint8Array.of(kind, ...random.bytes(12));
      return each.packet(MessageKind.reliable, reliableBody(random.int(0, 300), body));
    },
  }));
  const all = [...kinds, ...payloads];
  const floods: {
    readonly name: string;
    readonly each: Participant;
    readonly packet: (typeof all)[0]["packet"];
  }[] = [];
  for (const target of ["crowd", "arena"]) {
    const participants = await crowdOf(hostile, all.length, target);
    if (participants.length < all.length) hostile.fail(`only ${participants.length} came into ${target}`);
    participants.forEach((each, index) => floods.push({ ...all[index]!, each }));
  }
  await hostile.paced(FLOOD_PER_SECOND / 10, () => {
    const open = floods.filter(({ each }) => each.isOpen);
    for (const { each, packet } of open) for (let n = 0; n < 10; n++) each.raw(packet(each));
    hostile.count("packets", 10 * open.length);
    return open.length > 0;
  });
  await sleep(100);
  for (const { name, each } of floods) if (each.isOpen) hostile.fail(`a flood of ${name} was not cut`);
}

/** Sends frames that are not packets: text, empty, too long, and WebSocket pings and pongs. */
export async function frameFloods(hostile: Hostile): Promise<void> {
  const names = ["text", "empty", "pong", "ping", "oversize"] as const;
  const sockets = await crowdOf(hostile, names.length);
  const floods = sockets.map(({ socket }, index) => {
    const name = names[index]!;
    return () => {
      if (socket.readyState !== 1 || socket.bufferedAmount > 1_000_000) return;
      hostile.count(name);
      if (name === "text") socket.send("x");
      else if (name === "empty") socket.send(new Uint8Array(0));
      else if (name === "pong") socket.pong("x");
      else if (name === "ping") socket.ping("x");
      else socket.send(new Uint8Array(20_000));
    };
  });
  await hostile.paced(400, () => {
    for (const flood of floods) for (let n = 0; n < 10; n++) flood();
    return sockets.some(({ isOpen }) => isOpen);
  });
  await sleep(100);
  const living = names.filter((_, index) => sockets[index]?.isOpen);
  if (living.length > 0) hostile.fail(`a flood of ${living.join(", ")} was not cut`);
}

/** Sends descriptions and candidates that no honest client signals, to the server and to other members. */
export async function hostileSignals(hostile: Hostile): Promise<void> {
  const { random, captures } = hostile;
  const lanes = await crowdOf(hostile, 6);
  const texts = captures.signals.map((signal) => new TextEncoder().encode(JSON.stringify(signal)));
  for (const each of lanes) tellReliably(each, writeControl({ type: "capabilities", webrtc: true }));
  let attempt = 0;
  await hostile.paced(30, () => {
    attempt += 1;
    for (const each of lanes) {
      const to = random.bool(0.7) ? 0 : (each.peers[random.int(0, 20)] ?? 0);
      const data = hostileSignal(hostile, texts);
      tellReliably(each, writeControl({ type: "signal", to, attempt: (attempt >> 3) & 0xffff, data }));
      hostile.count("signals");
    }
    return lanes.some(({ isOpen }) => isOpen);
  });
}

/** Returns a captured signal, usually with its text mutated, or a value that is not a signal at all. */
function hostileSignal({ random }: Hostile, texts: readonly Uint8Array[]): unknown {
  const odd = [
    null,
    7,
    [],
    { type: "offer" },
    { type: "offer", sdp: "v=0" },
    { type: "candidate", candidate: 5 },
  ];
  if (texts.length === 0 || random.bool(0.1)) return odd[random.int(0, odd.length - 1)];
  const text = texts[random.int(0, texts.length - 1)]!;
  const signal = JSON.parse(new TextDecoder().decode(text)) as Record<string, unknown>;
  if (random.bool(0.2)) return signal;
  const lines = [
    "a=candidate:1 1 udp 1 10.0.0.1 22 typ host",
    "a=fingerprint:sha-256 00",
    "m=audio 9 UDP/TLS/RTP/SAVPF 0",
    `a=ice-ufrag:${"u".repeat(300)}`,
    "a=max-message-size:0",
    "a=sctp-port:99999999999",
  ];
  if (typeof signal["sdp"] === "string") {
    const sdp = signal["sdp"].split("\r\n");
    sdp.splice(random.int(0, sdp.length), random.int(0, 2), lines[random.int(0, lines.length - 1)]!);
    signal["sdp"] = random.bool(0.5) ? sdp.join("\r\n") : ascii(mutatedText(sdp.join("\r\n"), random));
    return signal;
  }
  const candidate = signal["candidate"] as { candidate?: unknown } | undefined;
  if (typeof candidate?.candidate === "string")
    candidate.candidate = ascii(mutatedText(candidate.candidate, random));
  return signal;
}

function mutatedText(text: string, random: Hostile["random"]): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  return mutated(bytes, random, [bytes]);
}

/** Maps bytes to printable characters and line breaks, which reach deeper into a parser of text. */
function ascii(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes.map((byte) => (byte === 10 || byte === 13 ? byte : 32 + (byte % 95))));
}

/**
 * Hostile members at a time. Honest players send each of them all their messages, in separate packets, and a
 * session may
 * send only 400 packets a second.
 */
const HOSTILE_MEMBERS = 5;
/** Length of a hostile member's stay. Its pairs with honest members remain open until then. */
const STAY_MS = 1000;
const SAYINGS_PER_SECOND = 40;

/** Sends every hostile message that a member can send to others; each stay of a member repeats one kind. */
export async function hostilePeers(hostile: Hostile): Promise<void> {
  const { random, order } = hostile;
  const hostiles = new Set<number>();
  const sayings = Object.entries(peerSayings(hostile));
  let next = 0;
  const lanes = Array.from({ length: HOSTILE_MEMBERS }, async () => {
    while (!hostile.isOver()) {
      const [name, saying] = sayings[next++ % sayings.length]!;
      const talker = await hostile.session(order.honestRoomId, "joinById");
      if (!talker) await sleep(100);
      else await stay(hostile, { talker, name, saying, hostiles });
    }
  });
  const write = (_socket: unknown, data: Uint8Array, send: (data: Uint8Array) => void): void => {
    hostile.count("mutants");
    send(random.bool(0.3) ? mutated(data, random, hostile.frames) : data);
  };
  const webRtc = order.hasPage ? mutatingLinks(hostile, await hostile.webRtc()) : undefined;
  const wish: ClientWish = { method: "joinById", write, webRtc, isDirect: true };
  const mutant = async (): Promise<void> => {
    while (!hostile.isOver()) {
      const room = await hostile.client(order.honestRoomId, wish).catch(() => undefined);
      if (room) await mutantPlays(hostile, room);
      else await sleep(100);
    }
  };
  await Promise.all([...lanes, mutant()]);
}

/** Wraps direct links so that some packets are mutated before they enter a channel. */
function mutatingLinks(hostile: Hostile, newLink: WebRtcLinkMaker | undefined): WebRtcLinkMaker | undefined {
  return (
    newLink &&
    ((options) => {
      const link = newLink(options);
      const send = link.send.bind(link);
      link.send = (trafficClass, packet, key) => {
        hostile.count("direct mutants");
        send(
          trafficClass,
          hostile.random.bool(0.3) ? mutated(packet, hostile.random, hostile.frames) : packet,
          key,
        );
      };
      return link;
    })
  );
}

interface Stay {
  readonly talker: Participant;
  readonly name: string;
  readonly saying: Saying;
  /** Numbers of the hostile members; they are not addressed. */
  readonly hostiles: Set<number>;
}

async function stay(hostile: Hostile, { talker, name, saying, hostiles }: Stay): Promise<void> {
  hostiles.add(talker.number);
  const endMs = performance.now() + STAY_MS;
  let turn = 0;
  await hostile.paced(SAYINGS_PER_SECOND, () => {
    const peers = talker.peers.filter((number) => !hostiles.has(number));
    if (peers.length > 0) talker.raw(talker.envelope(peers, saying(talker, turn++)));
    hostile.count(name);
    return talker.isOpen && performance.now() < endMs;
  });
  hostile.end(talker.socket);
}

async function mutantPlays(hostile: Hostile, room: Awaited<ReturnType<Hostile["client"]>>): Promise<void> {
  const car = room.spawn(Car, { position: { x: 0, y: 0 } });
  const endMs = performance.now() + STAY_MS;
  while (!hostile.isOver() && room.state !== "left" && performance.now() < endMs) {
    car.position.set(Math.random() * 1000, 0);
    try {
      room.send("m", [0, 1, 2]);
      room.sendEvent("beep", 1);
    } catch {
      // The send queue is full for peers that have closed the pair.
    }
    await sleep(20);
  }
  room.leave();
}

type Saying = (talker: Participant, turn: number) => Uint8Array;

function peerSayings({ random, frames }: Hostile): Record<string, Saying> {
  const reliably =
    (payload: (turn: number) => Uint8Array): Saying =>
    (talker, turn) =>
      talker.packet(MessageKind.reliable, reliableBody(turn & 0xffff, payload(turn)));
  const said = (payload: (turn: number) => PeerPayload): Saying =>
    reliably((turn) => writePeerPayload(payload(turn)));
  const ofKind =
    (kind: MessageKind, most: number): Saying =>
    (talker) =>
      talker.packet(kind, random.bytes(random.int(0, most)));
  return {
    "questions for columns": said((turn) => ({
      kind: "columns",
      stream: turn & 3,
      columns: random.bytes(turn & 1 ? random.int(1, 400) : 0),
    })),
    pings: (talker) => talker.packet(MessageKind.ping, Uint8Array.of(1, 2), 400),
    resyncs: said((turn) => ({ kind: "resync", stream: turn & 3, entities: [] })),
    streams: said((turn) => ({
      kind: "stream",
      stream: turn & 0xff,
      name: `s${turn}`,
      tickHz: 60,
      schemaHash: turn,
    })),
    references: said((turn) => ({ kind: "reference", stream: turn & 3, states: random.bytes(40) })),
    requests: said((turn) => ({ kind: "request", id: turn, type: "ask", message: turn })),
    "odd payloads": reliably(() => random.bytes(random.int(1, 100))),
    states: ofKind(MessageKind.state, 100),
    inputs: ofKind(MessageKind.input, 30),
    bulk: ofKind(MessageKind.bulk, 900),
    closes: (talker) =>
      talker.packet(MessageKind.close, new ByteWriter(8).u16(CloseCode.protocolViolation).take()),
    mutants: () => mutated(frames[random.int(0, frames.length - 1)]!, random, frames),
    garbage: () => random.bytes(random.int(1, 200)),
  };
}
