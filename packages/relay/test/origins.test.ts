import { once } from "node:events";
import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { CloseCode, WEBSOCKET_PROTOCOL } from "@paceline/protocol";
import { VirtualScheduler } from "@paceline/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { silentLog, type LogFields, type RelayOptions } from "../src/index.js";
import { RealRelay, eventually } from "./real-relay.js";

const running: RealRelay[] = [];
afterEach(() => Promise.all(running.splice(0).map((real) => real.stop())));

interface Headers {
  readonly origin?: string;
  readonly host?: string;
}

interface Line {
  readonly message: string;
  readonly fields: LogFields;
}

async function started(options: Partial<RelayOptions> = {}): Promise<{ real: RealRelay; lines: Line[] }> {
  const lines: Line[] = [];
  const log = {
    ...silentLog,
    warn: (message: string, fields: LogFields = {}) => void lines.push({ message, fields }),
  };
  const real = await RealRelay.start({ log, ...options });
  running.push(real);
  return { real, lines };
}

/** Sends a match request with headers that `fetch` does not permit. */
async function match(real: RealRelay, headers: Headers): Promise<{ status: number; body: string }> {
  const asked = request(`${real.url}/match/joinOrCreate/race`, { method: "POST", headers: { ...headers } });
  asked.end('{"version":5}');
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  return { status: response.statusCode!, body: await text(response) };
}

/** Returns the close code of an upgrade, or undefined if a session begins. */
async function upgrade(real: RealRelay, headers: Headers): Promise<number | undefined> {
  const { ticket } = await real.seat();
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const raw = await real.raw([WEBSOCKET_PROTOCOL, `ticket.${ticket}`], lines);
  await eventually(() => {
    const isIn = raw.closeCode === undefined && raw.binaryMessages > 0;
    expect(isIn || raw.closeCode === CloseCode.originRefused).toBe(true);
  });
  return raw.closeCode;
}

const PLAY = "https://play.example.com";

