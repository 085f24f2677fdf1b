import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

export interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Returns what a program answers to calls that end by themselves at once, such as wrong ones. They run one after another
 * in one process, because most of their time goes to loading: only the entry is evaluated again for each call.
 * @param entry the program's first module
 * @param calls the arguments of each call
 */
export async function callsInTurn(
  entry: URL,
  calls: readonly (readonly string[])[],
  cwd?: string,
): Promise<readonly Answer[]> {
  const program = `const answers = [];
for (const [at, args] of ${JSON.stringify(calls)}.entries()) {
  const said = { stdout: "", stderr: "" };
  console.log = (line) => (said.stdout += line + "\\n");
  console.error = (line) => (said.stderr += line + "\\n");
  process.argv = [process.execPath, "program", ...args];
  process.exitCode = 0;
  await import(${JSON.stringify(entry.href)} + "?" + at);
  answers.push({ code: process.exitCode, ...said });
}
process.exitCode = 0;
process.stdout.write(JSON.stringify(answers), () => process.exit());`;
  // A variable of the tests' own environment could be an option of the program.
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], { cwd, env: {} });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (stdout === "") throw new Error(`a call ended the process: ${stderr}`);
  return JSON.parse(stdout) as readonly Answer[];
}
