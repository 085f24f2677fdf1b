import { setTimeout as pause } from "node:timers/promises";
import { NodeWebSocket } from "@paceline/client/node";
import { MessageKind, PayloadKind, readMessages, readPacket, readToAuthority } from "@paceline/protocol";

const LIMIT_MS = 5000;
const POLL_MS = 20;

/** The view terms that the whole clients of this process have sent, one after the other. */
const views: Uint8Array[] = [];

/** A WebSocket that keeps the view terms which its client sends to the server. */
export class OverheardSocket extends NodeWebSocket {
  override send(data: Uint8Array): void {
    for (const payload of authorityPayloads(data)) {
      if (readToAuthority(payload.subarray(1))?.type === "view") views.push(payload.slice());
    }
    super.send(data);
  }
}

function authorityPayloads(bytes: Uint8Array): Uint8Array[] {
  const packet = readPacket(bytes);
  const messages = typeof packet === "string" ? packet : readMessages(packet, () => undefined);
  if (typeof messages === "string") return [];
  // A reliable message has its number before its payload.
  return messages
    .filter(({ kind, body }) => kind === MessageKind.reliable && body[2] === PayloadKind.authority)
    .map(({ body }) => body.subarray(2));
}

/**
 * Returns the newest view terms of a whole client of this process, in base64, for bots to send. With other terms the
 * server would put the bots into a group of their own.
 */
export async function overheardGreeting(): Promise<readonly string[]> {
  const untilMs = performance.now() + LIMIT_MS;
  while (views.length === 0 && performance.now() < untilMs) await pause(POLL_MS);
  if (views.length === 0) throw new Error("the first client sent no view terms");
  return [Buffer.from(views.at(-1)!).toString("base64")];
}
