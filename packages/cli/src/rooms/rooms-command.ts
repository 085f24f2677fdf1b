import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { describeSavedRoom, savedFile, savedFiles, type SavedFile } from "@paceline/relay";
import { UsageError } from "../server/config-file.js";
import { DATA_FOLDER, roomsFolderOf } from "../server/data-folder.js";

const USAGE = `paceline rooms COMMAND    the saved rooms of a server, which may run meanwhile

  list                the rooms in the data directory, the newest save of each first
  show FILE           what a file says: room, size, time, version, checksum and content

  --data DIR          PACELINE_DATA    the server's data directory (${DATA_FOLDER})
  --json              the same as JSON
  --help              print this

Exits with 1 if something cannot be read.`;

interface RoomsCall {
  readonly command: "list" | "show";
  readonly target: string;
  readonly isJson: boolean;
}

/** Runs `paceline rooms`. */
export async function rooms(args: readonly string[]): Promise<void> {
  let call: RoomsCall | undefined;
  try {
    call = callOf(args, process.env);
  } catch (error) {
    console.error(
      `${error instanceof Error ? error.message : String(error)}\npaceline rooms --help lists all.`,
    );
    process.exitCode = 2;
    return;
  }
  if (call === undefined) return console.log(USAGE);
  try {
    const { command, target, isJson } = call;
    await (command === "list" ? list(target, isJson) : show(target, isJson));
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}

/** Undefined: help was requested. */
function callOf(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): RoomsCall | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      data: { type: "string" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h" },
    },
  });
  const [command, file, ...more] = positionals;
  if (values.help || command === undefined) return undefined;
  const isJson = values.json;
  if (command === "list" && file === undefined) {
    const folder = values.data ?? environment["PACELINE_DATA"] ?? DATA_FOLDER;
    return { command, target: roomsFolderOf(folder), isJson };
  }
  if (command === "show" && file !== undefined && more.length === 0) return { command, target: file, isJson };
  throw new UsageError(`expected "list" or "show FILE", got "${positionals.join(" ")}"`);
}

async function list(folder: string, isJson: boolean): Promise<void> {
  const files = await savedFiles(folder);
  if (isJson) return console.log(JSON.stringify(files.map(factsOf), null, 2));
  if (files.length === 0) return console.log(`no saved rooms in ${folder}`);
  for (const { file, sizeBytes, save } of files) {
    const name = path.basename(file);
    if ("fault" in save) console.log(`${name}: ${save.fault}`);
    else console.log(`${name}  room ${save.id}  saved ${timeOf(save.savedAtMs)}  ${sizeBytes} bytes`);
  }
}

async function show(file: string, isJson: boolean): Promise<void> {
  const saved = await savedFile(file);
  const { save } = saved;
  const content = "fault" in save ? undefined : describeSavedRoom(save.bytes);
  const facts = factsOf(saved);
  if (!content || "problem" in content) process.exitCode = 1;
  if (isJson) return console.log(JSON.stringify({ ...facts, content: readable(content) }, null, 2));
  for (const [name, value] of Object.entries(facts)) console.log(`${name}: ${value}`);
  if (content !== undefined) console.log(`content: ${JSON.stringify(readable(content), null, 2)}`);
}

function factsOf({ file, sizeBytes, save }: SavedFile): Readonly<Record<string, string | number>> {
  if ("fault" in save) return { file, sizeBytes, fault: save.fault };
  return {
    file,
    sizeBytes,
    room: save.id,
    saved: timeOf(save.savedAtMs),
    sequence: save.sequence,
    version: save.version,
    checksum: save.checksum.toString(16).padStart(8, "0"),
    contentBytes: save.bytes.length,
  };
}

/** Bytes are told by their number: they are states, which mean nothing to a reader. */
function readable(value: unknown): unknown {
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (Array.isArray(value)) return value.map(readable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, readable(member)]));
}

function timeOf(ms: number): string {
  return ms <= 8.64e15 ? new Date(ms).toISOString() : `${ms} ms`;
}
