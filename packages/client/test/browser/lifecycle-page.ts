/**
 * A player whose page lives through what pages live through: built and opened by e2e/page-lifecycle.spec.ts and others.
 * It keeps nothing for the page that follows it: that is the SDK's to do.
 */
import { Client, type Room } from "@paceline/client";
import { Car } from "../definitions.js";

/** What happened to the room and to the page, in order; and the numbers that others have sent. */
export interface PlayerRecord {
  readonly life: string[];
  readonly page: string[];
  readonly heard: number[];
}

const record: PlayerRecord = { life: [], page: [], heard: [] };
let room: Room;

function note(type: string, event: Event): void {
  const isKept = event instanceof PageTransitionEvent && event.persisted;
  record.page.push(isKept ? `${type} kept` : type);
}
for (const type of ["pagehide", "pageshow", "online", "offline"]) {
  addEventListener(type, (event) => note(type, event));
}

/** Who the room takes this page for. */
export interface PlayerIdentity {
  readonly roomId: string;
  readonly sessionId: string;
  readonly number: number;
}

/** Into the room, with a car; into the seat of the page before this one, where it had one. */
async function enter(serverUrl: string, isDirect = false): Promise<string> {
  const transports = isDirect ? undefined : (["websocket"] as const);
  const client = new Client(serverUrl, { profile: "racing", ...(transports && { transports }) });
  room = await client.joinOrCreate("race");
  room.spawn(Car);
  room.onDrop(() => record.life.push("drop"));
  room.onReconnect(({ resumed }) => record.life.push(resumed ? "resumed" : "anew"));
  room.onLeave((code) => record.life.push(`left ${code}`));
  room.onPeerLeave(() => record.life.push("peer left"));
  room.onMessage("n", (n) => record.heard.push(n as number));
  return room.roomId;
}

function identity(): PlayerIdentity {
  const { roomId, sessionId, myNumber: number } = room;
  return { roomId, sessionId, number };
}

/** The way to the first of the others, and why. */
function path(): string {
  const [peer] = room.peers;
  return `${peer?.path}: ${peer?.reason}`;
}

function send(from: number, to: number): void {
  for (let n = from; n < to; n++) room.send("n", n);
}

Object.assign(window, { player: { record, enter, identity, send, peers: () => room.peers.length, path } });
