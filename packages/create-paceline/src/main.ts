/** `npm create paceline [folder] [-- --template NAME]`: exits with 2 when it was called wrongly, with 1 when it failed. */
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { npmInstall } from "./npm-install.js";
import { faultOf, templates, writeProject, type Template } from "./project.js";

const DEFAULT_FOLDER = "paceline-game";
const USAGE = `npm create paceline [folder] [-- options]

  folder            where the game goes; must be empty or not there yet (${DEFAULT_FOLDER})
  --template NAME   canvas: players tell each other what they do; authority: a server decides (canvas);
                    or a small whole game of a genre: racing (three.js), shooter, action (Phaser), rpg, mmo,
                    arena, strategy, puzzle, party (React)
  --install         runs "npm install" in the folder`;

interface Call {
  readonly folder: string;
  readonly template: Template;
  readonly installs: boolean;
}

/** Undefined if only help was asked for. Throws with a sentence for the person at the terminal. */
function callOf(args: readonly string[]): Call | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      template: { type: "string", default: "canvas" },
      install: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  const [folder = DEFAULT_FOLDER, ...more] = positionals;
  if (more.length > 0) throw new Error(`expected one folder, got ${positionals.join(", ")}`);
  const template = templates.find((name) => name === values.template);
  if (template === undefined)
    throw new Error(`template: expected one of ${templates.join(", ")}, got "${values.template}"`);
  return { folder, template, installs: values.install };
}

async function create({ folder, template, installs }: Call): Promise<void> {
  const fault = faultOf(folder);
  if (fault !== undefined) return fail(fault);
  writeProject(folder, template);
  console.log(`Wrote a game (template ${template}) into ${path.resolve(folder)}.`);
  const failure = installs ? await npmInstall(folder) : undefined;
  const isHere = path.resolve(folder) === process.cwd();
  const steps = [
    ...(isHere ? [] : [`cd ${quoted(path.relative("", folder))}`]),
    ...(installs && failure === undefined ? [] : ["npm install"]),
    "npm run dev",
  ];
  if (failure !== undefined) fail(failure);
  console.log(`\nNext:\n\n${steps.map((step) => `  ${step}\n`).join("")}`);
}

/** Returns a folder's name as one word for the shell, unchanged if it has no special characters. */
function quoted(name: string): string {
  // `cd` takes a dash for an option.
  const safe = name.startsWith("-") ? `.${path.sep}${name}` : name;
  if (/^[\w./\\:@%+=,-]+$/.test(safe) && (process.platform === "win32" || !safe.includes("\\"))) return safe;
  // Names on Windows have no quotation marks.
  return process.platform === "win32" ? `"${safe}"` : `'${safe.replaceAll("'", String.raw`'\''`)}'`;
}

function fail(sentence: string): void {
  console.error(sentence);
  process.exitCode = 1;
}

let call: Call | undefined;
try {
  call = callOf(process.argv.slice(2));
  if (call === undefined) console.log(USAGE);
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  process.exitCode = 2;
}
try {
  if (call !== undefined) await create(call);
} catch (error) {
  fail(`Cannot write the game: ${error instanceof Error ? error.message : String(error)}`);
}
