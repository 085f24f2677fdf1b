import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Client, ConfigError } from "@paceline/client";
import { afterEach, describe, expect, test } from "vitest";
import { array, assert, double, integer, property } from "fast-check";
import { nearestRelay } from "../src/connection/nearest.js";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Starts a server that answers after `delayMs`, or never if undefined. */
async function serverWith(delayMs: number | undefined, status = 200): Promise<string> {
  const server = createServer((_request, response) => {
    if (delayMs !== undefined) setTimeout(() => response.writeHead(status).end(), delayMs);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("the nearest server", () => {
  test("is the one that answers first; all measurements are returned, sorted", async () => {
    const [far, near] = [await serverWith(300), await serverWith(0)];
    expect(await Client.selectByLatency([far, near])).toBe(near);
    const measured = await Client.measureLatency([far, near], { probes: 2 });
    expect(measured.map(({ endpoint, answers }) => [endpoint, answers])).toEqual([
      [near, 2],
      [far, 2],
    ]);
    expect(measured[1]!.rttMs).toBeGreaterThanOrEqual(295);
  });

  test("servers that never answer, refuse or are no servers cost no more than the timeout, and are reported", async () => {
    const [silent, broken, good] = [
      await serverWith(undefined),
      await serverWith(0, 500),
      await serverWith(0),
    ];
    const startMs = performance.now();
    const measured = await Client.measureLatency([silent, broken, "http://127.0.0.1:1", good], {
      timeoutMs: 1000,
    });
    expect(performance.now() - startMs).toBeLessThan(4000);
    expect(measured[0]!.endpoint).toBe(good);
    const problems = Object.fromEntries(measured.map(({ endpoint, problem }) => [endpoint, problem]));
    expect(problems[silent]).toBe("no answer within 1000 ms");
    expect(problems[broken]).toContain("status 500");
    expect(problems["http://127.0.0.1:1"]).toBeDefined();
  });

  test("if none answers, the error names all of them", async () => {
    const silent = await serverWith(undefined);
    await expect(Client.selectByLatency([silent], { timeoutMs: 200 })).rejects.toMatchObject({
      code: "match/unreachable",
      retryable: true,
      message: expect.stringContaining(silent),
    });
  });

  test.each([
    [[], {}, "endpoints"],
    [["nonsense"], {}, "endpoint"],
    [["http://a.example"], { probes: 0 }, "probes"],
    [["http://a.example"], { timeoutMs: 1 }, "timeoutMs"],
  ])("refuses %o %o", async (endpoints, options, field) => {
    const refused = Client.selectByLatency(endpoints, options);
    await expect(refused).rejects.toThrow(ConfigError);
    await expect(refused).rejects.toThrow(new RegExp(`^${field}`));
  });
});

describe("the relay nearest to all", () => {
  test("has the best worst pair, not the best typical pair", async () => {
    const players = [
      { paris: 10, london: 30 },
      { paris: 10, london: 30 },
      { paris: 120, london: 60 },
    ];
    expect(await Client.nearestRelay(players)).toEqual({ endpoint: "london", worstMs: 90, meanMs: 80 });
  });

  test("is one that all players reach", () => {
    expect(nearestRelay([{ a: 1, b: 90 }, { b: 90 }])?.endpoint).toBe("b");
    expect(nearestRelay([{ a: 1 }, { b: 1 }])).toBeUndefined();
    expect(nearestRelay([{ a: Number.NaN, b: -1 }])).toBeUndefined();
    expect(nearestRelay([])).toBeUndefined();
  });

  test("no other relay has a better worst pair", () => {
    const rtt = double({ min: 0, max: 1000, noNaN: true });
    const table = integer({ min: 2, max: 8 }).chain((count) =>
      array(array(rtt, { minLength: 4, maxLength: 4 }), { minLength: count, maxLength: count }),
    );
    assert(
      property(table, (rows) => {
        const players = rows.map((row) =>
          Object.fromEntries(row.map((rttMs, index) => [`r${index}`, rttMs])),
        );
        const worstOf = (relay: number): number => {
          let worst = 0;
          for (const [i, a] of rows.entries()) {
            for (const b of rows.slice(i + 1)) worst = Math.max(worst, a[relay]! + b[relay]!);
          }
          return worst;
        };
        const least = Math.min(...[0, 1, 2, 3].map(worstOf));
        expect(nearestRelay(players)?.worstMs).toBe(least);
      }),
    );
  });
});
