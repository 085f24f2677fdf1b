/** Attacks of members that keep to all limits of the server. */
import { MessageKind, limits, readEnvelope, writePeerPayload } from "@paceline/protocol";
import type { Room } from "@paceline/client";
import { Cell, Light } from "../scene.js";
import { isParticipant, reliableBody, sleep, type Hostile, type Participant } from "./hostile.js";
import { ReceiptTrickle } from "./receipt-trickle.js";
import { StillStates } from "./still-states.js";

async function membersOf(hostile: Hostile, roomId: string, count: number): Promise<Participant[]> {
  const joining = Array.from({ length: count }, () => hostile.session(roomId, "joinById"));
  const members = (await Promise.all(joining)).filter(isParticipant);
  if (members.length < count) hostile.fail(`only ${members.length} of ${count} members could join`);
  hostile.begin();
  return members;
}

/** Time in which messages without a receipt collect. */
const WITHHELD_MS = 1000;
const DOUBTERS = 6;
/** Receipts of one hostile member to one honest member. */
const RECEIPTS_PER_SECOND = 60;
/** Limits of the bytes that a session and a client repeat in a second: 64 and 128 KiB, with some tolerance. */
const SESSION_REPEATS = 70_000;
const CLIENT_REPEATS = 140_000;

/** Returns a function that allows so many calls a second, later ones included that were not used. */
function allowanceOf(perSecond: number): () => boolean {
  const startedMs = performance.now();
  let taken = 0;
  return () => {
    if (taken >= ((performance.now() - startedMs) / 1000) * perSecond) return false;
    taken += 1;
    return true;
  };
}

/**
 * Sends the packets of a trickle: from now on one for each packet that comes, as fast as is allowed. Returns a
 * function that sends the next one if it is due.
 */
function tricklesOf(
  hostile: Hostile,
  trickle: ReceiptTrickle,
  perSecond: number,
  send: (packet: Uint8Array) => void,
): () => void {
  const isAllowed = allowanceOf(perSecond);
  return () => {
    if (hostile.isOver() || !trickle.isReady || !isAllowed()) return;
    const packet = trickle.next();
    send(packet);
    hostile.count("receipts");
    hostile.countRouted(packet.length);
  };
}

/** Members withhold their receipts from honest members, and then give them one at a time. */
export async function withheldReceipts(hostile: Hostile): Promise<void> {
  const hostiles = await membersOf(hostile, hostile.order.honestRoomId, DOUBTERS);
  const numbers = new Set(hostiles.map(({ number }) => number));
  const victims = hostiles[0]?.peers.filter((number) => !numbers.has(number)) ?? [];
  const trickles = victims.map((number) =>
    hostiles.map((member) => ({ member, number, trickle: new ReceiptTrickle() })),
  );
  const all = trickles.flat();
  for (const each of hostiles) {
    each.onRouted = (bytes) => {
      const sender = senderOf(bytes);
      all.find(({ member, number }) => member === each && number === sender)?.trickle.takeRouted(bytes);
    };
  }
  await sleep(WITHHELD_MS);
  hostile.begin();
  for (const { member, number, trickle } of all) {
    const send = (packet: Uint8Array): void => member.raw(member.envelope([number], packet, "state"));
    trickle.onPacket = tricklesOf(hostile, trickle, RECEIPTS_PER_SECOND, send);
  }
  while (!hostile.isOver()) {
    for (const { trickle } of all) trickle.onPacket();
    await sleep(10);
  }
  const seconds = hostile.order.seconds + WITHHELD_MS / 1000;
  for (const each of trickles) {
    const repeated = each.reduce((sum, { trickle }) => sum + trickle.repeatedBytes, 0);
    repeatsChecked(hostile, repeated, CLIENT_REPEATS * seconds);
  }
}

function repeatsChecked(hostile: Hostile, repeated: number, most: number): void {
  hostile.count("repeated bytes", repeated);
  if (repeated > most) hostile.fail(`one sender repeated ${repeated} bytes (limit ${Math.round(most)})`);
}

function senderOf(bytes: Uint8Array): number {
  const envelope = readEnvelope(bytes);
  return typeof envelope === "string" ? -1 : envelope.peers[0]!;
}

const SAID_PER_SECOND = 300;
const SAID_BYTES = 100;
const SERVER_RECEIPTS_PER_SECOND = 380;

