import { once } from "node:events";
import { connect } from "node:net";

/** Text that stands in every file which no server may show. */
export const SECRET = "nobody may read this";

/** A request as bytes, and the status that every server of ours answers. */
export interface HostileRequest {
  readonly what: string;
  /** `host`: the right value of `Host`. */
  readonly lines: (host: string) => readonly string[];
  readonly status: number;
}

const plain = (what: string, target: string, status: number): HostileRequest => ({
  what,
  lines: (host) => [`GET ${target} HTTP/1.1`, `Host: ${host}`],
  status,
});

/** Requests whose form is wrong, whatever their path is. */
const malformed = (path: string): readonly HostileRequest[] => [
  plain("an absolute target", `http://127.0.0.1${path}`, 400),
  plain("an absolute target that is no URL", "http://[", 400),
  plain("a NUL in the target", `${path}\0`, 400),
  plain("a fragment in the target", `${path}#x`, 400),
  { what: "the target *", lines: (host) => ["OPTIONS * HTTP/1.1", `Host: ${host}`], status: 400 },
  {
    what: "two Hosts",
    lines: (host) => [`GET ${path} HTTP/1.1`, `Host: ${host}`, "Host: evil.example"],
    status: 400,
  },
  {
    what: "the same Host twice",
    lines: (host) => [`GET ${path} HTTP/1.1`, `Host: ${host}`, `host: ${host}`],
    status: 400,
  },
  { what: "no Host", lines: () => [`GET ${path} HTTP/1.1`], status: 400 },
  { what: "an empty Host", lines: () => [`GET ${path} HTTP/1.1`, "Host:"], status: 400 },
  {
    what: "a Host that ends a policy",
    lines: () => [`GET ${path} HTTP/1.1`, "Host: x; script-src *"],
    status: 400,
  },
  {
    what: "a user in Host",
    lines: (host) => [`GET ${path} HTTP/1.1`, `Host: evil.example@${host}`],
    status: 400,
  },
];

/** Requests of a page that may not use the server. */
export const strangers = (path: string, method = "GET"): readonly HostileRequest[] => [
  {
    what: `${path} under another name`,
    lines: () => [`${method} ${path} HTTP/1.1`, "Host: evil.example", "Content-Length: 0"],
    status: 421,
  },
  {
    what: `${path} for another page`,
    lines: (host) => [
      `${method} ${path} HTTP/1.1`,
      `Host: ${host}`,
      "Origin: https://evil.example",
      "Content-Length: 0",
    ],
    status: 403,
  },
];

/** Paths of files that a folder has and nobody may read, see {@link HIDDEN_FILES}, and paths of no file. */
const missing: readonly (readonly [string, string])[] = [
  ["a dot file", "/.env"],
  ["a dot file, encoded", "/%2eenv"],
  ["a dot file after a fragment", "/x/%23/../../.env"],
  ["a file in a dot folder", "/.git/config"],
  ["a file in a dot folder further down", "/assets/.cache/a.txt"],
  ["a dot file among the well-known", "/.well-known/.env"],
  ["a well-known folder that is not at the top", "/assets/.well-known/a.txt"],
  ["a link to a file elsewhere", "/link.txt"],
  ["a link to a page elsewhere, without its ending", "/page"],
  ["a file in a linked folder", "/linked/a.txt"],
  ["a link to a dot file", "/environment"],
  ["a folder above", "/../a.txt"],
  ["a folder above, encoded", "/..%2fa.txt"],
  ["a broken escape", "/%"],
  ["an escaped NUL", "/%00"],
];

export const hostileRequests: readonly HostileRequest[] = [
  plain("two slashes", "//", 400),
  plain("two slashes and a name", "//evil.example/", 400),
  plain("a backslash", "/\\", 400),
  ...malformed("/"),
  { what: "HTTP/1.0 without Host", lines: () => ["GET / HTTP/1.0"], status: 400 },
  ...strangers("/"),
  ...strangers("/@paceline/events"),
  ...strangers("/index.html"),
  ...missing.map(([what, path]) => plain(what, path, 404)),
];

/** Sends lines of a request, and resolves with what the server sends until it closes or is silent. */
export async function rawAnswer(port: number, lines: readonly string[], quietMs = 300): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.setEncoding("utf8").on("data", (part: string) => (text += part));
  socket.on("error", () => undefined).setTimeout(quietMs, () => socket.destroy());
  socket.write(`${[...lines, "Connection: close"].join("\r\n")}\r\n\r\n`);
  await once(socket, "close").catch(() => undefined);
  return text;
}

export const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);
