import { describe, expect, test } from "vitest";
import {
  churnBounds,
  connectBounds,
  idleBounds,
  joinBounds,
  loadBounds,
  onePortBounds,
} from "../src/connect/bounds.js";
import { connectRow } from "../src/connect/connect-row.js";
import { readEcho, writeEcho } from "../src/connect/echo-bytes.js";
import { lateGrowth } from "../src/connect/churn.js";
import { Swarm } from "../src/connect/swarm.js";
import { ws } from "../src/connect/systems/raw-web-socket.js";
import type { ConnectRound } from "../src/connect/measure.js";
import { udpInodes } from "../src/connect/one-port.js";
import type { SystemName } from "../src/connect/system.js";

function round(cpuUsPerEcho: number, connectMs: readonly number[] = [10]): ConnectRound {
  const echo = { sent: 100, received: 99, wrong: 1, repeated: 2, latencyMs: [1, 2, 3], cpuUsPerEcho };
  return { connectMs, failures: 1, cpuMsPerConnect: 4, rssKBPerConnection: 8, echo };
}

describe("growth of a series", () => {
  test("is what its second half gains, whatever the first one does", () => {
    expect(lateGrowth([0, 50, 90, 99, 100, 100, 100, 100])).toBe(0);
    expect(lateGrowth([0, 0, 0, 0, 10, 20, 30, 40])).toBeCloseTo(30);
    expect(lateGrowth([9, 9, 9, 9, 40, 30, 20, 10])).toBeCloseTo(-30);
  });

  test("gives little for one sample that stands out", () => {
    const flat = Array.from({ length: 20 }, () => 100);
    expect(lateGrowth(flat.with(15, 110))).toBeLessThan(1);
  });

  test("of a single sample is none", () => {
    expect(lateGrowth([7])).toBe(0);
  });
});

describe("what comes back", () => {
  test("is known again by client, number and time", () => {
    const echo = { client: 299, sequence: 70_000, sentMs: 1234.5 };
    expect(readEcho(writeEcho(echo))).toEqual(echo);
  });

  test("is found out when it is damaged, cut or longer", () => {
    const bytes = writeEcho({ client: 3, sequence: 4, sentMs: 5 });
    expect(readEcho(bytes.with(60, bytes[60]! ^ 1))).toBeUndefined();
    expect(readEcho(bytes.subarray(1))).toBeUndefined();
    expect(readEcho(Uint8Array.of(...bytes, 0))).toBeUndefined();
  });
});

test("UDP sockets are counted by the tenth column of /proc/net/udp", () => {
  const table = `   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops
  430: 0100007F:55F0 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 48301 2 0000000000000000 0
  991: 00000000:0044 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 1205 2 0000000000000000 0
`;
  expect(udpInodes(table)).toEqual(["48301", "1205"]);
});

describe("a row of the comparison", () => {
  const all = new Map<SystemName, ConnectRound[]>([
    ["ws", [round(10), round(20), round(40)]],
    ["geckos.io", [round(100), round(100)]],
    ["paceline-webrtc", [round(50, [1, 2]), round(60, [3]), round(80, [4])]],
  ]);

  test("takes ratios within rounds, and adds up what went wrong", () => {
    const row = connectRow("paceline-webrtc", all.get("paceline-webrtc")!, all, 3);
    expect(row).toMatchObject({ echoCpuRatioToWs: 3, echoCpuRatioToGeckos: 0.6, echoCpuUs: 60 });
    expect(row).toMatchObject({ failures: 3, echoesLost: 3, wrong: 9, connectMsP50: 3, connectMsP99: 4 });
  });

  test("leaves out what was not measured, and the bound on it does not hold", () => {
    const row = connectRow("paceline-webrtc", [], all, 3);
    expect(row).toEqual({ system: "paceline-webrtc", clients: 3, failures: 3 });
    const without = new Map([...all].filter(([name]) => name !== "geckos.io"));
    const alone = connectRow("paceline-webrtc", all.get("paceline-webrtc")!, without, 3);
    expect(alone).not.toHaveProperty("echoCpuRatioToGeckos");
    for (const rows of [[row], [alone], []]) expect(connectBounds(rows)[0]!.holds).toBe(false);
  });
});

