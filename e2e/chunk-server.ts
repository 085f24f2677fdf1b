import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import type { Duplex } from "node:stream";
import { build, type BuildOptions } from "esbuild";

/** Texts that only one chunk of a build contains. Bundlers choose the chunks' names, so tests find them by these. */
const TEXT_OF = {
  webrtc: "cannot signal after peer is destroyed",
  room: "one loop at a time: stop the other one first",
  authority: "the room has an authority: players talk with it alone",
  mesh: "a peer: the room has no authority",
  msgpackr: "Unexpected end of MessagePack data",
} as const;
export type Chunk = keyof typeof TEXT_OF;

/** A request for a chunk, and what the server did with it. Times by `performance.now()`, ms. */
export interface ChunkRequest {
  readonly chunk: string;
  readonly askedAtMs: number;
  /** Undefined while the answer is held back. */
  answeredAtMs?: number;
}

/** A game's server at the same address. */
export interface GameHandlers {
  handleRequest(request: IncomingMessage, response: ServerResponse): boolean;
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
}

type PageSource = { readonly file: string } | { readonly code: string; readonly folder: string };

/** The chunks of each page, by its source: the code by the chunk's address. */
const built = new Map<string, Promise<ReadonlyMap<string, string>>>();

async function builtChunks(page: PageSource): Promise<ReadonlyMap<string, string>> {
  const entry: BuildOptions =
    "file" in page
      ? { entryPoints: { page: page.file } }
      : { stdin: { contents: page.code, resolveDir: page.folder, sourcefile: "page.js" } };
  const { outputFiles } = await build({
    ...entry,
    bundle: true,
    splitting: true,
    write: false,
    outdir: "/",
    entryNames: "page",
    format: "esm",
    platform: "browser",
  });
  const texts = new Map(outputFiles.map(({ path: file, text }) => [`/${path.basename(file)}`, text]));
  for (const [chunk, text] of Object.entries(TEXT_OF)) {
    const count = [...texts.values()].filter((code) => code.includes(text)).length;
    if (count !== 1) throw new Error(`${count} chunks contain the text of ${chunk}; expected one`);
  }
  return texts;
}

const HTML = '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>';

/** Serves a page in the chunks that esbuild makes of it. A test holds back or fails the chunks that it chooses. */
export class ChunkServer {
  readonly #server: Server;
  readonly #texts: ReadonlyMap<string, string>;
  readonly #requests: ChunkRequest[] = [];
  readonly #failures = new Map<Chunk, number>();
  readonly #held = new Map<Chunk, (() => void)[]>();

  private constructor(texts: ReadonlyMap<string, string>, game: GameHandlers | undefined) {
    this.#texts = texts;
    this.#server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? "/", "http://page");
      if (pathname === "/") response.writeHead(200, { "Content-Type": "text/html" }).end(HTML);
      else if (texts.has(pathname)) this.#answer(pathname, response);
      else if (game?.handleRequest(request, response) !== true) response.writeHead(404).end();
    });
    this.#server.on("upgrade", (request, socket, head) => {
      if (game?.handleUpgrade(request, socket, head) !== true) socket.destroy();
    });
  }

  /** Serves the page of a file, or of code whose imports are those of the folder. Builds each page once. */
  static async start(page: PageSource, game?: GameHandlers): Promise<ChunkServer> {
    const key = JSON.stringify(page);
    const texts = built.get(key) ?? builtChunks(page);
    built.set(key, texts);
    const server = new ChunkServer(await texts, game);
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Requests for a chunk so far, by all pages. */
  requestsOf(chunk: Chunk): readonly ChunkRequest[] {
    return this.#requests.filter(({ chunk: name }) => this.#texts.get(name)!.includes(TEXT_OF[chunk]));
  }

  /** Fails the next requests for a chunk, with status 503. Default: all of them. */
  fail(chunk: Chunk, times = Infinity): void {
    this.#failures.set(chunk, times);
  }

  /** Holds back the answers for a chunk until {@link release}. */
  hold(chunk: Chunk): void {
    this.#held.set(chunk, this.#held.get(chunk) ?? []);
  }

  release(chunk: Chunk): void {
    const waiting = this.#held.get(chunk) ?? [];
    this.#held.delete(chunk);
    for (const answer of waiting) answer();
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answer(name: string, response: ServerResponse): void {
    const text = this.#texts.get(name)!;
    const request: ChunkRequest = { chunk: name, askedAtMs: performance.now() };
    this.#requests.push(request);
    const chunks = (Object.keys(TEXT_OF) as Chunk[]).filter((chunk) => text.includes(TEXT_OF[chunk]));
    const failing = chunks.find((chunk) => (this.#failures.get(chunk) ?? 0) > 0);
    const answer = (): void => {
      request.answeredAtMs = performance.now();
      if (failing === undefined) response.writeHead(200, { "Content-Type": "text/javascript" }).end(text);
      else response.writeHead(503).end();
    };
    if (failing !== undefined) this.#failures.set(failing, this.#failures.get(failing)! - 1);
    const held = chunks.find((chunk) => this.#held.has(chunk));
    if (held === undefined) answer();
    else this.#held.get(held)!.push(answer);
  }
}
