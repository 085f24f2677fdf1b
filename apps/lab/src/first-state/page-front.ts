import { readFileSync, readdirSync } from "node:fs";
import { createServer, request as requestFrom, type RequestListener, type Server } from "node:http";
import { connect, type AddressInfo } from "node:net";
import path from "node:path";
import { gzipSync } from "node:zlib";

/** Serves a built page with gzip, and hands everything else to the game's server, so that both have one address. */
export class PageFront {
  readonly #server: Server;
  readonly #asked: { readonly bytes: number; readonly atMs: number }[] = [];

  private constructor(folder: string, gamePort: number) {
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
    const bodies = new Map(
      names
        .filter((name) => /\.(js|html)$/.test(name))
        .map((name) => [
          `/${name.split(path.sep).join("/")}`,
          gzipSync(readFileSync(path.join(folder, name)), { level: 9 }),
        ]),
    );
    const answer: RequestListener = (request, response) => {
      const { pathname } = new URL(request.url!, "http://page");
      const name = pathname === "/" ? "/index.html" : pathname;
      const body = bodies.get(name);
      if (body === undefined) {
        const { method, url, headers } = request;
        const passed = requestFrom({ port: gamePort, host: "127.0.0.1", method, path: url, headers });
        passed.on("response", (answered) => {
          response.writeHead(answered.statusCode!, answered.headers);
          answered.pipe(response);
        });
        passed.on("error", () => response.destroy());
        request.pipe(passed);
        return;
      }
      const isScript = name.endsWith(".js");
      if (isScript) this.#asked.push({ bytes: body.byteLength, atMs: Date.now() });
      response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
      response.setHeader("content-encoding", "gzip");
      response.end(body);
    };
    this.#server = createServer(answer);
    this.#server.on("upgrade", (request, near, head) => {
      const far = connect(gamePort, "127.0.0.1");
      const { rawHeaders } = request;
      const lines = rawHeaders.flatMap((name, at) =>
        at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1]}`] : [],
      );
      far.write(`GET ${request.url} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
      far.write(head);
      near.pipe(far).pipe(near);
      for (const socket of [near, far])
        socket.on("error", () => [near, far].forEach((each) => each.destroy()));
    });
  }

  static async open(folder: string, gamePort: number): Promise<PageFront> {
    const front = new PageFront(folder, gamePort);
    await new Promise<void>((resolve) => front.#server.listen(0, "127.0.0.1", resolve));
    return front;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Returns the compressed bytes of the scripts that were asked for between two moments of `Date.now()`. */
  scriptBytes(fromMs: number, toMs: number): number {
    const asked = this.#asked.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
    return asked.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
