import { spawnSync } from "node:child_process";
import { createRelay, silentLog } from "@paceline/relay";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Internet, type Access } from "../src/network/internet.js";
import { cleanUpAtEnd, type Namespace } from "../src/network/namespace.js";
import { whyNoNetworks } from "../src/network/requirements.js";
import { FOREIGN_TURN_SECRET, TURN_SECRET } from "../src/network/turn-server.js";

interface Answer {
  readonly isHeard: boolean;
  readonly rttMs: number;
  /** The client's address as the server saw it. */
  readonly from: string;
}

/** A Node one-liner: a UDP server that answers with the sender's address. */
const SERVER = `
  const s = require("node:dgram").createSocket("udp4");
  s.on("message", (m, from) => s.send(from.address, from.port, from.address)).bind(5000, () => console.log("up"));
  setTimeout(() => process.exit(), 20000);`;
const CLIENT = `
  const s = require("node:dgram").createSocket("udp4"), t = performance.now();
  s.on("message", (m) => { console.log(JSON.stringify({ isHeard: true, rttMs: performance.now() - t, from: String(m) })); process.exit(); });
  s.send("x", 5000, "203.0.113.10");
  setTimeout(() => { console.log(JSON.stringify({ isHeard: false, rttMs: 0, from: "" })); process.exit(); }, 700);`;

function ask(namespace: Namespace): Answer {
  const args = ["netns", "exec", namespace.name, process.execPath, "-e", CLIENT];
  return JSON.parse(spawnSync("ip", args, { encoding: "utf8" }).stdout) as Answer;
}

test.each([TURN_SECRET, FOREIGN_TURN_SECRET])("a relay server takes the TURN secret '%s'", async (secret) => {
  const turn = { urls: ["turn:203.0.113.20:3478"], secret };
  const relay = createRelay({ rooms: { race: {} }, log: silentLog, turn });
  await expect(relay.stop({ drainMs: 0 })).resolves.toBeUndefined();
});

/** Skipped if the machine cannot create networks; the simulated matrix tests the same cases. */
describe.skipIf(whyNoNetworks({ needsTurn: false }) !== undefined)("a network of the laboratory", () => {
  let internet: Internet;

  beforeAll(async () => {
    cleanUpAtEnd();
    internet = new Internet();
    const { namespace } = internet.addServer("server", 10);
    const server = namespace.start(process.execPath, ["-e", SERVER], { stdio: ["ignore", "pipe", "ignore"] });
    await new Promise((resolve) => server.stdout!.once("data", resolve));
  }, 20_000);

  afterAll(() => internet.remove(), 20_000);

  test.each<[Access, boolean]>([
    ["open", true],
    ["nat", true],
    ["symmetric-nat", true],
    ["udp-blocked", false],
    ["web-only", false],
  ])(
    "%s: UDP gets through: %s, and a wire delays and cuts",
    async (access, isHeard) => {
      const host = await internet.addHost(access);
      await host.wire.set({ delayMs: 40 });
      ask(host.namespace); // The first request only fills the neighbour tables.
      const answer = ask(host.namespace);
      expect(answer.isHeard).toBe(isHeard);
      if (!isHeard) return;
      expect(answer.rttMs).toBeGreaterThan(79);
      expect(answer.from).toMatch(/^203\.0\.113\./);
      await host.wire.set({ isUdpCut: true });
      expect(ask(host.namespace).isHeard).toBe(false);
    },
    20_000,
  );
});
