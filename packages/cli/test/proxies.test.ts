import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import { silentLog } from "@paceline/relay";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RelayHost } from "../src/server/relay-host.js";
import { serverOptions } from "../src/server/server-options.js";

interface Ports {
  readonly proxy: number;
  readonly game: number;
}

/** Both examples pass on the name by which players come. */
const PUBLIC_HOST = "play.example.test";
const REBOUND = "rebound.example";

/** A proxy with our example of its configuration: the file as it stands, with a test's ports, names and certificate. */
interface Proxy {
  readonly name: string;
  readonly programs: readonly string[];
  readonly example: string;
  configure(example: string, folder: string, ports: Ports): string;
  flags(folder: string, file: string): string[];
  readonly stopSignal: NodeJS.Signals;
}

const PROXIES: readonly Proxy[] = [
  {
    name: "nginx",
    programs: ["/usr/sbin/nginx", "/usr/bin/nginx"],
    example: "nginx/paceline.conf",
    stopSignal: "SIGQUIT",
    flags: (folder, file) => ["-p", folder, "-c", file],
    configure(example, folder, ports) {
      const replaced = example
        .replaceAll("127.0.0.1:8787", `127.0.0.1:${ports.game}`)
        .replace("listen 443 ssl", `listen 127.0.0.1:${ports.proxy} ssl`)
        .replace("server_name play.example.com", "server_name localhost")
        .replace("/etc/ssl/certs/play.example.com.pem", join(folder, "certificate.pem"))
        .replace("/etc/ssl/private/play.example.com.key", join(folder, "key.pem"));
      return `pid ${folder}/nginx.pid; error_log ${folder}/error.log; daemon off; worker_processes 1;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
${replaced}
}
`;
    },
  },
  {
    name: "Caddy",
    programs: ["/usr/bin/caddy"],
    example: "caddy/Caddyfile",
    stopSignal: "SIGTERM",
    flags: (_folder, file) => ["run", "--adapter", "caddyfile", "--config", file],
    configure: (example, folder, ports) =>
      example
        .replaceAll("127.0.0.1:8787", `127.0.0.1:${ports.game}`)
        // The certificate is this test's: nobody is asked for one, and no port 80 is opened to be asked.
        .replace("servers {", "admin off\n\tauto_https off\n\tservers {")
        .replace(
          "play.example.com {",
          // Caddy answers by itself for names that it does not know; the server shall see a wrong one, too.
          `${["localhost", PUBLIC_HOST, REBOUND].map((name) => `https://${name}:${ports.proxy}`).join(", ")} {\n\ttls ${folder}/certificate.pem ${folder}/key.pem`,
        ),
  },
];

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** A key, and a certificate of its own signature for localhost. */
function writeCertificate(folder: string): void {
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const files = ["-keyout", join(folder, "key.pem"), "-out", join(folder, "certificate.pem")];
  const made = spawnSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", ...subject, ...files]);
  if (made.status !== 0) throw new Error(String(made.stderr));
}

describe.each(PROXIES.map((proxy) => [proxy.name, proxy] as const))("the example for %s", (_name, proxy) => {
  const program = proxy.programs.find((path) => existsSync(path));
  let folder: string;
  let child: ChildProcess;
  let host: RelayHost;
  let address: string;
  let admin: string | undefined;

  beforeAll(async () => {
    if (!program) return;
    folder = mkdtempSync(join(tmpdir(), "paceline-proxy-"));
    writeCertificate(folder);
    const ports = { proxy: await freePort(), game: await freePort() };
    const file = join(folder, "proxy.conf");
    const example = readFileSync(new URL(`../../../deploy/${proxy.example}`, import.meta.url), "utf8");
    writeFileSync(file, proxy.configure(example, folder, ports));
    const env = { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    child = spawn(program, proxy.flags(folder, file), { stdio: "ignore", env });
    const adminFlags = ["--admin-port", "0", "--admin-token", "let me in, I run this"];
    const named = ["--public-host", PUBLIC_HOST];
    const flags = ["--port", `${ports.game}`, "--trust-proxy", ...named, ...adminFlags];
    host = new RelayHost(serverOptions(flags, {})!, silentLog);
    ({ admin } = await host.listen());
    address = `https://localhost:${ports.proxy}`;
    // The certificate is this test's own; nothing else in this process speaks TLS.
    process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
    await until(async () => (await fetch(`${address}/health`)).ok);
  }, 20_000);

  afterAll(async () => {
    if (!program) return;
    child.kill(proxy.stopSignal);
    await once(child, "exit");
    await host.stop();
    rmSync(folder, { recursive: true });
  });

  test.skipIf(!program)("two players join over TLS and exchange messages through it", async () => {
    const client = new Client(address, { profile: "racing", webSocket: NodeWebSocket });
    const [one, two] = [await client.joinOrCreate("race"), await client.joinOrCreate("race")];
    const heard = new Promise((resolve) => two.onMessage("horn", resolve));
    await until(() => one.peers.length === 1);
    one.send("horn", { loud: true });
    expect(await heard).toEqual({ loud: true });
    const text = await (await fetch(`${admin}/metrics`)).text();
    expect(text).toContain('paceline_sessions{path="websocket"} 2');
    one.leave();
    two.leave();
  });

  test.skipIf(!program)(
    "the server accepts pages of its public host and refuses pages of any other name",
    async () => {
      const statusAt = async (name: string): Promise<number | undefined> => {
        const headers = { Host: name, Origin: `https://${name}` };
        const port = new URL(address).port;
        const asked = request({
          host: "localhost",
          port,
          path: "/match/joinOrCreate/race",
          servername: "localhost",
          method: "POST",
          headers,
        });
        asked.end('{"version":5}');
        const [response] = (await once(asked, "response")) as [IncomingMessage];
        response.resume();
        return response.statusCode;
      };
      expect(await statusAt(PUBLIC_HOST)).toBe(200);
      expect(await statusAt(REBOUND)).toBe(421);
    },
  );

  test.skipIf(!program)(
    "sends headers that allow HTTPS alone and deny the page cameras and other devices",
    async () => {
      const { headers } = await fetch(`${address}/health`);
      expect(headers.get("strict-transport-security")).toBe("max-age=31536000");
      expect(headers.get("permissions-policy")).toMatch(/camera=\(\).*microphone=\(\).*geolocation=\(\)/);
    },
  );

  test.skipIf(!program)("offers HTTP/1.1 and no HTTP/2", async () => {
    const { port } = new URL(address);
    const options = {
      port: Number(port),
      host: "localhost",
      servername: "localhost",
      ALPNProtocols: ["h2", "http/1.1"],
    };
    const socket = connect(options);
    await once(socket, "secureConnect");
    expect(socket.alpnProtocol).toBe("http/1.1");
    socket.destroy();
  });

  test.skipIf(!program)("the server's limits count the address of each player, not the proxy's", async () => {
    const match = (from: string): Promise<Response> =>
      fetch(`${address}/match/join/race`, {
        method: "POST",
        body: '{"version":5}',
        // What a player writes there itself stands before what the proxy appends, and does not count.
        headers: { "X-Forwarded-For": from },
      });
    const answers = await Promise.all(Array.from({ length: 120 }, (_, index) => match(`203.0.113.${index}`)));
    expect(answers.map(({ status }) => status)).toContain(429);
  });
});

async function until(isDone: () => boolean | Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + 10_000;
  while (performance.now() < deadlineMs) {
    if (await Promise.resolve(isDone()).catch(() => false)) return;
    await pause(50);
  }
  throw new Error("waited for too long");
}
