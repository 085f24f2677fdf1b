/**
 * The receiver's process: receives the streams and reports the ages of the newest states. Arguments: url,
 * options as JSON.
 */
import { WebSocket } from "ws";
import { AgeMeter } from "./age-meter.js";
import { machineMs } from "./clock.js";
import { provideWebRtc } from "./node-webrtc.js";
import type { AgesAnswer, AgesQuestion, ReceiverOptions } from "./protocol.js";
import { readState } from "./state-bytes.js";
import { openStream } from "./stream.js";
import { socketsOf, type AgeSystem } from "./systems.js";

const [url = "", given = "{}"] = process.argv.slice(2);
const { systems, streams } = JSON.parse(given) as ReceiverOptions;

provideWebRtc();
const meters = new Map<AgeSystem, AgeMeter>(systems.map((system) => [system, new AgeMeter()]));

function openSocket(path: string): Promise<WebSocket> {
  const socket = new WebSocket(`${url}/${path}`, { perMessageDeflate: false });
  return new Promise((resolve, reject) => {
    socket.once("open", () => resolve(socket));
    socket.on("error", reject);
  });
}

async function receive(system: AgeSystem, number: number): Promise<void> {
  const sockets: WebSocket[] = [];
  while (sockets.length < socketsOf(system)) sockets.push(await openSocket(`${system}/${number}`));
  await new Promise<void>((resolve) => {
    openStream({
      system,
      sockets,
      isReceiver: true,
      onState: (bytes) => {
        const { entity, writtenMs } = readState(bytes);
        meters.get(system)!.take(`${number}/${entity}`, writtenMs, machineMs());
      },
      onReady: resolve,
    });
  });
}

function answer(windows: AgesQuestion): AgesAnswer {
  const labels = [...new Set(windows.map(({ label }) => label))];
  return [...meters].flatMap(([system, meter]) =>
    labels.flatMap((label) => {
      const ages = meter.ages(windows.filter((window) => window.label === label));
      return ages ? [{ system, label, ...ages }] : [];
    }),
  );
}

for (const system of systems) {
  for (let number = 0; number < streams; number++) await receive(system, number);
}
process.on("message", (windows: AgesQuestion) => process.send!(answer(windows)));
process.on("disconnect", () => process.exit());
process.send!("connected");
