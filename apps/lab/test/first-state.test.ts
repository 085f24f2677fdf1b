import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect, createServer as createTcpServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { PageFront } from "../src/first-state/page-front.js";
import { ShapedLine } from "../src/first-state/shaped-line.js";

const RTT_MS = 60;
const BYTES_PER_SECOND = 200_000;

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

describe("a shaped line", () => {
  /** Opens a line to a server that answers each connection with these bytes. */
  async function lineTo(answer: Buffer): Promise<ShapedLine> {
    const target = createTcpServer((socket) => socket.once("data", () => socket.end(answer)));
    const line = await ShapedLine.open(await listening(target), {
      bytesPerSecond: BYTES_PER_SECOND,
      rttMs: RTT_MS,
    });
    onTestFinished(() => line.close());
    return line;
  }

  function askedOver(line: ShapedLine): Promise<{ bytes: Buffer; tookMs: number }> {
    const startedMs = performance.now();
    return new Promise((resolve, reject) => {
      const parts: Buffer[] = [];
      const socket = connect(line.port, "127.0.0.1", () => socket.write("?"));
      socket.on("data", (part) => parts.push(part)).on("error", reject);
      socket.on("end", () => resolve({ bytes: Buffer.concat(parts), tookMs: performance.now() - startedMs }));
    });
  }

  test("delivers every byte in order, after the round trips of the handshake and of the answer, at its rate", async () => {
    const answer = Buffer.from(Array.from({ length: 40_000 }, (_, at) => (at * 7919) & 0xff));
    const { bytes, tookMs } = await askedOver(await lineTo(answer));
    expect(bytes.equals(answer)).toBe(true);
    expect(tookMs).toBeGreaterThan(2 * RTT_MS + (answer.length / BYTES_PER_SECOND) * 1000 - 5);
  });

  test("gives its rate to all connections together", async () => {
    const line = await lineTo(Buffer.alloc(20_000));
    const both = await Promise.all([askedOver(line), askedOver(line)]);
    const lastMs = Math.max(...both.map(({ tookMs }) => tookMs));
    expect(lastMs).toBeGreaterThan(2 * RTT_MS + (40_000 / BYTES_PER_SECOND) * 1000 - 5);
  });
});

test("the front serves the page, counts its scripts by time, and hands everything else to the game's server", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "paceline-front-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(path.join(folder, "index.html"), "<title>game</title>");
  writeFileSync(path.join(folder, "game.js"), "play();");
  const game = createServer((request, response) =>
    response.writeHead(201).end(`${request.method} ${request.url}`),
  );
  game.on("upgrade", (_, socket) => socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\n"));
  const front = await PageFront.open(folder, await listening(game));
  onTestFinished(() => front.close());
  const url = `http://127.0.0.1:${front.port}`;
  const fromMs = Date.now();
  expect(await (await fetch(url)).text()).toBe("<title>game</title>");
  expect(front.scriptBytes(fromMs, Date.now())).toBe(0);
  expect(await (await fetch(`${url}/game.js`)).text()).toBe("play();");
  const bytes = front.scriptBytes(fromMs, Date.now());
  expect(bytes).toBeGreaterThan(0);
  expect(front.scriptBytes(fromMs - 1000, fromMs - 1)).toBe(0);
  const posted = await fetch(`${url}/match/joinOrCreate/race`, { method: "POST", body: "{}" });
  expect([posted.status, await posted.text()]).toEqual([201, "POST /match/joinOrCreate/race"]);
  const upgraded = await new Promise<string>((resolve) => {
    const socket = connect(front.port, "127.0.0.1", () =>
      socket.write("GET /link HTTP/1.1\r\nHost: game\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"),
    );
    socket.once("data", (data) => resolve(String(data)));
    onTestFinished(() => void socket.destroy());
  });
  expect(upgraded).toContain("101 Switching Protocols");
});
