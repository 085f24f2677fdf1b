/** A player whose page lives through what pages live through: built and opened by e2e/page-lifecycle.spec.ts. */
import { Client, type Room } from "@paceline/client";

/** What happened to the room and to the page, in order; and the numbers that others have sent. */
export interface PlayerRecord {
  readonly life: string[];
  readonly page: string[];
  readonly heard: number[];
}

const record: PlayerRecord = { life: [], page: [], heard: [] };
const TOKEN = "reconnectionToken";
let room: Room;

function note(type: string, event: Event): void {
  const isKept = event instanceof PageTransitionEvent && event.persisted;
  record.page.push(isKept ? `${type} kept` : type);
}
for (const type of ["pagehide", "pageshow", "online", "offline"]) {
  addEventListener(type, (event) => note(type, event));
}

/** Into the room; into the seat of the page before this one, where it left a token. */
async function enter(serverUrl: string, isDirect = false): Promise<string> {
  const transports = isDirect ? undefined : (["websocket"] as const);
  const client = new Client(serverUrl, { profile: "racing", ...(transports && { transports }) });
  const token = sessionStorage.getItem(TOKEN);
  room = token === null ? await client.joinOrCreate("race") : await client.reconnect(token);
  sessionStorage.setItem(TOKEN, room.reconnectionToken);
  room.onDrop(() => record.life.push("drop"));
  room.onReconnect(({ resumed }) => record.life.push(resumed ? "resumed" : "anew"));
  room.onLeave((code) => record.life.push(`left ${code}`));
  room.onPeerLeave(() => record.life.push("peer left"));
  room.onMessage("n", (n) => record.heard.push(n as number));
  return room.roomId;
}

/** The way to the first of the others, and why. */
function path(): string {
  const [peer] = room.peers;
  return `${peer?.path}: ${peer?.reason}`;
}

function send(from: number, to: number): void {
  for (let n = from; n < to; n++) room.send("n", n);
}

Object.assign(window, { player: { record, enter, send, peers: () => room.peers.length, path } });
