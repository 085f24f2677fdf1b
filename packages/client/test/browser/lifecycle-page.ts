/**
 * The page of a player in tests of the page's life. e2e/page-lifecycle.spec.ts and others build and open it.
 * It stores nothing for the page that follows: that is the SDK's task.
 */
import { Client, type Room } from "@paceline/client";
import { Car } from "../definitions.js";

/** Events of the room and of the page, in order, and the numbers received from others. */
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

export interface PlayerIdentity {
  readonly roomId: string;
  readonly sessionId: string;
  readonly number: number;
}

/** Joins the room and spawns a car. Takes the seat of the previous page, if it had one. */
async function enter(serverUrl: string, isDirect = false): Promise<string> {
  const transports = isDirect ? undefined : (["websocket"] as const);
  const client = new Client(serverUrl, { profile: "racing", ...(transports && { transports }) });
  room = await client.joinOrCreate("race");
  room.spawn(Car);
  room.onDrop(() => record.life.push("drop"));
  room.onReconnect(({ resumed }) => record.life.push(resumed ? "resumed" : "joined again"));
  room.onLeave((code) => record.life.push(`left ${code}`));
  room.onPeerLeave(() => record.life.push("peer left"));
  room.onMessage("n", (n) => record.heard.push(n as number));
  return room.roomId;
}

function identity(): PlayerIdentity {
  const { roomId, sessionId, myNumber: number } = room;
  return { roomId, sessionId, number };
}

function path(): string {
  const [peer] = room.peers;
  return `${peer?.path}: ${peer?.reason}`;
}

function send(from: number, to: number): void {
  for (let n = from; n < to; n++) room.send("n", n);
}

Object.assign(window, { player: { record, enter, identity, send, peers: () => room.peers.length, path } });
