import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./pnpm.mjs";

export const EXAMPLES = path.join(ROOT, "examples");

/** Returns the names of the starters: folders of `examples` with a page. */
export const starters = () =>
  readdirSync(EXAMPLES).filter((name) => existsSync(path.join(EXAMPLES, name, "index.html")));
