import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { BlockList, isIP } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { silentLog } from "@paceline/relay";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { RelayHost } from "../src/server/relay-host.js";
import { serverOptions } from "../src/server/server-options.js";
import { TurnClient } from "./turn-client.js";

const DEPLOY = path.resolve(import.meta.dirname, "../../../deploy");
const fileOf = (name: string): string => readFileSync(path.join(DEPLOY, name), "utf8");

/** What an operator writes into .env. */
const dotEnv: Readonly<Record<string, string>> = {
  PUBLIC_HOST: "play.example.com",
  PUBLIC_ADDRESS: "203.0.113.7",
  PACELINE_ADMIN_TOKEN: "l".repeat(32),
  TURN_SECRET: "m".repeat(32),
};

interface Service {
  readonly environment: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly network_mode?: string;
  readonly healthcheck?: { readonly test: readonly string[]; readonly timeout: string };
  readonly volumes?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly image?: string;
  readonly stop_grace_period?: string;
}

/** The services as Docker Compose reads them with this .env; throws where it would. */
function services(
  env: Readonly<Record<string, string>> = dotEnv,
): Readonly<Record<"server" | "turn", Service>> {
  const text = fileOf("compose.yaml").replaceAll(
    /\$\{(\w+)(:\?[^}]*)?\}/g,
    (_all, name: string, must?: string) => {
      if (env[name] === undefined && must !== undefined)
        throw new Error(`required variable ${name} is missing`);
      return env[name] ?? "";
    },
  );
  return (parse(text) as { services: Record<"server" | "turn", Service> }).services;
}

/** The settings of coturn, in order. */
const coturn = fileOf("coturn/turnserver.conf")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => line.split("=", 2) as [string, string?]);
const settingOf = (name: string): string | undefined => coturn.find(([each]) => each === name)?.[1];
const isSet = (name: string): boolean => coturn.some(([each]) => each === name);

describe("deploy/compose.yaml", () => {
  it.each(Object.keys(dotEnv))("does not start without %s", (name) => {
    const { [name]: _left, ...others } = dotEnv;
    expect(() => services(others)).toThrow(name);
  });

  it("starts a server that announces the TURN server beside it", async () => {
    const options = serverOptions([], services().server.environment)!;
    expect(options.relay.turn).toEqual({
      urls: ["turn:203.0.113.7:3478", "turn:203.0.113.7:3478?transport=tcp"],
      secret: services().turn.environment["TURN_SECRET"],
    });
    expect(services().turn.environment["PUBLIC_ADDRESS"]).toBe("203.0.113.7");
    expect(settingOf("listening-port")).toBe("3478");
    expect(options.relay).toMatchObject({ publicHosts: ["play.example.com"], trustedProxyHops: 1 });
    // Nothing of it is refused.
    await new RelayHost(options, silentLog).stop();
  });

  it("publishes the UDP port of WebRTC, and nothing else to the public", () => {
    const { server } = services();
    const { relay, port, admin } = serverOptions([], server.environment)!;
    expect(relay.webrtc).toMatchObject({ port: 8787, announcedAddress: "203.0.113.7" });
    expect(server.ports).toEqual([
      `127.0.0.1:${port}:${port}`,
      `${relay.webrtc!.port}:${relay.webrtc!.port}/udp`,
      `127.0.0.1:${admin!.port}:${admin!.port}`,
    ]);
    expect(fileOf("Dockerfile")).toContain("EXPOSE 8787 8787/udp");
    // All of its ports are the machine's own.
    expect(services().turn.network_mode).toBe("host");
  });

  it("refuses secrets that are too short", () => {
    for (const name of ["TURN_SECRET"]) {
      const { server } = services({ ...dotEnv, [name]: "n".repeat(31) });
      const start = (): unknown => new RelayHost(serverOptions([], server.environment)!, silentLog);
      expect(start).toThrow(/secret: .*32/);
    }
    const script = path.join(DEPLOY, "coturn/start.sh");
    const env = { ...process.env, ...dotEnv, TURN_SECRET: "n".repeat(31) };
    const { status, stderr } = spawnSync("sh", [script], { env, encoding: "utf8" });
    expect([status, stderr]).toEqual([2, expect.stringContaining("at least 32 characters, got 31")]);
  });

  it("has health checks for both services, and time to drain", () => {
    const { server, turn } = services();
    expect(server.healthcheck!.test.join(" ")).toContain("http://127.0.0.1:8787/health");
    expect(turn.healthcheck!.test).toEqual(["CMD", "turnutils_stunclient", "-p", "3478", "127.0.0.1"]);
    const { drainMs } = serverOptions([], server.environment)!;
    expect(Number.parseInt(server.stop_grace_period!, 10) * 1000).toBeGreaterThan(drainMs);
  });

  it("runs coturn with the configuration beside it", () => {
    const { turn } = services();
    expect(turn.volumes).toEqual(["./coturn:/etc/paceline:ro"]);
    expect(turn.entrypoint).toEqual(["sh", "/etc/paceline/start.sh"]);
    expect(turn.image).toMatch(/^coturn\/coturn:\d+\.\d+\.\d+-r\d+$/);
  });
});