describe("a page may use the server", () => {
  it.each<[Partial<RelayOptions>, Headers, number]>([
    // A name of this machine proves nothing: its owner may have pointed it here (DNS rebinding).
    [{}, { origin: "http://rebound.example:8787", host: "rebound.example:8787" }, 421],
    [{}, { origin: "http://rebound.example", host: "rebound.example" }, 421],
    [{}, { host: "rebound.example" }, 421],
    [{}, { origin: PLAY, host: "play.example.com" }, 421],
    [{}, { origin: "http://localhost.evil.example", host: "localhost.evil.example" }, 421],
    [{}, { origin: "http://127.0.0.1.evil.example", host: "127.0.0.1.evil.example" }, 421],
    [{}, { origin: "http://a", host: "a@127.0.0.1" }, 400],
    [{ allowedOrigins: "*" }, { host: "a; script-src *" }, 400],
    // An address is no name.
    [{}, { origin: "http://127.0.0.1:8787", host: "127.0.0.1:8787" }, 200],
    [{}, { origin: "http://192.168.1.7:8787", host: "192.168.1.7:8787" }, 200],
    [{}, { origin: "http://[::1]:8787", host: "[::1]:8787" }, 200],
    [{}, { origin: "http://[2001:db8::7]", host: "[2001:db8::7]" }, 200],
    [{}, { origin: "http://LOCALHOST:8787", host: "localhost:8787" }, 200],
    [{}, { host: "192.168.1.7:8787" }, 200],
    // Pages of a development server on this machine may use the server, those of another machine may not.
    [{}, { origin: "http://localhost:5173", host: "localhost:8787" }, 200],
    [{}, { origin: "http://127.0.0.1:5173", host: "localhost:8787" }, 200],
    [{}, { origin: "http://game.localhost:5173", host: "[::1]:8787" }, 200],
    [{}, { origin: "http://localhost:5173", host: "192.168.1.7:8787" }, 403],
    [{}, { origin: "http://192.168.1.7:5173", host: "localhost:8787" }, 403],
    [{}, { origin: "http://192.168.1.7:5173", host: "192.168.1.7:8787" }, 403],
    [{}, { origin: PLAY, host: "127.0.0.1:8787" }, 403],
    [{}, { origin: "null", host: "127.0.0.1:8787" }, 403],
    // A configured name counts in any case and with any port, for its own pages only.
    [{ publicHosts: ["play.example.com"] }, { origin: PLAY, host: "Play.Example.com" }, 200],
    [{ publicHosts: ["Play.example.com"] }, { origin: `${PLAY}:444`, host: "play.example.com:444" }, 200],
    [{ publicHosts: ["play.example.com"] }, { host: "play.example.com" }, 200],
    [{ publicHosts: ["play.example.com:444"] }, { origin: PLAY, host: "play.example.com" }, 421],
    [
      { publicHosts: ["play.example.com"] },
      { origin: "https://evil.example", host: "play.example.com" },
      403,
    ],
    [{ publicHosts: ["play.example.com"] }, { origin: "http://localhost:1", host: "play.example.com" }, 403],
    [
      { publicHosts: ["play.example.com"] },
      { origin: `${PLAY}.evil.example`, host: "play.example.com" },
      403,
    ],
    // A trusted page may use any name for the server.
    [{ allowedOrigins: ["https://game.example"] }, { origin: "https://game.example", host: "relay.x" }, 200],
    [{ allowedOrigins: ["https://game.example"] }, { origin: "http://game.example", host: "10.0.0.1" }, 403],
    [
      { allowedOrigins: ["https://game.example"] },
      { origin: "https://game.example:1", host: "10.0.0.1" },
      403,
    ],
    [
      { allowedOrigins: ["https://game.example"] },
      { origin: "https://evil.example", host: "evil.example" },
      421,
    ],
    [{ allowedOrigins: "*" }, { origin: "https://anyone.example", host: "relay.x" }, 200],
    [{ allowedOrigins: "*" }, { origin: "null" }, 200],
  ])("%j %j: %i", async (options, headers, status) => {
    const { real } = await started(options);
    expect((await match(real, headers)).status).toBe(status);
    expect(await upgrade(real, headers)).toBe(status === 200 ? undefined : CloseCode.originRefused);
  });
});

describe("a refusal", () => {
  it("names the setting and its value, to the page and once a second in the log", async () => {
    const scheduler = new VirtualScheduler();
    const { real, lines } = await started({ scheduler });
    const rebound = { origin: "http://rebound.example", host: "rebound.example" };
    const stranger = { origin: "https://game.example" };
    for (let count = 0; count < 5; count++) {
      const { body } = await match(real, rebound);
      expect(JSON.parse(body)).toEqual({
        error: {
          code: "session/origin",
          message: `publicHosts: ["rebound.example"] is missing in the server's options (--public-host)`,
        },
      });
    }
    expect(lines).toEqual([
      {
        message: `refused a page: publicHosts: ["rebound.example"] is missing in the server's options (--public-host)`,
        fields: { status: 421, origin: "http://rebound.example", host: "rebound.example" },
      },
    ]);
    scheduler.advance(1001);
    const { status, body } = await match(real, stranger);
    expect(status).toBe(403);
    expect((JSON.parse(body) as { error: { message: string } }).error.message).toContain(
      'allowedOrigins: ["https://game.example"]',
    );
    expect(lines[1]).toMatchObject({ fields: { origin: "https://game.example", withheld: 4 } });
    expect(real.relay.counts.matchRefusals).toEqual({ "session/origin": 6 });
  });

  it("quotes only a part of a long header", async () => {
    const { real, lines } = await started();
    await match(real, { origin: `https://${"a".repeat(4000)}.example` });
    expect(JSON.stringify(lines).length).toBeLessThan(800);
  });
});
