import type { IncomingMessage } from "node:http";
import type { Scheduler } from "@paceline/transport";

/** The reason why a body gives no value. */
export type BodyFault = "too-long" | "too-slow" | "not-json" | "aborted";

/** Limits of the size and the time of a body. */
export interface BodyLimits {
  readonly maxBytes: number;
  readonly deadlineMs: number;
  readonly scheduler: Scheduler;
}

/** Reads a JSON body; never rejects. After a fault, leaves the rest of the body unread. */
export function readJsonBody(
  request: IncomingMessage,
  { maxBytes, deadlineMs, scheduler }: BodyLimits,
): Promise<{ readonly value: unknown } | BodyFault> {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) return Promise.resolve("too-long");
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    const finish = (outcome: { readonly value: unknown } | BodyFault): void => {
      cancelDeadline();
      request.off("data", onData);
      resolve(outcome);
    };
    const onData = (chunk: Uint8Array): void => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > maxBytes) finish("too-long");
    };
    const cancelDeadline = scheduler.after(deadlineMs, () => finish("too-slow"));
    request.on("data", onData);
    request.once("end", () => finish(parsed(chunks)));
    request.once("error", () => finish("aborted"));
    request.once("close", () => finish("aborted"));
  });
}

function parsed(chunks: readonly Uint8Array[]): { readonly value: unknown } | "not-json" {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
    return { value: JSON.parse(text) as unknown };
  } catch {
    return "not-json";
  }
}