describe("deploy/coturn/turnserver.conf", () => {
  it("has no relay over TCP, no shell and no secret", () => {
    for (const name of ["no-tcp-relay", "no-multicast-peers", "no-cli", "use-auth-secret"])
      expect([name, isSet(name)]).toEqual([name, true]);
    for (const name of ["static-auth-secret", "allow-loopback-peers", "allowed-peer-ip", "user", "no-auth"])
      expect([name, isSet(name)]).toEqual([name, false]);
  });

  it("limits allocations per user and in total, and has more ports than allocations", () => {
    const [min, max] = [Number(settingOf("min-port")), Number(settingOf("max-port"))];
    expect(Number(settingOf("total-quota"))).toBeLessThan(max - min);
    expect(Number(settingOf("user-quota"))).toBeLessThan(Number(settingOf("total-quota")));
    expect(Number(settingOf("max-bps"))).toBeGreaterThan(0);
    // The firewall's rules in the documents are these.
    const documents = [
      fileOf("compose.yaml"),
      readFileSync(path.join(DEPLOY, "../docs/OPERATIONS.md"), "utf8"),
    ];
    for (const text of documents) expect(text).toMatch(new RegExp(`${min}( to |-)${max}`));
  });

  it.each([
    "0.0.0.0",
    "10.0.0.1",
    "10.255.255.255",
    "100.64.0.1",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.255",
  ])("denies %s", (address) => expect(denied(address)).toBe(true));
  it.each([
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.1",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
  ])("denies %s", (address) => expect(denied(address)).toBe(true));
  it.each([
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
  ])("denies %s", (address) => expect(denied(address)).toBe(true));
  it.each(["::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1"])(
    "denies %s",
    (address) => expect(denied(address)).toBe(true),
  );
  it.each(["2002:a00:1::1", "3fff::1", "fc00::1", "fdff::1", "fe80::1", "fec0::1", "ff02::1"])(
    "denies %s",
    (address) => expect(denied(address)).toBe(true),
  );
  it.each([
    "1.1.1.1",
    "8.8.8.8",
    "172.32.0.1",
    "100.128.0.1",
    "192.169.0.1",
    "2606:4700::1111",
    "2a00:1450::1",
  ])("lets %s be reached", (address) => expect(denied(address)).toBe(false));
});

function denied(address: string): boolean {
  const list = new BlockList();
  const family = (text: string): "ipv4" | "ipv6" => (isIP(text) === 6 ? "ipv6" : "ipv4");
  for (const [name, range = ""] of coturn) {
    const [first = "", last = ""] = range.split("-");
    if (name === "denied-peer-ip" && family(first) === family(address))
      list.addRange(first, last, family(first));
  }
  return list.check(address, family(address));
}

const PROGRAM = ["/usr/bin/turnserver", "/usr/local/bin/turnserver"].find((program) => existsSync(program));