describe("bounds", () => {
  test("of joining are two round trips and 60 ms, or four and 100 ms; rivals have none", () => {
    const row = { rttMs: 50, joins: 5, playableMsMax: 999 } as const;
    const limits = joinBounds([
      { ...row, system: "paceline one step", playableMsP50: 161 },
      { ...row, system: "paceline relay by match", playableMsP50: 299 },
      { ...row, system: "colyseus", playableMsP50: 9999 },
    ]);
    expect(limits.map(({ limit, holds }) => [limit, holds])).toEqual([
      [160, false],
      [300, true],
    ]);
  });

  test("of one port want every client, one socket and every echo", () => {
    const row = {
      ...({ system: "paceline-webrtc, one port", clients: 100, connected: 100, failures: 0 } as const),
      ...{
        udpSockets: 1,
        echoBytes: 100,
        sent: 9,
        lost: 0,
        wrong: 0,
        repeated: 0,
        echoMsP50: 1,
        echoMsP99: 2,
      },
    };
    expect(onePortBounds(row).every(({ holds }) => holds)).toBe(true);
    for (const fault of [{ connected: 99 }, { udpSockets: 2 }, { lost: 1 }, { repeated: 1 }])
      expect(onePortBounds({ ...row, ...fault }).some(({ holds }) => !holds)).toBe(true);
  });

  test("of coming and going are on what grows late, and on who did not connect", () => {
    const row = {
      ...{ system: "paceline", connects: 9, failures: 0, heapMB: 9, rssMB: 90 },
      ...{ heapGrowthMB: 0.5, rssGrowthMB: 3, connectsPerSecond: 50 },
    };
    expect(churnBounds([row]).every(({ holds }) => holds)).toBe(true);
    for (const fault of [{ heapGrowthMB: 2 }, { rssGrowthMB: 20 }, { failures: 1 }])
      expect(churnBounds([{ ...row, ...fault }]).some(({ holds }) => !holds)).toBe(true);
  });

  test("of joins are on failures, on CPU at a fixed rate, and on the end of a burst; rivals have none", () => {
    const row = {
      ...{ system: "paceline", joins: 800, failures: 0, joinMsP50: 1, joinMsP99: 2 },
      ...{ admittedWithinMs: 2900, cpuMsPerJoin: 1.9 },
    };
    const fixed = { ...row, perSecond: 400, admittedWithinMs: 10_400 };
    const burst = { ...row, perSecond: 800, cpuMsPerJoin: 9 };
    const missed = (rows: Parameters<typeof loadBounds>[0]) => loadBounds(rows).filter(({ holds }) => !holds);
    expect(missed([fixed, burst])).toEqual([]);
    expect(missed([{ ...fixed, cpuMsPerJoin: 2.1 }])).toHaveLength(1);
    expect(missed([{ ...burst, admittedWithinMs: 3100, failures: 1 }])).toHaveLength(2);
    expect(loadBounds([{ ...fixed, system: "colyseus" }])).toEqual([]);
  });

  test("of idle connections are on their memory", () => {
    const row = { system: "paceline", clients: 300, roomClients: 10, idleHeapKBPerConnection: 9 };
    const held = [39, 41].map((kB) => idleBounds([{ ...row, idleRssKBPerConnection: kB }])[0]!.holds);
    expect(held).toEqual([true, false]);
  });
});

// Longer than one join may take, so that a failed join is reported before the test times out.
test(
  "joins at a fixed rate do not wait for those before them, and all leave again",
  { timeout: 50_000 },
  async () => {
    const url = await ws.serve("127.0.0.1", 10);
    const rate = { perSecond: 100, durationMs: 300, stayMs: 100 };
    const answer = await new Swarm().rate({ do: "rate", system: "ws", url, ...rate });
    expect([answer.connectMs.length, answer.failures]).toEqual([30, 0]);
    expect(answer.admittedWithinMs).toBeGreaterThan(250);
    const none = { do: "rate", system: "ws", url: "ws://127.0.0.1:1", ...rate } as const;
    expect(await new Swarm().rate(none)).toMatchObject({ connectMs: [], failures: 30 });
  },
);
