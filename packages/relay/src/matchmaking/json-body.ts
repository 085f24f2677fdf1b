import type { IncomingMessage } from "node:http";
import type { MatchRefusal } from "@paceline/protocol";
import type { Scheduler } from "@paceline/transport";

const tooLong = fault(413, "the body is too long");

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
): Promise<{ readonly value: unknown } | MatchRefusal> {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) return Promise.resolve(tooLong);
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    const finish = (outcome: { readonly value: unknown } | MatchRefusal): void => {
      cancelDeadline();
      request.off("data", onData);
      resolve(outcome);
    };
    const onData = (chunk: Uint8Array): void => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > maxBytes) finish(tooLong);
    };
    const cancelDeadline = scheduler.after(deadlineMs, () =>
      finish(fault(408, "the body did not arrive in time")),
    );
    request.on("data", onData);
    request.once("end", () => finish(parsed(chunks)));
    request.once("error", () => finish(fault(400, "the request was aborted")));
    request.once("close", () => finish(fault(400, "the request was aborted")));
  });
}

function parsed(chunks: readonly Uint8Array[]): { readonly value: unknown } | MatchRefusal {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
    return { value: JSON.parse(text) as unknown };
  } catch {
    return fault(400, "the body is not JSON in UTF-8");
  }
}

function fault(status: number, message: string): MatchRefusal {
  return { status, code: "match/bad-request", message };
}
