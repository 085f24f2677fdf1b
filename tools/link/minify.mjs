/** Minifies a linked module with esbuild, then with terser, which together are 4 % smaller than either. */
import { transform } from "esbuild";
import { minify } from "terser";

/** Comments that bundlers of games read. */
const READ_BY_BUNDLERS = /webpackIgnore|@vite-ignore/;

/** Name of a chunk's function for terser, which {@link compiledAtOnce} makes shorter by the bracket. */
const FACTORY = "$_";

/** @param {string} code of esbuild @returns {string} every column stays where the source map has it */
const named = (code) =>
  code
    .replace(/^var \w{1,2} = /, ({ length }) => `var ${FACTORY}=`.padEnd(length))
    .replace(/^ {2}\w+ as default$/m, `  ${FACTORY} as default`);

/**
 * Puts a chunk's function into brackets, which tell V8 to compile it at once, while the page does something else.
 * Without them V8 looks only for its end at first, and compiles it when the page waits for it.
 * @param {string} code of terser
 */
const compiledAtOnce = (code) =>
  code.replace(/^var \$_=/, "var $=(").replace(/;export\{\$_ as default\}/, ");export{$ as default}");

/**
 * Keeps annotations of calls without side effects where `isPublic`: a game's bundler leaves out of a public
 * module what the game does not use, but a chunk is one function to it.
 * @param {string} file @param {boolean} isPublic @param {string} code @param {{ toUrl(): string } | null} map
 * @returns {Promise<{ code: string, map: string }>}
 */
export async function minified(file, isPublic, code, map) {
  const before = map ? `${code}\n//# sourceMappingURL=${map.toUrl()}` : code;
  const first = await transform(before, {
    loader: "js",
    format: "esm",
    target: "es2022",
    minifySyntax: true,
    minifyIdentifiers: true,
    // Without it esbuild would drop what it marks as free of side effects, and games then keep what they never use.
    minifyWhitespace: false,
    sourcemap: "external",
    sourcefile: file,
    sourcesContent: false,
    legalComments: "none",
    // simple-peer asks for it. A game's esbuild would put a helper for that into one more file, which every script
    // then waits for.
    define: { require: "undefined" },
  });
  const second = await minify(isPublic ? first.code : named(first.code), {
    module: true,
    ecma: 2020,
    mangle: { reserved: [FACTORY] },
    compress: { passes: 3 },
    format: { comments: READ_BY_BUNDLERS, preserve_annotations: isPublic },
    sourceMap: { content: first.map, filename: file, url: `${file}.map` },
  });
  const { code: text = "", map: textMap } = second;
  return { code: compiledAtOnce(text), map: typeof textMap === "string" ? textMap : JSON.stringify(textMap) };
}
