/** The sender: writes states of all streams at a fixed rate. Arguments: address, port, options as JSON. */
import { createServer } from "node:http";
import { WebSocketServer, type WebSocket } from "ws";
import { machineMs } from "./clock.js";
import { provideWebRtc } from "./node-webrtc.js";
import type { SenderOptions } from "./protocol.js";
import { writeState } from "./state-bytes.js";
import { openStream, type Stream } from "./stream.js";
import { socketsOf, type AgeSystem } from "./systems.js";

const [address = "", port = "", given = "{}"] = process.argv.slice(2);
const { entities, statesPerSecond } = JSON.parse(given) as SenderOptions;

provideWebRtc();
const pending = new Map<string, WebSocket[]>();
const streams: Stream[] = [];

const server = createServer();
const sockets = new WebSocketServer({ server, perMessageDeflate: false });
sockets.on("connection", (socket, request) => {
  socket.on("error", () => undefined);
  const [, system, number] = (request.url ?? "").split("/");
  const id = `${system}/${number}`;
  const all = [...(pending.get(id) ?? []), socket];
  pending.set(id, all);
  if (all.length < socketsOf(system as AgeSystem)) return;
  const stream = openStream({
    system: system as AgeSystem,
    sockets: all,
    isReceiver: false,
    onState: () => undefined,
    onReady: () => undefined,
  });
  streams.push(stream);
});

/** Writes all entities of a stream together, as the tick of a game does. Each stream has its own phase. */
function begin(stream: Stream, index: number): void {
  const periodMs = 1000 / statesPerSecond;
  const startMs = machineMs() + (index / streams.length) * periodMs;
  let written = 0;
  const write = (): void => {
    const writtenMs = machineMs();
    for (let entity = 0; entity < entities; entity++)
      stream.send(writeState({ entity, writtenMs }), entity + 1);
    written += 1;
    setTimeout(write, Math.max(0, startMs + written * periodMs - machineMs()));
  };
  setTimeout(write, Math.max(0, startMs - machineMs()));
}

process.on("message", () => {
  for (const [index, stream] of streams.entries()) begin(stream, index);
});
process.on("disconnect", () => process.exit());
server.listen(Number(port), address, () => process.send!("listening"));
