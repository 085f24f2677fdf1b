/**
 * Writes the documents that are generated from code; with `--check` it only reports those that are out of
 * date.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { attackMarkdown } from "./docs/attack.mjs";
import { entitiesMarkdown } from "./docs/entities.mjs";
import { errorsMarkdown } from "./docs/errors.mjs";
import { interestMarkdown } from "./docs/interest.mjs";
import { labMarkdown } from "./docs/lab.mjs";
import { motionMarkdown } from "./docs/motion.mjs";
import { profilesMarkdown } from "./docs/profiles.mjs";
import { smallestClientMarkdown } from "./docs/smallest-client.mjs";
import { stateCodecMarkdown } from "./docs/state-codec.mjs";
import { stateMachinesMarkdown } from "./docs/state-machines.mjs";
import { wireFormatMarkdown } from "./docs/wire-format.mjs";
import { ROOT } from "./pnpm.mjs";

/** @type {Record<string, () => string | Promise<string>>} */
const GENERATED = {
  "docs/ATTACK.md": attackMarkdown,
  "docs/ERRORS.md": errorsMarkdown,
  "docs/LAB.md": labMarkdown,
  "docs/MOTION.md": motionMarkdown,
  "docs/PROFILES.md": profilesMarkdown,
  "docs/SMALLEST-CLIENT.md": smallestClientMarkdown,
  "docs/STATE-CODEC.md": stateCodecMarkdown,
  "docs/STATE-MACHINES.md": stateMachinesMarkdown,
  "docs/WIRE-FORMAT.md": wireFormatMarkdown,
  "docs/guides/entities.md": entitiesMarkdown,
  "docs/guides/interest.md": interestMarkdown,
};

const isCheck = process.argv.includes("--check");
let stale = 0;
for (const [file, generate] of Object.entries(GENERATED)) {
  const target = path.join(ROOT, file);
  const wanted = await generate();
  if (existsSync(target) && readFileSync(target, "utf8") === wanted) continue;
  if (isCheck) {
    stale += 1;
    console.error(`${file} is not what the code says; run \`pnpm docs\`.`);
  } else {
    writeFileSync(target, wanted);
    console.log(`wrote ${file}`);
  }
}
process.exitCode = stale === 0 ? 0 : 1;
