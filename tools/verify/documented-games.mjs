/**
 * The games that the documents print, as programs: README's, whose players meet in a mesh, and the guide's, whose
 * rooms have an authority. What the gates measure is thus what a reader copies.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { transformSync } from "esbuild";
import { fencesOf } from "../markdown.mjs";
import { ROOT } from "../pnpm.mjs";

export const README = "README.md";
export const AUTHORITY_GUIDE = "docs/guides/authority.md";
/** Name of the mark that a page sets in its timeline when it knows the car of another player. */
export const FIRST_STATE = "first state";

const ADDRESS = /"wss?:\/\/[^"]+"/;
const JOIN = /^const room = await client\.joinOrCreate\(.*\);$/m;
const PROBE = `room.onSpawn(Car, ({ isMine }) => { if (!isMine) performance.mark(${JSON.stringify(FIRST_STATE)}); });`;

/**
 * @param {string} document @param {string} contained @param {string} [root] folder of the version that prints it
 * @returns {string} the code of the only fence that contains it
 */
function fenceWith(document, contained, root = ROOT) {
  const found = fencesOf(readFileSync(path.join(root, document), "utf8")).filter(
    ({ language, code }) => language === "ts" && code.includes(contained),
  );
  const [fence] = found;
  if (fence === undefined || found.length > 1)
    throw new Error(`${found.length} programs of ${document} contain ${contained}; expected one`);
  return fence.code;
}

/** @param {string} code TypeScript @returns {string} */
const withoutTypes = (code) => transformSync(code, { loader: "ts", target: "es2022" }).code;

/** @param {string} code @returns {string} the game, which plays on the server of its own page and marks its first state */
function played(code) {
  if (!ADDRESS.test(code) || !JOIN.test(code))
    throw new Error("the printed game names its server or joins its room in another way than the gates know");
  return withoutTypes(code.replace(ADDRESS, "location.origin").replace(JOIN, (join) => `${join}\n${PROBE}`));
}

/** @param {string} [root] folder of the version @returns {string} README's game, a module for a page */
export const meshGame = (root) => played(fenceWith(README, "new Client(", root));

/** @returns {string} the guide's game with its prediction, a module for a page */
export function authorityGame() {
  const parts = [
    "export const Car = defineEntity(",
    "new Client<typeof server>(",
    "const prediction = room.predict(",
  ];
  return played(parts.map((part) => fenceWith(AUTHORITY_GUIDE, part)).join(""));
}

/** @returns {string} the server of {@link authorityGame}, a module for Node that exports it as `server` */
export function authorityServer() {
  const parts = ["export const Car = defineEntity(", "export const server = defineServer("];
  return withoutTypes(parts.map((part) => fenceWith(AUTHORITY_GUIDE, part)).join(""));
}