describe.skipIf(PROGRAM === undefined)("coturn with this configuration", () => {
  const secret = dotEnv["TURN_SECRET"]!;
  const port = 10_000 + Math.floor(Math.random() * 9000);
  const folder = mkdtempSync(path.join(tmpdir(), "paceline-coturn-"));
  let child: ChildProcess;
  let output = "";
  const clients: TurnClient[] = [];
  const bytes = (address: string): Buffer => Buffer.from(address.split(".").map(Number));

  beforeAll(async () => {
    // As the container starts it, on loopback alone.
    const own = ["--pidfile", path.join(folder, "pid"), "--userdb", path.join(folder, "db")];
    const args = ["-L", "127.0.0.1", "-L", "::1", "-p", `${port}`, ...own];
    const env = { ...process.env, ...dotEnv, TMPDIR: folder };
    child = spawn("sh", [path.join(DEPLOY, "coturn/start.sh"), ...args], {
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [child.stdout!, child.stderr!])
      stream.on("data", (data: Buffer) => (output += data.toString()));
    while (!(await reached())) await pause(50);
  }, 15_000);

  afterAll(async () => {
    for (const client of clients) client.close();
    child.kill("SIGKILL");
    await once(child, "close");
    rmSync(folder, { recursive: true });
  });

  async function reached(): Promise<boolean> {
    try {
      // It listens to TCP before it listens to UDP.
      const client = await TurnClient.overUdp("127.0.0.1", port, secret);
      clients.push(client);
      return (await client.allocate("udp")) === 200;
    } catch {
      return false;
    }
  }

  async function user(over: "overUdp" | "overTcp" = "overUdp", word = secret): Promise<TurnClient> {
    const client = await TurnClient[over]("127.0.0.1", port, word);
    clients.push(client);
    return client;
  }

  it("gives a relay to a user with the server's password, and to no other", async () => {
    expect(await (await user()).allocate("udp")).toBe(200);
    expect(await (await user("overTcp")).allocate("udp")).toBe(200);
    expect(await (await user("overUdp", "another secret")).allocate("udp")).toBe(401);
  });

  it("relays to public addresses, and refuses those of its operator's network", async () => {
    const client = await user();
    expect(await client.allocate("udp")).toBe(200);
    expect(await client.permit(bytes("8.8.8.8"))).toBe(200);
    for (const peer of [
      "127.0.0.1",
      "10.0.0.1",
      "172.17.0.1",
      "192.168.1.1",
      "169.254.169.254",
      "100.64.0.1",
      "0.0.0.0",
    ])
      expect([peer, await client.permit(bytes(peer))]).toEqual([peer, 403]);
  });

  it("refuses IPv6 addresses that map to the operator's network", async () => {
    const client = await user();
    expect(await client.allocate("udp", 2)).toBe(200);
    const peers = {
      "2606:4700::1": 200,
      "::": 403,
      "::1": 403,
      "fd00::1": 403,
      "fe80::1": 403,
      "::ffff:10.0.0.1": 403,
    };
    for (const [peer, code] of Object.entries(peers))
      expect([peer, await client.permit(sixteenBytes(peer))]).toEqual([peer, code]);
  });

  it("has no relay over TCP", async () => {
    expect(await (await user("overTcp")).allocate("tcp")).toBeGreaterThanOrEqual(400);
  });

  it("keeps the secret off its command line and out of its log", () => {
    expect(readFileSync(`/proc/${child.pid}/cmdline`, "utf8")).not.toContain(secret);
    expect(output).not.toContain(secret);
  });
});

function sixteenBytes(address: string): Buffer {
  const mapped = /^::ffff:(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  if (mapped) return Buffer.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, ...mapped.slice(1).map(Number));
  const [head = "", tail = ""] = address.split("::");
  const groups = (text: string): number[] =>
    text
      .split(":")
      .filter(Boolean)
      .map((group) => Number.parseInt(group, 16));
  const [before, after] = [groups(head), groups(tail)];
  const all = [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}
