import path from "node:path";
import type { HtmlTagDescriptor, IndexHtmlTransformContext, Plugin } from "vite";

type Bundle = NonNullable<IndexHtmlTransformContext["bundle"]>;
type Chunk = NonNullable<IndexHtmlTransformContext["chunk"]>;

/** The client's own chunks: a build takes them from this folder of `@paceline/client`. */
const LINKED = "/client/dist/linked/";

/**
 * A plugin for builds: a page that joins rooms names their code in its HTML. The browser then fetches it together
 * with the game's own code, and not only after that has run.
 * @param mode the chunk of the client's code for this game's kind of rooms
 */
export function preload(mode: "mesh" | "authority"): Plugin {
  let base = "/";
  return {
    name: "paceline:preload",
    apply: "build",
    configResolved(config) {
      base = config.base;
    },
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle, chunk, path: page }) {
        if (!bundle || !chunk || !loadsAtOnce(chunk, bundle, "index")) return [];
        return ["room", mode].flatMap((name) => {
          const code = Object.values(bundle).find((file) => file.type === "chunk" && has(file, name));
          if (!code || code === chunk) return [];
          return [linkTo(base, page, code.fileName)];
        });
      },
    },
  };
}

/** True if the chunk, or one that it imports, has this part of the client. */
function loadsAtOnce(chunk: Chunk, bundle: Bundle, name: string): boolean {
  const files = new Set([chunk.fileName]);
  for (const file of files) {
    const next = bundle[file];
    if (next?.type !== "chunk") continue;
    if (has(next, name)) return true;
    for (const imported of next.imports) files.add(imported);
  }
  return false;
}

function has(chunk: Chunk, name: string): boolean {
  return chunk.moduleIds.some((id) => id.split(path.sep).join("/").endsWith(`${LINKED}${name}.js`));
}

/** @param base Vite's option: relative if it is empty or `./` */
function linkTo(base: string, page: string, file: string): HtmlTagDescriptor {
  const isRelative = base === "" || base === "./";
  const href = isRelative ? path.posix.relative(path.posix.dirname(page), `/${file}`) : base + file;
  return {
    tag: "link",
    attrs: { rel: "modulepreload", crossorigin: true, href: isRelative ? `./${href}` : href },
    injectTo: "head",
  };
}
