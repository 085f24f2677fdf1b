import type { Link, LinkKind } from "@paceline/transport";
import { expect, test } from "vitest";
import { bytesBeforeStates } from "../src/room/player.js";

test.each([
  ["websocket", 5100],
  ["webrtc", 100],
] as const)("bytes before further states: a link of kind %s makes them %i", (kind: LinkKind, expected) => {
  let asked = 0;
  const link = { kind, queuedBytes: 0 };
  Object.defineProperty(link, "queuedBytes", { get: () => ((asked += 1), 5000) });
  const outbox = { queuedBytes: 100 } as Parameters<typeof bytesBeforeStates>[0]["outbox"];
  expect(bytesBeforeStates({ outbox, linkFor: () => link as unknown as Link })).toBe(expected);
  expect(bytesBeforeStates({ outbox, linkFor: () => undefined })).toBe(100);
  expect(asked > 0).toBe(kind === "websocket");
});
