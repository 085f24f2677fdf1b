import type { IncomingMessage } from "node:http";
import type { MatchRefusal } from "@paceline/protocol";
import { afterOwnTime, type Scheduler } from "@paceline/transport";
import { malformed, parsedJson } from "./match-request.js";

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
  const tooLong = malformed(`the body has more than ${maxBytes} bytes`, 413);
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
    const cancelDeadline = afterOwnTime(scheduler, deadlineMs, () =>
      finish(malformed("the body did not arrive in time", 408)),
    );
    request.on("data", onData);
    request.once("end", () => finish(parsedJson(Buffer.concat(chunks), "the body")));
    request.once("error", () => finish(malformed("the request was aborted")));
    request.once("close", () => finish(malformed("the request was aborted")));
  });
}
