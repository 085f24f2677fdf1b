import { existsSync, realpathSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import sirv, { type Options } from "sirv";

/** Answers a request for a file. Calls `onMissing` if there is none. */
export type StaticFiles = (request: IncomingMessage, response: ServerResponse, onMissing: () => void) => void;

/** Called for a file that exists in the folder, or would, and is not served. */
type OnHidden = (target: string, reason: string) => void;

/** sirv looks for these: the name itself, a page without its ending, and what a build compressed of both. */
const ENDINGS = ["", ".html", ".htm"].flatMap((page) => ["", ".br", ".gz"].map((packed) => page + packed));

/**
 * Serves the files of a folder by sirv, except those that nobody may read: names that begin with a dot (but for
 * the folder `/.well-known/`), and links that lead out of the folder. They count as missing.
 */
export function publicFiles(folder: string, options: Options, onHidden?: OnHidden): StaticFiles {
  const serve = sirv(folder, options);
  return (request, response, onMissing) => {
    const target = request.url ?? "/";
    const reason = hiddenReason(folder, target);
    if (reason !== undefined) {
      onHidden?.(target, reason);
      return onMissing();
    }
    if (isEmptyRange(request.headers.range)) delete request.headers.range;
    // Reading a file may fail: it was deleted, or too many files are open. Without a listener the error ends
    // the process.
    response.once("pipe", (file) => file.once("error", () => response.destroy()));
    serve(request, response, onMissing);
  };
}

/** Returns true for the methods that read a file. */
export function isRead({ method }: IncomingMessage): boolean {
  return method === "GET" || method === "HEAD";
}

/** Returns the reason why nobody may read the file that sirv would choose for a target, or undefined. */
export function hiddenReason(folder: string, target: string): string | undefined {
  const name = decoded(target.split("?", 1)[0] ?? "");
  if (isDotted(name)) return "its name begins with a dot";
  // Asked each time, since a deployment may replace the folder by a link to the next one.
  const root = realpathSync.native(folder);
  const bases = [path.join(root, name), path.join(root, name, "index")];
  for (const file of bases.flatMap((base) => ENDINGS.map((ending) => stem(base) + ending))) {
    if (!existsSync(file)) continue;
    const inside = path.relative(root, realpathSync.native(file));
    if (path.isAbsolute(inside) || inside.split(path.sep)[0] === "..") return "it leads out of the folder";
    if (isDotted(inside)) return "it leads to a name that begins with a dot";
  }
  return undefined;
}

/** sirv drops the slash at the end of a name. */
const stem = (base: string): string => (base.endsWith(path.sep) ? base.slice(0, -1) : base);

function isDotted(name: string): boolean {
  const parts = name.split(/[/\\]/).filter((part) => part !== "");
  return parts.some((part, index) => part.startsWith(".") && !(index === 0 && part === ".well-known"));
}

/** sirv decodes a target in the same way. */
function decoded(target: string): string {
  try {
    return decodeURI(target);
  } catch {
    return target;
  }
}

/** sirv fails at a range that ends before it begins. RFC 9110, section 14.1.1: such a header is ignored. */
function isEmptyRange(range = ""): boolean {
  const [, first, last] = /^bytes=(\d+)-(\d+)/.exec(range) ?? [];
  return Number(first) > Number(last);
}
