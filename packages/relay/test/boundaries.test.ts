import { CloseCode, WEBSOCKET_PROTOCOL } from "@paceline/protocol";
import { afterEach, describe, expect, test, vi } from "vitest";
import { WebSocketListener } from "@paceline/transport/node";
import { RoomDirectory } from "../src/matchmaking/room-directory.js";
import { SessionRegistry } from "../src/session-registry.js";
import { Relay, type Log, type LogFields } from "../src/index.js";
import { RealRelay, eventually } from "./real-relay.js";

let real: RealRelay;
afterEach(async () => {
  vi.restoreAllMocks();
  await real.stop();
});

function broken(): never {
  throw new TypeError("a mistake of ours");
}

async function started(): Promise<{ readonly lines: (LogFields | undefined)[] }> {
  const lines: (LogFields | undefined)[] = [];
  const none = (): void => undefined;
  const log: Log = {
    error: (_, fields) => void lines.push(fields),
    warn: none,
    info: none,
    debug: none,
    trace: none,
  };
  real = await RealRelay.start({ log });
  return { lines };
}

describe("an error in an answer", () => {
  test.each([
    ["GET", "/health", () => vi.spyOn(Relay.prototype, "health")],
    ["POST", "/match/joinOrCreate/race", () => vi.spyOn(SessionRegistry.prototype, "match")],
    ["POST", "/match/list/race", () => vi.spyOn(RoomDirectory.prototype, "list")],
  ] as const)(
    "to %s %s sends 500; the next request is answered, and players play on",
    async (method, path, spied) => {
      const { lines } = await started();
      const player = await real.join();
      spied().mockImplementationOnce(broken);
      const ask = () =>
        fetch(real.url + path, { method, ...(method === "POST" && { body: '{"version":5}' }) });
      const failed = await ask();
      expect(failed.status).toBe(500);
      expect(await failed.text()).not.toContain("mistake");
      expect((await ask()).status).toBe(200);
      expect(real.relay.counts.faults.request).toBe(1);
      expect(real.relay.health().faults).toBe(1);
      expect(lines).toEqual([
        {
          place: "request",
          error: expect.stringContaining("TypeError: a mistake of ours\n    at ") as string,
        },
      ]);
      expect(player.session.isClosed).toBe(false);
    },
  );

  test("to an upgrade ends that link with a close code", async () => {
    await started();
    const player = await real.join();
    const { ticket } = await real.seat();
    vi.spyOn(SessionRegistry.prototype, "admit").mockImplementationOnce(broken);
    const victim = real.player([WEBSOCKET_PROTOCOL, `ticket.${ticket}`]);
    await eventually(() => expect(victim.close?.code).toBe(CloseCode.internalError));
    expect(real.relay.counts).toMatchObject({ faults: { upgrade: 1 }, linkCloses: { internalError: 1 } });
    expect(player.session.isClosed).toBe(false);
    expect((await real.join()).number).toBe(2);
  });

  test("to an upgrade, before there is a link, cuts that connection", async () => {
    await started();
    const player = await real.join();
    vi.spyOn(WebSocketListener.prototype, "accept").mockImplementationOnce(broken);
    const { ticket } = await real.seat();
    const victim = real.player([WEBSOCKET_PROTOCOL, `ticket.${ticket}`]);
    await eventually(() => expect(victim.close).toBeDefined());
    expect(real.relay.counts.faults.upgrade).toBe(1);
    expect(player.session.isClosed).toBe(false);
  });
});

test("a fault reported from outside the relay is counted and logged", async () => {
  const { lines } = await started();
  real.relay.reportFault("rejection", { toString: broken });
  expect(lines).toEqual([{ place: "rejection", error: "something that cannot be printed" }]);
  expect(real.relay.counts.faults.rejection).toBe(1);
});
