// @ts-nocheck: plain JavaScript, explained in docs/SMALLEST-CLIENT.md. Usage: node client.mjs http://HOST:PORT ROOM
import { pack, unpack } from "msgpackr";
import { WebSocket } from "ws";
const [NAME, TICK_HZ, MIN, STEP, COLUMN_BITS] = ["dot", 20, -100, 0.01, 15];
const hash = (text) =>
  Buffer.from(text).reduce((h, byte) => Math.imul(h ^ byte, 0x01000193), 0x811c9dc5) >>> 0;
const SCHEMA_HASH = hash("dot|hold|position:vec2:-100:100:0.01:::");
const u16 = (value) => [value & 255, (value >> 8) & 255];
const u32 = (value) => [...u16(value), ...u16(value >>> 16)];
const varint = (value) => (value < 128 ? [value] : [(value & 127) | 128, ...varint(value >> 7)]);
const u48 = (value) => [...u32(value), ...u16(value / 2 ** 32)];
const text = (value) => [...varint(value.length), ...Buffer.from(value)];
const bits = (value, count) => value.toString(2).padStart(count, "0");
function readerOf(data) {
  let at = 0;
  const u8 = () => data[at++];
  const u16 = () => u8() + 256 * u8();
  const take = (count) => data.subarray(at, (at += count));
  const varint = (byte = u8()) => (byte < 128 ? byte : byte - 128 + 128 * varint());
  return { u8, u16, u32: () => u16() + 65536 * u16(), take, varint, left: () => data.length - at };
}
function writeState(position) {
  const columns = position.map((value) => bits(Math.round((value - MIN) / STEP), COLUMN_BITS));
  const all = ["0", "0", "100", "0", "0", "0", "1", "1", "0", ...columns].join("");
  return all.match(/.{1,8}/g).map((byte) => parseInt(byte.padEnd(8, "0"), 2));
}
function readStates(body) {
  const all = [...body].map((byte) => bits(byte, 8)).join("");
  let at = 0;
  const take = (count) => parseInt(all.slice(at, (at += count)) || "0", 2);
  const small = (n = 0) => (n < 16 && take(1) ? small(n + 1) : 2 ** n + take(n) - 1);
  if (take(1) || take(1)) return undefined;
  const count = small();
  if (count > 4096 || take(1)) return undefined;
  if (take(1)) for (let left = small(); left > 0 && at < all.length; left -= 1) take(16);
  if (take(1)) for (const read of [small, () => take(16)]) read();
  const ids = [];
  for (let last = -1; ids.length < count; ids.push(last)) {
    last += take(1) ? 1 : 2 + small();
    if (!take(1)) small();
    if (take(1)) take(16 + 8);
  }
  const position = () => [take(COLUMN_BITS) * STEP + MIN, take(COLUMN_BITS) * STEP + MIN];
  const states = ids.map((id) => ({ id, position: position() }));
  return at > all.length ? undefined : states;
}
const Kind = { none: 0, state: 1, reliable: 2, ping: 6, pong: 7 };
const classes = { 0: 3, 1: 0, 2: 3, 7: 2 };
const sessions = new Map();
function begin(number) {
  const numbers = { number, sequence: 0, nextId: 0, expected: 0, tick: 0, askedMs: 0 };
  sessions.set(number, { ...numbers, kept: new Map(), streams: new Set() });
  return sessions.get(number);
}
const server = begin(0);
function send(session, kind, body, time = []) {
  const flags = (kind << 5) | (time.length > 0 ? 16 : 0) | (session.owesReceipt ? 4 : 0);
  const receipt = session.owesReceipt ? u16(session.expected) : [];
  session.owesReceipt = false;
  const packet = [flags, ...u16(session.sequence++), ...time, ...receipt, ...body];
  const envelope = session.number === 0 ? [] : [(classes[kind] << 1) | 1, ...varint(session.number)];
  if (socket.readyState === WebSocket.OPEN) socket.send(Buffer.from([...envelope, ...packet]));
}
function sendReliable(session, payload) {
  if (session.kept.size === 0) session.sentMs = Date.now();
  session.kept.set(session.nextId, [...u16(session.nextId), ...payload]);
  send(session, Kind.reliable, session.kept.get(session.nextId));
  session.nextId = (session.nextId + 1) & 0xffff;
}
function receive(data) {
  const reader = readerOf(data);
  const isRouted = (data[0] & 1) === 1;
  if (isRouted && reader.u8() & 128) return;
  const session = sessions.get(isRouted ? reader.varint() : 0);
  if (!isRouted || !(data[0] & 16)) return session && receivePacket(session, reader);
  for (let id = reader.u16(); session && reader.left() > 0; id = (id + 1) & 0xffff)
    receiveReliable(session, id, reader.take(reader.varint()));
}
function receivePacket(session, reader) {
  const flags = reader.u8();
  const kind = flags >> 5;
  reader.take(flags & 8 && kind === Kind.state ? 1 : 2);
  const time = flags & 16 ? reader.u16() : 0;
  if (flags & 2) reader.take(2);
  if (flags & 2) reader.take(bits(reader.u8(), 8).replaceAll("0", "").length);
  const receipt = flags & 4 ? reader.u16() : NaN;
  for (const id of session.kept.keys()) if ((id - receipt) & 0x8000) session.kept.delete(id);
  if (kind) return receiveMessage(session, kind, reader.take(reader.left()), time);
  while (reader.left() > 0) receiveMessage(session, reader.u8(), reader.take(reader.varint()), time);
}
function receiveMessage(session, kind, body, time) {
  if (kind === Kind.ping) send(session, Kind.pong, [...body, ...u48(performance.now() * 1000)]);
  if (kind === Kind.reliable) receiveReliable(session, body.readUInt16LE(), body.subarray(2));
  const tick = session.tick + (((time - session.tick) << 16) >> 16);
  if (kind === Kind.state) receiveStates(session, body[0], tick, body.subarray(1));
}
function receiveReliable(session, id, payload) {
  session.owesReceipt = true;
  if (id !== session.expected) return;
  session.expected = (id + 1) & 0xffff;
  const [kind, stream] = payload;
  if (session.number === 0) return kind === 1 && receiveControl(unpack(payload.subarray(1)));
  if (kind === 7) receiveStream(session, stream, readerOf(payload.subarray(2)));
  if (kind === 8) receiveStates(session, stream, payload.readUInt32LE(2), payload.subarray(6));
}
const tickNow = () => Math.floor((performance.now() * TICK_HZ) / 1000);
const stateAt = (tick) => writeState([10 * Math.cos(tick / TICK_HZ), 10 * Math.sin(tick / TICK_HZ)]);
function meet(number) {
  const [session, tick] = [begin(number), tickNow()];
  sendReliable(session, [7, 0, ...text(NAME), TICK_HZ, ...u32(SCHEMA_HASH)]);
  sendReliable(session, [8, 0, ...u32(tick), ...stateAt(tick)]);
}
function receiveControl(message) {
  if (message.type === "welcome") for (const { number } of message.peers) meet(number);
  if (message.type === "joined") meet(message.peer.number);
  if (message.type === "left") sessions.delete(message.number);
}
function receiveStream(session, stream, reader) {
  const [name, , hash] = [`${reader.take(reader.varint())}`, reader.u8(), reader.u32()];
  if (name === NAME && hash === SCHEMA_HASH) session.streams.add(stream);
}
function receiveStates(session, stream, tick, body) {
  const states = session.streams.has(stream) ? readStates(body) : [];
  if (states === undefined && Date.now() - session.askedMs > 1000) {
    session.askedMs = Date.now();
    sendReliable(session, [9, stream]);
  }
  if (states === undefined || tick < session.tick) return;
  session.tick = tick;
  for (const state of states) console.log(JSON.stringify({ from: session.number, tick, ...state }));
}
const [endpoint, room] = process.argv.slice(2);
const url = `${endpoint}/match/joinOrCreate/${room}`;
const answer = await fetch(url, { method: "POST", body: '{"version":5}' });
const { ticket, linkPath, error } = await answer.json();
if (error) throw new Error(`${error.code}: ${error.message}`);
const socket = new WebSocket(endpoint.replace("http", "ws") + linkPath, ["paceline.5", `ticket.${ticket}`]);
socket.on("message", (data, isBinary) => isBinary && receive(data));
socket.on("close", (code) => process.exit(code === 4000 ? 0 : 1));
setInterval(() => {
  const tick = tickNow();
  for (const session of sessions.values()) {
    if (session.number !== 0) send(session, Kind.state, [0, ...stateAt(tick)], u16(tick));
    else if (session.owesReceipt) send(session, Kind.none, []);
    if (session.kept.size === 0 || Date.now() - session.sentMs < 1500) continue;
    session.sentMs = Date.now();
    for (const kept of session.kept.values()) send(session, Kind.reliable, kept);
  }
}, 1000 / TICK_HZ);
process.once("SIGTERM", () => sendReliable(server, [1, ...pack({ type: "leave" })]));