/** Withholds receipts from the server, whose room repeats a member's messages to all. */
export async function withheldFromServer(hostile: Hostile): Promise<void> {
  const [talker, ...doubters] = await Promise.all(
    Array.from({ length: 1 + DOUBTERS }, () => hostile.session("arena")),
  );
  if (!talker) return hostile.fail("nobody came into the arena");
  const all = doubters.filter(isParticipant).map((member) => {
    const trickle = new ReceiptTrickle();
    member.takeOver((bytes) => trickle.take(bytes));
    return { member, trickle };
  });
  const said = writePeerPayload({ kind: "command", type: "say", message: "x".repeat(SAID_BYTES) });
  const isAllowed = allowanceOf(SAID_PER_SECOND);
  const talk = (): void => {
    while (!talker.session.isClosed && isAllowed()) talker.session.sendReliable(said);
  };
  for (let waitedMs = 0; waitedMs < WITHHELD_MS; waitedMs += 10, await sleep(10)) talk();
  hostile.begin();
  for (const { member, trickle } of all)
    trickle.onPacket = tricklesOf(hostile, trickle, SERVER_RECEIPTS_PER_SECOND, (packet) =>
      member.raw(packet),
    );
  while (!hostile.isOver()) {
    talk();
    for (const { trickle } of all) trickle.onPacket();
    await sleep(10);
  }
  const seconds = hostile.order.seconds + WITHHELD_MS / 1000;
  for (const { trickle } of all)
    repeatsChecked(hostile, trickle.repeatedBytes, SESSION_REPEATS * seconds + 2 * trickle.confirmedBytes);
}

const STILL_PER_SECOND = 380;
const BURST_MS = 1000;

/** One member updates thousands of entities that do not move, in every packet. */
export async function stillStates(hostile: Hostile): Promise<void> {
  const [member] = await membersOf(hostile, hostile.order.honestRoomId, 1);
  if (!member) return;
  const states = new StillStates(Light, limits.ownedEntities);
  const peers = member.peers;
  const announcement = writePeerPayload({ kind: "stream", ...states.start });
  member.raw(member.envelope(peers, member.packet(MessageKind.reliable, reliableBody(0, announcement))));
  for (const packet of states.first) {
    member.raw(member.envelope(peers, packet, "state"));
    await sleep(10);
  }
  let turn = 0;
  hostile.begin();
  const startedMs = performance.now();
  let isMeasured = false;
  await hostile.paced(STILL_PER_SECOND, () => {
    // At first honest members still take the states that may come at once.
    if (!isMeasured && performance.now() - startedMs > BURST_MS) {
      isMeasured = true;
      hostile.begin();
    }
    const packet = states.renumbered(states.later[turn++ % states.later.length]!);
    member.raw(member.envelope(peers, packet, "state"));
    hostile.count("packets");
    hostile.countRouted(packet.length * peers.length);
    return member.isOpen;
  });
  if (!member.isOpen) hostile.fail("the attacker was cut: the attack does not keep to the limits");
}

const TALKERS = 60;
const SMALL_PER_SECOND = 390;

/** All members of a full room send packets of one byte to all. */
export async function smallPackets(hostile: Hostile): Promise<void> {
  const first = await hostile.session("honest", "create");
  if (!first) return hostile.fail("nobody came into a room");
  const room = [first, ...(await membersOf(hostile, first.roomId, TALKERS - 1))];
  const envelopes = room.map((each) => {
    const others = room.filter((other) => other !== each).map(({ number }) => number);
    return each.envelope(others, Uint8Array.of(0), "state");
  });
  for (const each of room) each.discard();
  hostile.begin();
  await hostile.paced(SMALL_PER_SECOND / 4, () => {
    for (const [index, each] of room.entries()) {
      each.burst(envelopes[index]!, 4);
      hostile.count("packets", 4);
    }
  });
}

/** A member reads everything and gives no receipts. */
export async function deafPair(hostile: Hostile): Promise<void> {
  const members = await membersOf(hostile, hostile.order.honestRoomId, 1);
  while (!hostile.isOver()) await sleep(20);
  hostile.count("members", members.length);
}

const BAD_LINES = 19;
const BAD_LINE = { delayMs: 150, jitterMs: 120, loss: { kind: "uniform", ratio: 0.05 } } as const;

/** Players in the room of one with a clean line. First their lines are clean, too, and then bad. */
export async function badLines(hostile: Hostile): Promise<void> {
  const join = async (): Promise<Room> => {
    const room = await hostile.client("cells", { profile: "action" });
    room.entities(Cell);
    return room;
  };
  const rooms = await Promise.all(Array.from({ length: BAD_LINES }, join));
  await sleep(hostile.order.seconds * 1000);
  await Promise.all(rooms.map((room) => room.transport.simulate(BAD_LINE)));
  hostile.begin();
  while (!hostile.isOver()) await sleep(20);
  hostile.count("players", rooms.filter(({ state }) => state !== "left").length);
}
