import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const FOLDER = new URL("../../../tools/conformance/", import.meta.url);

export const hasPython = spawnSync("python3", ["--version"]).status === 0;

/** The reader's result for one message of a link. */
export interface Told {
  readonly link: string;
  readonly from: string;
  readonly peer: number | null;
  readonly drop?: string;
  readonly packet?: { readonly published: boolean; readonly messages: readonly ToldMessage[] };
}

interface ToldMessage {
  readonly kind: string;
  readonly drop?: string;
  readonly payload?: ToldMessage & { readonly message?: unknown };
  readonly tick?: number;
  readonly removed?: readonly number[];
  readonly checksum?: { readonly agrees: boolean } | null;
  readonly states?: readonly ToldState[];
}

export interface ToldState {
  readonly entity: number;
  readonly baselines: readonly number[] | null;
  readonly owner: number;
  readonly teleports: number;
  readonly columns: readonly number[];
  readonly values: Readonly<Record<string, unknown>>;
}

/** Runs a program of the second reader. Returns the lines that it printed. */
export function runPython(program: string, args: readonly string[], input = ""): unknown[] {
  const path = fileURLToPath(new URL(program, FOLDER));
  const run = spawnSync("python3", [path, ...args], { input, encoding: "utf8", maxBuffer: 2 ** 28 });
  if (run.stderr !== "") throw new Error(run.stderr);
  return run.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
}

/** Decodes lines in the format of tools/conformance/decode.py. */
export function tellFrom(lines: readonly unknown[]): Told[] {
  return runPython("decode.py", [], lines.map((line) => `${JSON.stringify(line)}\n`).join("")) as Told[];
}
